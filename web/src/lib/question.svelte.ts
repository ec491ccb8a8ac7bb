import { type Answer, askText, type Envelope, ask, type Problem, Refused, runJob } from "./api";

export interface Asked { verb: string; body: Envelope; format?: string; job?: boolean }

const MOST_HELD = 60;
const held = new Map<string, unknown>();

function hold(key: string, value: unknown) {
  held.delete(key);
  held.set(key, value);
  if (held.size > MOST_HELD) held.delete(held.keys().next().value!);
}

// The answer of a question as it came, where it is still held; else it is asked.
export async function textOf(asked: Asked & { format: string }): Promise<string> {
  const known = held.get(JSON.stringify(asked)) as { raw: string } | undefined;
  return known?.raw ?? askText(asked.verb, asked.format, asked.body);
}

// A question that follows what it is made of: it asks again when that changes, hangs up on what is no
// longer wanted, and keeps the last good answer meanwhile.
export class Question<T> {
  data = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  asking = $state(false);
  seconds = $state(0);
  progress = $state(0);
  stopped = $state(false);
  private stop: AbortController | null = null;
  private asked: Asked | null = null;

  constructor(make: () => Asked | null, read: (raw: unknown) => T = raw => (raw as Answer<T>).answer, settle = 250) {
    $effect(() => {
      const asked = make();
      this.asked = asked;
      if (!asked) { this.asking = false; return; }
      const key = JSON.stringify(asked), known = held.get(key) as { raw: unknown; seconds: number } | undefined;
      if (known) return void this.take(read(known.raw), known.seconds);
      this.asking = true;
      const stop = (this.stop = new AbortController()), timer = setTimeout(() => void this.go(asked, key, read, stop), settle);
      return () => { clearTimeout(timer); stop.abort(); };
    });
  }

  cancel() { this.stop?.abort(); this.asking = false; this.stopped = true; }
  get command() { return this.asked; }

  private take(data: T, seconds: number) {
    [this.data, this.seconds, this.problem, this.asking, this.stopped] = [data, seconds, null, false, false];
  }
  private async go(asked: Asked, key: string, read: (raw: unknown) => T, stop: AbortController) {
    const start = performance.now();
    this.progress = 0;
    try {
      const raw = asked.job ? await runJob(asked.verb, asked.body, stop.signal, job => (this.progress = job.progress))
        : asked.format ? await askText(asked.verb, asked.format, asked.body, stop.signal) : await ask(asked.verb, asked.body, stop.signal);
      const took = (performance.now() - start) / 1000;
      hold(key, { raw, seconds: took });
      if (!stop.signal.aborted) this.take(read(raw), took);
    } catch (reason) {
      if (stop.signal.aborted) return;
      this.problem = reason instanceof Refused ? reason.problem : { status: 0, title: "The answer could not be read", detail: String(reason), errors: [] };
      this.asking = false;
    }
  }
}
