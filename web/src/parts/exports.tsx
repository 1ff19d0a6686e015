// exports.tsx - a dialogue to take away: JSON, Markdown, a picture of the graph or a chart, or printed.
import { act } from "../api";

function save(name: string, content: Blob): void {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(content);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

/** A drawing with the colours that it has on the page: a picture has no style sheet. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const look = getComputedStyle(element);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-opacity", "font-size", "font-family", "opacity"])
      to[i]?.setAttribute(name, look.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

async function picture(name: string): Promise<void> {
  const svg = document.querySelector<SVGSVGElement>("svg.graph, .chart svg, svg.tasks");
  if (!svg) return;
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(2, 2);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
}

export function Exports({ id, drawn }: { id: string; drawn: boolean }): preact.JSX.Element {
  const json = async (): Promise<void> => {
    const whole = await act<unknown>("dialogue/export", { dialogue_id: id, output_path: "-" });
    save(`${id}.json`, new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }));
  };
  const markdown = async (): Promise<void> => {
    const { markdown: text } = await act<{ markdown: string }>("dialogue/transcript", { dialogue_id: id });
    save(`${id}.md`, new Blob([text], { type: "text/markdown" }));
  };
  return (
    <p class="exports" role="group" aria-label="Export">
      <button type="button" class="quiet" onClick={() => void json()}>
        JSON
      </button>
      <button type="button" class="quiet" onClick={() => void markdown()}>
        Markdown
      </button>
      {drawn && (
        <button type="button" class="quiet" onClick={() => void picture(id)}>
          PNG
        </button>
      )}
      <button type="button" class="quiet" onClick={() => print()}>
        Print
      </button>
    </p>
  );
}
