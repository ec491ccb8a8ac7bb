import { exact } from "./format";
import type { PlanPage, StepChart } from "./page_data";
import { session } from "./session.svelte";
import type { Moved } from "./steps";

// What a moved slider means in a scenario, so that the exact plan can be asked.

const MONTH_SECONDS = 730 * 3600;
const RATES: Record<string, number> = { requests_per_second: 1, requests_per_hour: 3600, requests_per_day: 86400, requests_per_month: MONTH_SECONDS };

function trafficEdit(chart: StepChart, x: number): [string, string] | null {
  const given = Object.keys(RATES).find(key => session.value(`serve.demand.${key}`));
  if (given) return [`serve.demand.${given}`, exact((x / MONTH_SECONDS) * RATES[given])];
  if (!session.value("serve.demand.trace")) return null;
  const scale = Number(session.value("serve.demand.scale") || 1);
  return ["serve.demand.scale", exact((scale * x) / chart.x.here)];
}

const chips = (chart: StepChart) => new Set(chart.ways.flatMap(w => w.steps.map(s => s.chip)).filter(Boolean));
const unitOf = (chart: StepChart, id: string) => chart.ways.find(w => w.id === id)?.steps.find(s => s.unit)?.unit ?? null;

function priceEdits(page: PlanPage, id: string, value: number): [string, string][] | null {
  const chart = page.chart!, own = page.own;
  switch (id) {
    case "api": return chart.api ? [["money.api.price", `${exact(chart.api * value)} USD/M tokens`]] : null;
    case "life": return [["money.own.life", `${exact(value)} years`]];
    case "interest": return [["money.own.discount", `${exact(100 * value)} %`]];
    case "power": return own ? [["money.electricity", `${exact(own.electricity * value)} USD/kWh`]] : null;
    case "people": return chart.people ? [["money.people", `${exact(chart.people * value)} USD/month`]] : own ? [["money.own.staff", `${exact(own.staff * value)} USD/GPU-hour`]] : null;
  }
  // A scenario has one price for each way, and several chips have several.
  if (chips(chart).size !== 1) return null;
  if (id === "price") return [["money.own.price", `${exact(unitOf(chart, "own")! * value)} USD`]];
  const rented = chart.ways.filter(w => ["on-demand", "reserved-1y", "reserved-3y", "spot"].includes(w.id) && unitOf(chart, w.id));
  return id === "rent" && rented.length ? rented.map(w => [`money.rent.${w.id.replaceAll("-", "_")}`, `${exact(unitOf(chart, w.id)! * value)} USD/GPU-hour`]) : null;
}

// Edits for all that was moved, or what cannot be asked exactly.
export function editsOf(page: PlanPage, moved: Moved): { edits: [string, string][]; quickOnly: string[] } {
  const edits: [string, string][] = [], quickOnly: string[] = [];
  for (const [id, value] of Object.entries(moved)) {
    const found = id === "x" ? (page.chart!.x.form === "amount" ? trafficEdit(page.chart!, value) : null) : id === "gpus" ? (["limits.gpus", String(value)] as [string, string]) : priceEdits(page, id, value);
    if (!found) quickOnly.push(id);
    else edits.push(...((typeof found[0] === "string" ? [found] : found) as [string, string][]));
  }
  return { edits, quickOnly };
}
