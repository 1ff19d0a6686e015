// experts.tsx - experts over all dialogues: how they scored, what became of what they said, who agrees with whom.
import { useAsk } from "../../ask";
import type { Agreement } from "./model";
import { Chart } from "../../parts/chart";
import { HeatMap } from "./heat";
import { Crumbs, Empty, Heading, Loaded, Person } from "../../parts/show";
import { ExpertName, Glyph, Status } from "./show";
import { link, type Place } from "../../router";
import { capital, count, list, plural } from "../../words";
import { type Kind } from "./words";

interface Summary {
  expert_slug: string;
  roles: string[];
  dialogues: number;
  rounds: number;
  total_score: number;
  contributions: number;
  tensions_raised: number;
  tensions_closed: number;
  recommendations_made: number;
  recommendations_adopted: number;
}

interface Part {
  dialogue_id: string;
  title: string;
  dialogue_status: string;
  role: string;
  tier: string;
  focus?: string;
  total_score: number | null;
  scores: { round: number; score: number }[];
  items: { id: string; kind: Kind; label: string; round: number; status: string }[];
}

interface Pair extends Agreement {
  from: string;
  to: string;
}

interface Answer {
  experts: Summary[];
  agreement: Pair[];
  dialogues: Part[];
}

const pairsOf = (all: Pair[]): Map<string, Agreement> => new Map(all.map((p) => [`${p.from} ${p.to}`, p]));

const of = (part: number, whole: number): string => (whole ? `${part} of ${whole}` : "–");

function Table({ experts }: { experts: Summary[] }): preact.JSX.Element {
  return (
    <div class="scroll">
      <table class="grid">
        <caption class="hidden">Experts of all dialogues</caption>
        <thead>
          <tr>
            <th scope="col">Expert</th>
            <th scope="col" class="on-wide">
              Roles
            </th>
            <th scope="col" class="figure">
              Dialogues
            </th>
            <th scope="col" class="figure">
              Score
            </th>
            <th scope="col" class="figure">
              Contributions
            </th>
            <th scope="col" class="figure">
              Tensions closed
            </th>
            <th scope="col" class="figure">
              Recommendations adopted
            </th>
          </tr>
        </thead>
        <tbody>
          {experts.map((e) => (
            <tr key={e.expert_slug}>
              <th scope="row">
                <ExpertName slug={e.expert_slug} />
                <span class="facts on-narrow">{e.roles.join(", ")}</span>
              </th>
              <td class="on-wide">{e.roles.join(", ")}</td>
              <td class="figure">{e.dialogues}</td>
              <td class="figure">{e.total_score}</td>
              <td class="figure">{e.contributions}</td>
              <td class="figure">{of(e.tensions_closed, e.tensions_raised)}</td>
              <td class="figure">{of(e.recommendations_adopted, e.recommendations_made)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function All(): preact.JSX.Element {
  const asked = useAsk<Answer>({ operation: "dialogue/experts", room: "dialogue" });
  return (
    <Loaded asked={asked}>
      {({ experts, agreement }) => (
        <>
          {experts.length ? (
            <>
              <h1 class="sentence">{`${capital(count(experts.length, "expert"))} sat in the dialogues of this project. ${capital(experts[0]?.expert_slug ?? "")} scored most.`}</h1>
              <Table experts={experts} />
              <HeatMap people={experts.slice(0, 40).map((e) => e.expert_slug)} pairs={pairsOf(agreement)} />
            </>
          ) : (
            <Empty title="No expert has sat on a panel yet.">
              A dialogue begins with a panel: <code>conclave ask "Tea or coffee?"</code>
            </Empty>
          )}
        </>
      )}
    </Loaded>
  );
}

const kindsOf: [Kind, string][] = [
  ["tension", "Tensions"],
  ["recommendation", "Recommendations"],
  ["perspective", "Perspectives"],
  ["claim", "Claims"],
  ["evidence", "Evidence"],
];

function Items({ parts }: { parts: Part[] }): preact.JSX.Element {
  const items = parts.flatMap((p) => p.items.map((item) => ({ ...item, dialogue: p.dialogue_id })));
  return (
    <section aria-label="What became of it">
      <Heading>What became of what they said</Heading>
      {kindsOf.map(([kind, word]) => {
        const own = items.filter((item) => item.kind === kind);
        return (
          own.length > 0 && (
            <details open={kind === "tension" || kind === "recommendation"}>
              <summary>
                {word} <small>{own.length}</small>
              </summary>
              <ul class="plain">
                {own.slice(0, 100).map((item) => (
                  <li key={`${item.dialogue} ${item.id}`}>
                    <div class="tension">
                      <Glyph kind={item.kind} status={item.status} />
                      <a class="id" href={link("dialogue", item.dialogue, "item", item.id)}>
                        {item.id}
                      </a>
                      <span class="label" dir="auto">
                        {item.label}
                      </span>
                      <Status word={item.status} kind={item.kind} />
                    </div>
                  </li>
                ))}
              </ul>
            </details>
          )
        );
      })}
    </section>
  );
}

/** How the scores of the rounds went, in words. */
function courseOf(scores: number[]): string {
  const [first = 0, last = 0] = [scores[0], scores[scores.length - 1]];
  const way = last > first ? `rose from ${first} to ${last}` : last < first ? `fell from ${first} to ${last}` : `was ${first} at first and at last`;
  return `The score ${way} in ${count(scores.length, "round")}.`;
}

function Scores({ part }: { part: Part }): preact.JSX.Element {
  return (
    <li>
      <a href={link("dialogue", part.dialogue_id)}>{part.title}</a> <span class="facts">{[part.role, part.tier, part.dialogue_status, part.total_score !== null && `score ${part.total_score}`].filter(Boolean).join(" · ")}</span>
      {part.scores.length > 1 && (
        <Chart
          title={courseOf(part.scores.map((s) => s.score))}
          labels={part.scores.map((s) => `R${s.round}`)}
          series={[{ name: "score", tone: "accent", values: part.scores.map((s) => s.score) }]}
          height={96}
        />
      )}
    </li>
  );
}

function One({ slug }: { slug: string }): preact.JSX.Element {
  const asked = useAsk<Answer>({ operation: "dialogue/experts", input: { expert: slug }, room: "dialogue" });
  return (
    <Loaded asked={asked}>
      {({ experts, agreement, dialogues }) => {
        const e = experts.find((one) => one.expert_slug === slug);
        if (!e) return <p class="fault">No expert of this project is called {slug}.</p>;
        const others = [...new Set(agreement.flatMap((p) => [p.from, p.to]))].filter((other) => other !== slug);
        return (
          <article>
            <Crumbs>
              <a href={link("experts")}>Experts</a> <span>›</span> <span>{slug}</span>
            </Crumbs>
            <h1>
              <Person name={slug} />
            </h1>
            <p class="lead">
              {capital(list(e.roles))}. {capital(count(e.contributions, "contribution"))} in {count(e.dialogues, "dialogue")}, score {e.total_score}.
              {e.tensions_raised > 0 && ` ${e.tensions_closed} of ${plural(e.tensions_raised, "tension")} closed.`}
              {e.recommendations_made > 0 && ` ${e.recommendations_adopted} of ${plural(e.recommendations_made, "recommendation")} adopted.`}
            </p>
            {dialogues[0]?.focus && <p class="facts">{dialogues[0].focus}</p>}
            <div class="columns">
              <section aria-label="Dialogues">
                <Heading>Scores by dialogue</Heading>
                <ul class="plain">
                  {dialogues.map((part) => (
                    <Scores part={part} key={part.dialogue_id} />
                  ))}
                </ul>
                <HeatMap people={[slug, ...others]} pairs={pairsOf(agreement)} />
              </section>
              <Items parts={dialogues} />
            </div>
          </article>
        );
      }}
    </Loaded>
  );
}

export function ExpertsView({ place }: { place: Place }): preact.JSX.Element {
  const slug = place.path[1] ?? "";
  return slug ? <One slug={slug} key={slug} /> : <All />;
}
