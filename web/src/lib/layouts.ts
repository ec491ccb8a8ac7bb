import type { Quantity } from "./api";
import { chip, percent, plural } from "./format";

// Layouts of serving and of training as rows of one table.

export interface Deployment {
  accelerator: string; precision: string; tp: number; pp: number; ep: number; dp: number; cp: number; replicas: number; gpus: number; kind: string;
  prompts: { tp: number; pp: number; replicas: number; gpus: number } | null; per_hour: Quantity | null; per_mtoken: Quantity | null; load_factor: Quantity; most_mean_rate: Quantity;
  tokens_per_gpu: Quantity; ttft: Quantity; tpot: Quantity; calibrated: boolean; confirmed: boolean; simulated: { weeks: number; kept: number };
}
export interface Sizing { verdict: string; enumerated: number; evaluated: number; meeting: number; simulated_requests: number; mean_rate: Quantity; deployments: Deployment[]; pareto: Deployment[] }
export interface TrainPlan {
  accelerator: string; gpus: number; tp: number; pp: number; vp: number; cp: number; ep: number; dp: number; zero: string; micro_batch: number; recompute: string; layout_keys: string;
  step_time: Quantity; tokens_per_s: Quantity; mfu: Quantity; memory: Quantity; memory_percent: number; cost: Quantity | null; duration: Quantity; run_energy?: Quantity; behind_percent: number; why: string;
}
// A step that has more than training in it: answers that are written and scored, a teacher that reads.
export interface Method { verdict: string; method: string; step_time: Quantity; phases: { name: string; time: Quantity; gpus: number; busy_percent: number; beside: boolean; what: string }[] }
export interface Search { verdict: string; enumerated: number; evaluated: number; objective: string; plans: TrainPlan[]; front: TrainPlan[]; method?: Method | null }

// A time of a scenario, as `1.5 s` or `40 ms`.
export function secondsOf(text: string): number | null {
  const match = /^([\d.]+(?:e-?\d+)?)\s*(us|µs|ms|s|min|h)?$/.exec(text.trim());
  const unit: Record<string, number> = { us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
  return match ? Number(match[1]) * unit[match[2] ?? "s"] : null;
}

export const machinesOf = (d: { gpus: number; accelerator: string }) => `${d.gpus.toLocaleString("en-US")} ${chip(d.accelerator)}`;

export function shapeOf(d: Deployment): string {
  const one = (x: { tp: number; pp: number; replicas: number }) => `tp ${x.tp}${x.pp > 1 ? ` pp ${x.pp}` : ""} × ${x.replicas}`;
  return d.prompts ? `prompts ${one(d.prompts)}, answers ${one(d)}` : one(d);
}

export function checkedOf(d: Deployment): string {
  return d.confirmed || d.simulated.weeks ? "simulated" : d.calibrated ? "fitted" : "computed";
}

export function whyNot(d: Deployment, best: Deployment, rank: number, bound: number | null): string {
  if (rank === 0) return d.simulated.weeks ? `Chosen. Kept the promise in ${d.simulated.kept} of ${plural(d.simulated.weeks, "hard week")} simulated` : "Chosen";
  if (!d.per_hour || !best.per_hour) return "No rent known; give one and it is ranked";
  const dearer = d.per_hour.value / best.per_hour.value - 1, reasons: string[] = [];
  reasons.push(dearer > 0.004 ? `${percent(dearer)} dearer` : "Same price");
  if (bound && d.ttft.value > 0.98 * bound) reasons.push("first token is at the limit");
  if (checkedOf(d) === "computed") reasons.push("speed not measured on this layout");
  else if (!d.simulated.weeks) reasons.push("not simulated");
  return reasons.join("; ");
}

// Keys that fix a deployment in a scenario.
export const deploymentEdit = (d: Deployment) => `serve.deployment={gpu: ${d.accelerator}, tp: ${d.tp}, pp: ${d.pp}, ep: ${d.ep}, dp: ${d.dp}, replicas: ${d.replicas}}`;
export const layoutEdits = (p: TrainPlan) => [`hardware=[${p.accelerator}]`, `train.layout={${p.layout_keys}}`];

export const trainShape = (p: TrainPlan) => ["tp", "pp", "cp", "ep", "dp"].map(k => [k, p[k as keyof TrainPlan] as number] as const).filter(([k, v]) => v > 1 || k === "tp").map(([k, v]) => `${k} ${v}`).join(" · ");
