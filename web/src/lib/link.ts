import type { HeldFile } from "./api";

// The state of the pages as text for the address: small, and readable by any later version.

export interface Shared { text: string; set: Record<string, string>; files: Record<string, HeldFile>; kept: { name: string; text: string; set: Record<string, string> }[] }

const MOST_FILE_BYTES = 20000;
const fits = (file: HeldFile) => typeof file === "string" && file.length <= MOST_FILE_BYTES;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function pack(shared: Shared): Promise<string> {
  const small = Object.fromEntries(Object.entries(shared.files).filter(([, file]) => fits(file)));
  const bytes = new TextEncoder().encode(JSON.stringify({ ...shared, files: small }));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Anyone may have written a link: only what has the right type is taken from it.
function texts(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function scenarios(value: unknown): Shared["kept"] {
  const kept = Array.isArray(value) ? value.filter(k => typeof k?.name === "string" && typeof k?.text === "string") : [];
  return kept.map(k => ({ name: k.name, text: k.text, set: texts(k.set) }));
}

export async function unpack(text: string): Promise<Shared | null> {
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    if (typeof found.text !== "string") return null;
    return { text: found.text, set: texts(found.set), files: texts(found.files), kept: scenarios(found.kept) };
  } catch {
    return null;
  }
}

export const leftOut = (files: Record<string, HeldFile>) => Object.keys(files).filter(name => !fits(files[name]));
