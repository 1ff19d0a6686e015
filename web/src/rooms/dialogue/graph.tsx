// graph.tsx - what refers to what: a column for each round, one shape for each kind, one stroke for each type of reference.
// Hovering shows the citation, a click opens it beside; a table below says the same for keyboards and screen readers.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { textOf, type Dialogue, type Edge, type Entity } from "./model";
import { Layered, type Box, type Line } from "../../parts/layered";
import { savePicture } from "../../parts/picture";
import { Choice, Heading } from "../../parts/show";
import { EntityLink, Glyph, Status } from "./show";
import { go, linkWith, type Place } from "../../router";
import { capital, count, cut, plural } from "../../words";
import { glyphOf, glyphs, kinds, toneOf, type Kind } from "./words";

const strokes: Record<string, string> = { support: "green", oppose: "red", resolve: "blue", address: "blue", question: "amber" };

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

function Citation({ e }: { e: Entity }): preact.JSX.Element {
  return (
    <>
      <strong>
        {e.id} {e.label}
      </strong>
      <div class="facts">
        {e.contributors.join(", ")} · round {e.round} · {e.status}
      </div>
      {cut(textOf(e), 220)}
    </>
  );
}

/** A reference: who says what of whom, and why. */
function Cited({ d, edge }: { d: Dialogue; edge: Edge }): preact.JSX.Element {
  const end = (id: string): preact.JSX.Element => (
    <>
      <strong>{id}</strong> {cut(d.byId.get(id)?.label ?? "", 80)}
    </>
  );
  return (
    <>
      <div>{end(edge.from)}</div>
      <div class={`edge-word ${edge.type}`}>{edge.type} ↓</div>
      <div>{end(edge.to)}</div>
      {edge.reason && <div class="facts">“{cut(edge.reason, 220)}”</div>}
    </>
  );
}

function Drawing({ d, shown, place }: { d: Dialogue; shown: Shown; place: Place }): preact.JSX.Element {
  const boxes = useMemo(
    () => shown.entities.map((e): Box => ({ id: e.id, rank: e.round, tone: toneOf(e.status, e.kind), shape: glyphOf(e.kind, e.status), name: e.label, below: `${e.id} · ${e.status} · ${e.contributors.join(", ")}` })),
    [shown],
  );
  const lines = useMemo(() => shown.edges.map((e): Line => ({ from: e.from, to: e.to, look: e.type, tone: strokes[e.type] ?? "grey" })), [shown]);
  const titles = useMemo(() => new Map(d.rounds.map((r) => [r.round, r.title])), [d]);
  return (
    <Layered
      boxes={boxes}
      lines={lines}
      label="What refers to what; the table below says the same"
      heads={(round) => [`Round ${round}`, titles.get(round)].filter(Boolean).join(" · ")}
      picked={place.parameters.get("item") ?? ""}
      onOpen={(id) => go(linkWith(place, { item: id }))}
      tellBox={(id) => {
        const e = d.byId.get(id);
        return e && <Citation e={e} />;
      }}
      tellLine={({ from, to, look }) => {
        const edge = shown.edges.find((e) => e.from === from && e.to === to && e.type === look);
        return edge && <Cited d={d} edge={edge} />;
      }}
    />
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
