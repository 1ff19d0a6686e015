// layered.tsx - a graph whose ranks are known, as SVG: a column of boxes for each rank, a curve for each link.
//
// It is drawn once for what it shows. Hovering and opening change classes, not the drawing; one listener serves all of it. A
// curve is thin: it is met by its distance from the pointer. Words cost a browser most: of many boxes only those near the
// window have theirs laid out.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { layers, type Link, type Point } from "../layout";
import { cut } from "../words";

export interface Box {
  id: string;
  rank: number;
  tone: string;
  shape: string;
  name: string;
  below: string;
}

/** `look`: classes of the stroke; `tone`: the colour of it and of its end. */
export interface Line extends Link {
  look: string;
  tone: string;
}

const HEIGHT = 40; // of a box
const GAP = { x: 88, y: 12 }; // between boxes
const HEAD = 40; // above the columns, if they have names
const MARGIN = 72; // left of the first column: curves within it, which columns with names may have
const REACH = 6; // pixels from a curve
const TIP = 320; // the width of a tip
const CROWD = 150; // boxes, from which on words out of sight are left out
const PART = 16; // boxes that appear together

type Curve = [Point, Point, Point, Point];

/** Boxes below each other, and the place of the first. */
interface Part {
  boxes: Box[];
  from: Point;
}

interface Drawing {
  boxes: Box[]; // in the order of the parts
  parts: Part[];
  lines: Line[];
  width: number; // of a box: few columns have more room
  points: Map<string, Point>;
  curves: Curve[]; // of the lines
  frame: { left: number; top: number; width: number; height: number };
}

/** From the right of the one to the left of the other; within a column around its left side. */
function curveOf(a: Point, b: Point, width: number): Curve {
  if (a.x === b.x) {
    const reach = 24 + Math.min(40, Math.abs(a.y - b.y) / 6);
    return [a, { x: a.x - reach, y: a.y }, { x: b.x - reach, y: b.y }, { x: b.x - 4, y: b.y }];
  }
  const [from, to] = a.x < b.x ? [a.x + width, b.x - 4] : [a.x, b.x + width + 4];
  const middle = (from + to) / 2;
  return [{ x: from, y: a.y }, { x: middle, y: a.y }, { x: middle, y: b.y }, { x: to, y: b.y }];
}

const pathOf = ([a, b, c, d]: Curve): string => `M${a.x},${a.y} C${b.x},${b.y} ${c.x},${c.y} ${d.x},${d.y}`;

function partsOf(boxes: Box[], at: (id: string) => Point): Part[] {
  const columns = new Map<number, Box[]>();
  for (const b of boxes) {
    const column = columns.get(at(b.id).x);
    if (column) column.push(b);
    else columns.set(at(b.id).x, [b]);
  }
  return [...columns.values()].flatMap((column) => {
    column.sort((a, b) => at(a.id).y - at(b.id).y);
    return Array.from({ length: Math.ceil(column.length / PART) }, (_, i) => {
      const some = column.slice(i * PART, (i + 1) * PART);
      return { boxes: some, from: at(some[0]?.id ?? "") };
    });
  });
}

function place(boxes: Box[], lines: Line[], named: boolean): Drawing {
  const columns = new Set(boxes.map((b) => b.rank)).size;
  const room = Math.min(1200, innerWidth - 48) - 2 * MARGIN - 8; // as wide as the page shows it at once
  const width = named ? Math.round(Math.min(264, Math.max(184, (room + GAP.x) / columns - GAP.x))) : 184;
  const points = layers(boxes, lines, { x: width + GAP.x, y: HEIGHT + GAP.y });
  const known = lines.filter((l) => points.has(l.from) && points.has(l.to));
  const at = (id: string): Point => points.get(id) ?? { x: 0, y: 0 };
  const parts = partsOf(boxes, at);
  const [xs, ys] = [[...points.values()].map((p) => p.x), [...points.values()].map((p) => p.y)];
  const left = named ? MARGIN : 2;
  const top = Math.min(0, ...ys) - HEIGHT / 2 - (named ? HEAD : 8);
  return {
    boxes: parts.flatMap((part) => part.boxes),
    parts,
    lines: known,
    width,
    points,
    curves: known.map((l) => curveOf(at(l.from), at(l.to), width)),
    frame: { left, top, width: Math.max(0, ...xs) + width + left + 8, height: Math.max(0, ...ys) - top + HEIGHT / 2 + 8 },
  };
}

/** How far a point is from a curve, as good as the eye needs it. */
function distance([a, b, c, d]: Curve, p: Point): number {
  const [xs, ys] = [[a.x, b.x, c.x, d.x], [a.y, b.y, c.y, d.y]];
  if (p.x < Math.min(...xs) - REACH || p.x > Math.max(...xs) + REACH || p.y < Math.min(...ys) - REACH || p.y > Math.max(...ys) + REACH) return Infinity;
  let least = Infinity;
  for (let t = 0; t <= 1; t += 1 / 64) {
    const s = 1 - t;
    const on = (k: "x" | "y"): number => s * s * s * a[k] + 3 * s * s * t * b[k] + 3 * s * t * t * c[k] + t * t * t * d[k];
    least = Math.min(least, Math.hypot(on("x") - p.x, on("y") - p.y));
  }
  return least;
}

/** The line below a point; -1: none. */
function lineAt(drawing: Drawing, p: Point): number {
  let [found, least] = [-1, REACH];
  drawing.curves.forEach((curve, i) => {
    const far = distance(curve, p);
    if (far < least) [found, least] = [i, far];
  });
  return found;
}

/** Marks lines and their ends: those of one box, or one line alone. */
function highlight(svg: SVGSVGElement, { boxes, lines }: Drawing, id: string, line = -1): void {
  svg.classList.toggle("picking", Boolean(id) || line >= 0);
  for (const old of svg.querySelectorAll(".near")) old.classList.remove("near");
  if (!id && line < 0) return;
  const ends = new Set(id ? [id] : []);
  const [paths, nodes] = [svg.querySelectorAll(".edge"), svg.querySelectorAll(".node")];
  lines.forEach((l, i) => {
    if (line >= 0 ? i !== line : l.from !== id && l.to !== id) return;
    paths[i]?.classList.add("near");
    ends.add(l.from).add(l.to);
  });
  boxes.forEach((b, i) => ends.has(b.id) && nodes[i]?.classList.add("near"));
}

/** Parts show their words as long as they are near what the window shows. */
function showNear(svg: SVGSVGElement): () => void {
  const nearness = { rootMargin: "400px", scrollMargin: "400px" };
  const observer = new IntersectionObserver((seen) => seen.forEach((one) => one.target.classList.toggle("far", !one.isIntersecting)), nearness);
  for (const part of svg.querySelectorAll(".part")) observer.observe(part);
  return () => observer.disconnect();
}

function Parts({ drawing }: { drawing: Drawing }): preact.JSX.Element {
  const { boxes, parts, lines, width, points, curves, frame } = drawing;
  const isFar = ({ from }: Part): boolean => boxes.length > CROWD && (from.x > innerWidth || from.y - frame.top > innerHeight);
  const [name, below] = [Math.floor((width - 36) / 7.2), Math.floor((width - 36) / 7)];
  return (
    <>
      {lines.map((l, i) => {
        const curve = curves[i];
        return curve && <path class={`edge ${l.look} ${l.tone}`} d={pathOf(curve)} marker-end={`url(#end-${l.tone})`} />;
      })}
      {parts.map((part) => (
        <g class={isFar(part) ? "part far" : "part"}>
          {part.boxes.map((b) => {
            const p = points.get(b.id) ?? { x: 0, y: 0 };
            return (
              <g class={`node ${b.tone}`} data-id={b.id} transform={`translate(${p.x},${p.y - HEIGHT / 2})`}>
                <rect width={width} height={HEIGHT} rx={6} />
                <text class="shape" x={14} y={HEIGHT / 2}>
                  {b.shape}
                </text>
                <text class="name" x={28} y={16}>
                  {cut(b.name, name)}
                </text>
                <text class="below" x={28} y={31}>
                  {cut(b.below, below)}
                </text>
              </g>
            );
          })}
        </g>
      ))}
    </>
  );
}

const Ends = (): preact.JSX.Element => (
  <defs>
    {["green", "red", "blue", "amber", "grey", "ink"].map((tone) => (
      <marker id={`end-${tone}`} class={tone} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
        <path d="M0,0.5 L7,4 L0,7.5 z" />
      </marker>
    ))}
  </defs>
);

interface Tip {
  content: ComponentChildren;
  left: number;
  top: number;
}

interface Layered {
  boxes: Box[];
  lines: Line[];
  label: string;
  /** Names of the columns, by rank. */
  heads?: (rank: number) => string;
  /** The box that is open beside the drawing. */
  picked?: string;
  onOpen: (id: string) => void;
  /** What is shown of a box, and of a line, below the pointer. */
  tellBox: (id: string) => ComponentChildren;
  tellLine: (line: Line) => ComponentChildren;
}

export function Layered({ boxes, lines, label, heads, picked = "", onOpen, tellBox, tellLine }: Layered): preact.JSX.Element {
  const svg = useRef<SVGSVGElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip>();
  const drawing = useMemo(() => place(boxes, lines, Boolean(heads)), [boxes, lines]);
  const parts = useMemo(() => <Parts drawing={drawing} />, [drawing]);
  const columns = useMemo(() => new Map(boxes.map((b) => [drawing.points.get(b.id)?.x ?? 0, b.rank])), [drawing]);
  const met = useRef(""); // what the pointer is on
  const { left, top, width, height } = drawing.frame;
  const rest = (): void => {
    met.current = "";
    setTip(undefined);
    if (svg.current) highlight(svg.current, drawing, picked);
  };
  useEffect(rest, [picked, drawing]);
  useEffect(() => (svg.current && drawing.boxes.length > CROWD ? showNear(svg.current) : undefined), [drawing]);
  const boxAt = (target: EventTarget | null): SVGGElement | null => (target instanceof Element ? target.closest<SVGGElement>(".node") : null);
  const move = (event: MouseEvent): void => {
    const [drawn, around] = [svg.current?.getBoundingClientRect(), frame.current?.getBoundingClientRect()];
    if (!svg.current || !drawn || !around) return;
    const node = boxAt(event.target);
    const id = node?.dataset["id"] ?? "";
    const line = node ? -1 : lineAt(drawing, { x: event.clientX - drawn.left - left, y: event.clientY - drawn.top + top });
    const now = id || (line >= 0 ? String(line) : "");
    if (now === met.current) return;
    if (!now) return rest();
    met.current = now;
    highlight(svg.current, drawing, id, line);
    const [x, y] = node ? [node.getBoundingClientRect().left, node.getBoundingClientRect().bottom] : [event.clientX, event.clientY + 12];
    setTip({ content: node ? tellBox(id) : tellLine(drawing.lines[line] as Line), left: Math.max(0, Math.min(x - around.left, around.width - TIP)), top: y - around.top + 6 });
  };
  return (
    <div class="drawing" ref={frame}>
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>
        <svg
          class="graph"
          ref={svg}
          width={width}
          height={height}
          viewBox={`${-left} ${top} ${width} ${height}`}
          role="img"
          aria-label={label}
          onMouseMove={move}
          onMouseLeave={rest}
          onClick={(event) => {
            const id = boxAt(event.target)?.dataset["id"];
            if (id) onOpen(id);
          }}
        >
          <Ends />
          {heads &&
            [...columns].map(([x, rank]) => (
              <text class="column" x={x} y={top + 18}>
                {cut(heads(rank), 28)}
              </text>
            ))}
          {parts}
        </svg>
      </div>
      {tip && (
        <div class="tip" role="tooltip" style={{ left: `${tip.left}px`, top: `${tip.top}px` }}>
          {tip.content}
        </div>
      )}
    </div>
  );
}
