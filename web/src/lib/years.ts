import type { Quantity } from "./api";
import type { Kind } from "./page_data";

// Years of a service, as `plan --years` answers them.

type Amount = "cost" | "revenue" | "purchases" | "resale" | "operating" | "cash" | "depreciation" | "profit" | "tax";
export type Book = Record<Amount, Quantity> & { gpus: number };
interface LongWay { kind: string }
export interface LongPlan { name: string; first: LongWay; then: LongWay | null; npv: Quantity; cash: Quantity; years: Book[] }
export interface Years { traffic: number[]; plans: LongPlan[]; buy_now: LongPlan | null; wait: LongPlan | null; wait_months: number; discount: number; tax_rate: number; macrs: boolean }
export interface YearCash { plan: string; kind: Kind; year: number; dollars: number }

const KINDS: Record<string, Kind> = { api: "api", own: "own", spot: "spot", "reserved-1y": "res", "reserved-3y": "res" };
// Whom a plan pays in the end.
export const kindOf = (plan: LongPlan): Kind => KINDS[(plan.then ?? plan.first).kind] ?? "dem";

const NAMES: [Amount, string][] = [["cost", "Cost, machines by annuity"], ["revenue", "Revenue"], ["purchases", "Paid for machines"], ["resale", "Got for used machines"], ["operating", "Paid for all else"], ["cash", "Cash before tax"], ["depreciation", "Depreciation"], ["profit", "Profit before tax"], ["tax", "Tax"]];
const LEAST_SHOWN = 0.5;

// Lines of the books of a plan; what is nothing in every year is left out.
export function booksOf(plan: LongPlan): { name: string; amounts: number[] }[] {
  const lines = NAMES.map(([key, name]) => ({ name, amounts: plan.years.map(book => book[key].value) }));
  return lines.filter(line => line.amounts.some(dollars => Math.abs(dollars) >= LEAST_SHOWN));
}

// Cash after tax, added up from the start.
export function cashSoFar(plan: LongPlan): YearCash[] {
  let dollars = 0;
  const start = { plan: plan.name, kind: kindOf(plan), year: 0, dollars: 0 };
  return [start, ...plan.years.map((book, i) => ({ ...start, year: i + 1, dollars: (dollars += book.cash.value - book.tax.value) }))];
}
