// Writes the licences of everything that is bundled into the pages to the file that is named.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const modules = new URL("../node_modules/", import.meta.url), own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const found = new Map(), wanted = [...Object.keys(own.dependencies), "svelte"];
while (wanted.length) {
  const name = wanted.pop(), folder = new URL(`${name}/`, modules);
  if (found.has(name) || !existsSync(new URL("package.json", folder))) continue;
  const about = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
  found.set(name, `${name} ${about.version} (${about.license})\n\n${file ? readFileSync(new URL(file, folder), "utf8").trim() : ""}\n`);
  // The compiler's own needs are not bundled.
  if (name !== "svelte") wanted.push(...Object.keys(about.dependencies ?? {}));
}
const text = [...found.keys()].sort().map(name => found.get(name)).join("\n----\n\n");
writeFileSync(process.argv[2], text.replaceAll("\r\n", "\n"));
