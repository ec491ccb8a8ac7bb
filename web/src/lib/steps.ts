import type { Kind, Own, Step, StepChart, Way } from "./page_data";

// The small model behind the sliders: what each way costs at each volume, from the exact plan's own step table.

export type Moved = Record<string, number>;
export type Factors = Record<string, number>;
export interface Ranked { way: Way; cost: number }

function annuity(life: number, interest: number, left: number): number {
  const recovery = interest === 0 ? 1 / life : interest / (1 - (1 + interest) ** -life);
  return (1 - left * (1 + interest) ** -life) * recovery;
}

export function factors(own: Own | null, at: Moved): Factors {
  const f: Factors = { price: at.price ?? 1, rent: at.rent ?? 1, power: at.power ?? 1, people: at.people ?? 1, api: at.api ?? 1, other: 1, upkeep: at.price ?? 1 };
  if (own) f.price *= annuity(at.life ?? own.life, at.interest ?? own.interest, own.left) / annuity(own.life, own.interest, own.left);
  return f;
}

export const stepAt = (way: Way, x: number): Step | undefined => way.steps.find(s => x <= s.to * (1 + 1e-9));

export function stepCost(step: Step, x: number, f: Factors): number {
  const by = { fixed: 1, x, "1/x": x > 0 ? 1 / x : Infinity };
  return step.parts.reduce((sum, [what, of, dollars]) => sum + dollars * by[of] * (f[what] ?? 1), 0);
}

export function ranking(ways: Way[], x: number, f: Factors): Ranked[] {
  const rows: Ranked[] = [];
  for (const way of ways) {
    const step = stepAt(way, x);
    if (step) rows.push({ way, cost: stepCost(step, x, f) });
  }
  return rows.sort((a, b) => a.cost - b.cost);
}

// Corners of a way's line: upright risers where another whole unit is bought.
export function corners(way: Way, chart: StepChart, f: Factors): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [], least = chart.x.min + (chart.x.max - chart.x.min) / 400;
  let from = Math.max(chart.x.min, 0);
  for (const step of way.steps) {
    const to = Math.min(step.to, chart.x.max), curved = step.parts.some(p => p[1] === "1/x"), pieces = curved ? 60 : 1;
    for (let i = 0; i <= pieces; ++i) {
      const x = from + ((to - from) * i) / pieces;
      points.push({ x, y: stepCost(step, curved ? Math.max(x, least) : x, f) });
    }
    from = to;
    if (to >= chart.x.max) break;
  }
  return points;
}

export interface Stretch { x1: number; x2: number; kind: Kind; name: string }

// Stretches of the axis and who is cheapest there.
export function strip(chart: StepChart, f: Factors, points = 240): Stretch[] {
  const found: Stretch[] = [], width = (chart.x.max - chart.x.min) / points;
  for (let i = 0; i < points; ++i) {
    const x1 = chart.x.min + i * width, best = ranking(chart.ways, x1 + width / 2, f)[0];
    if (!best) continue;
    const last = found.at(-1);
    if (last && last.name === best.way.name) last.x2 = x1 + width;
    else found.push({ x1, x2: x1 + width, kind: best.way.kind, name: best.way.name });
  }
  return found;
}

// The nearest place where the cheapest way changes for longer than a tenth of the volume.
export function flipOf(stretches: Stretch[], x: number): { x: number; to: string } | null {
  const here = stretches.findIndex(s => x >= s.x1 && x <= s.x2);
  const lasting = (s: Stretch) => s.name !== stretches[here]?.name && s.x2 - s.x1 >= 0.1 * x;
  const above = stretches.slice(here + 1).find(lasting), below = stretches.slice(0, Math.max(here, 0)).reverse().find(lasting);
  const places = [...(above ? [{ x: above.x1, to: above.name }] : []), ...(below ? [{ x: below.x2, to: below.name }] : [])];
  return places.sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0] ?? null;
}
