// dialogues.tsx - the deliberations: each with its status, its last step and its age.
import { useAsk } from "../ask";
import { link, type Place } from "../router";
import { Loaded, Status } from "../parts/show";
import { ago, plural } from "../words";

interface Row {
  dialogue_id: string;
  title: string;
  status: string;
  created_at: string;
  total_rounds: number;
  total_alignment: number | null;
}

const filters: [string, string, (row: Row) => boolean][] = [
  ["", "all", () => true],
  ["running", "running", (row) => row.status === "open" || row.status === "converging"],
  ["decided", "decided", (row) => row.status === "converged"],
  ["abandoned", "abandoned", (row) => row.status === "abandoned"],
];

function sentenceOf(rows: Row[]): string {
  const running = rows.filter((row) => row.status === "open" || row.status === "converging").length;
  const decided = rows.filter((row) => row.status === "converged").length;
  if (rows.length === 0) return "No dialogue yet. conclave dialogue create “…” starts one.";
  return `${plural(rows.length, "dialogue")}: ${running} running, ${decided} decided.`;
}

function List({ rows, filter }: { rows: Row[]; filter: string }): preact.JSX.Element {
  const keep = filters.find(([name]) => name === filter)?.[2] ?? (() => true);
  return (
    <section aria-label="Dialogues">
      <h2>
        Dialogues
        <nav class="filters" aria-label="Which dialogues">
          {filters.map(([name, word]) => (
            <a href={name ? `${link()}?show=${name}` : link()} aria-current={name === filter ? "page" : undefined}>
              {word}
            </a>
          ))}
        </nav>
      </h2>
      <ul class="rows">
        {rows.filter(keep).map((row) => (
          <li key={row.dialogue_id}>
            <a class="row" data-row href={link("dialogue", row.dialogue_id)}>
              <span class="title">
                {row.title}
                <NextStep id={row.dialogue_id} />
              </span>
              <Status word={row.status} />
              <span class="number">{plural(row.total_rounds, "round")}</span>
              <span class="age">{ago(row.created_at)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What stands in a row besides the title: the decision, or the next step. */
function NextStep({ id }: { id: string }): preact.JSX.Element {
  const asked = useAsk<{ next_step?: { text: string }; convergence: { percentage: number; tensions: number; closed_tensions: number } }>({
    operation: "dialogue/progress",
    input: { dialogue_id: id },
    room: "dialogue",
    scope: id,
  });
  const open = asked.data ? asked.data.convergence.tensions - asked.data.convergence.closed_tensions : 0;
  return (
    <span class="next">
      {asked.data && `${asked.data.convergence.percentage} % converged · ${plural(open, "open tension")} · ${asked.data.next_step?.text ?? ""}`}
    </span>
  );
}

export function Dialogues({ place, short }: { place: Place; short?: boolean }): preact.JSX.Element {
  const asked = useAsk<{ dialogues: Row[] }>({ operation: "dialogue/list", room: "dialogue" });
  return (
    <Loaded asked={asked}>
      {({ dialogues }) => (
        <>
          {!short && <h1 class="sentence">{sentenceOf(dialogues)}</h1>}
          <List rows={dialogues} filter={place.parameters.get("show") ?? ""} />
        </>
      )}
    </Loaded>
  );
}
