// The state of the pages as text for the address: small, and readable by any later version.

export interface Shared { text: string; set: Record<string, string>; files: Record<string, string>; kept: { name: string; text: string; set: Record<string, string> }[] }

const MOST_FILE_BYTES = 20000;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function pack(shared: Shared): Promise<string> {
  const small = Object.fromEntries(Object.entries(shared.files).filter(([, text]) => text.length <= MOST_FILE_BYTES));
  const bytes = new TextEncoder().encode(JSON.stringify({ ...shared, files: small }));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function unpack(text: string): Promise<Shared | null> {
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const found = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    if (typeof found.text !== "string") return null;
    return { text: found.text, set: found.set ?? {}, files: found.files ?? {}, kept: found.kept ?? [] };
  } catch {
    return null;
  }
}

export const leftOut = (files: Record<string, string>) => Object.keys(files).filter(name => files[name].length > MOST_FILE_BYTES);
