import { editsOf } from "./edits";
import { amount, money, percent } from "./format";
import { dataOfReport, type PlanPage, type Way } from "./page_data";
import { Question } from "./question.svelte";
import { envelopeOf, session } from "./session.svelte";
import { sharesPool } from "./outline";
import { factors, flipOf, type Moved, ranking, stepAt, strip } from "./steps";

// The plan on the page: exact from the server, or quick from the last exact plan's step table while
// something moves.
export class Plan {
  exact: Question<PlanPage>;
  moved = $state<Moved>({});
  announced = $state("");
  private promised: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settled: PlanPage | null = null;

  constructor() {
    this.exact = new Question<PlanPage>(() => planAsked(), dataOfReport);
    $effect(() => {
      const page = this.exact.data;
      if (!page || page === this.settled) return;
      this.settled = page;
      this.compare(page);
      this.moved = {};
    });
  }

  page = $derived.by(() => this.exact.data);
  quick = $derived.by(() => Object.keys(this.moved).length > 0);
  x = $derived.by(() => this.moved.x ?? this.page?.chart?.x.here ?? 0);
  f = $derived.by(() => factors(this.page?.own ?? null, this.moved));
  ways = $derived.by<Way[]>(() => {
    const ways = this.page?.chart?.ways ?? [], most = this.moved.gpus;
    return most === undefined ? ways : ways.map(w => ({ ...w, steps: w.steps.filter(s => s.needed <= most) }));
  });
  rows = $derived.by(() => ranking(this.ways, this.x, this.f));
  stretches = $derived.by(() => (this.page?.chart ? strip({ ...this.page.chart, ways: this.ways }, this.f) : []));
  flip = $derived.by(() => {
    const chart = this.page?.chart;
    if (!chart) return null;
    if (!this.quick) return chart.flip && { x: chart.flip.x, to: chart.ways.find(w => w.id === chart.flip!.to)?.name ?? "" };
    return flipOf(this.stretches, this.x);
  });
  decision = $derived.by(() => {
    const page = this.page, best = this.rows[0];
    if (!page || !this.quick || !page.chart) return page?.decision ?? "";
    if (!best) return "Nothing carries this within the limit.";
    const say = stepAt(best.way, this.x)?.say ?? best.way.noun;
    const place = page.chart.x.form === "percent" ? `Busy ${percent(this.x)} of their life` : `At ${amount(this.x)} ${page.chart.x.name}`;
    return `${place}, ${say}.`;
  });
  quickLead = $derived.by(() => {
    const [best, next] = this.rows, per = this.page?.chart?.per ?? "";
    if (!best) return "";
    return `${money(best.cost)} ${per}` + (next ? `; ${next.way.noun} costs ${money(next.cost)}, ${money(next.cost - best.cost)} more.` : ".");
  });
  quickOnly = $derived.by(() => (this.page?.chart && this.quick ? editsOf(this.page, this.moved).quickOnly : []));

  move(id: string, value: number) {
    this.moved = { ...this.moved, [id]: value };
    this.promised = this.rows[0]?.way.id ?? null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), 500);
  }
  // Asks for the exact plan of where the sliders stand.
  settle() {
    clearTimeout(this.timer);
    if (!this.page?.chart) return;
    for (const [key, value] of editsOf(this.page, this.moved).edits) session.change(key, value);
  }
  // A verdict that differs between the two is said, not swapped silently.
  private compare(page: PlanPage) {
    const best = page.ways?.rows.find(r => r.best)?.id;
    this.announced = this.promised && best && best !== this.promised ? `The exact plan differs from the quick one: ${page.decision}` : "";
    this.promised = null;
  }
}

export function planAsked(text = session.text, set = session.edits, files = session.files) {
  if (!text || session.work === "fleet" || sharesPool(text)) return null;
  return { verb: "plan", format: "html", body: { ...envelopeOf(text, set, files), options: { page: true } } };
}
