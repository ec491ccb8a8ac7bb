// The page of one plan. D is the data; every panel is left out where the answer has nothing for it.
const D = JSON.parse(document.getElementById("data").textContent);
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function header() {
  el("kicker").textContent = `${D.scenario} · ${D.what} · newest price ${D.prices_as_of || "not dated"} · loadfactor ${D.version}`;
  const joined = text => text.replace(/(\d) %/g, "$1\u00a0%");  // A number and its sign stay on one line.
  el("verdict").textContent = joined(D.verdict);
  el("because").textContent = joined(D.because || "");
  document.title = `${D.scenario}: ${D.decision}`;
  if (!D.load_factor) return;
  const even = D.break_even ? gauge("break-even", D.break_even, "--orange", `break-even against ${D.against}`) : "";
  panel("gauges", D.training ? "Goodput against break-even" : "Load factor against break-even",
    `<div class="gauges">${gauge("load factor", D.load_factor, "--blue", D.training ? "goodput: share of the paid time that carries work" : "load factor: share of the paid capacity that carries work")}${even}</div>` +
    note(`Thin arc: interval of 90 %.${D.close_call ? " A close call: see the verdict." : ""}`) +
    (D.plan.length ? table([{ name: D.uses_api ? "if you had GPUs" : "the plan", tight: 1 }, { name: "" }], D.plan.map(p => [p.name, p.words])) : ""));
}

function options() {
  if (!D.options.length) return;
  const columns = [{ name: "option" }, { name: "GPUs", n: 1 }, { name: D.training ? "goodput" : "load", n: 1 }, { name: "break-even", n: 1 }, { name: D.per, n: 1 }, { name: "$/M tokens", n: 1 }, { name: "why not" }];
  const rows = D.options.map(o => [o.name, o.gpus ? (o.gpus % 1 ? o.gpus.toFixed(1) : whole(o.gpus)) : "–", percent(o.load_factor), percent(o.break_even), dollars(o.cost), cents(o.per_mtoken), o.why || "chosen"]);
  panel("options", "Ways to have the same work done", table(columns, rows, 0), true);
}

// The engine's own formulas: base + GPUs × (fixed + rent × (r − 1) + working × load); the API is
// paid by the token. A month has 730 hours.
const S = D.sliders, MONTH = 730 * 3600;
const tokens_of = (gpus, load) => S.rate * gpus * load * MONTH;
// What binds for years is paid for in whole machines.
const paid = (o, at) => Math.ceil(at.gpus / o.machine - 1e-9) * o.machine;
function monthly(o, at) {
  if (o.kind === "api") return S.api * at.api * tokens_of(at.gpus, at.load) / 1e6;
  return o.base + paid(o, at) * (o.fixed + o.rent * (at.rent - 1)) + at.gpus * o.working * at.load;
}
function break_even(o, at) {
  if (o.kind === "api") return null;
  const gpus = paid(o, at), fixed = o.base + gpus * (o.fixed + o.rent * (at.rent - 1));
  const against = (price, spent) => price > gpus * o.working ? spent / (price - gpus * o.working) : Infinity;
  if (!missing(S.api)) return against(S.api * at.api * tokens_of(gpus, 1) / 1e6, fixed);
  if (missing(S.hourly) || o.kind === "on-demand") return null;
  return against(S.hourly * at.rent * gpus, fixed - S.people);
}
// Where the sliders stand: whole replicas, as few as the wanted load allows. A run keeps its GPUs.
function position(traffic, full, rent, api) {
  if (D.training) return { traffic, gpus: S.gpus, load: full, rent, api };
  const wanted = S.rate * S.gpus * S.load * traffic, replica = S.rate * S.gpus_per_replica;
  const replicas = Math.max(1, Math.ceil(wanted / (replica * full) - 1e-9)), gpus = replicas * S.gpus_per_replica;
  return { traffic, gpus, load: Math.min(1, wanted / (S.rate * gpus)), rent, api };
}
function live(at) {
  return S.options.map(o => {
    const month = monthly(o, at), tokens = tokens_of(at.gpus, at.load);
    return { name: o.name, kind: o.kind, per_month: month, per_mtoken: month / tokens * 1e6, break_even: break_even(o, at),
      per_run: S.run ? month / tokens * S.run * at.traffic : null };
  });
}
// The same question for the program, so that nobody needs to trust the page.
function command(at) {
  const digits = x => String(+x.toPrecision(9)), set = [...D.set, `hardware=[${D.layout.accelerator}]`,
    `capacity={gpus: ${at.gpus}, node: ${Math.max(1, ...S.options.map(o => o.machine || 1))}, rate: ${digits(S.rate)} tokens/s/GPU, load_factor: ${digits(100 * at.load)} %}`];
  for (const o of S.options) if (!missing(o.price)) set.push(`money.rent.${o.kind.replace("-", "_")}=${digits(o.price * at.rent)} USD/GPU-hour`);
  if (!missing(S.api)) set.push(`money.api.price=${digits(S.api * at.api)} USD/M tokens`);
  if (S.run) set.push(`train.tokens=${digits(S.run * at.traffic)}`);
  return { file: D.file, set };
}
window.loadfactor = { position, live, command, data: D };

function volume() {
  if (!S) return;
  // Load factor and break-even are of the GPUs that are paid for; the axis is of those that work.
  const working = D.load_factor && D.load_factor.value > 0 ? S.load / D.load_factor.value : 1;
  const even = D.break_even && isFinite(D.break_even.value) ? D.break_even.value * working : 0;
  const most = Math.max(1, Math.min(1.5, even * 1.05)), steps = [...Array(61).keys()].map(i => most * i / 60);
  const at = load => ({ gpus: S.gpus, load, rent: 1, api: 1 });
  const series = S.options.map(o => ({ name: o.name, points: steps.map(u => [tokens_of(S.gpus, u), monthly(o, at(u))]) }));
  const marks = [{ at: tokens_of(S.gpus, S.load), word: `you are here, ${percent(S.load, 0)} full` }];
  if (even && even <= most) marks.push({ at: tokens_of(S.gpus, even), word: `break-even, ${percent(even, 0)} full` });
  panel("volume", "Cost against volume", lines({ series, x: [0, tokens_of(S.gpus, most)], y: span(series.flatMap(s => s.points.map(p => p[1]))), marks, xname: "tokens a month, in and out", yname: "$ a month", yform: dollars }) +
    note(`The fleet as it is: ${whole(S.gpus)} ${S.gpus === 1 ? "GPU" : "GPUs"}, full at ${short(tokens_of(S.gpus, 1))} tokens a month.${most > 1 ? " Beyond that it would need more machines." : ""}`));
}

function week() {
  if (D.week.length !== 168) return;
  const cell = 18, L = 36, T = 18, W = L + 24 * cell;
  const most = Math.max(...D.week.filter(v => !missing(v)), 1e-9);
  let out = DAYS.map((d, i) => put(0, T + cell * i + 13, d, 'class="soft"')).join("");
  for (let h = 0; h < 24; h += 3) out += put(L + cell * h, 12, `${h}:00`, 'class="soft"');
  D.week.forEach((v, i) => { const d = Math.floor(i / 24), h = i % 24;
    if (missing(v)) { out += box(L + cell * h + .5, T + cell * d + .5, cell - 2, cell - 2, `class="unknown" fill="none" stroke="var(--line)" stroke-dasharray="2 2" ${hint(`${DAYS[d]} ${h}:00, not in the data`)}`); return; }
    out += box(L + cell * h, T + cell * d, cell - 1, cell - 1, `fill="var(--blue)" fill-opacity="${(.05 + .95 * Math.max(0, v) / most).toFixed(3)}" ${hint(`${DAYS[d]} ${h}:00, ${percent(v)} full`)}`); });
  const ramp = [0, .25, .5, .75, 1].map((v, i) => box(L + 62 * i, T + cell * 7 + 8, 60, 10, `fill="var(--blue)" fill-opacity="${(.05 + .95 * v).toFixed(2)}"`) + put(L + 62 * i, T + cell * 7 + 30, percent(v * most, 0), 'class="soft"')).join("");
  panel("week", "The week: how full, hour by hour", svg(W, T + cell * 7 + 34, out + ramp, "load by hour of the week") +
    (D.week.some(missing) ? note("Dashed hours are not in the data: nothing is known of them.") : ""));
}

function losses() {
  if (!D.losses.length) return;
  const W = 480, L = 110, scale = W - L - 66, rows = D.losses.length + 2;
  let left = 1, out = "";
  const bar = (i, name, from, width, tone) => { out += put(0, 28 * i + 18, name) + box(L + scale * from, 28 * i + 4, scale * width, 20, `fill="var(${tone})" ${hint(`${name} ${percent(width)}`)}`) + put(L + scale * (from + width) + 6, 28 * i + 18, percent(width), 'class="soft"'); };
  bar(0, "paid for", 0, 1, "--soft");
  D.losses.forEach((l, i) => { const points = Math.max(0, l.points); left -= points; bar(i + 1, l.name, Math.max(0, left), points, "--orange"); });
  bar(rows - 1, "carries work", 0, Math.max(0, left), "--blue");
  panel("losses", "Where the empty share goes", svg(W, 28 * rows, out, "waterfall of the losses"));
}

function curve() {
  if (D.curve.length < 2) return;
  const series = [{ name: D.training ? "goodput" : "load factor", dots: true, points: D.curve.map(p => [p.gpus, p.load_factor]) }];
  if (D.curve.some(p => p.efficiency)) series.push({ name: "useful tokens per GPU, over the best size", dots: true, points: D.curve.map(p => [p.gpus, p.efficiency]) });
  const first = D.curve[0].gpus, last = D.curve[D.curve.length - 1].gpus, wide = last / first > 6;
  const marks = [{ at: S ? S.gpus : first, word: "the plan" }];
  if (D.knee) marks.push({ at: D.knee, word: `knee, ${whole(D.knee)} GPU${D.knee === 1 ? "" : "s"}` });
  panel("curve", "GPUs against fullness", lines({ series, x: [first, last], y: [0, 1.02], marks, xlog: wide, xticks: wide || D.curve.length < 8 ? D.curve.map(p => p.gpus) : undefined, xname: wide ? "GPUs, each step twice as many" : "GPUs", yname: "share", xform: whole, yform: v => percent(v, 0) }));
}

// Racks of nodes of GPUs. A colour is a pipeline stage, a frame a tensor-parallel group.
function layout() {
  if (!D.layout) return;
  const l = D.layout, per = l.gpus_per_node, W = 480, c = Math.max(7, Math.min(l.nodes > 1 ? 22 : 44, (W / (l.nodes > 1 ? 2 : 1) - 26) / per)), node_w = c * per + 6, node_h = c + 8;
  const rack = Math.max(1, l.nodes_per_rack || Math.min(l.nodes, 4)), racks = Math.ceil(l.nodes / rack);
  const columns = Math.max(1, Math.floor(W / (node_w + 22))), shown = Math.min(racks, columns * Math.max(1, Math.floor(8 / rack)));
  const rack_h = rack * node_h + 22;
  let out = "";
  for (let r = 0; r < shown; ++r) {
    const x = (r % columns) * (node_w + 22) + 2, y = Math.floor(r / columns) * (rack_h + 8) + 2;
    out += box(x, y, node_w + 12, rack_h, 'fill="none" stroke="var(--soft)" rx="4"') + put(x + 6, y + 13, l.nodes_per_rack ? `rack ${r + 1}` : "nodes", 'class="soft"');
    for (let n = r * rack; n < Math.min((r + 1) * rack, l.nodes); ++n) {
      const ny = y + 18 + (n - r * rack) * node_h;
      out += box(x + 6, ny, node_w, node_h - 3, 'fill="none" stroke="var(--line)"');
      for (let g = 0; g < per; ++g) { const rank = n * per + g, tp = rank % l.tp, stage = Math.floor(rank / l.tp) % l.pp, gx = x + 9 + c * g;
        if (rank >= l.gpus) { out += box(gx, ny + 2, c - 2, c, 'fill="none" stroke="var(--line)" stroke-dasharray="2 2"'); continue; }
        out += box(gx, ny + 2, c - 2, c, `fill="${colour(stage)}" fill-opacity="${(.45 + .5 * (1 - tp / l.tp)).toFixed(2)}" ${hint(`GPU ${rank}: tensor rank ${tp}, stage ${stage}, replica ${Math.floor(rank / (l.tp * l.pp))}`)}`);
        if (tp === 0) out += box(gx - 1, ny + 1, c * Math.min(l.tp, per - g) - 1, c + 2, 'fill="none" stroke="var(--ink)" stroke-width="1" pointer-events="none"'); }
    }
  }
  const rows = Math.ceil(shown / columns), most = Math.min(l.pp, 6);
  const words = [`${l.words} A frame is a tensor-parallel group of ${l.tp} on ${l.link || "its node"}.`];
  if (l.fabric && l.nodes > 1) words.push(`Pipeline stages and data-parallel groups talk over ${l.fabric}.`);
  if (shown < racks) words.push(`The first ${Math.min(shown * rack, l.nodes)} of ${whole(l.nodes)} nodes are drawn.`);
  panel("layout", "Layout on the machines", svg(W, rows * (rack_h + 8) + 4, out, "racks, nodes and GPUs of the layout") +
    (l.pp > 1 ? legend([...Array(most).keys()].map(i => ({ name: `stage ${i}${i + 6 < l.pp ? ", " + (i + 6) + " …" : ""}` }))) : "") + note(words.join(" ")));
}

function steps() {
  if (D.pipeline.spans.length) {
    const spans = D.pipeline.spans.map(([track, kind, batch, start, duration]) => ({ track, kind: D.pipeline.kinds[kind], batch, start, duration }));
    const tracks = 1 + Math.max(...spans.map(s => s.track)), end = Math.max(...spans.map(s => s.start + s.duration));
    const W = 980, L = 56, h = Math.max(9, Math.min(24, 300 / tracks)), tones = { forward: "--blue", backward: "--green", "weight gradient": "--sky" }, kinds = { forward: "--blue", backward: "--green", "weight gradient": "--sky", "gradients, optimizer, waiting": "--yellow" };
    const used = new Set(spans.map(s => tones[s.kind] ? s.kind : "gradients, optimizer, waiting"));
    let out = "";
    for (const s of spans) out += box(L + (W - L - 4) * s.start / end, s.track * h, (W - L - 4) * s.duration / end - .4, h - 2, `fill="var(${tones[s.kind] || "--yellow"})" ${hint(`${s.kind}${s.batch < 0 ? "" : ` of micro-batch ${s.batch}`}: ${ms(1e3 * s.duration)}`)}`);
    for (let t = 0; t < tracks; ++t) out += put(0, t * h + h * .5 + 3, `stage ${t}`, 'class="soft"');
    for (const v of ticks([0, end * 1e3], 6)) out += put(L + (W - L - 4) * v / (end * 1e3), tracks * h + 14, ms(v), `class="soft" text-anchor="${v > end * 950 ? "end" : "start"}"`);
    panel("pipeline", "One training step, stage by stage", svg(W, tracks * h + 18, out, "pipeline timeline") + legend(Object.keys(kinds).filter(k => used.has(k)).map(k => ({ name: k, colour: `var(${kinds[k]})` }))) + note(`${ms(1e3 * end)} in all.${D.pipeline.all > spans.length ? ` The first ${spans.length} of ${D.pipeline.all} pieces are drawn.` : ""}`), true);
  } else if (D.steps.length) {
    const names = [...new Set(D.steps.map(s => s.name))], groups = [...new Set(D.steps.map(s => s.group))];
    const rows = groups.map(g => ({ name: g, parts: D.steps.filter(s => s.group === g) }));
    panel("pipeline", "One step of a replica", stacked(rows, n => colour(names.indexOf(n)), ms) + legend(names) +
      note(rows.map(r => `${r.name}: ${ms(r.parts.reduce((a, p) => a + p.amount, 0))}`).join("; ") + " of the device's time."));
  }
}

function memory() {
  if (!D.memory.length) return;
  const parts = D.memory.filter(m => m.amount > .005).map((m, i) => ({ ...m, tone: /free/.test(m.name) ? "var(--line)" : colour(i) }));
  const tone = name => parts.find(p => p.name === name).tone, all = parts.reduce((a, p) => a + p.amount, 0);
  panel("memory", "Memory of the fullest GPU", stacked([{ name: "", parts }], tone, x => `${x.toFixed(1)} GiB`) +
    table([{ name: "part" }, { name: "GiB", n: 1 }, { name: "share", n: 1 }], parts.map(p => [p.name, p.amount.toFixed(1), percent(p.amount / all, 0)])));
}

function front() {
  const p = D.pareto;
  if (p.points.length < 1) return;
  const money = p.yname.startsWith("$") ? v => cents(v).replace(/\.00$/, "") : short;
  panel("pareto", `Pareto front: ${p.xname} against ${p.yname}`, lines({ series: [], dots: p.points.map(q => ({ x: q.x, y: q.y, name: q.name, big: q.chosen })), x: span(p.points.map(q => q.x)), y: span(p.points.map(q => q.y)), xname: p.xname, yname: p.yname, yform: v => v >= 1000 ? dollars(v) : money(v) }) +
    legend([{ name: "the plan", colour: "var(--orange)" }, { name: "others", colour: "var(--blue)" }].slice(0, p.points.length > 1 ? 2 : 1)) +
    note(D.training ? "Nothing beats one of these in days, dollars, GPUs, power and free memory at once." : "Nothing is both faster per token and cheaper than one of these."));
}

function tornado() {
  if (!D.tornado.length) return;
  const all = D.tornado.flatMap(t => [t.low, t.high]).filter(isFinite), lo = Math.min(...all), hi = Math.max(...all), W = 480, L = 130, R = 62;
  const px = v => L + R + (v - lo) / (hi - lo || 1) * (W - L - 2 * R);
  let out = "";
  D.tornado.forEach((t, i) => { const low = t.low <= t.high, a = low ? t.low : t.high, b = low ? t.high : t.low, y = 26 * i;
    out += put(0, y + 17, t.name) + box(px(a), y + 4, px(b) - px(a), 18, `fill="var(--blue)" ${hint(`${t.name}: ${cents(t.low)} where it is low, ${cents(t.high)} where it is high`)}`);
    out += put(px(a) - 5, y + 17, cents(a), 'text-anchor="end" class="soft"') + put(px(b) + 5, y + 17, cents(b), 'class="soft"'); });
  panel("tornado", "What moves the answer most", svg(W, 26 * D.tornado.length + 2, out, "tornado") + note(`${D.tornado_unit} of the cheapest option, with one input at its low and at its high end.`));
}

function cash() {
  if (!D.cash.length) return;
  const months = D.cash[0].points.length - 1;
  panel("cash", "Cash, added up, if the work goes on", lines({ series: D.cash.map(c => ({ name: c.name, points: c.points.map((v, i) => [i, v]) })), x: [0, months], y: span(D.cash.flatMap(c => c.points)), xname: "months", yname: "$ spent", yform: dollars }) +
    note("Not discounted. A purchase is paid at the start; what is left of its value comes back at the end."));
}

function sliders() {
  if (!S) return;
  const range = (id, words, min, max, step, value) => `<label>${words} <output id="o-${id}"></output><input id="s-${id}" type="range" min="${min}" max="${max}" step="${step}" value="${value}"></label>`;
  const node = panel("live", "Move it", range("traffic", D.training ? "tokens of the run, over today's" : "traffic, over today's", .1, 4, .01, 1) +
    range("full", D.training ? "goodput" : "how full the fleet may be", .01, 1, .001, Math.min(1, Math.max(.01, Math.ceil(S.load * 1000) / 1000))) +
    range("rent", "rent, over today's", .3, 2, .01, 1) + (missing(S.api) ? "" : range("api", "API price, over today's", .1, 2, .01, 1)) + '<div id="live-table"></div><pre id="live-command"></pre>', true, "live");
  const value = id => el(`s-${id}`) ? +el(`s-${id}`).value : 1;
  const show = () => {
    const at = position(value("traffic"), value("full"), value("rent"), value("api"));
    for (const k of ["traffic", "rent", "api"]) if (el(`o-${k}`)) el(`o-${k}`).textContent = `× ${value(k).toFixed(2)}`;
    el("o-full").textContent = `${percent(value("full"))}${D.training ? "" : `: ${whole(at.gpus)} GPUs, ${percent(at.load)} full`}`;
    const rows = live(at), best = rows.reduce((b, r, i) => r.per_month < rows[b].per_month ? i : b, 0);
    const columns = [{ name: "option" }, { name: "$ a month", n: 1 }, { name: "$/M tokens", n: 1 }, { name: "break-even", n: 1 }];
    if (S.run) columns.push({ name: "$ for the run", n: 1 });
    el("live-table").innerHTML = table(columns, rows.map(r => [r.name.replace(/^[\d.,]+ × /, ""), dollars(r.per_month), cents(r.per_mtoken), percent(r.break_even), dollars(r.per_run)].slice(0, columns.length)), best);
    const c = command(at);
    el("live-command").textContent = `loadfactor cost ${c.file} ${c.set.map(s => `--set '${s}'`).join(" ")}`;
  };
  node.addEventListener("input", show);
  show();
}

function words() {
  if (D.levers.length) panel("levers", "What would change the answer", table([{ name: "lever" }, { name: "then" }], D.levers.map(l => [l.name, l.effect])), true);
  if (D.runners.length) panel("runners", "What was not chosen, and why", table([{ name: "plan" }, { name: D.per, n: 1 }, { name: "why not" }], D.runners.map(r => [r.name, dollars(r.cost), r.why])), true);
  if (D.notices.length) panel("notices", "Read this too", `<ul>${D.notices.map(n => `<li>${text(n)}</li>`).join("")}</ul>`, true);
  panel("accuracy", "How right this is", `<p class="small">${text(D.accuracy)}</p>`);
  panel("reproduce", "How to get it again", `<pre>${text(D.reproduce)}</pre>`);
  if (D.assumptions.length) panel("assumptions", "What this rests on", table([{ name: "what" }, { name: "value" }, { name: "basis", tight: 1 }, { name: "source" }, { name: "date", tight: 1 }], D.assumptions.map(a => [a.what, a.value || "see source", a.basis, `${a.source}, ${a.where}`, a.date])), true);
  el("foot").textContent = "MFU is of the dense peak; the load factor is of what the paid fleet could deliver when saturated in this layout. A month has 730 hours.";
}

header(); volume(); week(); losses(); curve(); layout(); steps(); memory(); front(); tornado(); cash(); options(); sliders(); words();
document.addEventListener("mousemove", e => {
  const tip = e.target.getAttribute && e.target.getAttribute("data-tip"), bubble = el("tip");
  bubble.style.display = tip ? "block" : "none";
  if (tip) { bubble.textContent = tip; bubble.style.left = `${Math.min(e.clientX + 12, innerWidth - 380)}px`; bubble.style.top = `${e.clientY + 12}px`; }
});
