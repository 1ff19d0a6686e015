// graph.tsx - what refers to what: a column for each round, one shape for each kind, one stroke for each type of reference.
// Hovering shows the citation, a click opens it beside; a table below says the same for keyboards and screen readers.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { textOf, type Dialogue, type Edge, type Entity } from "../dialogue";
import { layers, type Point } from "../layout";
import { savePicture } from "../parts/picture";
import { Choice, EntityLink, Glyph, Heading, Status } from "../parts/show";
import { go, linkWith, type Place } from "../router";
import { capital, count, cut, glyphs, kinds, plural, toneOf, type Kind } from "../words";

const HEIGHT = 40; // of a box
const GAP = { x: 88, y: 12 }; // between boxes
const HEAD = 40; // above the columns: the names of the rounds

const strokes: Record<string, string> = { support: "green", oppose: "red", resolve: "blue", address: "blue", question: "amber" };

/** How wide a box is, and how many letters fit into it: few columns have more room. */
interface Box {
  width: number;
  name: number;
  below: number;
}

function boxFor(columns: number): Box {
  const width = columns <= 3 ? 264 : columns <= 4 ? 216 : 184;
  return { width, name: Math.floor((width - 36) / 7.2), below: Math.floor((width - 36) / 6.4) };
}

interface Shown {
  entities: Entity[];
  edges: Edge[];
}

/** What the address asks for: rounds, kinds, experts, types of references. */
function pick(d: Dialogue, place: Place): Shown {
  const wanted = (name: string): string => place.parameters.get(name) ?? "";
  const [kind, expert, type, round] = [wanted("kind"), wanted("expert"), wanted("type"), wanted("round")];
  let entities = d.entities.filter(
    (e) => (!kind || e.kind === kind) && (!expert || e.contributors.includes(expert)) && (!round || e.round === Number(round)),
  );
  let known = new Set(entities.map((e) => e.id));
  const edges = d.edges.filter((e) => known.has(e.from) && known.has(e.to) && (!type || e.type === type));
  if (type) {
    known = new Set(edges.flatMap((e) => [e.from, e.to]));
    entities = entities.filter((e) => known.has(e.id));
  }
  return { entities, edges };
}

/** From the right of the one to the left of the other; within a column around its left side. */
function curve(a: Point, b: Point, width: number): string {
  if (a.x === b.x) {
    const reach = 24 + Math.min(40, Math.abs(a.y - b.y) / 6);
    return `M${a.x},${a.y} C${a.x - reach},${a.y} ${b.x - reach},${b.y} ${b.x - 4},${b.y}`;
  }
  const forward = a.x < b.x;
  const [from, to] = forward ? [a.x + width, b.x - 4] : [a.x, b.x + width + 4];
  const middle = (from + to) / 2;
  return `M${from},${a.y} C${middle},${a.y} ${middle},${b.y} ${to},${b.y}`;
}

/** Marks what belongs to one node without drawing the rest again. */
function highlight(svg: SVGSVGElement, id: string): void {
  svg.classList.toggle("picking", Boolean(id));
  for (const old of svg.querySelectorAll(".near")) old.classList.remove("near");
  if (!id) return;
  const ends = new Set([id]);
  for (const path of svg.querySelectorAll<SVGPathElement>(".edge"))
    if (path.dataset["from"] === id || path.dataset["to"] === id) {
      path.classList.add("near");
      ends.add(path.dataset["from"] ?? "").add(path.dataset["to"] ?? "");
    }
  for (const node of svg.querySelectorAll<SVGGElement>(".node")) if (ends.has(node.dataset["id"] ?? "")) node.classList.add("near");
}

interface Tip {
  entity: Entity;
  left: number;
  top: number;
}

function Citation({ tip }: { tip: Tip }): preact.JSX.Element {
  const e = tip.entity;
  return (
    <div class="tip" role="tooltip" style={{ left: `${tip.left}px`, top: `${tip.top}px` }}>
      <strong>
        {e.id} {e.label}
      </strong>
      <div class="facts">
        {e.contributors.join(", ")} · round {e.round} · {e.status}
      </div>
      {cut(textOf(e), 220)}
    </div>
  );
}

/** Drawn once for a choice of entities: hovering and opening change classes, not the drawing. */
function Nodes({ shown, points, box }: { shown: Shown; points: Map<string, Point>; box: Box }): preact.JSX.Element {
  const at = (id: string): Point => points.get(id) ?? { x: 0, y: 0 };
  return (
    <>
      {shown.edges.map((e) => (
        <path class={`edge ${e.type} ${strokes[e.type] ?? "grey"}`} d={curve(at(e.from), at(e.to), box.width)} data-from={e.from} data-to={e.to} marker-end={`url(#end-${strokes[e.type] ?? "grey"})`} />
      ))}
      {shown.entities.map((e) => {
        const p = at(e.id);
        return (
          <g class={`node ${toneOf(e.status, e.kind)}`} data-id={e.id} transform={`translate(${p.x},${p.y - HEIGHT / 2})`}>
            <rect width={box.width} height={HEIGHT} rx={6} />
            <text class="shape" x={14} y={HEIGHT / 2} text-anchor="middle" dominant-baseline="central">
              {glyphs[e.kind]}
            </text>
            <text class="name" x={28} y={16}>
              {cut(e.label, box.name)}
            </text>
            <text class="below" x={28} y={31}>
              {cut(`${e.id} · ${e.contributors.join(", ")}`, box.below)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Drawing({ d, shown, place }: { d: Dialogue; shown: Shown; place: Place }): preact.JSX.Element {
  const svg = useRef<SVGSVGElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip>();
  const opened = place.parameters.get("item") ?? "";
  const box = useMemo(() => boxFor(new Set(shown.entities.map((e) => e.round)).size), [shown]);
  const points = useMemo(
    () => layers(shown.entities.map((e) => ({ id: e.id, rank: e.round })), shown.edges, { x: box.width + GAP.x, y: HEIGHT + GAP.y }),
    [shown, box],
  );
  const all = [...points.values()];
  const top = Math.min(0, ...all.map((p) => p.y)) - HEIGHT / 2 - HEAD;
  const width = Math.max(0, ...all.map((p) => p.x)) + box.width + 80;
  const height = Math.max(0, ...all.map((p) => p.y)) - top + HEIGHT / 2 + 8;
  const columns = new Map(shown.entities.map((e) => [points.get(e.id)?.x ?? 0, e.round]));
  const drawn = useMemo(() => <Nodes shown={shown} points={points} box={box} />, [shown, points, box]);
  useEffect(() => {
    if (svg.current) highlight(svg.current, opened);
  }, [opened, drawn]);
  const nodeAt = (target: EventTarget | null): SVGGElement | null => (target instanceof Element ? target.closest<SVGGElement>(".node") : null);
  const over = (event: MouseEvent): void => {
    const node = nodeAt(event.target);
    const entity = node && d.byId.get(node.dataset["id"] ?? "");
    const around = frame.current?.getBoundingClientRect();
    if (!node || !entity || !around || !svg.current) return;
    const drawn = node.getBoundingClientRect();
    highlight(svg.current, entity.id);
    setTip({ entity, left: Math.max(0, Math.min(drawn.left - around.left, around.width - 320)), top: drawn.bottom - around.top + 6 });
  };
  const out = (): void => {
    setTip(undefined);
    if (svg.current) highlight(svg.current, opened);
  };
  return (
    <div class="drawing" ref={frame}>
      <div class="scroll">
        <svg
          class="graph"
          ref={svg}
          width={width}
          height={height}
          viewBox={`-72 ${top} ${width} ${height}`}
          role="img"
          aria-label="What refers to what; the table below says the same"
          onMouseOver={over}
          onMouseOut={out}
          onClick={(event) => {
            const id = nodeAt(event.target)?.dataset["id"];
            if (id) go(linkWith(place, { item: id }));
          }}
        >
          <defs>
            {["green", "red", "blue", "amber", "grey"].map((tone) => (
              <marker id={`end-${tone}`} class={tone} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
                <path d="M0,0.5 L7,4 L0,7.5 z" />
              </marker>
            ))}
          </defs>
          {[...columns].map(([x, round]) => (
            <text class="column" x={x} y={top + 18}>
              {cut(`Round ${round}${d.rounds.find((r) => r.round === round)?.title ? ` · ${d.rounds.find((r) => r.round === round)?.title ?? ""}` : ""}`, 28)}
            </text>
          ))}
          {drawn}
        </svg>
      </div>
      {tip && <Citation tip={tip} />}
    </div>
  );
}

function Pick({ place, name, label, options }: { place: Place; name: string; label: string; options: [string, string][] }): preact.JSX.Element {
  return (
    <label class="pick">
      {label}
      <select value={place.parameters.get(name) ?? ""} onChange={(event) => go(linkWith(place, { [name]: event.currentTarget.value, item: "" }))}>
        <option value="">all</option>
        {options.map(([value, word]) => (
          <option value={value}>{word}</option>
        ))}
      </select>
    </label>
  );
}

function Filters({ d, place }: { d: Dialogue; place: Place }): preact.JSX.Element {
  const types = [...new Set(d.edges.map((e) => e.type))].sort();
  return (
    <div class="filters">
      <Choice
        label="Which kinds"
        picked={place.parameters.get("kind") ?? ""}
        options={[["", "all"], ...kinds.map((kind: Kind): [string, string] => [kind, `${glyphs[kind]} ${kind}`])]}
        href={(kind) => linkWith(place, { kind, item: "" })}
      />
      <Pick place={place} name="round" label="Round" options={d.rounds.map((r) => [String(r.round), `${r.round} ${r.title ?? ""}`])} />
      <Pick place={place} name="expert" label="Expert" options={d.experts.map((e) => [e.slug, e.slug])} />
      <Pick place={place} name="type" label="Reference" options={types.map((t) => [t, t])} />
    </div>
  );
}

function Same({ d, shown }: { d: Dialogue; shown: Shown }): preact.JSX.Element {
  const from = new Map<string, Edge[]>();
  for (const e of shown.edges) from.set(e.from, [...(from.get(e.from) ?? []), e]);
  return (
    <section aria-label="The same as a table">
      <Heading>The same as a table</Heading>
      <div class="scroll">
        <table class="grid long">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Round</th>
              <th scope="col">By</th>
              <th scope="col">Status</th>
              <th scope="col">Refers to</th>
            </tr>
          </thead>
          <tbody>
            {shown.entities.map((e) => (
              <tr key={e.id}>
                <th scope="row">
                  <Glyph kind={e.kind} status={e.status} /> <EntityLink dialogue={d.id} id={e.id} /> {e.label}
                </th>
                <td class="figure">{e.round}</td>
                <td>{e.contributors.join(", ")}</td>
                <td>
                  <Status word={e.status} kind={e.kind} />
                </td>
                <td>
                  {(from.get(e.id) ?? []).map((r) => (
                    <span class="pair">
                      {r.type} <EntityLink dialogue={d.id} id={r.to} />
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Whether the drawing has been painted: a long table below it must not hold it up. */
function usePainted(): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => (timer = setTimeout(() => setPainted(true))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return painted;
}

function summary(d: Dialogue, { entities, edges }: Shown): string {
  const of = (type: string): number => edges.filter((e) => e.type === type).length;
  const parts = [of("support") && count(of("support"), "support"), of("oppose") && count(of("oppose"), "objection")].filter(Boolean);
  const named = parts.length ? `, among them ${parts.join(" and ")}` : "";
  const all = entities.length === d.entities.length ? "" : ` of ${d.entities.length}`;
  return `${capital(plural(entities.length, "contribution"))}${all}, ${plural(edges.length, "reference")}${named}.`;
}

export function Graph({ d, place }: { d: Dialogue; place: Place }): preact.JSX.Element {
  const painted = usePainted();
  const key = ["kind", "expert", "type", "round"].map((name) => place.parameters.get(name)).join(" ");
  const shown = useMemo(() => pick(d, place), [d, key]);
  const box = useRef<HTMLElement>(null);
  return (
    <section aria-label="Graph" ref={box}>
      <p class="lead">
        {summary(d, shown)}{" "}
        <button type="button" class="quiet picture" onClick={() => box.current && void savePicture(box.current, `${d.id}-graph`)}>
          PNG
        </button>
      </p>
      <Filters d={d} place={place} />
      {shown.entities.length === 0 ? <p class="facts">Nothing is left: choose less.</p> : <Drawing d={d} shown={shown} place={place} />}
      <p class="legend">
        <span class="edge-word support">support</span>
        <span class="edge-word oppose">oppose</span>
        <span class="edge-word resolve">address, resolve</span>
        <span class="edge-word refine">others</span>
      </p>
      {painted && <Same d={d} shown={shown} />}
    </section>
  );
}
