// chart.tsx - numbers over the rounds: a drawing (uPlot), the table behind it, and the picture to take away.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { savePicture } from "./picture";

export interface Series {
  name: string;
  tone: string;
  values: (number | null)[];
}

interface Chart {
  /** A sentence: what the drawing shows. */
  title: string;
  labels: string[];
  series: Series[];
  bars?: boolean;
  height?: number;
}

/** A second sign beside the colour: how the line is broken. */
const dashes: number[][] = [[], [8, 4], [2, 4], [12, 4, 2, 4], [4, 8], [16, 4]];

/** A colour of the style sheet as a canvas takes it: the browser has chosen between light and dark. */
function colour(name: string): string {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function options({ labels, series, bars = false, height = 120 }: Chart, width: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => colour("soft"),
    grid: { show: false },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const drawBars = uPlot.paths.bars?.({ size: [0.5, 28] });
  const whole = (_: uPlot, all: number[]): string[] => all.map((n) => (Number.isInteger(n) ? String(n) : ""));
  return {
    width,
    height,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 8 } },
    scales: { x: { time: false, range: () => [-0.5, Math.max(0.5, labels.length - 0.5)] }, y: { range: (_, low, high) => [Math.min(0, low), Math.max(1, high) * 1.1] } },
    axes: [
      { ...axis, size: 24, values: (_, all) => all.map((n) => labels[n] ?? ""), space: 36, incrs: [1, 2, 5, 10, 20, 50] },
      { ...axis, size: 36, values: whole, space: 28, grid: { show: true, stroke: () => colour("hair"), width: 1 } },
    ],
    series: [
      {},
      ...series.map(
        (one, i): uPlot.Series => ({
          label: one.name,
          dash: dashes[i % dashes.length] ?? [],
          stroke: () => colour(one.tone),
          width: bars ? 0 : 2,
          spanGaps: true,
          points: { show: !bars && labels.length <= 40, size: 6, fill: () => colour(one.tone) },
          ...(bars && drawBars ? { fill: () => `color-mix(in srgb, ${colour(one.tone)} 70%, transparent)`, paths: drawBars } : {}),
        }),
      ),
    ],
  };
}

/** Draws again when the width or the colours change. */
function useDrawing(box: { current: HTMLDivElement | null }, chart: Chart): void {
  const key = JSON.stringify(chart);
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const data: uPlot.AlignedData = [chart.labels.map((_, i) => i), ...chart.series.map((s) => s.values)];
    const plot = new uPlot(options(chart, place.clientWidth || 320), data, place);
    const resized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: chart.height ?? 120 }));
    const recoloured = new MutationObserver(() => plot.redraw());
    const media = ["(prefers-color-scheme: dark)", "print"].map((one) => matchMedia(one));
    const redraw = (): void => plot.redraw();
    resized.observe(place);
    recoloured.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    for (const one of media) one.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      recoloured.disconnect();
      for (const one of media) one.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [box, key]);
}

function Behind({ labels, series }: Chart): preact.JSX.Element {
  return (
    <details class="behind">
      <summary>As a table</summary>
      <div class="scroll">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">Round</th>
              {series.map((s) => (
                <th scope="col">{s.name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, i) => (
              <tr>
                <th scope="row">{label}</th>
                {series.map((s) => (
                  <td class="figure">{s.values[i] ?? "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Chart(chart: Chart): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useDrawing(box, chart);
  return (
    <figure class="chart">
      <figcaption>
        <span>{chart.title}</span>
        <button type="button" class="quiet picture" onClick={() => box.current && savePicture(box.current, chart.series[0]?.name ?? "chart")} aria-label={`PNG: ${chart.title}`}>
          PNG
        </button>
      </figcaption>
      {chart.series.length > 1 && (
        <p class="legend">
          {chart.series.map((one, i) => (
            <span>
              <svg width="28" height="8" class={one.tone} aria-hidden="true">
                <line class="stroke" x1="0" y1="4" x2="28" y2="4" stroke-dasharray={(dashes[i % dashes.length] ?? []).join(" ")} />
              </svg>{" "}
              {one.name}
            </span>
          ))}
        </p>
      )}
      <div class="drawn" ref={box} role="img" aria-label={`${chart.title} The table below says the same.`} />
      <Behind {...chart} />
    </figure>
  );
}
