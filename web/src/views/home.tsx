// home.tsx - what is going on: what waits for somebody, the project in numbers, what rooms show of themselves, what was committed lately.
import { Feed } from "../parts/feed";
import { Choice, Heading } from "../parts/show";
import type { Attention, Figure } from "../room";
import { rooms } from "../rooms";
import { linkWith, link, type Place } from "../router";
import { capital, count } from "../words";
import { AgentNames, useAgents } from "./agents";

/** All that waits, room by room. The table of rooms is constant, so the hooks are asked in the same order each time. */
function useAttention(): Attention[] {
  return rooms.flatMap((room) => room.useAttention());
}

function useFigures(): Figure[] {
  return rooms.flatMap((room) => room.useFigures?.() ?? []);
}

const signs: Record<Attention["tone"], string> = { red: "■", amber: "▲", blue: "●" };
const words: Record<Attention["tone"], string> = { red: "blocked or failed", amber: "waits", blue: "under way" };

function Needs({ all }: { all: Attention[] }): preact.JSX.Element | null {
  const order = ["red", "amber", "blue"];
  const sorted = [...all].sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
  if (all.length === 0) return null;
  return (
    <ul class="needs" aria-label="What needs attention">
      {sorted.map((one) => (
        <li key={one.text}>
          <a data-row href={one.href}>
            <span class={one.tone} role="img" aria-label={words[one.tone]}>
              {signs[one.tone]}
            </span>
            <span dir="auto">{one.text}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Figures(): preact.JSX.Element | null {
  const all = useFigures();
  if (all.every((one) => /^[0/]*$/.test(one.value))) return null; // a wall of noughts says nothing
  return (
    <ul class="figures" aria-label="The project in numbers">
      {all.map((one) => (
        <li key={one.label}>
          <a href={one.href}>
            <strong>{one.value}</strong> {one.label}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Activity({ place }: { place: Place }): preact.JSX.Element {
  const only = place.parameters.get("room") ?? "";
  return (
    <section aria-label="Activity">
      <div class="heading">
        <Heading>Activity</Heading>
        <Choice label="Activity of which room" picked={only} options={[["", "all"], ...rooms.map((room): [string, string] => [room.name, room.name])]} href={(room) => linkWith(place, { room })} />
      </div>
      <Feed {...(only ? { room: only } : {})} most={18} />
    </section>
  );
}

function Agents(): preact.JSX.Element | null {
  const agents = useAgents().data?.agents ?? [];
  if (agents.length === 0) return null;
  return (
    <section aria-label="Agents">
      <Heading more={<a href={link("agents")}>all of them</a>}>Agents</Heading>
      <AgentNames agents={agents.slice(0, 24)} />
    </section>
  );
}

export function Home({ place }: { place: Place }): preact.JSX.Element {
  const all = useAttention();
  const calm = all.filter((one) => one.tone === "blue").length;
  const urgent = all.length - calm;
  const under = calm ? `; ${count(calm, "is", "are")} under way` : "";
  return (
    <>
      <h1 class="sentence">{`${urgent ? capital(count(urgent, "thing needs", "things need")) : "Nothing needs"} attention${under}.`}</h1>
      <Needs all={all} />
      <Figures />
      <div class="columns">
        <div>
          {rooms.map((room) => room.Front && <room.Front place={place} key={room.name} />)}
          <Agents />
        </div>
        <Activity place={place} />
      </div>
    </>
  );
}
