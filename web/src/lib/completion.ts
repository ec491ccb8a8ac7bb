import { outline } from "./outline";

// Completions of a scenario at a place of its text, from the schema and the catalogue.

export interface Schema { description?: string; type?: unknown; properties?: Record<string, Schema>; items?: Schema; enum?: unknown[]; $ref?: string; definitions?: Record<string, Schema>; anyOf?: Schema[]; oneOf?: Schema[] }
export interface Offer { word: string; insert: string; about: string }

function resolve(root: Schema, schema: Schema | undefined): Schema | undefined {
  if (!schema?.$ref) return schema;
  const found = root.definitions?.[schema.$ref.split("/").pop()!];
  return found && { ...found, description: schema.description ?? found.description };
}

function below(root: Schema, schema: Schema | undefined, key: string): Schema | undefined {
  const at = resolve(root, schema);
  for (const form of [at, ...(at?.anyOf ?? []), ...(at?.oneOf ?? [])]) {
    const found = resolve(root, form)?.properties?.[key] ?? resolve(root, resolve(root, form)?.items)?.properties?.[key];
    if (found) return resolve(root, found);
  }
  return undefined;
}

export function schemaAt(root: Schema, path: string): Schema | undefined {
  return path ? path.split(".").reduce<Schema | undefined>((at, key) => below(root, at, key), root) : root;
}

function keysOf(root: Schema, schema: Schema | undefined): Offer[] {
  const at = resolve(root, schema), forms = [at, ...(at?.anyOf ?? []), ...(at?.oneOf ?? [])].map(f => resolve(root, f));
  const found: Record<string, Schema> = Object.assign({}, ...forms.flatMap(f => [f?.properties, resolve(root, f?.items)?.properties]));
  return Object.entries(found).map(([word, inner]) => ({ word, insert: `${word}: `, about: resolve(root, inner)?.description ?? "" }));
}

const parentOf = (text: string, line: number, indent: number) => {
  const lines = text.split("\n"), places = outline(text);
  for (let i = line - 1; i >= 1; --i) {
    const raw = lines[i - 1], depth = raw.search(/\S/);
    if (depth >= 0 && depth < indent && /^\s*(- )?[\w-]+:/.test(raw)) return places.find(p => p.line === i)?.path ?? "";
  }
  return "";
};

// `at` is an offset in the text; the offers replace `from` up to it.
export function complete(root: Schema, text: string, at: number, names: { models: string[]; gpus: string[] }): { from: number; offers: Offer[] } {
  const start = text.lastIndexOf("\n", at - 1) + 1, line = text.slice(0, at).split("\n").length, head = text.slice(start, at), indent = head.search(/\S|$/);
  const parent = parentOf(text, line, indent + (/^\s*- /.test(head) ? 2 : 0));
  const inFlow = /^\s*(?:- )?([\w-]+):\s*[{[](.*)$/.exec(head), value = /^\s*(?:- )?([\w-]+):\s+(\S*)$/.exec(head);
  const pick = (offers: Offer[], prefix: string) => ({ from: at - prefix.length, offers: offers.filter(o => o.word.startsWith(prefix) && o.word !== prefix).slice(0, 12) });
  const valuesOf = (path: string): Offer[] => {
    const key = path.split(".").pop()!;
    const known = key === "model" ? names.models : key === "hardware" || key === "gpu" || key === "accelerator" ? names.gpus : ((schemaAt(root, path)?.enum ?? resolve(root, schemaAt(root, path)?.items)?.enum ?? []) as unknown[]);
    return known.filter(v => v !== null).map(v => ({ word: String(v), insert: String(v), about: "" }));
  };
  if (inFlow) {
    const path = [parent, inFlow[1]].filter(Boolean).join("."), last = /(?:([\w-]+):\s+)?([\w.-]*)$/.exec(inFlow[2])!;
    if (last[1]) return pick(valuesOf(`${path}.${last[1]}`), last[2]);
    return pick(head.includes("[") && !head.includes("{") ? valuesOf(path) : keysOf(root, schemaAt(root, path)), last[2]);
  }
  if (value) return pick(valuesOf([parent, value[1]].filter(Boolean).join(".")), value[2]);
  const key = /^\s*(?:- )?([\w-]*)$/.exec(head);
  return key ? pick(keysOf(root, schemaAt(root, parent)), key[1]) : { from: at, offers: [] };
}
