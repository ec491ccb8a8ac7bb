import { type Envelope, get, getText, type HeldFile } from "./api";
import { pack, unpack } from "./link";
import { plainText, sharesPool, valueAt, workOf } from "./outline";

export const PAGES = ["fill", "layout", "money", "simulate", "fleet", "compare", "data"] as const;
export type Page = (typeof PAGES)[number];
export interface Kept { name: string; text: string; set: Record<string, string> }
interface Before { text: string; set: Record<string, string>; what: string }

// An envelope of a question; only files that the scenario names go along.
export function envelopeOf(text: string, edits: string[], files: Record<string, HeldFile>): Envelope {
  const named = Object.entries(files).filter(([name]) => text.includes(name) || edits.some(edit => edit.includes(name)));
  return { scenario: text, ...(named.length ? { files: Object.fromEntries(named) } : {}), set: [...edits] };
}

// A name as a file may have it: nothing in it that a shell or a folder would read.
export const fileName = (name: string) => name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|-+$/g, "");

// What the reader works on: one scenario, changes to it, files beside it, and scenarios kept to compare.
class Session {
  page = $state<Page>("fill");
  text = $state("");
  set = $state<Record<string, string>>({});
  files = $state<Record<string, HeldFile>>({});
  kept = $state<Kept[]>([]);
  past = $state<Before[]>([]);
  ready = $state(false);
  editing = $state(false);
  said = $state("");
  examples = $state<string[]>([]);

  work = $derived(workOf(this.text));
  shares = $derived(sharesPool(this.text));
  name = $derived(fileName(plainText(valueAt(this.text, this.set, "name"))) || "scenario");
  edits = $derived(Object.entries(this.set).map(([key, value]) => `${key}=${value}`));

  envelope(more: string[] = []): Envelope {
    return envelopeOf(this.text, [...this.edits, ...more], this.files);
  }
  // The same question for a shell.
  command(words: string, more: string[] = []): string {
    const set = [...this.edits, ...more].map(edit => ` --set '${edit.replaceAll("'", "'\\''")}'`).join("");
    return `loadfactor ${words} ${this.name}.yaml${set}`;
  }

  value(path: string): string { return valueAt(this.text, this.set, path); }

  change(path: string, value: string, what = path) {
    if (this.value(path) === value) return;
    this.remember(`${what}: ${this.value(path) || "–"} → ${value}`);
    this.set = { ...this.set, [path]: value };
  }
  drop(path: string) {
    this.remember(`${path} as in the scenario`);
    const { [path]: _, ...rest } = this.set;
    this.set = rest;
  }
  load(text: string, what: string) {
    this.remember(what);
    this.text = text;
    this.set = {};
  }
  private remember(what: string) {
    this.past = [...this.past.slice(-49), { text: this.text, set: this.set, what }];
  }
  undo() {
    const before = this.past.at(-1);
    if (!before) return;
    this.past = this.past.slice(0, -1);
    this.text = before.text;
    this.set = before.set;
  }
  keep(name = this.name, text = this.text, set = this.set) {
    const same = this.kept.some(k => k.text === text && JSON.stringify(k.set) === JSON.stringify(set));
    if (!same) this.kept = [...this.kept, { name, text, set: { ...set } }];
  }

  async link(): Promise<string> {
    return `#/${this.page}?s=${await pack({ text: this.text, set: this.set, files: this.files, kept: this.kept })}`;
  }
  async start() {
    void get<{ scenarios: string[] }>("scenarios").then(found => (this.examples = found.scenarios)).catch(() => {});
    await this.follow();
    if (!this.text) await this.first();
    this.ready = true;
  }
  private async first() {
    const status = await get<{ has_scenario: boolean }>("status").catch(() => ({ has_scenario: false }));
    const given = status.has_scenario ? await get<{ text: string }>("scenario").catch(() => null) : null;
    const text = given?.text ?? (await getText("scenarios/support-chat").catch(() => ""));
    // A link may have come meanwhile.
    this.text ||= text;
  }
  async follow() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    if ((PAGES as readonly string[]).includes(path)) this.page = path as Page;
    const packed = new URLSearchParams(query ?? "").get("s");
    const shared = packed ? await unpack(packed) : null;
    if (!shared) return;
    [this.text, this.set, this.files, this.kept, this.past] = [shared.text, shared.set, shared.files, shared.kept, []];
  }
}

export const session = new Session();
