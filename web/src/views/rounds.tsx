// rounds.tsx - round by round: the judge's synthesis, the scores, and what each expert brought.
import { passages, type Dialogue, type Entity, type Round, type Spoken } from "../dialogue";
import { EntityLink, Glyph, Person, Prose, Status } from "../parts/show";

function Contribution({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element {
  return (
    <li key={e.id}>
      <Glyph kind={e.kind} status={e.status} /> <EntityLink dialogue={d.id} id={e.id} /> <strong>{e.label}</strong> <Status word={e.status} />
      <Prose text={e.content ?? e.description ?? ""} />
    </li>
  );
}

const components: [string, string][] = [
  ["W", "wisdom"],
  ["C", "consistency"],
  ["T", "truth"],
  ["R", "relationships"],
];

/** The response as it was written: markers stand out, and text without one is there to read. */
function Raw({ d, spoken }: { d: Dialogue; spoken: Spoken }): preact.JSX.Element | null {
  if (!spoken.raw) return null;
  return (
    <div class="raw" role="group" aria-label="The response as it was written">
      {passages(spoken.raw, spoken.mapping).map((p) => (
        <div class={p.kind}>
          {p.text || " "} {p.id && <EntityLink dialogue={d.id} id={p.id} />}
        </div>
      ))}
    </div>
  );
}

function Scoreboard({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <section aria-label="Scoreboard">
      <h2>Scoreboard</h2>
      <div class="scroll">
        <table class="grid">
          <caption class="hidden">Scores of each round with their components</caption>
          <thead>
            <tr>
              <th scope="col">Round</th>
              <th scope="col">Score</th>
              {components.map(([letter, word]) => (
                <th scope="col">
                  {letter} <small>{word}</small>
                </th>
              ))}
              <th scope="col">Open tensions</th>
            </tr>
          </thead>
          <tbody>
            {d.rounds.map((r) => (
              <tr>
                <th scope="row">
                  {r.round} {r.title}
                </th>
                <td class="figure">{r.score}</td>
                {components.map(([letter]) => (
                  <td class="figure">{r.scoreComponents?.[letter] ?? "–"}</td>
                ))}
                <td class="figure">{r.openTensions}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
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
            <div class="beside">
              <ul class="plain">
                {said.map((e) => (
                  <Contribution d={d} e={e} />
                ))}
              </ul>
              <Raw d={d} spoken={r.experts[expert.slug] ?? {}} />
            </div>
          </div>
        );
      })}
    </section>
  );
}

export function Rounds({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <>
      <Scoreboard d={d} />
      {d.rounds.map((r) => (
        <OneRound d={d} r={r} key={r.round} />
      ))}
    </>
  );
}
