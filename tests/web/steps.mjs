// Small steps that stories are told in.
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { deflateRawSync } from "node:zlib";

// Whether others keep the machine so busy that times on the clock are theirs.
const busy = () => loadavg()[0] > 2 * availableParallelism();

// Milliseconds that count against a bound: by the clock, or the page's own work where the clock is others'.
export const counted = took => (busy() ? Math.min(took.clock, took.thread) : took.clock);
export const timeWords = took => `${took.clock.toFixed(0)} ms by the clock, of which ${took.thread.toFixed(0)} ms are work of the page${busy() ? " (on a machine that others keep busy)" : ""}`;

// Milliseconds that a page took for something: by the clock, and by what its thread worked.
export async function timed(page, act) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => 1000 * (await session.send("Performance.getMetrics")).metrics.find(m => m.name === "TaskDuration").value;
  const before = await worked(), start = performance.now(), told = await act();
  const clock = told ?? performance.now() - start, thread = (await worked()) - before;
  await session.detach();
  return { clock, thread };
}

// A link to a page with this state, sound or not.
export const linkOf = (page, shared) => `/#/${page}?s=${deflateRawSync(JSON.stringify(shared)).toString("base64url")}`;

// A link of the kind that "Copy link" gives.
export function linkTo(page, file, kept = []) {
  const named = kept.map(path => ({ name: path.split("/").pop().replace(/\.yaml$/, ""), text: readFileSync(path, "utf8"), set: {} }));
  const shared = { text: readFileSync(file, "utf8"), set: {}, files: {}, kept: named };
  return linkOf(page, shared);
}

const PATIENCE = Number(process.env.PATIENCE_MS ?? 300000);

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

export async function exactPlan(page) {
  await page.locator('[data-shown="exact"]').waitFor({ timeout: PATIENCE });
  return (await page.locator("h1").first().textContent()).trim();
}

export async function nothingAsked(page) {
  await page.waitForTimeout(500);
  await page.waitForFunction(() => !document.querySelector("progress"), null, { timeout: PATIENCE });
}

export const clipboard = page => page.evaluate(() => navigator.clipboard.readText());

export async function copied(page, figure, what) {
  await page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
  await page.locator(figure).getByRole("button", { name: new RegExp(`^Copy ${what}`) }).click();
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== "nothing yet");
  return clipboard(page);
}

export async function openEditor(page) {
  const button = page.getByRole("button", { name: "Scenario", exact: true });
  if ((await button.getAttribute("aria-expanded")) !== "true") await button.click();
  return page.getByLabel("Scenario as YAML");
}

export async function closeEditor(page) {
  const button = page.getByRole("button", { name: "Scenario", exact: true });
  if ((await button.getAttribute("aria-expanded")) === "true") await button.click();
}

export async function openFile(page, name, text) {
  await openEditor(page);
  await page.locator('input[type="file"]').setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
}

export const visible = (page, selector) => page.locator(selector).first().waitFor({ timeout: PATIENCE });
