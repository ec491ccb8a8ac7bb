// Figures, the step table and the two drawn charts of a page. Fields are described in docs/page.md.
const el = id => document.getElementById(id);
const esc = text => String(text).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function money(v) {
  const sign = v < 0 ? "−" : "", size = Math.abs(v);
  if (size >= 999500) return sign + `$${(size / 1e6).toFixed(2)}\u00a0M`;
  if (size >= 10) return sign + `$${Math.round(size).toLocaleString("en-US")}`;
  return sign + `$${size.toFixed(2)}`;
}
function axisMoney(v) {
  if (v >= 1e6) return `$${+(v / 1e6).toPrecision(3)} M`;
  return v >= 1e5 ? `$${+(v / 1e3).toPrecision(3)} k` : v >= 10 || v === 0 ? `$${v.toLocaleString("en-US")}` : `$${+v.toPrecision(2)}`;
}
const percent = (v, digits = 0) => `${(100 * v).toFixed(digits)}\u00a0%`;
function amount(v) {
  for (const [size, word] of [[1e12, "T"], [1e9, "B"], [1e6, "M"]])
    if (v >= size * .9995) return `${+(v / size).toPrecision(3)}\u00a0${word}`;
  return Math.round(v).toLocaleString("en-US");
}
const times = v => v < 9.95 ? `${v.toFixed(1)}\u00a0×` : `${v.toFixed(0)}\u00a0×`;

// ---- The step table: parts of a step are [what, by, dollars], `by` is "fixed", "x" or "1/x".

function annuity(life, interest, left) {
  const recovery = interest === 0 ? 1 / life : interest / (1 - (1 + interest) ** -life);
  return (1 - left * (1 + interest) ** -life) * recovery;
}
// How each kind of money moves with the sliders.
function factors(own, at) {
  const f = { price: at.price ?? 1, rent: at.rent ?? 1, power: at.power ?? 1, people: at.people ?? 1, api: at.api ?? 1, other: 1 };
  f.upkeep = f.price;
  if (own) {
    const life = at.life ?? own.life, interest = at.interest ?? own.interest;
    f.price *= annuity(life, interest, own.left) / annuity(own.life, own.interest, own.left);
  }
  return f;
}
const stepAt = (way, x) => way.steps.find(s => x <= s.to * (1 + 1e-9));
function stepCost(step, x, f) {
  const by = { fixed: 1, x, "1/x": x > 0 ? 1 / x : Infinity };
  return step.parts.reduce((sum, [what, of, dollars]) => sum + dollars * by[of] * f[what], 0);
}
const costAt = (way, x, f) => { const step = stepAt(way, x); return step ? stepCost(step, x, f) : null; };
function ranking(ways, x, f) {
  return ways.map(way => ({ way, cost: costAt(way, x, f) })).filter(r => r.cost !== null).sort((a, b) => a.cost - b.cost);
}
const cheapest = (ways, x, f) => { const r = ranking(ways, x, f); return r.length ? r[0].way : null; };
// Places from `start` towards `end` where the cheapest way changes.
function turns(ways, start, end, f, points = 400) {
  const found = [];
  let last = cheapest(ways, start, f), at = start;
  for (let i = 1; i <= points; ++i) {
    const x = start + (end - start) * i / points, now = cheapest(ways, x, f);
    if (now !== last) {
      let low = at, high = x;
      for (let k = 0; k < 30; ++k) { const mid = (low + high) / 2; if (cheapest(ways, mid, f) === last) low = mid; else high = mid; }
      found.push({ x: high, from: last, to: now });
      last = now;
    }
    at = x;
  }
  return found;
}
// The nearest place where the cheapest way changes for longer than a tenth of the volume.
function lastingTurn(ways, x, least, most, f) {
  let best = null;
  for (const end of [most, least]) {
    const places = turns(ways, x, end, f), today = cheapest(ways, x, f);
    const i = places.findIndex((p, k) => p.to && p.to !== today && Math.abs((places[k + 1] ? places[k + 1].x : end) - p.x) >= .1 * x);
    if (i >= 0 && (!best || Math.abs(places[i].x - x) < Math.abs(best.x - x))) best = places[i];
  }
  return best;
}

// ---- Drawing.

function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 2.5, 5, 10].map(k => k * power).find(k => k >= raw * .999);
  const out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high * (1 + 1e-9); v += step) out.push(+v.toPrecision(12));
  return out;
}
const say = (x, y, words, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${esc(words)}</text>`;
const rule = (x1, y1, x2, y2, more) => `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" ${more}/>`;
let clips = 0;

// Points of a way from left to right; a riser is upright.
function pathOf(way, from, to, f) {
  const points = [];
  let start = from;
  for (const step of way.steps) {
    if (start >= to) break;
    const end = Math.min(step.to, to), curved = step.parts.some(p => p[1] === "1/x"), count = curved ? 60 : 1;
    for (let i = 0; i <= count; ++i) { const x = start + (end - start) * i / count; if (x > 0 || !curved) points.push([x, stepCost(step, x, f)]); }
    start = end;
  }
  return points;
}
const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text, bold) {
  ruler.font = `${bold ? 650 : 400} 12px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}
// The same line with a point at least every ten pixels.
const dense = points => points.flatMap((p, i) => { if (!i) return [p];
  const [a, b] = [points[i - 1], p], n = Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 10) || 1;
  return [...Array(n).keys()].map(k => [a[0] + (b[0] - a[0]) * (k + 1) / n, a[1] + (b[1] - a[1]) * (k + 1) / n]); });
// Pixels below the line to a label's foot, close ones first, and the end of it that the place is at.
const LABEL_PLACES = [-7, 15, -20, 28].flatMap(shift => [[shift, "end"], [shift, "start"]]);
// A label stands at its line where it covers no other label, line or mark; the best line chooses first.
function placeLabels(lines, frame, marks, taken) {
  const placed = [];
  const cuts = (box, points) => points.some(([x, y], i) => i && Math.min(x, points[i - 1][0]) < box.x2 && Math.max(x, points[i - 1][0]) > box.x1 &&
    Math.min(y, points[i - 1][1]) < box.y2 && Math.max(y, points[i - 1][1]) > box.y1 && crosses(box, points[i - 1], [x, y]));
  for (const line of lines) {
    const size = widthOf(line.label, line.best) + 2;
    let best = null;
    for (const part of [1, .98, .94, .9, .8, .7, .6, .5, .4, .3, .2, .1]) for (const [shift, anchor] of LABEL_PLACES) {
      const [x, y] = along(line.points, part, frame), left = anchor === "end" ? x - size - 3 : x + 3;
      const box = { x1: left, x2: left + size, y1: y + shift - 11, y2: y + shift + 3 };
      if (box.x1 < frame.L + 2 || box.x2 > frame.R || box.y1 < frame.T - 2 || box.y2 > frame.B - 2) continue;
      let cost = 1 - part + Math.abs(shift - 4) / 20;
      for (const p of [...placed, ...taken]) if (p.x1 < box.x2 && p.x2 > box.x1 && p.y1 < box.y2 && p.y2 > box.y1) cost += 100;
      for (const m of marks) if (m > box.x1 - 1 && m < box.x2 + 1) cost += 20;
      for (const other of lines) if (cuts(box, other.points)) cost += 8;
      if (!best || cost < best.cost) best = { ...box, cost, y: y + shift, x: left, line };
    }
    if (best) placed.push(best);
  }
  return placed;
}
const crosses = (box, [x1, y1], [x2, y2]) => [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1].some(k => { const x = x1 + (x2 - x1) * k, y = y1 + (y2 - y1) * k;
  return x > box.x1 && x < box.x2 && y > box.y1 && y < box.y2; });
// The place at a share of the part of a line that is in the frame.
function along(points, part, frame) {
  const seen = points.filter(([x, y]) => y >= frame.T && x <= frame.R), first = (seen[0] || points[0])[0], last = (seen[seen.length - 1] || points[0])[0];
  const x = first + (last - first) * part, i = points.findIndex(p => p[0] >= x), [a, b] = [points[Math.max(0, i - 1)], points[Math.max(0, i)]];
  return [x, b[0] === a[0] ? b[1] : a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])];
}

// Cost of every way against the volume, with the strip of the cheapest one on the axis.
function stepsChart(chart, view, width) {
  const narrow = width < 450, height = narrow ? 280 : 288, L = 56, R = width - 12, T = 44, B = height - 44, id = `clip${++clips}`;
  const { f, x: here, flip } = view, { min, max } = chart.x, form = chart.x.form === "percent" ? percent : amount;
  // One line for each kind of way, five at most; the table has the others.
  const shown = ranking(chart.ways, here, f).map(r => r.way).filter((w, i, all) => all.findIndex(o => o.kind === w.kind) === i).slice(0, 5), level = view.top;
  const X = v => L + (R - L) * (v - min) / (max - min), Y = v => B - (B - T) * v / level;
  let out = `<clipPath id="${id}"><rect x="${L}" y="${T}" width="${R - L}" height="${B - T}"/></clipPath>`;
  for (const v of ticks(0, level, 4)) out += rule(L, Y(v), R, Y(v), `class="${v ? "g" : "a"}"`) + say(L - 7, Y(v) + 4, axisMoney(v), 'text-anchor="end" class="s"');
  for (const v of ticks(min, max, narrow ? 3 : 5)) out += say(X(v), B + 24, form(v), `text-anchor="${v > .97 * max ? "end" : "middle"}" class="s"`);
  out += say(L, B + 41, chart.x.name, 'class="s"');
  const edges = [{ x: min + (max - min) / 500, to: cheapest(chart.ways, min + (max - min) / 500, f) }, ...turns(chart.ways, min + (max - min) / 500, max, f)];
  edges.forEach((e, i) => { const end = i + 1 < edges.length ? edges[i + 1].x : max, begin = i ? e.x : min;
    if (e.to) out += `<rect class="${e.to.kind}" x="${X(begin).toFixed(1)}" y="${B + 1}" width="${Math.max(.5, X(end) - X(begin)).toFixed(1)}" height="7" style="fill:var(--c)"/>`; });
  const lines = [];
  for (const way of [...shown].reverse()) {
    const points = pathOf(way, min, max, f).map(([a, b]) => [X(a), Y(Math.min(b, level * 4))]), best = way === shown[0];
    if (!points.length) continue;
    out += `<path class="${way.kind}" clip-path="url(#${id})" d="M${points.map(p => p.map(v => v.toFixed(1)).join()).join("L")}" style="fill:none;stroke:var(--c);stroke-width:${best ? 3 : 2}"/>`;
    lines.unshift({ way, best, points: dense(points), label: way.label });
  }
  const mine = ranking(chart.ways, here, f)[0], right = X(here) > R - 90, low = Math.min(B - 6, Y(mine.cost) + 17), sum = widthOf(money(mine.cost), true) + 12, from = X(here) - (right ? sum : 0);
  const taken = [{ x1: from, x2: from + sum, y1: low - 24, y2: low + 4 }];
  if (flip) taken.push({ x1: X(flip.x) - 9, x2: X(flip.x) + 9, y1: Y(costAt(flip.to, flip.x, f) ?? 0) - 9, y2: Y(costAt(flip.to, flip.x, f) ?? 0) + 9 });
  for (const p of placeLabels(lines, { L, R, T, B }, [X(here), ...(flip ? [X(flip.x)] : [])], taken))
    out += `<g class="${p.line.way.kind}">${say(p.x, p.y, p.line.label, `class="c h${p.line.best ? " b" : ""}"`)}</g>`;
  const mark = (x, dashed) => rule(X(x), 33, X(x), B, `style="stroke:var(--ink);stroke-width:${dashed ? "1.2;stroke-dasharray:3 3" : 1.5}"`);
  const heads = [{ x: here, name: view.moved ? "You try" : chart.x.here_words, words: form(here) }];
  if (flip) heads.push({ x: flip.x, name: "Flip", words: form(flip.x) + (view.times ? `, ${times(flip.x / chart.x.here)} today` : ""), dashed: true });
  const half = h => Math.max(widthOf(h.name, true), widthOf(h.words)) / 2 + 4;
  const at = heads.map(h => { const w = half(h); return Math.max(L + w - 30, Math.min(R - w + 8, X(h.x))); });
  if (heads.length > 1) {
    const w = heads.map(half), gap = Math.abs(at[0] - at[1]) - w[0] - w[1];
    if (gap < 0) { const s = at[0] < at[1] ? 1 : -1; at[0] += s * gap / 2; at[1] -= s * gap / 2;
      const last = s > 0 ? 1 : 0, past = at[last] + w[last] - R - 8; if (past > 0) { at[0] -= past; at[1] -= past; } }
  }
  heads.forEach((h, i) => { out += mark(h.x, h.dashed) + say(at[i], 12, h.name, 'text-anchor="middle" class="b"') + say(at[i], 28, h.words, 'text-anchor="middle"'); });
  if (flip) { const y = Y(costAt(flip.to, flip.x, f) ?? 0); if (y >= T) out += `<path d="M${X(flip.x).toFixed(1)},${(y - 7).toFixed(1)}l7,7l-7,7l-7,-7z" style="fill:var(--paper);stroke:var(--ink);stroke-width:2"/>`; }
  if (mine.cost <= level)
    out += `<circle class="${mine.way.kind}" cx="${X(here).toFixed(1)}" cy="${Y(mine.cost).toFixed(1)}" r="5" style="fill:var(--c);stroke:var(--paper);stroke-width:2"/>` +
      say(X(here) + (right ? -9 : 9), low, money(mine.cost), `class="b h"${right ? ' text-anchor="end"' : ""}`);
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(view.alt)}" class="${narrow ? "n-only" : "w-only"}">${out}</svg>`;
}

// Sizes of a fleet or a run: one dot each, named by its GPUs.
function sizesChart(sizes, width) {
  const narrow = width < 450, height = narrow ? 230 : 250, L = 56, R = width - 20, T = 16, B = height - 40, rows = sizes.rows;
  const most = 1.1 * Math.max(...rows.map(r => r.x)), top = 1.15 * Math.max(...rows.map(r => r.y));
  const X = v => L + (R - L) * v / most, Y = v => B - (B - T) * v / top;
  let out = "";
  for (const v of ticks(0, top, 4)) out += rule(L, Y(v), R, Y(v), `class="${v ? "g" : "a"}"`) + say(L - 7, Y(v) + 4, axisMoney(v), 'text-anchor="end" class="s"');
  for (const v of ticks(0, most, narrow ? 4 : 6)) out += say(X(v), B + 18, most < 10 ? +v.toPrecision(3) : amount(v), 'text-anchor="middle" class="s"');
  out += say(L, B + 36, `${sizes.x_name}, ${sizes.y_name}`, 'class="s"');
  out += `<path d="M${rows.map(r => `${X(r.x).toFixed(1)},${Y(r.y).toFixed(1)}`).join("L")}" style="fill:none;stroke:var(--work);stroke-width:1.5"/>`;
  // Below its dot, above it, or above those above: where the word before on that line ends first.
  const lines = [{dy: 20, end: -1e9}, {dy: -12, end: -1e9}, {dy: -28, end: -1e9}];
  for (const r of [...rows].sort((a, b) => a.x - b.x)) {
    const word = r.gpus + (r.chosen ? " GPUs" : ""), half = 4.5 * word.length;
    const line = lines.find(one => X(r.x) - half > one.end) || lines[2];
    line.end = X(r.x) + half;
    out += `<circle cx="${X(r.x).toFixed(1)}" cy="${Y(r.y).toFixed(1)}" r="${r.chosen ? 6 : 4}" style="fill:var(--${r.chosen ? "ink" : "work"});stroke:var(--paper);stroke-width:2"/>` +
      say(X(r.x), Y(r.y) + line.dy, word, `text-anchor="middle" class="h${r.chosen ? " b" : ""}"`);
  }
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(sizes.alt)}" class="${narrow ? "n-only" : "w-only"}">${out}</svg>`;
}
