// Figures, the step table and the two drawn charts of a page. Fields are described in DATA.md.
const el = id => document.getElementById(id);
const esc = text => String(text).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

function money(v) {
  const sign = v < 0 ? "−" : "", size = Math.abs(v);
  if (size >= 999500) return `${sign}$${(size / 1e6).toFixed(2)} M`;
  if (size >= 10) return `${sign}$${Math.round(size).toLocaleString("en-US")}`;
  return `${sign}$${size.toFixed(2)}`;
}
function axisMoney(v) {
  if (v >= 1e6) return `$${+(v / 1e6).toPrecision(3)} M`;
  return v >= 1e5 ? `$${+(v / 1e3).toPrecision(3)} k` : v >= 10 || v === 0 ? `$${v.toLocaleString("en-US")}` : `$${+v.toPrecision(2)}`;
}
const percent = (v, digits = 0) => `${(100 * v).toFixed(digits)} %`;
function amount(v) {
  for (const [size, word] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]])
    if (v >= size * .9995) return `${+(v / size).toPrecision(3)} ${word}`;
  return Math.round(v).toLocaleString("en-US");
}
const times = v => v < 9.95 ? `${v.toFixed(1)} ×` : `${v.toFixed(0)} ×`;

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
    const life = at.life ?? own.life, interest = at.interest ?? own.interest, left = own.left > 0 ? own.left ** (life / own.life) : 0;
    f.price *= annuity(life, interest, left) / annuity(own.life, own.interest, own.left);
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
// Labels stand at the end of their line and keep apart.
function placeLabels(labels, top, bottom) {
  labels.sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; ++i) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + 15);
  const over = labels.length ? labels[labels.length - 1].y - bottom : 0;
  if (over > 0) for (let i = labels.length - 1; i >= 0; --i) labels[i].y = Math.max(top + 10, Math.min(labels[i].y, bottom - 15 * (labels.length - 1 - i)));
  return labels;
}

// Cost of every way against the volume, with the strip of the cheapest one on the axis.
function stepsChart(chart, view, width) {
  const narrow = width < 450, height = narrow ? 280 : 288, L = 56, R = width - 12, T = 44, B = height - 44, id = `clip${++clips}`;
  const { f, x: here, flip } = view, { min, max } = chart.x, form = chart.x.form === "percent" ? percent : amount;
  const shown = ranking(chart.ways, here, f).slice(0, 5).map(r => r.way), level = view.top;
  const X = v => L + (R - L) * (v - min) / (max - min), Y = v => B - (B - T) * v / level;
  let out = `<clipPath id="${id}"><rect x="${L}" y="${T}" width="${R - L}" height="${B - T}"/></clipPath>`;
  for (const v of ticks(0, level, 4)) out += rule(L, Y(v), R, Y(v), `class="${v ? "g" : "a"}"`) + say(L - 7, Y(v) + 4, axisMoney(v), 'text-anchor="end" class="s"');
  for (const v of ticks(min, max, narrow ? 3 : 5)) out += say(X(v), B + 24, form(v), `text-anchor="${v > .97 * max ? "end" : "middle"}" class="s"`);
  out += say(L, B + 41, chart.x.name, 'class="s"');
  const edges = [{ x: min + (max - min) / 500, to: cheapest(chart.ways, min + (max - min) / 500, f) }, ...turns(chart.ways, min + (max - min) / 500, max, f)];
  edges.forEach((e, i) => { const end = i + 1 < edges.length ? edges[i + 1].x : max, begin = i ? e.x : min;
    if (e.to) out += `<rect class="${e.to.kind}" x="${X(begin).toFixed(1)}" y="${B + 1}" width="${Math.max(.5, X(end) - X(begin)).toFixed(1)}" height="7" style="fill:var(--c)"/>`; });
  const ends = [];
  for (const way of [...shown].reverse()) {
    const points = pathOf(way, min, max, f);
    if (!points.length) continue;
    const best = way === shown[0];
    out += `<path class="${way.kind}" clip-path="url(#${id})" d="M${points.map(([a, b]) => `${X(a).toFixed(1)},${Y(Math.min(b, level * 4)).toFixed(1)}`).join("L")}" style="fill:none;stroke:var(--c);stroke-width:${best ? 3 : 2}"/>`;
    const last = [...points].reverse().find(([, b]) => b <= level);
    if (last) ends.push({ way, best, x: X(last[0]), y: Y(last[1]) });
  }
  const side = ends.filter(e => e.x > R - 4).map(e => ({ ...e, y: e.y - 6 })), above = ends.filter(e => e.x <= R - 4).sort((a, b) => a.x - b.x);
  for (const e of placeLabels(side, T, B - 4)) out += `<g class="${e.way.kind}">${say(R, e.y, e.way.label, `text-anchor="end" class="c h${e.best ? " b" : ""}"`)}</g>`;
  let row = 0, reach = -1e9;
  for (const e of above) {
    const size = 6.6 * e.way.label.length, left = e.x + 6 + size > R, from = left ? e.x - 6 - size : e.x + 6;
    row = from < reach + 8 ? row + 1 : 0; reach = Math.max(row ? reach : -1e9, from + size);
    out += `<g class="${e.way.kind}">${say(left ? e.x - 6 : e.x + 6, T + 13 + 15 * row, e.way.label, `${left ? 'text-anchor="end" ' : ""}class="c h${e.best ? " b" : ""}"`)}</g>`;
  }
  const mark = (x, name, words, dashed) => rule(X(x), 33, X(x), B, `style="stroke:var(--ink);stroke-width:${dashed ? "1.2;stroke-dasharray:3 3" : 1.5}"`);
  const heads = [{ x: here, name: view.moved ? "You try" : chart.x.here_words, words: form(here) }];
  if (flip) heads.push({ x: flip.x, name: "Flip", words: form(flip.x) + (view.times ? `, ${times(flip.x / chart.x.here)} today` : ""), dashed: true });
  const at = heads.map(h => { const w = 3.3 * Math.max(h.words.length, h.name.length) + 2; return Math.max(L + w - 30, Math.min(R - w + 8, X(h.x))); });
  if (heads.length > 1) {
    const w = heads.map(h => 3.2 * Math.max(h.words.length, h.name.length) + 4), gap = Math.abs(at[0] - at[1]) - w[0] - w[1];
    if (gap < 0) { const s = at[0] < at[1] ? 1 : -1; at[0] += s * gap / 2; at[1] -= s * gap / 2;
      const last = s > 0 ? 1 : 0, past = at[last] + w[last] - R - 8; if (past > 0) { at[0] -= past; at[1] -= past; } }
  }
  heads.forEach((h, i) => { out += mark(h.x, h.name, h.words, h.dashed) + say(at[i], 12, h.name, 'text-anchor="middle" class="b"') + say(at[i], 28, h.words, 'text-anchor="middle"'); });
  if (flip) { const y = Y(costAt(flip.to, flip.x, f) ?? 0); if (y >= T) out += `<path d="M${X(flip.x).toFixed(1)},${(y - 7).toFixed(1)}l7,7l-7,7l-7,-7z" style="fill:var(--paper);stroke:var(--ink);stroke-width:2"/>`; }
  const mine = ranking(chart.ways, here, f)[0];
  if (mine && mine.cost <= level) { const right = X(here) > R - 90;
    out += `<circle class="${mine.way.kind}" cx="${X(here).toFixed(1)}" cy="${Y(mine.cost).toFixed(1)}" r="5" style="fill:var(--c);stroke:var(--paper);stroke-width:2"/>` +
      say(X(here) + (right ? -9 : 9), Math.min(B - 6, Y(mine.cost) + 17), money(mine.cost), `class="b h"${right ? ' text-anchor="end"' : ""}`); }
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(view.alt)}" class="${narrow ? "n-only" : "w-only"}">${out}</svg>`;
}

// Sizes of a fleet or a run: one dot each, named by its GPUs.
function sizesChart(sizes, width) {
  const narrow = width < 450, height = narrow ? 230 : 250, L = 56, R = width - 20, T = 16, B = height - 40, rows = sizes.rows;
  const most = 1.1 * Math.max(...rows.map(r => r.x)), top = 1.15 * Math.max(...rows.map(r => r.y));
  const X = v => L + (R - L) * v / most, Y = v => B - (B - T) * v / top;
  let out = "";
  for (const v of ticks(0, top, 4)) out += rule(L, Y(v), R, Y(v), `class="${v ? "g" : "a"}"`) + say(L - 7, Y(v) + 4, axisMoney(v), 'text-anchor="end" class="s"');
  for (const v of ticks(0, most, narrow ? 4 : 6)) out += say(X(v), B + 18, amount(v), 'text-anchor="middle" class="s"');
  out += say(L, B + 36, `${sizes.x_name}, ${sizes.y_name}`, 'class="s"');
  out += `<path d="M${rows.map(r => `${X(r.x).toFixed(1)},${Y(r.y).toFixed(1)}`).join("L")}" style="fill:none;stroke:var(--work);stroke-width:1.5"/>`;
  let last = -1e9, up = false;
  for (const r of [...rows].sort((a, b) => a.x - b.x)) {
    up = X(r.x) - last < 46 ? !up : false; last = X(r.x);
    out += `<circle cx="${X(r.x).toFixed(1)}" cy="${Y(r.y).toFixed(1)}" r="${r.chosen ? 6 : 4}" style="fill:var(--${r.chosen ? "ink" : "work"});stroke:var(--paper);stroke-width:2"/>` +
      say(X(r.x), Y(r.y) + (up ? -12 : 20), r.gpus + (r.chosen ? " GPUs" : ""), `text-anchor="middle" class="h${r.chosen ? " b" : ""}"`);
  }
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(sizes.alt)}" class="${narrow ? "n-only" : "w-only"}">${out}</svg>`;
}
