// A light reading of a scenario's text: which key stands on which line. It serves the editor and the
// sentence of the first page; the server alone decides what a scenario means.

export interface Place { path: string; value: string; line: number }

const KEY = /^(\s*)(- )?([A-Za-z_][\w-]*):(?:\s+(.*?))?\s*$/;
const withoutComment = (line: string) => line.replace(/(^|\s)#.*$/, "").trimEnd();

// Entries of `{a: 1, b: [x, y]}`; commas within brackets do not part.
function flowEntries(text: string): [string, string][] {
  const parts: string[] = [];
  let depth = 0, part = "";
  for (const c of text.slice(1, -1)) {
    depth += "{[".includes(c) ? 1 : "}]".includes(c) ? -1 : 0;
    if (c === "," && depth === 0) { parts.push(part); part = ""; } else part += c;
  }
  return [...parts, part].map(p => /^\s*([\w-]+):\s*(.*?)\s*$/.exec(p)).filter(m => m !== null).map(m => [m[1], m[2]]);
}

function addFlow(found: Place[], path: string, value: string, line: number) {
  if (!/^\{.*\}$/.test(value)) return;
  for (const [key, inner] of flowEntries(value)) {
    found.push({ path: `${path}.${key}`, value: inner, line });
    addFlow(found, `${path}.${key}`, inner, line);
  }
}

// A scenario may be JSON, too; its keys stand on no line of their own.
function outlineOfJson(value: unknown, path: string, found: Place[]) {
  for (const [key, inner] of Object.entries(value as object)) {
    const at = path ? `${path}.${key}` : key, isMap = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    found.push({ path: at, value: typeof inner === "string" ? inner : isMap ? "" : JSON.stringify(inner), line: 0 });
    if (isMap) outlineOfJson(inner, at, found);
  }
}

function jsonOutline(text: string): Place[] | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const found: Place[] = [];
    outlineOfJson(JSON.parse(text), "", found);
    return found;
  } catch {
    return null;
  }
}

export function outline(text: string): Place[] {
  const json = jsonOutline(text);
  if (json) return json;
  const found: Place[] = [], open: { indent: number; path: string }[] = [];
  text.split("\n").forEach((raw, index) => {
    const match = KEY.exec(withoutComment(raw));
    if (!match) return;
    const indent = match[1].length + (match[2] ? 2 : 0);
    while (open.length && open[open.length - 1].indent >= indent) open.pop();
    const path = [...open.slice(-1).map(o => o.path), match[3]].join(".");
    const value = match[4] ?? "";
    found.push({ path, value, line: index + 1 });
    addFlow(found, path, value, index + 1);
    open.push({ indent, path });
  });
  return found;
}

// The value at a path; a change of a whole map hides what the text has below it.
export function valueAt(text: string, set: Record<string, string>, path: string): string {
  if (set[path] !== undefined) return set[path];
  const over = Object.keys(set).find(key => path.startsWith(`${key}.`)), found: Place[] = [];
  if (over) addFlow(found, over, set[over], 0);
  return (over ? found : outline(text)).find(p => p.path === path)?.value ?? "";
}

// A scalar without its quotes.
export function plainText(value: string): string {
  const quoted = /^"(.*)"$|^'(.*)'$/.exec(value);
  return quoted ? (quoted[1] ?? quoted[2]) : value;
}

export type Work = "serve" | "train" | "fleet" | "capacity" | "none";
// Whether several models are served from one pool: such a plan is a fleet's.
export const sharesPool = (text: string) => outline(text).some(p => p.path === "serve.others");

export function workOf(text: string): Work {
  const top = new Set(outline(text).map(p => p.path));
  return (["fleet", "serve", "train", "capacity"] as const).find(w => (w === "fleet" ? top.has("workloads") : top.has(w))) ?? "none";
}
