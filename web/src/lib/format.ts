// Numbers as people read them; the same rules as on the printed report.

const group = (v: number) => Math.round(v).toLocaleString("en-US");
const sign = (v: number) => (v < 0 ? "−" : "");

// The sign of the answer's currency; a code where no sign is known to everybody.
const SIGNS: Record<string, string> = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", KRW: "₩" };
let currency = "$";
// That of the scenario asked about.
export function takeCurrency(scenario: string | undefined): void {
  const code = /^\s*currency:\s*(?:\{|\n)[^}]*?\bcode:\s*["']?([A-Z]{3})\b/m.exec(scenario ?? "")?.[1] ?? "USD";
  currency = SIGNS[code] ?? `${code}\u00a0`;
}
export const currencySign = () => currency.trim();

export function money(v: number | null | undefined): string {
  if (v === null || v === undefined || !Number.isFinite(v)) return "–";
  const size = Math.abs(v);
  if (size >= 999500) return `${sign(v)}${currency}${(size / 1e6).toFixed(2)}\u00a0M`;
  if (size >= 9.995) return `${sign(v)}${currency}${group(size)}`;
  return `${sign(v)}${currency}${size.toFixed(2)}`;
}

export function axisMoney(v: number): string {
  if (v >= 1e6) return `${currency}${+(v / 1e6).toPrecision(3)} M`;
  if (v >= 1e5) return `${currency}${+(v / 1e3).toPrecision(3)} k`;
  return v >= 10 || v === 0 ? `${currency}${v.toLocaleString("en-US")}` : `${currency}${+v.toPrecision(2)}`;
}

export function percent(v: number | null | undefined, digits = 0): string {
  return v === null || v === undefined || !Number.isFinite(v) ? "–" : `${(100 * v).toFixed(digits)}\u00a0%`;
}

export function amount(v: number): string {
  for (const [size, word] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]] as const)
    if (v >= size * 0.9995) return `${+(v / size).toPrecision(3)}\u00a0${word}`;
  return group(v);
}

export function times(v: number): string {
  return v < 9.95 ? `${v.toFixed(1)}\u00a0×` : `${v.toFixed(0)}\u00a0×`;
}

export function seconds(v: number): string {
  if (v === 0) return "0 s";
  if (v >= 1) return `${v.toFixed(2)} s`;
  return v >= 0.001 ? `${(v * 1000).toFixed(v < 0.01 ? 1 : 0)} ms` : `${(v * 1e6).toFixed(0)} µs`;
}

export function duration(v: number): string {
  if (v >= 2 * 86400) return `${(v / 86400).toFixed(1)} days`;
  if (v >= 2 * 3600) return `${(v / 3600).toFixed(1)} hours`;
  return v >= 120 ? `${(v / 60).toFixed(0)} minutes` : `${v.toFixed(1)} s`;
}

export const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)}\u00a0GiB`;

// A product code as a reader says it: h200-sxm is H200.
export function chip(name: string): string {
  return name.replace(/-(sxm|oam|pcie)$/, "").replace(/-(\d+gb)-sxm$/, " $1").toUpperCase();
}

export const plural = (n: number, noun: string) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;

// A number as it is written in a scenario.
export const exact = (v: number) => String(+v.toPrecision(12));
