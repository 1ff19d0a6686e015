// home.tsx - what is going on: dialogues with their decision or next step, and what was committed lately.
import { useEffect, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { onCommit, type Commit } from "../live";
import { link, type Place } from "../router";
import { Loaded, Status } from "../parts/show";
import { ago, clock, plural } from "../words";

interface Row {
  dialogue_id: string;
  title: string;
  status: string;
  created_at: string;
  total_rounds: number;
  total_alignment: number | null;
}

interface Feed {
  entries: Commit[];
  position: string;
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

function Dialogues({ rows, filter }: { rows: Row[]; filter: string }): preact.JSX.Element {
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
              <span class="title">{row.title}</span>
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

function Activity(): preact.JSX.Element {
  const [news, setNews] = useState<Commit[]>([]);
  const feed = useAsk<Feed>({ operation: "feed", input: { limit: 1000 }, room: "-" });
  useEffect(() => onCommit((commit) => setNews((all) => [commit, ...all].slice(0, 30))), []);
  const seen = new Set(news.map((commit) => commit.position));
  const old = [...(feed.data?.entries ?? [])].reverse().filter((commit) => !seen.has(commit.position));
  return (
    <section aria-label="Activity">
      <h2>Activity</h2>
      <ol class="activity">
        {[...news, ...old].slice(0, 30).map((commit) => (
          <li key={commit.position} class={seen.has(commit.position) ? "fresh" : ""}>
            <time dateTime={commit.created_at}>{clock(commit.created_at)}</time>{" "}
            {commit.room === "dialogue" ? <a href={link("dialogue", commit.scope)}>{commit.scope}</a> : commit.scope}{" "}
            <span class="what">{commit.operation ?? "changed"}</span>{" "}
            {commit.who.length > 0 && <span class="who">{commit.who.join(", ")}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Home({ place }: { place: Place }): preact.JSX.Element {
  const asked = useAsk<{ dialogues: Row[] }>({ operation: "dialogue/list", room: "dialogue" });
  return (
    <Loaded asked={asked}>
      {({ dialogues }) => (
        <>
          <h1 class="sentence">{sentenceOf(dialogues)}</h1>
          <div class="columns">
            <Dialogues rows={dialogues} filter={place.parameters.get("show") ?? ""} />
            <Activity />
          </div>
        </>
      )}
    </Loaded>
  );
}
