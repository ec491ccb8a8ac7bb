import type { Own, StepChart } from "./page_data";
import { type Factors, stepAt } from "./steps";

// Money as it leaves the account: a bought machine at once, everything else as it falls due.

export interface Paid { way: string; kind: string; year: number; dollars: number; label: string }

const MONTHS = 12;

export function cashByYear(chart: StepChart, own: Own | null, x: number, f: Factors, years: number): Paid[] {
  return chart.ways.flatMap(way => {
    const step = stepAt(way, x);
    if (!step || chart.x.form !== "amount") return [];
    const buys = way.id === "own" && own && step.unit, price = buys ? step.unit! * step.gpus * f.upkeep : 0;
    const monthly = step.parts.filter(p => !(buys && p[0] === "price")).reduce((sum, [what, by, dollars]) => sum + dollars * (by === "x" ? x : 1) * (f[what] ?? 1), 0);
    const left = buys ? own.left * price : 0, paid: Paid[] = [];
    for (let year = 0; year <= years; ++year)
      paid.push({ way: way.name, kind: way.kind, year, dollars: price + MONTHS * year * monthly - (year === years ? left : 0), label: way.label });
    return paid;
  });
}
