import { session } from "./session.svelte";

// What a dropped or chosen file becomes: the scenario, its traffic, its model, or metrics of a fleet.

const MOST_HELD_BYTES = 6e6;

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

const isScenario = (name: string, text: string) => /\.ya?ml$/.test(name) || /^\s*loadfactor:/m.test(text);
const isMetrics = (name: string, text: string) => /\.(prom|txt|om)$/.test(name) || /DCGM_|vllm:|"resultType"|nvidia-smi/.test(text.slice(0, 20000));

async function takeFile(file: File): Promise<string> {
  if (file.size > MOST_HELD_BYTES) return `${file.name} is larger than ${MOST_HELD_BYTES / 1e6} MB; use the command line for it.`;
  const text = await file.text(), name = file.name.replace(/[^\w.-]/g, "_");
  if (isScenario(name, text)) { session.load(text, `scenario ${name}`); return `${name} is the scenario now.`; }
  session.files = { ...session.files, [name]: text };
  if (isModel(text)) return asModel(name);
  if (isMetrics(name, text)) { session.page = "fleet"; return `${name} is observed on the page Fleet.`; }
  if (/\.csv$/.test(name)) return asTraffic(name);
  return `${name} lies beside the scenario; name it there to use it.`;
}

export async function takeFiles(files: File[]): Promise<string[]> {
  const said: string[] = [];
  for (const file of files) said.push(await takeFile(file));
  return said;
}

export const metricFiles = (files: Record<string, string>) => Object.fromEntries(Object.entries(files).filter(([name, text]) => isMetrics(name, text)));
