// The server's API: questions, jobs, catalogue. Nothing here knows a page.

import { takeCurrency } from "./format";

export interface InputError { code: string; message: string; hint?: string; file?: string; line?: number; column?: number; length?: number; notes?: string[] }
export interface Problem { status: number; title: string; detail: string; code?: string; errors: InputError[] }
// A file that goes along with a question: its text, or where the server holds it.
export type HeldFile = string | { upload: string };
export interface Envelope { scenario?: string; files?: Record<string, HeldFile>; set?: string[]; options?: Record<string, unknown> }
export interface Quantity { value: number; low: number; high: number; unit: string; basis: string; source: string }
export interface Answer<T> { verb: string; answer: T; notices: { id: string; severity: string; text: string }[]; provenance: { version: string; facts: unknown[] } }

export class Refused extends Error {
  constructor(readonly problem: Problem) { super(problem.detail || problem.title); }
}

const TOKEN = "loadfactor-token";
// A token comes in the address once, and leaves it at once.
export function takeToken() {
  const match = /[#&]token=([^&]+)/.exec(location.hash);
  if (!match) return;
  sessionStorage.setItem(TOKEN, decodeURIComponent(match[1]));
  history.replaceState(null, "", location.pathname + location.hash.replace(match[0], ""));
}

function headers(type?: string): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  return { ...(type ? { "Content-Type": type } : {}), ...(token ? { Authorization: `Bearer ${token}` } : {}) };
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const found = JSON.parse(text);
    return { status: response.status, title: found.title ?? "", detail: found.detail ?? found.title ?? "", code: found.code, errors: found.errors ?? [] };
  } catch {
    return { status: response.status, title: response.statusText, detail: text.slice(0, 400) || response.statusText, errors: [] };
  }
}

const pause = (ms: number, signal?: AbortSignal) => new Promise<void>((done, stop) => {
  const timer = setTimeout(done, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); stop(signal.reason); });
});

const MOST_TRIES = 20;
// A server that has too much to do says when to come back.
async function send(path: string, init: RequestInit): Promise<Response> {
  for (let tries = 0; ; ++tries) {
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch (reason) {
      if (init.signal?.aborted) throw reason;
      throw new Refused({ status: 0, title: "No answer from the server", detail: "The server does not answer. Is `loadfactor web` still running?", errors: [] });
    }
    if (response.ok) return response;
    const wait = Number(response.headers.get("Retry-After") ?? NaN);
    if (![429, 503].includes(response.status) || !Number.isFinite(wait) || tries >= MOST_TRIES) throw new Refused(await problemOf(response));
    await pause(1000 * Math.max(wait, 0.5), init.signal ?? undefined);
  }
}

const post = (path: string, body: unknown, signal?: AbortSignal) => send(path, { method: "POST", headers: headers("application/json"), body: JSON.stringify(body), signal });

export async function ask<T>(verb: string, body: Envelope, signal?: AbortSignal): Promise<Answer<T>> {
  takeCurrency(body.scenario);
  return (await post(`/api/v1/${verb}`, body, signal)).json();
}

export async function askText(verb: string, format: string, body: Envelope, signal?: AbortSignal): Promise<string> {
  return (await post(`/api/v1/${verb}?format=${format}`, body, signal)).text();
}

// Puts a file that is too large for a question on the server, for as long as it is used.
export async function upload(name: string, file: Blob): Promise<HeldFile> {
  const reply = await send(`/api/v1/files?name=${encodeURIComponent(name)}`, { method: "POST", headers: headers("application/octet-stream"), body: file });
  return { upload: (await reply.json()).id };
}

export async function check(text: string, signal?: AbortSignal): Promise<InputError[]> {
  return (await (await send("/api/v1/check", { method: "POST", headers: headers("application/yaml"), body: text, signal })).json()).errors ?? [];
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(`/api/v1/${path}`, { headers: headers(), signal })).json();
}

export async function getText(path: string): Promise<string> {
  return (await send(`/api/v1/${path}`, { headers: headers() })).text();
}

export interface Job { id: string; state: string; progress: number; seconds: number; status?: number; has_answer?: boolean }

// Runs a question as a job; its progress comes as server-sent events, and leaving cancels it.
export async function runJob<T>(verb: string, body: Envelope, signal: AbortSignal, progress: (job: Job) => void): Promise<Answer<T>> {
  takeCurrency(body.scenario);
  const job: Job = await (await post("/api/v1/jobs", { verb, ...body }, signal)).json();
  const cancel = () => void fetch(`/api/v1/jobs/${job.id}`, { method: "DELETE", headers: headers() }).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const events = await send(`/api/v1/jobs/${job.id}/events`, { headers: { ...headers(), Accept: "text/event-stream" }, signal });
    await readEvents(events, (kind, data) => { progress({ ...job, ...data }); return kind === "done"; });
    return await (await send(`/api/v1/jobs/${job.id}/answer`, { headers: headers(), signal })).json();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function readEvents(response: Response, take: (kind: string, data: Partial<Job>) => boolean) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => block.split(/\r?\n/).filter(l => l.startsWith(`${name}:`)).map(l => l.slice(name.length + 1).trim()).join("\n");
      if (field("data") && take(field("event") || "message", JSON.parse(field("data")))) return void reader.cancel();
    }
  }
}
