// rounds.tsx - one round: the judge's synthesis and scores, then each expert's items beside the response as it was written.
import { passages, textOf, type Dialogue, type Entity, type Round, type Spoken } from "./model";
import { report } from "../../api";
import { Choice, Heading } from "../../parts/show";
import { EntityLink, ExpertName, Glyph, Status, Text } from "./show";
import { link, type Place } from "../../router";
import { capital, count, plural } from "../../words";

const components: [string, string][] = [
  ["W", "wisdom"],
  ["C", "consistency"],
  ["T", "truth"],
  ["R", "relationships"],
];

function Contribution({ d, e }: { d: Dialogue; e: Entity }): preact.JSX.Element {
  return (
    <li key={e.id} class="contribution">
      <p class="facts">
        <Glyph kind={e.kind} status={e.status} />
        <EntityLink dialogue={d.id} id={e.id} />
        <Status word={e.status} kind={e.kind} />
      </p>
      <strong dir="auto">{e.label}</strong>
      <Text text={textOf(e)} d={d} />
    </li>
  );
}

/** The response as it was written: markers stand out, and text without one is there to read. */
function Raw({ d, spoken }: { d: Dialogue; spoken: Spoken }): preact.JSX.Element | null {
  if (!spoken.raw) return null;
  const all = passages(spoken.raw, spoken.mapping);
  const unmarked = all.filter((p) => p.kind === "unmarked" && /\w/.test(p.text) && !p.text.startsWith("#")).length;
  return (
    <div class="raw" role="group" aria-label="The response as it was written" dir="auto">
      {unmarked > 0 && <p class="facts">{plural(unmarked, "line")} without a marker</p>}
      {all.map((p) => (
        <div class={p.kind}>
          {p.text || " "} {p.id && <EntityLink dialogue={d.id} id={p.id} />}
        </div>
      ))}
    </div>
  );
}

function Scoreboard({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <details class="scoreboard" open={d.rounds.length <= 6}>
      <summary>Scoreboard</summary>
      <div class="scroll">
        <table class="grid">
          <caption class="hidden">Scores of each round with their components</caption>
          <thead>
            <tr>
              <th scope="col">Round</th>
              <th scope="col" class="figure">
                Score
              </th>
              {components.map(([letter, word]) => (
                <th scope="col" class="figure">
                  {letter} <small>{word}</small>
                </th>
              ))}
              <th scope="col" class="figure">
                Open tensions
              </th>
            </tr>
          </thead>
          <tbody>
            {d.rounds.map((r) => (
              <tr>
                <th scope="row">
                  <a href={link("dialogue", d.id, "rounds", String(r.round))}>
                    {r.round} {r.title}
                  </a>
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
    </details>
  );
}

function Answer({ d, r, slug, role }: { d: Dialogue; r: Round; slug: string; role: string }): preact.JSX.Element {
  const said = d.entities.filter((e) => e.round === r.round && e.contributors.includes(slug));
  const spoken = r.experts[slug] ?? {};
  const score = spoken.score;
  return (
    <div class="expert" key={slug}>
      <h3>
        <ExpertName slug={slug} /> <small>{role}</small> {score !== null && score !== undefined && <small class="figure">score {score}</small>}
      </h3>
      {said.length === 0 && <p class="facts">{spoken.raw ? "Answered, without a contribution of their own." : "Asked, and silent."}</p>}
      <div class="beside">
        <ul class="plain">
          {said.map((e) => (
            <Contribution d={d} e={e} />
          ))}
        </ul>
        <Raw d={d} spoken={spoken} />
      </div>
    </div>
  );
}

function lead(d: Dialogue, r: Round): string {
  const all = d.entities.filter((e) => e.round === r.round);
  const raised = all.filter((e) => e.kind === "tension").length;
  const closed = d.entities.flatMap((e) => (e.kind === "tension" ? (e.events ?? []) : [])).filter((s) => s.round === r.round && s.type === "resolved" && s.reference !== "verdict-final").length;
  const silent = Object.values(r.experts).filter((s) => !s.raw).length;
  const parts = [`${capital(count(all.length, "contribution"))}`, raised && `${count(raised, "tension")} raised`, closed && `${count(closed, "tension")} resolved`, silent && `${count(silent, "expert")} silent`];
  return `${parts.filter(Boolean).join(", ")}. Score ${r.score}, ${count(r.openTensions, "tension")} open after it.`;
}

function OneRound({ d, r }: { d: Dialogue; r: Round }): preact.JSX.Element {
  const people = d.experts.filter((expert) => expert.slug in r.experts);
  return (
    <section class="round" aria-label={`Round ${r.round}`}>
      <Heading more={r.title}>Round {r.round}</Heading>
      <p class="lead">{lead(d, r)}</p>
      {r.summary && (
        <blockquote class="synthesis">
          <small>The judge</small>
          <Text text={r.summary} d={d} />
        </blockquote>
      )}
      {people.map((expert) => (
        <Answer d={d} r={r} slug={expert.slug} role={expert.role} />
      ))}
    </section>
  );
}

/** One round at a time; a report, which may be printed, has all of them. */
export function Rounds({ d, place }: { d: Dialogue; place: Place }): preact.JSX.Element {
  const last = d.rounds[d.rounds.length - 1];
  const asked = place.path[3] ?? "";
  const shown = asked === "all" || (report && !asked) ? d.rounds : d.rounds.filter((r) => String(r.round) === (asked || String(last?.round ?? "")));
  if (!last) return <p class="facts">No round has been held yet.</p>;
  const picked = shown.length > 1 ? "all" : String(shown[0]?.round ?? "");
  return (
    <>
      <Choice
        label="Which round"
        picked={picked}
        options={[...d.rounds.map((r): [string, string] => [String(r.round), `R${r.round}`]), ["all", "all"]]}
        href={(round) => link("dialogue", d.id, "rounds", round)}
      />
      {shown.length === 0 && <p class="fault">There is no round {asked}.</p>}
      {shown.map((r) => (
        <OneRound d={d} r={r} key={r.round} />
      ))}
      <Scoreboard d={d} />
    </>
  );
}
