// rounds.tsx - round by round: the judge's synthesis, the scores, and what each expert brought.
import type { Dialogue, Entity, Round } from "../dialogue";
import { EntityLink, Glyph, Person, Prose, Status } from "../parts/show";

function Contribution({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element {
  return (
    <li key={e.id}>
      <Glyph kind={e.kind} status={e.status} /> <EntityLink dialogue={d.id} id={e.id} /> <strong>{e.label}</strong> <Status word={e.status} />
      <Prose text={e.content ?? e.description ?? ""} />
    </li>
  );
}

function OneRound({ d, r }: { d: Dialogue; r: Round }): preact.JSX.Element {
  const people = d.experts.filter((expert) => expert.slug in r.experts);
  return (
    <section class="round" aria-label={`Round ${r.round}`}>
      <h2>
        Round {r.round} {r.title && <small>{r.title}</small>}
      </h2>
      <p class="facts">
        <span>score {r.score}</span>
        <span>velocity {r.velocity}</span>
        <span>{r.openTensions} open tensions</span>
      </p>
      {r.summary && <Prose text={r.summary} />}
      {people.map((expert) => {
        const said = d.entities.filter((e) => e.round === r.round && e.contributors.includes(expert.slug));
        return (
          <div class="expert" key={expert.slug}>
            <h3>
              <Person name={expert.slug} /> <small>{expert.role}</small> <span class="number">{expert.scores[String(r.round)] ?? ""}</span>
            </h3>
            {said.length === 0 && <p class="facts">Asked, and silent.</p>}
            <ul class="plain">
              {said.map((e) => (
                <Contribution d={d} e={e} />
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}

export function Rounds({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <>
      {d.rounds.map((r) => (
        <OneRound d={d} r={r} key={r.round} />
      ))}
    </>
  );
}
