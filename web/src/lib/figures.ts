import { percent } from "./format";
import type { PlanPage } from "./page_data";

// The few figures by which two plans are compared.
export function figuresOf(page: PlanPage): { name: string; value: string }[] {
  const machines = page.ways?.rows.find(r => r.full !== null), tile = (id: string) => page.tiles?.rows.find(t => t.id === id);
  const words = (id: string) => { const t = tile(id); return t ? `${t.value} ${t.unit}` : "–"; };
  return [
    { name: "Decision", value: page.decision },
    { name: "You pay", value: words("pay") },
    { name: "Cheapest machines", value: machines ? `${machines.name}: ${machines.cost_text}` : "–" },
    { name: "Full", value: percent(machines?.full) },
    { name: "Pays from", value: percent(machines?.pays_from) },
    { name: "How sure", value: words("sure") },
    { name: "It changes at", value: words("change") },
  ];
}
