// home.tsx - what is going on: what waits for somebody, the dialogues, and what was committed lately in every room.
import { useEffect, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { onCommit, type Commit } from "../live";
import type { Attention } from "../room";
import { addressOf, rooms } from "../rooms";
import { link, type Place } from "../router";
import { clock, plural } from "../words";
import { Dialogues } from "./dialogues";

interface Feed {
  entries: Commit[];
  position: string;
}

/** All that waits, room by room. The table of rooms is constant, so the hooks are asked in the same order each time. */
function useAttention(): Attention[] {
  return rooms.flatMap((room) => room.useAttention());
}

function Needs({ all }: { all: Attention[] }): preact.JSX.Element {
  const signs: Record<Attention["tone"], string> = { red: "■", amber: "▲", blue: "●" };
  const order = ["red", "amber", "blue"];
  const sorted = [...all].sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
  if (all.length === 0) return <p class="facts">Nobody waits for anything.</p>;
  return (
    <ul class="needs" aria-label="What needs attention">
      {sorted.map((one) => (
        <li key={one.text}>
          <a data-row href={one.href}>
            <span class={one.tone} aria-hidden="true">
              {signs[one.tone]}
            </span>{" "}
            {one.text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Activity({ only }: { only: string }): preact.JSX.Element {
  const [news, setNews] = useState<Commit[]>([]);
  const feed = useAsk<Feed>({ operation: "feed", input: { limit: 1000 }, room: "-" });
  useEffect(() => onCommit((commit) => setNews((all) => [commit, ...all].slice(0, 30))), []);
  const seen = new Set(news.map((commit) => commit.position));
  const old = [...(feed.data?.entries ?? [])].reverse().filter((commit) => !seen.has(commit.position));
  return (
    <section aria-label="Activity">
      <h2>
        Activity
        <nav class="filters" aria-label="Activity of which room">
          {["", ...rooms.map((room) => room.name)].map((name) => (
            <a href={name ? `${link()}?room=${name}` : link()} aria-current={only === name ? "page" : undefined}>
              {name || "all"}
            </a>
          ))}
        </nav>
      </h2>
      <ol class="activity">
        {[...news, ...old].filter((c) => !only || c.room === only).slice(0, 20).map((commit) => (
          <li key={commit.position} class={seen.has(commit.position) ? "fresh" : ""}>
            <time dateTime={commit.created_at}>{clock(commit.created_at)}</time>{" "}
            <a href={addressOf(commit.room, commit.scope)}>{commit.scope || commit.room}</a>{" "}
            <span class="what">{commit.operation ?? "changed"}</span>{" "}
            {commit.who.length > 0 && <span class="who">{commit.who.join(", ")}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}


export function Home({ place }: { place: Place }): preact.JSX.Element {
  const all = useAttention();
  const urgent = all.filter((one) => one.tone !== "blue").length;
  return (
    <>
      <h1 class="sentence">
        {urgent ? `${plural(urgent, "thing needs", "things need")} attention.` : "Nothing needs attention."}
      </h1>
      <Needs all={all} />
      <div class="columns">
        <Dialogues place={place} short />
        <Activity only={place.parameters.get("room") ?? ""} />
      </div>
    </>
  );
}
