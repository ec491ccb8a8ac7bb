// What people come for, one story each; all run at every width.
import { readFileSync } from "node:fs";
import { check, clipboard, closeEditor, copied, counted, exactPlan, linkOf, nothingAsked, openEditor, openFile, timed, timeWords, visible } from "./steps.mjs";

const TRAIN = "data/scenarios/finetune-8b.yaml";
const FLEET = "data/scenarios/fleet/nights-filled.yaml";
const QUICK_MS = 100;

// A day of requests, more by day than by night.
function dayOfRequests() {
  const rows = ["timestamp,prompt_tokens,output_tokens"];
  for (let second = 0, i = 0; second < 86400; second += 20 + 60 * Math.abs(12 - second / 3600) / 12, ++i) rows.push(`${second.toFixed(3)},${800 + (i % 7) * 100},${200 + (i % 5) * 40}`);
  return rows.join("\n") + "\n";
}

// Two days of four GPUs; the last looks busy and moves nothing.
function daysOfGpus() {
  const rows = ["timestamp, uuid, name, index, utilization.gpu [%], utilization.memory [%], power.draw [W]"];
  for (let minute = 0; minute < 2 * 24 * 60; minute += 10) {
    const time = new Date(Date.UTC(2026, 10, 9, 0, minute)).toISOString().replace("T", " ").replaceAll("-", "/").replace("Z", "");
    for (let gpu = 0; gpu < 4; ++gpu) {
      const works = gpu < 3 && Math.floor(minute / 60) % 24 >= 8 && Math.floor(minute / 60) % 24 < 18, busy = gpu === 3 ? 100 : works ? 85 : 5;
      rows.push(`${time}, GPU-0000000${gpu}-0000-0000-0000-000000000000, NVIDIA H100 80GB HBM3, ${gpu}, ${busy} %, ${works ? 60 : 1} %, ${150 + 5 * busy}.00 W`);
    }
  }
  return rows.join("\n") + "\n";
}

const MODEL = JSON.stringify({ architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 4096, intermediate_size: 14336, num_attention_heads: 32, num_key_value_heads: 8, num_hidden_layers: 32, vocab_size: 128256, max_position_embeddings: 131072, tie_word_embeddings: false, torch_dtype: "bfloat16" });

const MOST_MOVES = 8;

// The quickest of a few moves by the clock: what else runs on the machine is no answer of the page.
// A story may not end before the exact plan stands.
async function quickEnough(page, act) {
  let least = { clock: Infinity, thread: Infinity };
  for (let i = 0; i < MOST_MOVES && least.clock > QUICK_MS; ++i) {
    const took = await timed(page, () => onceQuickAfter(page, act));
    if (took.clock < least.clock) least = took;
  }
  const said = `quick figures after ${timeWords(least)}`;
  check(counted(least) <= QUICK_MS, said);
  console.log(`    ${said}`);
}

// Time from an input to other figures, said to be quick.
async function onceQuickAfter(page, act) {
  await page.evaluate(() => {
    window.quickAt = null;
    const mark = event => { if (window.inputAt === null) window.inputAt = performance.now(); void event; };
    window.inputAt = null;
    for (const kind of ["keydown", "input", "pointermove"]) window.addEventListener(kind, mark, { capture: true, once: true });
    const shown = () => document.querySelector(".verdict > div").textContent, old = shown();
    const seek = () => { if (document.querySelector('[data-shown="quick"]') && shown() !== old) window.quickAt = performance.now(); else requestAnimationFrame(seek); };
    requestAnimationFrame(seek);
  });
  await act();
  await page.waitForFunction(() => window.quickAt !== null);
  return page.evaluate(() => window.quickAt - window.inputAt);
}

export const stories = [
  { name: "read the decision and how full the machines would be", tell: async ({ page }) => {
    const decision = await exactPlan(page);
    check(decision.split(/\s+/).length <= 12, `a decision of at most 12 words: ${decision}`);
    const gauge = await page.locator("svg[aria-label^='Scale from empty to full']").getAttribute("aria-label");
    check(/\d+\s%.*full/.test(gauge) && /need/.test(gauge), gauge);
  } },
  { name: "see what I pay, save, how sure and what changes it", tell: async ({ page }) => {
    await exactPlan(page);
    check((await page.locator(".tile").count()) === 4, "four tiles");
    check(/\$/.test(await page.locator(".tile .v").first().textContent()), "dollars in the first");
  } },
  { name: "change the traffic in the sentence and undo", tell: async ({ page }) => {
    await exactPlan(page);
    const before = await page.locator(".tile .v").first().textContent();
    await page.getByLabel("requests a month", { exact: true }).first().fill("6 M");
    await page.keyboard.press("Tab");
    await page.waitForFunction(old => document.querySelector(".tile .v").textContent !== old && document.querySelector('[data-shown="exact"]'), before, { timeout: 300000 });
    check(/3 M → 6 M/.test(await page.locator(".band").textContent()), "the band says what changed");
    await page.locator("h1").first().click();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(old => document.querySelector(".tile .v").textContent === old, before, { timeout: 300000 });
  } },
  { name: "move where I am by keyboard and get quick then exact", tell: async ({ page }) => {
    await exactPlan(page);
    const handle = page.getByRole("slider", { name: "requests a month", exact: true }).first(), before = Number(await handle.getAttribute("aria-valuenow"));
    await handle.focus();
    await quickEnough(page, () => page.keyboard.press("PageUp"));
    check(Number(await handle.getAttribute("aria-valuenow")) > before, "moved to the right");
    await exactPlan(page);
    check(Number(await handle.getAttribute("aria-valuenow")) > before, "and stayed there");
  } },
  { name: "drag where I am by hand", tell: async ({ page, width }) => {
    await exactPlan(page);
    const handle = page.locator(".handle").first();
    await handle.scrollIntoViewIfNeeded();
    const box = await handle.boundingBox();
    let by = width / 12;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await quickEnough(page, () => page.mouse.move(box.x + box.width / 2 + (by += 7), box.y + box.height / 2));
    await page.mouse.up();
    await exactPlan(page);
  } },
  { name: "ask what another price of the API would do", tell: async ({ page }) => {
    await exactPlan(page);
    const slider = page.getByRole("slider", { name: /Price of the API/ }).first();
    await slider.focus();
    await quickEnough(page, () => page.keyboard.press("ArrowRight"));
    await exactPlan(page);
    check(/money\.api\.price/.test(await copied(page, "#cost-volume", "the command line")), "the command has the price");
  } },
  { name: "see the week hour by hour", tell: async ({ page }) => {
    await exactPlan(page);
    await visible(page, "[aria-label^='How full']");
    check((await page.locator("[aria-label^='How full'] canvas").count()) === 1, "a drawing");
    const csv = await copied(page, "section:has([aria-label^='How full'])", "as CSV");
    check(csv.trim().split("\n").length === 169, "168 hours in the CSV");
    check((await copied(page, "section:has([aria-label^='How full'])", "as SVG")).startsWith("<svg"), "a drawing of it");
  } },
  { name: "see where the empty share goes", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    const shares = await page.locator("section:has(h2:text('Time that carries work')) li b").allTextContents();
    const sum = shares.reduce((total, text) => total + parseFloat(text), 0);
    check(Math.abs(sum - 100) < 0.2, `shares sum to 100: ${shares}`);
  } },
  { name: "copy a chart as CSV", tell: async ({ page }) => {
    await exactPlan(page);
    const lines = (await copied(page, "#cost-volume", "as CSV")).trim().split("\n");
    check(lines[0] === "way,requests_a_month,dollars" && lines.length > 4, lines[0]);
  } },
  { name: "copy a chart as SVG that stands alone", tell: async ({ page }) => {
    await exactPlan(page);
    const svg = await copied(page, "#cost-volume", "as SVG");
    check(svg.startsWith("<svg") && svg.includes("xmlns=") && !svg.includes("var(--"), svg.slice(0, 80));
  } },
  { name: "copy the command line that asks the same", quick: true, scenario: TRAIN, page: "money", tell: async ({ page }) => {
    await exactPlan(page);
    check((await copied(page, "#ways", "the command line")).startsWith("loadfactor plan finetune-8b.yaml"), "verb and file");
  } },
  { name: "share a link that holds the change", quick: true, scenario: TRAIN, tell: async ({ page, context }) => {
    await exactPlan(page);
    await page.getByLabel("GPUs at most", { exact: true }).first().fill("4");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(300);
    const decision = await exactPlan(page);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith("http"));
    const other = await context.newPage();
    await other.goto(await clipboard(page));
    check((await exactPlan(other)) === decision, "the same decision there");
    check((await other.getByLabel("GPUs at most", { exact: true }).first().inputValue()) === "4", "the change is there");
    await other.close();
  } },
  { name: "open a link that a stranger has forged", quick: true, scenario: TRAIN, tell: async ({ page, base, root }) => {
    const text = readFileSync(root + TRAIN, "utf8").replace(/^name:.*$/m, "name: 'x; $(touch /tmp/gone) `id` \"& ../../y'");
    await page.goto(base + linkOf("money", { text, set: 7, files: [3], kept: { length: 2 } }));
    await page.reload();
    await exactPlan(page);
    const command = await copied(page, "#ways", "the command line");
    check(/^loadfactor plan [\w.-]+$/.test(command), command);
    await page.goto(base + linkOf("compare", { text, set: { a: 1 }, files: { "x.csv": null }, kept: [null, 4, { name: {} }, { name: "ok", text, set: "no" }] }));
    await page.reload();
    await visible(page, "#side-by-side");
    check((await page.locator("#side-by-side thead th").count()) === 2, "one column of what is sound");
    for (const link of ["/#/fill?s=%%%", "/#/fill?s=AAAA", "/#/../../etc/passwd?s=", "/#/nowhere"]) {
      await page.goto(base + link);
      await page.reload();
      await page.locator("main h1, main .wait, main input").first().waitFor();
    }
  } },
  { name: "take the report home as one file", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Report", exact: true }).click()]);
    const text = readFileSync(await file.path(), "utf8");
    check(file.suggestedFilename() === "finetune-8b.html" && text.startsWith("<!DOCTYPE html>"), file.suggestedFilename());
  } },
  { name: "see my mistake at its line with code and caret", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    const area = await openEditor(page), good = await area.inputValue();
    await area.fill(good.replace("tokens:", "tokenz:"));
    await visible(page, ".errors .one");
    const said = await page.locator(".errors .one").first().textContent();
    check(/LF5\d\d/.test(said) && /tokenz/.test(said) && /\^\^\^/.test(said), said);
    check((await page.locator(".gutter .bad").count()) >= 1, "the line is marked");
    check((await page.locator("h1").count()) === 1, "the last good answer stays");
    await area.fill(good);
    await page.locator(".errors .one").waitFor({ state: "detached" });
    await closeEditor(page);
  } },
  { name: "let the editor complete a key", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    const area = await openEditor(page);
    await page.waitForTimeout(500);
    await area.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nmon");
    await visible(page, "#offers [role=option]");
    check(/money/.test(await page.locator("#offers").textContent()), "money is offered");
    await page.keyboard.press("Escape");
    await closeEditor(page);
  } },
  { name: "let the editor complete promises, deadlines, shapes and growth", quick: true, tell: async ({ page }) => {
    const area = await openEditor(page), text = await area.inputValue();
    await page.waitForTimeout(500);
    for (const [written, offered] of [["serve: {dead", "deadline"], ["serve:\n  slo: {avail", "availability"], ["serve:\n  slo: {zo", "zones"], ["serve:\n  demand: {gro", "growth"], ["serve:\n  demand:\n    shape: {daily", "daily_peak"], ["money:\n  own: {lead", "lead_time"]]) {
      await area.fill("");
      await area.pressSequentially(written.slice(0, -1));
      await area.press(written.slice(-1));
      await page.locator("#offers [role=option]", { hasText: offered }).first().waitFor({ timeout: 5000 });
    }
    await area.fill(text);
    await closeEditor(page);
  } },
  { name: "write a fleet with the editor's help", quick: true, page: "fleet", scenario: FLEET, tell: async ({ page }) => {
    const area = await openEditor(page);
    await page.waitForTimeout(500);
    await area.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\npoo");
    await page.locator("#offers [role=option]", { hasText: "pools" }).first().waitFor({ timeout: 5000 });
    await closeEditor(page);
  } },
  { name: "let the editor complete a chip of the catalogue", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    const area = await openEditor(page), text = await area.inputValue();
    await page.waitForTimeout(500);
    await area.fill(text.replace(/hardware: .*/, ""));
    await area.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\nhardware: [mi30");
    await page.locator("#offers [role=option]", { hasText: "mi300x" }).first().waitFor();
    await page.keyboard.press("Enter");
    check(/hardware: \[mi300x/.test(await area.inputValue()), "taken by Enter");
    await closeEditor(page);
  } },
  { name: "start from an example", tell: async ({ page }) => {
    await openEditor(page);
    await page.getByLabel("Start from an example").selectOption("finetune-8b");
    await closeEditor(page);
    await page.getByLabel("deadline").first().waitFor();
    await exactPlan(page);
  } },
  { name: "bring my traffic as a CSV", tell: async ({ page }) => {
    await exactPlan(page);
    await openFile(page, "requests.csv", dayOfRequests());
    await closeEditor(page);
    await page.getByLabel("traffic file").waitFor();
    await page.waitForTimeout(600);
    await nothingAsked(page);
    check((await page.locator(".problem").count()) === 0, await page.locator(".problem").allTextContents().then(t => t.join()));
    await exactPlan(page);
  } },
  { name: "bring my model as a config.json", tell: async ({ page }) => {
    await exactPlan(page);
    await openFile(page, "config.json", MODEL);
    await closeEditor(page);
    await page.waitForTimeout(600);
    await nothingAsked(page);
    check(/config\.json/.test(await page.getByLabel("model", { exact: true }).first().inputValue()), "the sentence names it");
    check((await page.locator(".problem").count()) === 0, await page.locator(".problem").allTextContents().then(t => t.join()));
    await exactPlan(page);
  } },
  { name: "bring traffic that is too large for a question", tell: async ({ page }) => {
    await exactPlan(page);
    const day = dayOfRequests(), rows = day.slice(day.indexOf("\n") + 1);
    const padded = rows.replaceAll("\n", `,${"x".repeat(4200)}\n`);
    await openFile(page, "WEEK.CSV", `timestamp,prompt_tokens,output_tokens,note\n${padded}`);
    await closeEditor(page);
    await page.getByLabel("traffic file").waitFor();
    await page.waitForTimeout(600);
    await nothingAsked(page);
    check((await page.locator(".problem").count()) === 0, await page.locator(".problem").allTextContents().then(t => t.join()));
    await exactPlan(page);
  } },
  { name: "be told what became of files that are of no use", quick: true, scenario: TRAIN, expects: [422], tell: async ({ page }) => {
    const decision = await exactPlan(page), said = page.locator(".said");
    for (const [name, bytes, words] of [["photo.png", "\x89PNG\r\n", /photo\.png lies beside the scenario/], ["empty.csv", "", /empty\.csv lies beside/], ["large.yaml", "#".repeat(7e6), /large\.yaml is too large/], ["empty.yaml", "", /empty\.yaml is the scenario now/]]) {
      await openFile(page, name, bytes);
      await said.filter({ hasText: words }).waitFor({ timeout: 10000 });
      await said.getByRole("button", { name: "Close" }).click();
    }
    await page.locator(".errors .one", { hasText: "empty" }).waitFor({ timeout: 10000 });
    check((await page.locator("h1").first().textContent()).trim() === decision, "the last good answer stays");
    await closeEditor(page);
  } },
  { name: "open a scenario that is written in JSON", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    await openFile(page, "mine.json", JSON.stringify({ loadfactor: 1, name: "in-json", train: { model: "llama-3.1-8b", tokens: "50 M", sequence: 4096, global_batch: 64 }, hardware: ["h100-sxm"] }));
    await closeEditor(page);
    await page.waitForFunction(() => document.querySelector("input[aria-label='tokens']")?.value === "50 M");
    await nothingAsked(page);
    check((await page.locator(".problem").count()) === 0, await page.locator(".problem").allTextContents().then(t => t.join()));
    await page.waitForFunction(() => document.title.includes("in-json"));
  } },
  { name: "hear what is not possible and the ways out", scenario: "tests/browser/too-tight.yaml", tell: async ({ page }) => {
    check(/Not possible/.test(await exactPlan(page)), "it says so");
    check((await page.locator("table.plain tr").count()) >= 2, "limits and ways out");
  } },
  { name: "rank layouts of a run with why not", quick: true, page: "layout", scenario: TRAIN, tell: async ({ page }) => {
    await visible(page, "#ranked tbody tr");
    check(/Chosen/.test(await page.locator("#ranked tbody tr").first().textContent()), "the first is chosen");
    check((await page.locator("#ranked tbody tr .why").nth(1).textContent()).trim().length > 3, "the second says why not");
  } },
  { name: "switch the axis of the front", quick: true, page: "layout", scenario: TRAIN, tell: async ({ page }) => {
    await visible(page, "#pareto svg");
    const label = () => page.locator("#pareto svg").first().getAttribute("aria-label"), before = await label();
    await page.locator("#pareto").getByRole("button", { name: "MFU" }).click();
    await page.waitForFunction(old => document.querySelector("#pareto svg").getAttribute("aria-label") !== old, before);
    check(/MFU/.test(await label()), "MFU is drawn");
  } },
  { name: "see memory and the step of a run", quick: true, page: "layout", scenario: TRAIN, tell: async ({ page }) => {
    await visible(page, "#memory svg");
    await visible(page, "#timeline svg");
    check(/weights/.test(await page.locator("#memory svg").first().getAttribute("aria-label")), "weights");
    check(/matrix products/.test(await page.locator("#timeline svg").first().getAttribute("aria-label")), "products");
  } },
  { name: "see the phases of reinforcement learning", quick: true, page: "layout", scenario: "data/scenarios/grpo-8b.yaml", tell: async ({ page }) => {
    await visible(page, "#phases svg");
    check(/rollout/.test(await page.locator("#phases svg").first().getAttribute("aria-label")), "answers are written");
    check(/A step of grpo/.test(await page.locator("h1").first().textContent()), "what a step takes");
    await visible(page, "#ranked tbody tr");
  } },
  { name: "size a service: layouts, memory, roofline, step", page: "layout", tell: async ({ page }) => {
    await visible(page, "#ranked tbody tr");
    for (const part of ["#pareto", "#memory", "#roofline", "#timeline"]) await visible(page, `${part} svg`);
    check(/FLOP/.test(await page.locator("#roofline svg").first().getAttribute("aria-label")), "operating points");
    check(/simulated/.test(await page.locator("#ranked tbody tr").first().textContent()), "the chosen one was simulated");
  } },
  { name: "see ways to pay side by side", quick: true, page: "money", scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    const costs = (await page.locator("#ways td b").allTextContents()).map(text => parseFloat(text.replaceAll(/[$,]/g, "")) * (/M/.test(text) ? 1e6 : 1));
    check(costs.length >= 2 && costs.every((cost, i) => !i || cost >= costs[i - 1]), `cheapest first: ${costs}`);
  } },
  { name: "replace a price by my own quote", quick: true, page: "money", scenario: TRAIN, tell: async ({ page }) => {
    const before = await exactPlan(page), field = page.locator("#prices label", { hasText: /spot/i }).locator("input").first();
    await field.fill("90 USD/GPU-hour");
    await page.keyboard.press("Tab");
    await page.waitForFunction(old => document.querySelector("h1").textContent.trim() !== old && document.querySelector('[data-shown="exact"]'), before, { timeout: 300000 });
    check(/money\.rent\.spot=90/.test(await copied(page, "#ways", "the command line")), "the command has it");
  } },
  { name: "see cash by year and what would change the answer", page: "money", tell: async ({ page }) => {
    await exactPlan(page);
    await visible(page, "#cash svg");
    const csv = (await copied(page, "#cash", "as CSV")).trim().split("\n");
    check(csv[0] === "way,year,dollars_so_far" && csv.length > 5, csv[0]);
    check(/leads by/.test(await page.locator("#tornado svg").getAttribute("aria-label")), "the gap of each lever");
  } },
  { name: "plan years with growth, books and waiting", page: "money", tell: async ({ page }) => {
    await exactPlan(page);
    await page.getByLabel("Growth of the traffic").fill("5 %/month");
    await page.getByLabel("Years", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Plan the years" }).click();
    await visible(page, "#years svg");
    check(/Over 2 years/.test(await page.locator("#years h2").textContent()), "what was found");
    const traffic = (await page.locator("#books tbody tr").first().locator("td").allTextContents()).map(Number);
    check(traffic.length === 2 && traffic[0] > 1 && traffic[1] > traffic[0], `traffic grows: ${traffic}`);
    check((await page.locator("#long-ways tbody tr").count()) >= 3, "ways for all years");
    const csv = (await copied(page, "#years", "as CSV")).trim().split("\n");
    check(csv[0] === "way,year,cash_so_far,npv" && csv.length > 6, csv[0]);
    const command = await copied(page, "#years", "the command line");
    check(/plan --years 2 /.test(command) && /serve\.demand\.growth=5 %\/month/.test(command), command);
  } },
  { name: "simulate request by request with progress", page: "simulate", tell: async ({ page }) => {
    await page.locator("input[type=number]").fill("4000");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await visible(page, "#cdf svg");
    check((await page.locator("table.plain tbody tr").count()) === 3, "three times against the promise");
    check((await page.locator("canvas").count()) >= 3, "queue, memory and copies over time");
    const label = () => page.locator("#cdf svg").first().getAttribute("aria-label"), before = await label();
    await page.locator("#cdf").getByRole("button", { name: "time per token" }).click();
    await page.waitForFunction(old => document.querySelector("#cdf svg").getAttribute("aria-label") !== old, before);
  } },
  { name: "download a trace for Perfetto", page: "simulate", tell: async ({ page }) => {
    await page.locator("input[type=number]").fill("300");
    const [file] = await Promise.all([page.waitForEvent("download", { timeout: 300000 }), page.getByRole("button", { name: "Perfetto trace" }).click()]);
    const trace = JSON.parse(readFileSync(await file.path(), "utf8"));
    check((trace.traceEvents ?? trace).length > 10, "events");
  } },
  { name: "plan a fleet: the week, the money, who pays", page: "fleet", scenario: FLEET, tell: async ({ page }) => {
    await visible(page, "#fleet-week svg");
    check((await page.locator("#fleet-week rect").count()) > 10, "hours");
    await visible(page, "#treemap svg");
    check((await page.locator("#workloads tbody tr").count()) >= 2, "workloads");
  } },
  { name: "plan two models on one pool", scenario: "tests/web/two-models.yaml", tell: async ({ page }) => {
    await visible(page, "main[data-page=fill] #fleet-week svg");
    check((await page.locator("#workloads tbody tr").count()) === 2, "two models");
    check(/a month/.test(await page.locator(".lead").first().textContent()), "what they cost");
  } },
  { name: "see how full a cluster was from its own log", quick: true, page: "data", scenario: TRAIN, tell: async ({ page }) => {
    await openFile(page, "nvidia-smi.csv", daysOfGpus());
    await closeEditor(page);
    await visible(page, "main[data-page=fleet] #treemap svg");
    check(/\d+\s% full/.test(await page.locator("h1").first().textContent()), "how full");
    check(/bought nothing/.test(await page.locator(".lead").first().textContent()), "what bought nothing");
  } },
  { name: "see that jobs alone do not tell how full they were", quick: true, page: "data", scenario: TRAIN, tell: async ({ page }) => {
    await openFile(page, "sacct.txt", "JobID|User|Account|State|Start|End|AllocTRES|NodeList|JobName\n"
      + "1|ann|lab|COMPLETED|2026-11-09T00:00:00|2026-11-10T00:00:00|gres/gpu:h100=8|n1|train\n");
    await closeEditor(page);
    await visible(page, "main[data-page=fleet] #treemap svg");
    check(/^At most 100\s% full/.test(await page.locator("h1").first().textContent()), "only a bound");
  } },
  { name: "compare two scenarios and see what changed", quick: true, page: "compare", scenario: TRAIN, tell: async ({ page }) => {
    await page.getByRole("button", { name: /^Add finetune-8b/ }).click();
    await page.getByLabel("Add an example").selectOption("pretrain-70b-512");
    await visible(page, "#what-changed tbody tr");
    await nothingAsked(page);
    check((await page.locator("#side-by-side thead th").count()) === 3, "two columns");
    check((await page.locator("#side-by-side tbody b").count()) >= 1, "differences in bold");
  } },
  { name: "keep both after a change", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    await page.getByLabel("deadline").first().fill("2 days");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Keep both and compare" }).click();
    await visible(page, "#side-by-side");
    await nothingAsked(page);
    check(/before/.test(await page.locator("#side-by-side thead").textContent()), "before and now");
  } },
  { name: "find a chip with its source and date", quick: true, page: "data", tell: async ({ page }) => {
    await visible(page, "#catalogue tbody tr");
    await page.getByLabel("Find").fill("h100");
    await page.locator("#catalogue").getByRole("button", { name: "h100-sxm", exact: true }).click();
    await visible(page, "#entry tbody tr");
    check(/20\d\d/.test(await page.locator("#entry tbody").textContent()), "dates");
  } },
  { name: "see predictions against measurements", quick: true, page: "data", tell: async ({ page }) => {
    await visible(page, "#accuracy svg");
    check((await page.locator("#accuracy circle").count()) > 100, "points");
    await page.locator("#never-measured summary").click();
    const measured = await page.locator("[aria-label='Errors by chip'] tbody th").allTextContents(), others = (await page.locator("#never-measured p").textContent()).split(", ");
    check(others.length > 1 && !others.some(name => measured.includes(name)), `chips that nobody measured: ${others}`);
  } },
  { name: "go everywhere by keyboard", quick: true, scenario: TRAIN, tell: async ({ page }) => {
    await exactPlan(page);
    await page.keyboard.press("Alt+7");
    await visible(page, "main[data-page=data]");
    await page.keyboard.press("Alt+1");
    await visible(page, "main[data-page=fill]");
    await page.evaluate(() => document.activeElement?.blur());
    const reached = new Set();
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim().slice(0, 30)));
    }
    for (const name of ["Fill", "Data", "Scenario", "Copy link", "model"]) check(reached.has(name), `Tab reaches ${name}`);
  } },
  { name: "be told when a question is wrong, keeping the last answer", quick: true, scenario: TRAIN, expects: [422], tell: async ({ page }) => {
    const before = await exactPlan(page);
    await page.getByLabel("deadline").first().fill("soon");
    await page.keyboard.press("Tab");
    await visible(page, ".problem");
    check(/LF\d+/.test(await page.locator(".problem").first().textContent()), "with its code");
    check((await page.locator("h1").first().textContent()).trim() === before, "the last answer stays");
  } },
];
