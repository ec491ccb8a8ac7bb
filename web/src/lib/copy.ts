// What leaves a page: text for the clipboard, or a file where there is no clipboard.

const cell = (v: unknown) => { const text = v === null || v === undefined ? "" : String(v); return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text; };

export function csvOf(rows: Record<string, unknown>[]): string {
  if (!rows.length) return "";
  const names = Object.keys(rows[0]);
  return [names.join(","), ...rows.map(row => names.map(name => cell(row[name])).join(","))].join("\n") + "\n";
}

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor", "opacity", "fill-opacity", "stroke-opacity", "paint-order"];
// A drawing that stands alone: colours of the page's theme are written into it.
export function svgText(svg: SVGElement): string {
  const copy = svg.cloneNode(true) as SVGElement, from = [svg, ...svg.querySelectorAll<SVGElement>("*")], to = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const name of PAINT) if (style.getPropertyValue(name)) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = svg.getBoundingClientRect();
  copy.setAttribute("width", String(Math.round(box.width)));
  copy.setAttribute("height", String(Math.round(box.height)));
  return new XMLSerializer().serializeToString(copy);
}

export function download(name: string, text: string, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type })), a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export async function copyText(text: string, name: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    download(name, text);
    return "saved";
  }
}
