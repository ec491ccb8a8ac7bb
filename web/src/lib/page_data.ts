// The data of a plan's page (docs/page.md), as far as these pages use it.

export type Kind = "own" | "res" | "dem" | "spot" | "api";
export type Part = [what: string, by: "fixed" | "x" | "1/x", dollars: number];
export interface Step { to: number; gpus: number; have: string; say: string; parts: Part[]; needed: number; chip: string; rate: number; unit: number | null }
export interface Way { id: string; kind: Kind; name: string; noun: string; label: string; machine: number; steps: Step[] }
export interface StepChart {
  title: string; sub: string; per: string; top: number;
  flip: { x: number; to: string; times: number | null } | null;
  x: { name: string; unit: string; form: "amount" | "percent"; min: number; max: number; here: number; step: number; here_words: string };
  api: number | null; people: number; ways: Way[];
  table: { way: string; up_to: string; have: string; from: string; to: string }[];
}
export interface Own { life: number; interest: number; left: number; staff: number; electricity: number }
export interface WayRow { id: string; kind: Kind; name: string; detail: string; cost: number; cost_text: string; low: number | null; high: number | null; best: boolean; strong: string; why: string; full: number | null; pays_from: number | null; bar: { width: number; cut: boolean; range: { from: number; width: number } | null } }
export interface Slider { id: string; label: string; form: "factor" | "years" | "percent"; min: number; max: number; step: number; value: number }
export interface LeverRow { name: string; detail: string; alt: string; bars: { flip: Kind | null; left: number; width: number }[]; ends: { side: "left" | "right"; at: number; words: string }[]; strong: string; words: string }
export interface Levers { title: string; sub: string; zero: number; today: number; left_words: string; right_words: string; today_words: string; rows: LeverRow[] }
export interface Share { name: string; share: number; share_text: string; width: number; tone: string }
export interface Needle { value: number; low: number; high: number }
export interface PlanPage {
  contract: number; kind: string; title: string; loadfactor: string; decision: string;
  top: { name: string; what: string; dates: string };
  lead: { strong: string; text: string; soft: string }[];
  needles: { full: Needle | null; pays_from: Needle | null } | null;
  tiles: { rows: { id: string; label: string; value: string; unit: string; note: string }[] } | null;
  ways: { title: string; sub: string; per: string; rows: WayRow[]; note: string; more: { title: string; rows: { name: string; cost_text: string; why: string }[] } | null } | null;
  own: Own | null; sliders: { title: string; sub: string; rows: Slider[] } | null; levers: Levers | null; chart: StepChart | null;
  sizes: { title: string; sub: string; alt: string; x_name: string; y_name: string; rows: { gpus: string; x: number; y: number; x_text: string; y_text: string; chosen: boolean }[] } | null;
  full: { title: string; sub: string; alt: string; of: string; rows: Share[] } | null;
  limits: { title: string; sub: string; rows: Record<string, unknown>[] } | null;
  ways_out: { title: string; sub: string; rows: Record<string, unknown>[] } | null;
  rests: { title: string; sub: string; rows: { name: string; value: string; from: string; doubt: string }[]; more: { title: string; rows: { name: string; value: string; from: string }[] } };
  before: { title: string; rows: { strong: string; text: string }[] } | null;
}

// The report is a page with its data in it; the same data drives these pages. It is cut out as text:
// a parsed report would try to apply its own styles.
export function dataOfReport(raw: unknown): PlanPage {
  const found = /<script[^>]*\bid="?data"?[^>]*>([\s\S]*?)<\/script>/.exec(raw as string);
  if (!found) throw new Error("the report has no data in it");
  return JSON.parse(found[1]);
}
