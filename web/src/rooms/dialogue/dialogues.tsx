// dialogues.tsx - the deliberations: each with its question, what was decided or comes next, and how far it is.
import { useAsk } from "../../ask";
import { Act } from "../../parts/act";
import { Choice, Empty, Heading, Loaded } from "../../parts/show";
import { awaited, type Waiting } from "./model";
import { go, link, linkWith, type Place } from "../../router";
import { ago, capital, count, cut, isolate, plural, vote } from "../../words";

interface Row {
  dialogue_id: string;
  title: string;
  status: string;
  created_at: string;
  total_rounds: number;
  /** Put away: shown only when it is asked for. */
  archived?: boolean;
  tags?: string[];
}

interface Page {
  question: string | null;
  decision: { recommendation: string; vote?: string | null } | null;
  next_step?: { text: string };
  convergence: { percentage: number; tensions: number; closed_tensions: number };
}

const running = (row: Row): boolean => row.status === "open" || row.status === "converging";

const filters: [string, (row: Row) => boolean][] = [
  ["all", (row) => !row.archived],
  ["running", (row) => !row.archived && running(row)],
  ["decided", (row) => !row.archived && row.status === "converged"],
  ["abandoned", (row) => !row.archived && row.status === "abandoned"],
  ["archived", (row) => Boolean(row.archived)],
];

const LONGEST = 240; // letters of a question, or of a decision, in a row
const MOST = 50; // rows; the rest is found by searching

function sentenceOf(rows: Row[]): string {
  const decided = rows.filter((row) => row.status === "converged").length;
  return `${capital(count(rows.length, "dialogue"))}: ${count(rows.filter(running).length, "is", "are")} running, ${count(decided, "is", "are")} decided.`;
}

function sign(row: Row): [string, string] {
  if (row.status === "converged") return ["✔", "green"];
  return row.status === "abandoned" ? ["○", "grey"] : ["◐", "amber"];
}

/** Whom the round under way waits for, or the next step. */
function Next({ row, page }: { row: Row; page: Page }): preact.JSX.Element {
  const { data } = useAsk<Waiting>({ operation: "dialogue/round-verify", input: { dialogue_id: row.dialogue_id }, room: "dialogue", scope: row.dialogue_id });
  return <span class="next">{awaited(data) || (page.next_step?.text ?? "")}</span>;
}

/** The decision, or what comes next. */
function Line({ row, page }: { row: Row; page: Page | undefined }): preact.JSX.Element {
  if (!page) return <span class="next">{row.status}</span>;
  if (!page.decision && running(row)) return <Next row={row} page={page} />;
  const result = page.decision?.vote ? ` (${vote(page.decision.vote)})` : "";
  return (
    <span class="next" dir="auto">
      {page.decision ? `Decided: ${isolate(cut(page.decision.recommendation, LONGEST))}${result}` : "Abandoned without a decision."}
    </span>
  );
}

function Entry({ row }: { row: Row }): preact.JSX.Element {
  const { data } = useAsk<Page>({ operation: "dialogue/show", input: { dialogue_id: row.dialogue_id }, room: "dialogue", scope: row.dialogue_id });
  const [glyph, tone] = sign(row);
  const open = data ? data.convergence.tensions - data.convergence.closed_tensions : 0;
  return (
    <a class="row dialogue-row" data-row href={link("dialogue", row.dialogue_id)}>
      <span class={`sign ${tone}`} aria-hidden="true">
        {glyph}
      </span>
      <span class="title" dir="auto">
        {cut(data?.question ?? row.title, LONGEST)} {(row.tags ?? []).map((tag) => <span class="tag">#{tag}</span>)}
        <Line row={row} page={data} />
      </span>
      <span class="far">
        {plural(row.total_rounds, "round")}
        {data && running(row) && (
          <>
            {" · "}
            <span class={open ? "amber" : ""}>{open} open</span>
            {` · ${data.convergence.percentage} % converged`}
            <span class="bar" style={{ "--part": `${data.convergence.percentage}%` }} role="img" title="how far it has converged" aria-label={`${data.convergence.percentage} % converged`} />
          </>
        )}
      </span>
      <span class="age">{ago(row.created_at)}</span>
    </a>
  );
}

/** A question, and who is asked: a panel that the program or the project has. */
function Ask(): preact.JSX.Element {
  const panels = useAsk<{ panels: { name: string }[] }>({ operation: "dialogue/panel-list", room: "-" });
  return (
    <Act
      title="Ask a question"
      operation="dialogue/create"
      verb="Begin"
      fields={[
        { name: "title", label: "Title", hint: "a few words; its address is made of them" },
        { name: "question", label: "Question", kind: "long", hint: "the question to decide" },
        { name: "panel", label: "Panel", kind: "choice", choices: (panels.data?.panels ?? []).map((p) => p.name) },
      ]}
      input={(typed) => ({ title: typed["title"], question: typed["question"] || undefined, panel: typed["panel"] || undefined })}
      onDone={(answer) => go(link("dialogue", (answer as { dialogue_id: string }).dialogue_id))}
    />
  );
}

export function Dialogues({ place, short }: { place: Place; short?: boolean }): preact.JSX.Element {
  const asked = useAsk<{ dialogues: Row[] }>({ operation: "dialogue/list", input: { limit: 1000, all: true }, room: "dialogue" });
  const filter = place.parameters.get("show") ?? "all";
  const keep = filters.find(([name]) => name === filter)?.[1] ?? (() => true);
  return (
    <Loaded asked={asked}>
      {({ dialogues }) => {
        const rows = dialogues.filter(keep);
        return (
          <section aria-label="Dialogues">
            {!short && dialogues.length > 0 && <h1 class="sentence">{sentenceOf(dialogues.filter((row) => !row.archived))}</h1>}
            {(short || dialogues.length > 0) && (
            <div class="heading">
              {short && <Heading>Dialogues</Heading>}
              {dialogues.length > 0 && <Choice label="Which dialogues" picked={filter} options={filters.map(([name]) => [name, name])} href={(show) => linkWith(place, { show: show === "all" ? "" : show })} />}
            </div>
            )}
            {dialogues.length === 0 && (
              <Empty title="No dialogue yet." short={short}>
                Ask a question below; or let agents answer one: <code>conclave ask "Tea or coffee?"</code>
              </Empty>
            )}
            {dialogues.length > 0 && rows.length === 0 && <p class="facts">None.</p>}
            <ul class="rows">
              {rows.slice(0, short ? 8 : MOST).map((row) => (
                <li key={row.dialogue_id}>
                  <Entry row={row} />
                </li>
              ))}
            </ul>
            {rows.length > (short ? 8 : MOST) && (
              <p class="facts">
                {short ? <a href={link("dialogue")}>{plural(rows.length - 8, "more", "more")}</a> : `${rows.length - MOST} older ones are not shown: search for them, or conclave dialogue list.`}
              </p>
            )}
            <Ask />
          </section>
        );
      }}
    </Loaded>
  );
}
