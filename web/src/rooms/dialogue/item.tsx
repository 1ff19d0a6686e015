// item.tsx - one contribution: its text, what became of it, what it refers to, what refers to it, and where it was said.
import { useLayoutEffect, useRef } from "preact/hooks";
import { sourcesOf, textOf, type Dialogue, type Edge, type Entity } from "./model";
import { Copy } from "../../parts/show";
import { EntityLink, ExpertName, Glyph, Status, Text } from "./show";
import { go, linkWith, useHere } from "../../router";
import { cut, list } from "../../words";

function Cited({ d, id }: { d: Dialogue; id: string }): preact.JSX.Element {
  const other = d.byId.get(id);
  if (!other) return id.startsWith("@") ? <ExpertName slug={id.slice(1)} /> : <>{id}</>;
  return (
    <>
      <Glyph kind={other.kind} status={other.status} /> <EntityLink dialogue={d.id} id={id} /> <bdi>{other.label}</bdi>
    </>
  );
}

function Edges({ d, title, edges, end }: { d: Dialogue; title: string; edges: Edge[]; end: "from" | "to" }): preact.JSX.Element | null {
  if (edges.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="plain">
        {edges.map((e) => (
          <li>
            <span class={`edge-word ${e.type}`}>{e.type}</span> <Cited d={d} id={e[end]} />
            {e.reason && <p class="reason">“{cut(e.reason, 400)}”</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element | null {
  if (!e.events?.length) return null;
  return (
    <section aria-label="What became of it">
      <h3>What became of it</h3>
      <ol class="steps">
        {e.events.map((step) => (
          <li>
            <span class="when">R{step.round}</span> {step.type} by {list(step.by)}
            {[step.reference, step.result].map(
              (id) =>
                id &&
                d.byId.has(id) && (
                  <>
                    {" "}
                    <EntityLink dialogue={d.id} id={id} />
                  </>
                ),
            )}
            {step.reason && <p class="reason">“{cut(step.reason, 400)}”</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Sources({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element | null {
  const sources = sourcesOf(d, e);
  if (sources.length === 0) return null;
  return (
    <section aria-label="Where it was said">
      <h3>Where it was said</h3>
      {sources.map((s) => (
        <figure class="source">
          <figcaption>
            {s.expert}, response of round {s.round}
          </figcaption>
          <div class="raw" dir="auto">
            {s.passage.map((p) => (
              <div class={p.kind}>{p.text || " "}</div>
            ))}
          </div>
        </figure>
      ))}
    </section>
  );
}

export function Item({ d, id }: { d: Dialogue; id: string }): preact.JSX.Element {
  const e = d.byId.get(id);
  if (!e) return <p class="fault">There is no {id} in this dialogue.</p>;
  return (
    <article class="item" aria-label={`${e.id} ${e.label}`}>
      <p class="facts">
        <Glyph kind={e.kind} status={e.status} />
        <span>{e.kind}</span>
        <span class="id">{e.id}</span>
        <Copy text={e.id} label={e.id} />
        <Status word={e.status} kind={e.kind} />
      </p>
      <h2 dir="auto">{e.label}</h2>
      <p class="facts">
        {e.contributors.map((name) => (
          <ExpertName slug={name} />
        ))}
        <span>in round {e.round}</span>
      </p>
      <Text text={textOf(e)} d={d} />
      <History d={d} e={e} />
      <Edges d={d} title="Refers to" edges={d.edges.filter((x) => x.from === e.id)} end="to" />
      <Edges d={d} title="Referred to by" edges={d.edges.filter((x) => x.to === e.id)} end="from" />
      <Sources d={d} e={e} />
    </article>
  );
}

/** The same beside what is looked at. It is not in the way: the rest of the page stays usable, Esc closes it. */
export function Beside({ d }: { d: Dialogue }): preact.JSX.Element | null {
  const here = useHere();
  const id = here.parameters.get("item") ?? "";
  const box = useRef<HTMLElement>(null);
  const close = linkWith(here, { item: "" });
  useLayoutEffect(() => {
    if (!id) return;
    const before = document.activeElement;
    box.current?.focus({ preventScroll: true });
    const press = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.preventDefault();
        go(close);
      }
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
      if (before instanceof HTMLElement && document.contains(before)) before.focus({ preventScroll: true });
    };
  }, [id, close]);
  if (!id) return null;
  return (
    <aside class="side" aria-label={`Beside: ${id}`} tabIndex={-1} ref={box}>
      <a class="close" href={close} aria-label="Close">
        ✕
      </a>
      <Item d={d} id={id} />
    </aside>
  );
}
