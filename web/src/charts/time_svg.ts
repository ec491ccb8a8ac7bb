import * as Plot from "@observablehq/plot";

// The drawing of a series for those who copy it; on the page a canvas is quicker.
export function timeSvg(times: number[], lines: { label: string; values: (number | null)[]; colour: string }[], time: (v: number) => string): SVGElement {
  const style = getComputedStyle(document.documentElement);
  const drawing = Plot.plot({
    className: "plot", width: 720, height: 260, x: { tickFormat: time, label: null }, y: { grid: true, label: null, zero: true },
    marks: lines.map(l => Plot.lineY(times.map((t, i) => ({ t, v: l.values[i] })), { x: "t", y: "v", stroke: style.getPropertyValue(`--${l.colour}`).trim() })),
  });
  drawing.querySelector("style")?.remove();
  return drawing as SVGElement;
}
