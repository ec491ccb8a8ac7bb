// Drawing: SVG as text, from numbers. Nothing here knows what the page is about.
const COLOURS = ["--blue", "--orange", "--green", "--yellow", "--pink", "--sky"];
const colour = i => `var(${COLOURS[i % COLOURS.length]})`;
const el = id => document.getElementById(id);
const text = s => String(s).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));
const missing = x => x === null || x === undefined;
const percent = (x, digits = 1) => missing(x) ? "–" : isFinite(x) ? `${(100 * x).toFixed(digits)} %` : "never";
const SUFFIX = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]];
function short(x, digits = 3) {
  for (const [scale, word] of SUFFIX) if (Math.abs(x) >= scale) return `${+(x / scale).toPrecision(digits)} ${word}`;
  return `${+x.toPrecision(digits)}`;
}
const dollars = x => missing(x) ? "–" : `${x < 0 ? "−" : ""}$${Math.abs(x) >= 1e6 ? short(Math.abs(x)) : Math.round(Math.abs(x)).toLocaleString("en-US")}`;
const cents = x => missing(x) || !isFinite(x) ? "–" : `$${x >= 100 ? x.toFixed(0) : x >= 1 ? x.toFixed(2) : x.toPrecision(3)}`;
const whole = x => Math.round(x).toLocaleString("en-US");
const ms = x => x >= 1000 ? `${+(x / 1000).toPrecision(3)} s` : `${+x.toPrecision(3)} ms`;

// A panel of the page; `body` is HTML.
function panel(id, title, body, wide = false, cls = "") {
  const node = document.createElement("section");
  node.id = id;
  node.className = `${wide ? "wide " : ""}${cls}`;
  node.innerHTML = `<h2>${text(title)}</h2>${body}`;
  el("page").appendChild(node);
  return node;
}
const svg = (w, h, body, label) => `<svg viewBox="0 0 ${w} ${h}" role="img" aria-label="${text(label)}">${body}</svg>`;
const hint = s => `data-tip="${text(s)}"`;
const put = (x, y, s, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${text(s)}</text>`;
const box = (x, y, w, h, more) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(.5, w).toFixed(1)}" height="${h.toFixed(1)}" ${more}/>`;
const legend = names => `<ul class="legend">${names.map((n, i) => `<li><i style="background:${n.colour || colour(i)}"></i>${text(n.name || n)}</li>`).join("")}</ul>`;
const note = s => `<p class="small soft">${text(s)}</p>`;

function table(columns, rows, best = -1) {
  const cell = (tag, c, s) => `<${tag}${c.n ? ' class="n"' : c.tight ? ' class="tight"' : ""}>${text(s)}</${tag}>`;
  return `<table><thead><tr>${columns.map(c => cell("th", c, c.name)).join("")}</tr></thead><tbody>${
    rows.map((r, i) => `<tr${i === best ? ' class="best"' : ""}>${r.map((s, j) => cell("td", columns[j], s)).join("")}</tr>`).join("")
  }</tbody></table>`;
}

// Round numbers that cover a range.
function ticks([from, to], about = 5) {
  const raw = (to - from) / about || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find(m => m * power >= raw * .999);
  const out = [];
  for (let v = Math.ceil(from / step - 1e-9) * step; v <= to + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

// Lines and dots over a common x axis; `marks` are vertical lines with a word.
function lines({ series, x, y, marks = [], xname, yname, xform = short, yform = short, dots = [], xticks, xlog = false }) {
  const W = 480, H = 270, L = 62, R = 16, T = 24 + 14 * marks.length, B = 38;
  const warp = v => xlog ? Math.log(v) : v;
  const px = v => L + (warp(v) - warp(x[0])) / (warp(x[1]) - warp(x[0]) || 1) * (W - L - R);
  const py = v => H - B - (Math.min(v, y[1]) - y[0]) / (y[1] - y[0] || 1) * (H - B - T);
  let out = put(4, 12, yname, 'class="soft"');
  for (const v of ticks(y)) out += `<line class="axis" x1="${L}" x2="${W - R}" y1="${py(v).toFixed(1)}" y2="${py(v).toFixed(1)}"/>` + put(L - 6, py(v) + 4, yform(v), 'text-anchor="end" class="soft"');
  for (const v of xticks || ticks(x)) out += put(Math.min(px(v), W - 2 - 3.4 * String(xform(v)).length), H - B + 16, xform(v), 'text-anchor="middle" class="soft"');
  out += put(W - R, H - 6, xname, 'text-anchor="end" class="soft"');
  marks.forEach((m, i) => {
    if (m.at < x[0] || m.at > x[1]) return;
    const right = px(m.at) > W * .6, top = 26 + 14 * i;
    out += `<line x1="${px(m.at).toFixed(1)}" x2="${px(m.at).toFixed(1)}" y1="${top - 9}" y2="${H - B}" stroke="var(--ink)" stroke-dasharray="4 3"/>`;
    out += put(px(m.at) + (right ? -5 : 5), top, m.word, right ? 'text-anchor="end"' : "");
  });
  series.forEach((s, i) => {
    const points = s.points.filter(p => isFinite(p[1]) && p[1] <= y[1] * 1.0001).map(p => `${px(p[0]).toFixed(1)},${py(p[1]).toFixed(1)}`).join(" ");
    out += `<polyline fill="none" stroke="${colour(i)}" stroke-width="2.2" points="${points}" ${hint(s.name)}/>`;
    if (s.dots) for (const p of s.points) out += `<circle cx="${px(p[0]).toFixed(1)}" cy="${py(p[1]).toFixed(1)}" r="3.5" fill="${colour(i)}" ${hint(`${s.name}: ${xform(p[0])}, ${yform(p[1])}`)}/>`;
  });
  for (const d of [...dots].sort((a, b) => a.big - b.big)) out += `<circle cx="${px(d.x).toFixed(1)}" cy="${py(d.y).toFixed(1)}" r="${d.big ? 7 : 4.5}" fill="${d.big ? "var(--orange)" : "var(--blue)"}" ${hint(d.name)}/>`;
  return svg(W, H, out, yname) + (series.length ? legend(series) : "");
}
const span = values => { const v = values.filter(isFinite); return [Math.min(0, ...v), Math.max(...v, 1e-12) * 1.05]; };

function gauge(name, q, tone, below) {
  const W = 220, H = 116, r = 90, cx = 110, cy = 106;
  const at = v => { const a = Math.PI * (1 - Math.min(1, Math.max(0, v))); return `${(cx + r * Math.cos(a)).toFixed(2)} ${(cy - r * Math.sin(a)).toFixed(2)}`; };
  const arc = (a, b, c, w) => `<path d="M${at(a)} A${r} ${r} 0 0 1 ${at(b)}" fill="none" stroke="${c}" stroke-width="${w}"/>`;
  const v = q && isFinite(q.value) ? q.value : null;
  let out = arc(0, 1, "var(--line)", 14);
  if (v !== null) out += arc(0, v, `var(${tone})`, 14) + arc(Math.max(0, q.low), Math.min(1, q.high), "var(--ink)", 3);
  out += put(cx, cy - 30, v === null ? "never" : percent(v), 'text-anchor="middle" style="font-size:27px;font-weight:600"');
  if (v !== null) out += put(cx, cy - 9, `${percent(q.low, 0)} to ${percent(q.high, 0)}`, 'text-anchor="middle" class="soft"');
  return `<figure>${svg(W, H, out, `${name} ${v === null ? "never" : percent(v)}`)}<figcaption>${text(below)}</figcaption></figure>`;
}

// Bars that are made of parts, one above the other; each row is {name, parts: [{name, amount}]}.
function stacked(rows, tones, form, W = 480) {
  const L = rows.some(r => r.name) ? 96 : 0, most = Math.max(...rows.map(r => r.parts.reduce((a, p) => a + p.amount, 0)));
  let out = "";
  rows.forEach((row, i) => {
    let x = L;
    if (row.name) out += put(0, 34 * i + 19, row.name);
    for (const p of row.parts) {
      const w = (W - L) * p.amount / most;
      out += box(x, 34 * i, w - 1, 28, `fill="${tones(p.name)}" ${hint(`${p.name} ${form(p.amount)}`)}`);
      x += w;
    }
  });
  return svg(W, 34 * rows.length, out, "parts");
}
