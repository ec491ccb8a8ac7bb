import { type HeldFile, Refused, upload } from "./api";
import { outline } from "./outline";
import { session } from "./session.svelte";

// What a dropped or chosen file becomes: the scenario, its traffic, its model, or metrics of a fleet.

const MOST_HELD_BYTES = 6e6;
const MOST_UPLOAD_BYTES = 200e6;

function asTraffic(name: string) {
  session.change("serve.demand", `{trace: ${name}}`, "traffic");
  return `${name} is the traffic now; lengths it does not have come from serve.demand.`;
}

function asModel(name: string) {
  const part = session.work === "train" ? "train" : "serve";
  session.change(`${part}.model`, `{config: ${name}}`, "model");
  return `${name} is the model now.`;
}

function isModel(text: string): boolean {
  try {
    const found = JSON.parse(text);
    return typeof found === "object" && found !== null && ("hidden_size" in found || "architectures" in found || "n_embd" in found);
  } catch {
    return false;
  }
}

const isScenario = (name: string, text: string) => /\.ya?ml$/i.test(name) || /^\s*loadfactor:/m.test(text) || (/^\s*\{/.test(text) && outline(text).some(place => place.path === "loadfactor"));
const isMetrics = (name: string, text: string) => /\.(prom|txt|om)$|nvidia-smi|rocm-smi|sacct|squeue|sinfo/i.test(name) || /DCGM_|vllm:|sglang:|"resultType"|utilization\.gpu/.test(text.slice(0, 20000));

// Only traffic is that large; it goes to the server as it is, and questions name it there.
async function takeLarge(file: File, name: string): Promise<string> {
  if (!/\.csv(\.gz)?$/i.test(name) || session.work !== "serve" || file.size > MOST_UPLOAD_BYTES)
    return `${file.name} is too large for the pages, which take traffic (a CSV) of up to ${MOST_UPLOAD_BYTES / 1e6} MB and ${MOST_HELD_BYTES / 1e6} MB of anything else; use the command line for it.`;
  try {
    session.files = { ...session.files, [name]: await upload(name, file) };
  } catch (reason) {
    return `${file.name} was not taken: ${reason instanceof Refused ? reason.problem.detail : String(reason)}`;
  }
  return asTraffic(name);
}

async function takeFile(file: File): Promise<string> {
  const name = file.name.replace(/[^\w.-]/g, "_");
  if (file.size > MOST_HELD_BYTES || /\.gz$/i.test(name)) return takeLarge(file, name);
  const text = await file.text();
  if (isScenario(name, text)) { session.load(text, `scenario ${name}`); return `${name} is the scenario now.`; }
  session.files = { ...session.files, [name]: text };
  if (isModel(text)) return asModel(name);
  if (isMetrics(name, text)) { session.page = "fleet"; return `${name} is observed on the page Fleet.`; }
  if (/\.csv$/i.test(name) && session.work === "serve") return asTraffic(name);
  return `${name} lies beside the scenario; name it there to use it.`;
}

// Takes files however they came, and says what became of each.
export async function takeFiles(files: File[]) {
  const said: string[] = [];
  for (const file of files) said.push(await takeFile(file));
  session.said = said.join(" ");
}

export const metricFiles = (files: Record<string, HeldFile>) => Object.fromEntries(Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string" && isMetrics(entry[0], entry[1])));
