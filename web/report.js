// What a page does besides being read: it draws the charts, re-plans coarsely from the step table while
// sliders move, names its words on hover and focus, and hands out its tables. Without it every figure is there.
const P = JSON.parse(el("data").textContent);
const C = P.chart, START = C ? { x: C.x.here } : {};
let at = { ...START };

const changed = () => Object.keys(at).some(k => at[k] !== START[k]);
const capital = text => text[0].toUpperCase() + text.slice(1);
const form = v => C.x.form === "percent" ? percent(v) : amount(v);
const named = way => way.noun;

// The plan at a place of the sliders, from the step table.
function evaluate(where) {
  const f = factors(P.own, where), rows = ranking(C.ways, where.x, f);
  const least = C.x.min + (C.x.max - C.x.min) / 50, flip = lastingTurn(C.ways, where.x, least, C.x.max, f);
  const untouched = Object.keys(where).every(k => where[k] === START[k]);
  return { rows, f, flip: untouched && C.flip ? { x: C.flip.x, to: C.ways.find(w => w.id === C.flip.to) } : flip };
}
function decisionOf(where, plan) {
  const say = stepAt(plan.rows[0].way, where.x).say, place = C.x.form === "percent" ? `Busy ${form(where.x)} of their life` : `At ${form(where.x)} ${C.x.unit} a month`;
  return where.x === START.x ? `With these prices, ${say}.` : `${place}, ${say}.`;
}
function altOf(where, plan) {
  const [best, next] = plan.rows, flip = plan.flip;
  return `${C.title}. At ${form(where.x)} ${named(best.way)} is cheapest at ${money(best.cost)} ${C.per}` + (next ? `, then ${named(next.way)} at ${money(next.cost)}` : "") +
    (flip ? `. The cheapest way changes at ${form(flip.x)}, to ${named(flip.to)}.` : ". It stays the cheapest.");
}
function drawChart(plan) {
  const second = plan.rows[1] || plan.rows[0], view = { f: plan.f, x: at.x, flip: plan.flip, moved: changed(), times: C.x.form !== "percent",
    top: Math.max(C.top, 1.25 * plan.rows[0].cost, Math.min(1.1 * second.cost, 3 * plan.rows[0].cost)), alt: altOf(at, plan) };
  el("chart-picture").innerHTML = stepsChart(C, view, 512) + stepsChart(C, view, 368);
}

// ---- The same question for the program, so that nobody needs to trust the page.

const MONTH = 730 * 3600, LINEAR = ["on-demand", "reserved-1y", "reserved-3y", "spot", "own", "api"];
const digits = v => String(+v.toPrecision(12));
// What `cost` is asked for one way at a place of the sliders; nothing for ways that follow the hours of the week.
function commandOf(way, where) {
  if (!LINEAR.includes(way.id)) return null;
  const run = C.x.form === "percent", carrier = stepAt(way, where.x)?.needed ? way : C.ways.find(w => stepAt(w, where.x)?.needed), step = carrier && stepAt(carrier, where.x);
  if (!step) return null;
  const load = run ? C.working / step.needed * (way.id === "own" ? where.x : 1) : where.x * C.tokens / (step.needed * step.rate * MONTH);
  const same = C.ways.filter(w => stepAt(w, where.x)?.chip === step.chip), node = Math.max(1, ...same.map(w => w.machine));
  const set = [...P.again.set, `hardware=[${step.chip}]`, `capacity={gpus: ${step.needed}, node: ${node}, rate: ${digits(step.rate)} tokens/s/GPU, load_factor: ${digits(100 * load)} %}`];
  if (where.rent !== undefined) for (const w of same) if (w.id !== "own" && LINEAR.includes(w.id)) set.push(`money.rent.${w.id.replace("-", "_")}=${digits(stepAt(w, where.x).unit * where.rent)} USD/GPU-hour`);
  if (where.api !== undefined && C.api) set.push(`money.api.price=${digits(C.api * where.api)} USD/M tokens`);
  if (where.people !== undefined && C.people) set.push(`money.people=${digits(C.people * where.people)} USD/month`);
  const own = P.own && same.find(w => w.id === "own");
  if (own) {
    const bought = stepAt(own, where.x).unit;
    if (where.price !== undefined) set.push(`money.own.price=${digits(bought * where.price)} USD`);
    if (where.life !== undefined) set.push(`money.own.life=${digits(where.life)} years`, `money.own.residual=${digits(100 * P.own.left)} %`);
    if (where.interest !== undefined) set.push(`money.own.discount=${digits(100 * where.interest)} %`);
    if (where.people !== undefined) set.push(`money.own.staff=${digits(P.own.staff * where.people)} USD/GPU-hour`);
    if (where.power !== undefined) set.push(`money.electricity=${digits(P.own.electricity * where.power)} USD/kWh`);
  }
  return { file: P.again.file, set };
}
function commandText(plan) {
  const asked = commandOf(plan.rows[0].way, at);
  if (asked) return ["loadfactor cost", asked.file, ...asked.set.map(v => `--set '${v}'`)].join(" ");
  return C.x.unit === "requests" ? ["loadfactor plan", P.again.file, ...[...P.again.set, `serve.demand.requests_per_month=${digits(at.x)}`].map(v => `--set '${v}'`)].join(" ") : "";
}

// ---- The verdict, the tiles and the table follow; what was printed comes back with Undo.

const PRINTED = {};
const KEPT = ["decision", "lead", "ways-rows", "ways-sub", "chart-sub", "tile-pay", "tile-save", "tile-sure", "tile-change"];
function tile(id, value, unit, note) {
  const box = el(`tile-${id}`);
  box.querySelector(".v").innerHTML = `${esc(value)}<small>${esc(unit)}</small>`;
  box.querySelector(".n").textContent = note;
}
function showRows(plan) {
  const body = el("ways-rows"), most = Math.min(1.02 * Math.max(...plan.rows.map(r => r.cost)), 5 * plan.rows[0].cost);
  plan.rows.forEach((r, i) => {
    const row = [...body.children].find(t => t.dataset.way === r.way.id), best = i === 0;
    if (!row) return;
    row.className = best ? `best b${r.way.kind}` : "";
    row.querySelector("th > span:not(.term)").textContent = stepAt(r.way, at.x).have;
    row.querySelector("td.n").textContent = money(r.cost);
    row.querySelector("td.tr").innerHTML = `<div class="track ${r.way.kind}${r.cost > most ? " off" : ""}"><span class="f" style="width:${Math.min(100, 100 * r.cost / most).toFixed(1)}%"></span></div>`;
    row.querySelector("td.w").innerHTML = best ? "<b>Cheapest.</b>" : esc(`${money(r.cost - plan.rows[0].cost)} more`);
    body.append(row);
  });
}
function showPlan(plan) {
  const [best, next] = plan.rows, flip = plan.flip;
  el("decision").textContent = decisionOf(at, plan);
  el("lead").innerHTML = `<b>${esc(capital(named(best.way)))}</b>: ${money(best.cost)} ${esc(C.per)}` + (next ? `, ${money(next.cost - best.cost)} less than ${esc(named(next.way))}. ` : ". ") +
    `<span class="chip">quick</span> <span class="soft">From the steps of the chart, without ranges; a new plan is exact.</span>`;
  tile("pay", money(best.cost), C.per, stepAt(best.way, at.x).have);
  tile("save", next ? money(next.cost - best.cost) : "–", C.per, next ? `against the next best, ${named(next.way)} at ${money(next.cost)}` : "no other way carries so much");
  tile("sure", "–", "", "known after a new plan, not from the steps");
  if (!flip) tile("change", "–", "", "the same answer wherever the slider stands");
  else if (C.x.form === "percent") tile("change", percent(flip.x), "of their life busy", `${flip.x < at.x ? "below" : "above"}, ${stepAt(flip.to, flip.x).say}`);
  else tile("change", flip.x > START.x ? times(flip.x / START.x) : percent(flip.x / START.x), flip.x > START.x ? "today’s traffic" : "of today’s traffic",
    `${flip.x > at.x ? "from" : "below"} ${form(flip.x)} ${C.x.unit} a month ${stepAt(flip.to, flip.x > at.x ? flip.x : flip.x * .999).say}`);
  showRows(plan);
  el("ways-sub").textContent = `${C.x.form === "percent" ? "Busy " + form(at.x) + " of their life" : form(at.x) + " " + C.x.unit + " a month"}. Quick figures, without ranges.`;
  el("chart-sub").textContent = Object.keys(at).length > 1 ? "Whole units, at the prices you try." : C.sub;
}
let settled = 0;
function refresh() {
  const plan = evaluate(at);
  if (!plan.rows.length) return;
  for (const id of KEPT) if (!(id in PRINTED)) PRINTED[id] = el(id).innerHTML;
  if (changed()) showPlan(plan);
  else for (const id of KEPT) el(id).innerHTML = PRINTED[id];
  drawChart(plan);
  for (const b of document.querySelectorAll("[data-undo]")) b.disabled = !changed();
  const line = el("try-command");
  if (line) { line.textContent = changed() ? commandText(plan) : ""; line.hidden = !line.textContent; }
  const flip = el("to-flip");
  if (flip) flip.hidden = !plan.flip;
  clearTimeout(settled);
  settled = setTimeout(() => { el("said").textContent = el("decision").textContent; }, 700);
}
function move(changes) {
  at = { ...at, ...changes };
  for (const key of Object.keys(at)) if (key !== "x" && at[key] === BASE[key]) delete at[key];
  for (const input of document.querySelectorAll("input[data-key]")) {
    const key = input.dataset.key, value = at[key] ?? BASE[key];
    if (+input.value !== value) input.value = value;
    if (key === "x" && Math.abs(value - START.x) < .5 * C.x.step) at.x = START.x;
    const words = wordsOf(key, at[key] ?? value);
    el(`v-${key}`).textContent = words;
    input.setAttribute("aria-valuetext", words);
  }
  refresh();
}

// ---- Sliders.

const BASE = {};
function wordsOf(key, v) {
  if (key === "x") return C.x.form === "percent" ? percent(v) : `${amount(v)} ${C.x.unit} a month`;
  const row = P.sliders.rows.find(s => s.id === key);
  if (row.form === "years") return `${v} year${v === 1 ? "" : "s"}`;
  if (row.form === "percent") return percent(v) + " a year";
  return v === 1 ? "as today" : `${v > 1 ? "+" : "−"}${Math.round(100 * Math.abs(v - 1))} %`;
}
function slider(key, label, min, max, step, value) {
  BASE[key] = value;
  return `<div class="slide"><label for="s-${key}">${esc(label)}</label><output id="v-${key}" for="s-${key}"></output>` +
    `<input type="range" id="s-${key}" data-key="${key}" min="${min}" max="${max}" step="${step}" value="${value}"></div>`;
}
const UNDO = '<button type="button" data-undo disabled>Undo</button>';
function makeSliders() {
  const x = C.x, least = Math.max(x.min, x.step), name = x.form === "percent" ? "How busy" : "Traffic";
  el("chart-slider").innerHTML = slider("x", name, least, x.max, "any", x.here) + `<div class="row"><button type="button" id="to-flip">Go to the flip</button>${UNDO}</div>`;
  el("chart-slider").hidden = false;
  if (P.sliders && P.sliders.rows.length) {
    el("try-sliders").innerHTML = P.sliders.rows.map(s => slider(s.id, s.label, s.min, s.max, s.step, s.value)).join("") + `<div class="row">${UNDO}</div>`;
    el("try-sliders").insertAdjacentHTML("afterend", '<pre id="try-command" tabindex="0" aria-label="The same question for the program" hidden></pre>');
    el("try").hidden = false;
  }
  document.addEventListener("input", e => { if (e.target.dataset && e.target.dataset.key) move({ [e.target.dataset.key]: +e.target.value }); });
  // Arrow keys go in whole steps, also where the track is continuous.
  el("s-x").addEventListener("keydown", e => {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[e.key];
    if (!by) return;
    e.preventDefault();
    move({ x: Math.min(x.max, Math.max(least, at.x + by * x.step)) });
  });
  const undo = () => { at = { ...START }; move({}); };
  document.addEventListener("click", e => { if (e.target.matches("[data-undo]")) undo(); });
  document.addEventListener("keydown", e => { if ((e.ctrlKey || e.metaKey) && e.key === "z" && changed()) { e.preventDefault(); undo(); } });
  el("to-flip").addEventListener("click", () => {
    const flip = evaluate(at).flip;
    if (flip) move({ x: Math.min(x.max, Math.max(least, flip.x + (flip.x > at.x ? 1 : -1) * x.step)) });  // One step beyond, where it has changed.
  });
}

// ---- Tables as CSV.

const quoted = text => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
const csvOf = rows => rows.map(r => r.map(c => quoted(String(c).replace(/\s+/g, " ").trim())).join(",")).join("\n") + "\n";
// A second line in a cell follows after a comma.
function cellText(cell) {
  const copy = cell.cloneNode(true);
  const line = cell.tagName === "TH" && copy.querySelector(":scope > span:not(.vh):not(.term)");
  if (line) line.textContent = `, ${line.textContent}`;
  return copy.textContent;
}
const tableRows = t => [...t.rows].map(r => [...r.cells].filter(c => !c.classList.contains("tr") && !(c.tagName === "TH" && c.firstElementChild && c.textContent === "as a bar")).map(cellText));
function csvButton(after, name, rows) {
  const button = document.createElement("button");
  button.type = "button"; button.className = "csv screen"; button.textContent = "CSV";
  button.dataset.name = name;
  button.setAttribute("aria-label", `${name.replace(/-/g, " ")} as CSV`);
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csvOf(rows())], { type: "text/csv" }));
    link.download = `${P.top.name}-${name}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  after.after(button);
}
function makeCsv() {
  for (const t of document.querySelectorAll("table[data-csv]")) csvButton(t.closest(".scroll") || t, t.dataset.csv, () => tableRows(t));
  if (P.week) csvButton(document.querySelector("#week .cap"), "week", () => [["hour", P.week.sub], ...P.week.days.flatMap(d => d.cells.map(c => c.words.split(/: (?=[^:]*$)/)))]);
  if (P.levers) csvButton(el("levers").lastElementChild, "levers", () => [["change", "range", "effect"], ...P.levers.rows.map(r => [r.name, r.alt, `${r.strong} ${r.words}`])]);
}

// ---- Words with a meaning: the first place of each gets it on hover and on focus.

const NO_TERMS = "h1,.lead,svg,summary,pre,.foot,.term,script,button,label,.vh,#try,.top,caption";
// Beside its word, within the window.
function placeTip(term) {
  const box = term.getBoundingClientRect();
  term.style.setProperty("--tip-x", `${Math.max(8, Math.min(box.left, innerWidth - 272))}px`);
  term.style.setProperty("--tip-y", `${box.bottom + 4}px`);
}
function makeTerms(words, root, apart, flags) {
  const walker = () => document.createTreeWalker(root, NodeFilter.SHOW_TEXT, { acceptNode: n =>
    n.parentElement.closest(apart) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT });
  for (const w of words) {
    const pattern = new RegExp(`(?<![\\p{L}\\d])${w.word}(?![\\p{L}\\d])`, flags), walk = walker();
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const found = pattern.exec(node.data);
      if (!found) continue;
      const rest = node.splitText(found.index), term = document.createElement("span");
      rest.splitText(found[0].length);
      term.className = "term"; term.tabIndex = 0; term.dataset.tip = w.meaning; term.textContent = found[0];
      term.setAttribute("role", "note");
      term.setAttribute("aria-label", `${found[0]}: ${w.meaning}`);
      for (const event of ["pointerenter", "focus"]) term.addEventListener(event, () => placeTip(term));
      rest.replaceWith(term);
      break;
    }
  }
}

document.body.insertAdjacentHTML("beforeend", '<p class="vh" id="said" role="status"></p>');
makeTerms(P.words, document.querySelector("main"), `${NO_TERMS},details.big`, "iu");
if (P.engineering) makeTerms(P.engineering.words, el("engineering"), NO_TERMS, "u");
if (C) { makeSliders(); move({}); }
if (P.sizes) el("sizes-picture").innerHTML = sizesChart(P.sizes, 540) + sizesChart(P.sizes, 368);
makeCsv();
// Folded panels are printed open.
let folded = [];
addEventListener("beforeprint", () => { folded = [...document.querySelectorAll("details.big:not([open])")]; for (const d of folded) d.open = true; });
addEventListener("afterprint", () => { for (const d of folded) d.open = false; });
window.loadfactor = { data: P, evaluate, move, commandOf, place: () => ({ ...at }) };
