// item.tsx - one contribution: its text, what it refers to, and what refers to it.
import type { Dialogue, Entity } from "../dialogue";
import { EntityLink, Glyph, Person, Prose, Status } from "../parts/show";

function Line({ d, verb, id }: { d: Dialogue; verb: string; id: string }): preact.JSX.Element {
  const other = d.entities.find((e) => e.id === id);
  return (
    <li>
      <span class="what">{verb}</span> {other ? <EntityLink dialogue={d.id} id={id} /> : id} {other?.label}
    </li>
  );
}

function Links({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element {
  const from = d.entities.flatMap((other) => other.references.filter((r) => r.target === e.id).map((r) => ({ id: other.id, type: r.type })));
  return (
    <>
      {e.references.length > 0 && (
        <section aria-label="Refers to">
          <h2>Refers to</h2>
          <ul class="plain">
            {e.references.map((r) => (
              <Line d={d} verb={r.type} id={r.target} />
            ))}
          </ul>
        </section>
      )}
      {from.length > 0 && (
        <section aria-label="Referred to by">
          <h2>Referred to by</h2>
          <ul class="plain">
            {from.map((r) => (
              <Line d={d} verb={r.type} id={r.id} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function Item({ d, id }: { d: Dialogue; id: string }): preact.JSX.Element {
  const e = d.entities.find((one) => one.id === id);
  if (!e) return <p class="fault">There is no {id} in this dialogue.</p>;
  return (
    <section aria-label={e.id}>
      <h2>
        <Glyph kind={e.kind} status={e.status} /> {e.id} {e.label} <Status word={e.status} />
      </h2>
      <p class="facts">
        round {e.round}
        {e.contributors.map((name) => (
          <Person name={name} />
        ))}
      </p>
      <Prose text={e.content ?? e.description ?? ""} />
      <Links d={d} e={e} />
    </section>
  );
}
