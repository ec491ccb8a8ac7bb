// The engine inside of a page: while sliders move it plans anew, exactly and without a network, and what
// it says stands where quick figures stood. `make wasm` puts this beside the engine.
(() => {
const KIT = window.loadfactor, PAGE = KIT.data, CHART = PAGE.chart;
const part = id => document.getElementById(id), held = id => part(id).textContent;
const ASKED = JSON.parse(held("engine-question"));
delete ASKED.options?.page;  // How right the models have been is scored by the program alone.

// ---- The engine, in a thread of its own.

const AT_WORK = `
let engine;
async function begun(packed, files) {
  const wasmBinary = unpackLzma(Uint8Array.from(atob(packed), c => c.charCodeAt(0)));
  const made = await LoadfactorEngine({ wasmBinary });
  for (const file of files) made.ccall("loadfactor_lay", null, ["string", "string", "string"], file);
  return made;
}
onmessage = async ({ data }) => {
  if (data.packed) {
    engine = begun(data.packed, data.files);
    return;
  }
  try {
    const it = await engine, answer = it.ccall("loadfactor_ask", "string", ["string"], [data.question]);
    postMessage({ id: data.id, answer, page: it.ccall("loadfactor_page", "string", [], []) });
  } catch (fault) { postMessage({ id: data.id, fault: String(fault) }); }
};`;
const textOf = base64 => new TextDecoder().decode(Uint8Array.from(atob(base64), c => c.charCodeAt(0)));
const waiting = new Map();
let worker = null, count = 0;
function started() {
  const made = new Worker(URL.createObjectURL(new Blob([held("engine-code"), AT_WORK], { type: "text/javascript" })));
  made.onmessage = ({ data }) => { waiting.get(data.id)(data); waiting.delete(data.id); };
  const files = held("engine-files").split("\n").filter(Boolean).map(line => line.split(" ").map(textOf));
  made.postMessage({ packed: held("engine-binary").trim(), files });
  return made;
}
// {answer, page} of a question, or {fault}.
async function ask(question) {
  const at = await (worker ??= started()), id = ++count;
  return new Promise(done => { waiting.set(id, done); at.postMessage({ id, question: JSON.stringify(question) }); });
}

// ---- The same plan at a place of the sliders.

const digits = v => String(+v.toPrecision(12));
const LINEAR = ["on-demand", "reserved-1y", "reserved-3y", "spot", "own"];
// Prices of machines and of rent are those of one accelerator: that of the cheapest way.
function pricesAt(where) {
  const step = KIT.evaluate(where).rows.map(r => stepAt(r.way, where.x)).find(s => s && s.needed);
  if (!step) return null;
  const set = [`hardware=[${step.chip}]`];
  for (const way of CHART.ways) {
    const own = stepAt(way, where.x);
    if (!LINEAR.includes(way.id) || !own || own.chip !== step.chip || !own.unit) continue;
    if (way.id === "own" && where.price !== undefined) set.push(`money.own.price=${digits(own.unit * where.price)} USD`);
    if (way.id !== "own" && where.rent !== undefined) set.push(`money.rent.${way.id.replace("-", "_")}=${digits(own.unit * where.rent)} USD/GPU-hour`);
  }
  return set;
}
// What `--set` replaces for a place; nothing where no plan is asked that way.
function settingsAt(where) {
  const set = [], own = PAGE.own;
  if (where.x !== CHART.x.here) {
    if (CHART.x.unit !== "requests") return null;
    set.push(`serve.demand.requests_per_month=${digits(where.x)}`);
  }
  if (where.price !== undefined || where.rent !== undefined) {
    const prices = pricesAt(where);
    if (!prices) return null;
    set.push(...prices);
  }
  if (where.api !== undefined && CHART.api) set.push(`money.api.price=${digits(CHART.api * where.api)} USD/M tokens`);
  if (where.people !== undefined && CHART.people) set.push(`money.people=${digits(CHART.people * where.people)} USD/month`);
  if (!own) return set;
  if (where.life !== undefined) set.push(`money.own.life=${digits(where.life)} years`, `money.own.residual=${digits(100 * own.left)} %`);
  if (where.interest !== undefined) set.push(`money.own.discount=${digits(100 * where.interest)} %`);
  if (where.people !== undefined) set.push(`money.own.staff=${digits(own.staff * where.people)} USD/GPU-hour`);
  if (where.power !== undefined) set.push(`money.electricity=${digits(own.electricity * where.power)} USD/kWh`);
  return set;
}
const plan = set => ask({ ...ASKED, set: [...(ASKED.set ?? []), ...set] });
const commandOf = set => ["loadfactor plan", PAGE.again.file, ...[...PAGE.again.set, ...set].map(v => `--set '${v}'`)].join(" ");

// ---- What the page shows of it.

const PRINTED = {};
const FIGURES = ["decision", "lead", "ways-rows", "ways-sub", "tile-pay", "tile-save", "tile-sure", "tile-change"];
const SECTIONS = ["week", "full", "levers", "engineering", "rests"];
const isAt = where => JSON.stringify(KIT.place()) === JSON.stringify(where);
function showPage(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const id of FIGURES) if (part(id)) part(id).innerHTML = fresh.getElementById(id)?.innerHTML ?? "";
  for (const id of SECTIONS) {
    const here = part(id), there = fresh.getElementById(id);
    if (!here) continue;
    PRINTED[id] ??= { text: here.innerHTML, style: here.style.cssText };
    here.hidden = !there;
    if (!there) continue;
    const open = here.querySelector("details[open]") !== null;
    here.innerHTML = there.innerHTML;
    here.style.cssText = there.style.cssText;
    if (open) here.querySelector("details")?.setAttribute("open", "");
  }
}
function restore() {
  for (const [id, { text, style }] of Object.entries(PRINTED)) {
    const here = part(id);
    here.innerHTML = text; here.style.cssText = style; here.hidden = false;
    delete PRINTED[id];
  }
}
const faultOf = ({ fault, answer }) => fault ?? JSON.parse(answer).errors?.map(e => e.message).join("; ");
function say(text, command) {
  part("live-said").textContent = text;
  part("live-command").textContent = command;
  part("live-command").hidden = !command;
}
let busy = false, settled = 0;
async function follow() {
  if (busy) return;
  const where = KIT.place(), set = settingsAt(where);
  if (set === null) return say("Quick figures: no plan is asked by this share alone.", "");
  if (!set.length) return restore(), say("The engine of this page plans anew when a slider moves.", "");
  busy = true;
  say("Planning exactly …", "");
  const begin = performance.now(), found = await plan(set), wrong = faultOf(found);
  busy = false;
  if (!isAt(where)) return follow();
  if (wrong) return say(`Not planned: ${wrong}.`, commandOf(set));
  if (found.page) {
    showPage(found.page);
    part("lead").insertAdjacentHTML("beforeend", ' <span class="chip">exact</span>');
  }
  say(`Exact, with ranges: planned by the engine in this page in ${((performance.now() - begin) / 1000).toFixed(1)} s. The program says the same to:`, commandOf(set));
}
function begin() {
  const room = part("chart-slider");
  room.insertAdjacentHTML("beforeend", '<p class="cap" id="live-said" role="status"></p><pre id="live-command" tabindex="0" aria-label="The same plan by the program" hidden></pre>');
  const moved = () => { clearTimeout(settled); settled = setTimeout(follow, 250); };
  document.addEventListener("input", e => { if (e.target.dataset?.key) moved(); });
  for (const event of ["click", "keydown"]) document.addEventListener(event, moved);
  follow();
}
KIT.live = { ask, plan, settingsAt, commandOf, question: ASKED };
if (CHART) begin();
})();
