// graph.tsx - what refers to what: a column for each round, one shape for each kind; a list of the same beside it.
import { useMemo, useState } from "preact/hooks";
import type { Dialogue, Entity } from "../dialogue";
import { layers, type Point } from "../layout";
import { EntityLink, Glyph, Status } from "../parts/show";
import { go, link, type Place } from "../router";
import { glyphs, toneOf, type Kind } from "../words";

const GAP = { x: 220, y: 44 };
const EDGE = 60;
const tones: Record<string, string> = { support: "green", oppose: "red", resolve: "blue", question: "amber" };

interface Edge {
  from: string;
  to: string;
  type: string;
}

function edgesOf(entities: Entity[]): Edge[] {
  const known = new Set(entities.map((e) => e.id));
  return entities.flatMap((e) =>
    e.references.filter((r) => known.has(r.target)).map((r) => ({ from: e.id, to: r.target, type: r.type })),
  );
}

function Drawing({ d, entities, edges }: { d: Dialogue; entities: Entity[]; edges: Edge[] }): preact.JSX.Element {
  const [picked, setPicked] = useState("");
  const points = useMemo(
    () => layers(entities.map((e) => ({ id: e.id, rank: e.round })), edges, GAP),
    [entities, edges],
  );
  const all = [...points.values()];
  const top = Math.min(0, ...all.map((p) => p.y)) - EDGE;
  const width = Math.max(0, ...all.map((p) => p.x)) + 2 * EDGE + 120;
  const height = Math.max(0, ...all.map((p) => p.y)) - top + EDGE;
  const at = (id: string): Point => points.get(id) ?? { x: 0, y: 0 };
  const near = new Set(edges.filter((e) => e.from === picked || e.to === picked).flatMap((e) => [e.from, e.to]));
  const dim = (id: string): string => (picked && id !== picked && !near.has(id) ? " dim" : "");
  return (
    <div class="scroll">
      <svg class="graph" width={width} height={height} viewBox={`${-EDGE} ${top} ${width} ${height}`} role="img" aria-label="What refers to what; the list below says the same">
        {edges.map((e) => {
          const [a, b] = [at(e.from), at(e.to)];
          const bend = a.x === b.x ? 60 : (a.x + b.x) / 2 - a.x;
          return (
            <path
              class={`edge ${tones[e.type] ?? "grey"}${dim(e.from) && dim(e.to) ? " dim" : ""}`}
              d={`M${a.x},${a.y} C${a.x + bend},${a.y} ${b.x + (a.x === b.x ? 60 : -bend)},${b.y} ${b.x},${b.y}`}
            >
              <title>{`${e.from} ${e.type} ${e.to}`}</title>
            </path>
          );
        })}
        {entities.map((e) => {
          const p = at(e.id);
          return (
            <g
              class={`node ${toneOf(e.status)}${dim(e.id)}`}
              transform={`translate(${p.x},${p.y})`}
              onMouseEnter={() => setPicked(e.id)}
              onMouseLeave={() => setPicked("")}
              onClick={() => go(link("dialogue", d.id, "item", e.id))}
            >
              <title>{`${e.id} ${e.label} (${e.status}, ${e.contributors.join(", ")})`}</title>
              <text class="shape" text-anchor="middle" dominant-baseline="central">
                {glyphs[e.kind]}
              </text>
              <text class="name" x={14} dominant-baseline="central">
                {e.id} {e.label.length > 22 ? `${e.label.slice(0, 21)}…` : e.label}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

export function Graph({ d, place }: { d: Dialogue; place: Place }): preact.JSX.Element {
  const kind = place.parameters.get("kind") ?? "";
  const entities = useMemo(() => d.entities.filter((e) => !kind || e.kind === kind), [d, kind]);
  const edges = useMemo(() => edgesOf(entities), [entities]);
  const base = link("dialogue", d.id, "graph");
  return (
    <section aria-label="Graph">
      <nav class="filters" aria-label="Which kinds">
        <a href={base} aria-current={kind ? undefined : "page"}>
          all
        </a>
        {(Object.keys(glyphs) as Kind[]).map((name) => (
          <a href={`${base}?kind=${name}`} aria-current={kind === name ? "page" : undefined}>
            {glyphs[name]} {name}
          </a>
        ))}
      </nav>
      <Drawing d={d} entities={entities} edges={edges} />
      <h2>The same as a list</h2>
      <ul class="plain">
        {entities.map((e) => (
          <li key={e.id}>
            <Glyph kind={e.kind} status={e.status} /> <EntityLink dialogue={d.id} id={e.id} /> {e.label} <Status word={e.status} />{" "}
            {e.references.map((r) => (
              <span class="what">
                {r.type} {r.target}{" "}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
