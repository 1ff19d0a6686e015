// history.tsx - what happened in a dialogue, event by event, the newest first; and its last lines, live.
import { useAsk, type Asked } from "../../ask";
import type { Dialogue } from "./model";
import { Heading, Loaded, Time } from "../../parts/show";
import { EntityLink } from "./show";
import { link } from "../../router";
import { list, plural } from "../../words";

interface Event {
  event: number;
  at: string;
  round?: number;
  id: string;
  type: string;
  by: string[];
  to?: string;
}

const PAGE = 200;

/** The newest page: events have numbers, and the export says how many there are. */
function useEvents(d: Dialogue, most: number): Asked<{ events: Event[] }> {
  return useAsk<{ events: Event[] }>({
    operation: "dialogue/history",
    input: { dialogue_id: d.id, after: Math.max(0, d.record.events - most), limit: most },
    room: "dialogue",
    scope: d.id,
  });
}

const made: Record<string, string> = { P: "brought", R: "recommended", T: "raised", E: "cited", C: "claimed" };

/** What events that are not about an entity come to. */
function lineOf(e: Event): string {
  if (e.type === "created" && e.id === "dialogue") return "asked the question";
  const [, thing = "", name = ""] = /^(round|panel|verdict|@)-?(.*)$/.exec(e.id) ?? [];
  if (e.type === "created" && thing === "round") return `registered round ${name}`;
  if (e.type === "created" && thing === "panel") return `seated the panel of round ${name}`;
  if (e.type === "created" && thing === "verdict") return `gave the verdict “${name}”`;
  if (e.type === "created" && thing === "@") return `seated ${name}`;
  return `${e.type} ${e.id}`;
}

/** Who did what, as a line. */
function Line({ d, e }: { d: Dialogue; e: Event }): preact.JSX.Element {
  const who = <strong>{list(e.by) || "somebody"}</strong>;
  const entity = d.byId.get(e.id);
  const [, round, expert] = /^response-(\d+)-(.+)$/.exec(e.id) ?? [];
  if (entity)
    return (
      <>
        {who} {e.type === "created" ? (made[e.id.charAt(0)] ?? "brought") : e.type} <EntityLink dialogue={d.id} id={e.id} /> <span class="what">{entity.label}</span>
      </>
    );
  if (expert)
    return (
      <>
        <strong>{expert}</strong> {e.type === "created" ? "answered" : e.type} <a href={link("dialogue", d.id, "rounds", round ?? "")}>round {round}</a>
      </>
    );
  return (
    <>
      {who} {lineOf(e)}
    </>
  );
}

function Lines({ d, events }: { d: Dialogue; events: Event[] }): preact.JSX.Element {
  return (
    <ol class="activity">
      {[...events].reverse().map((e) => (
        <li key={e.event}>
          <Time at={e.at} />
          <span>
            <Line d={d} e={e} />
          </span>
        </li>
      ))}
    </ol>
  );
}

export function Latest({ d }: { d: Dialogue }): preact.JSX.Element {
  const asked = useEvents(d, 12);
  return (
    <section aria-label="Live" class="live-feed">
      <Heading more={<a href={link("dialogue", d.id, "history")}>all of it</a>}>Live</Heading>
      <Loaded asked={asked}>{({ events }) => <Lines d={d} events={events} />}</Loaded>
    </section>
  );
}

export function History({ d }: { d: Dialogue }): preact.JSX.Element {
  const asked = useEvents(d, PAGE);
  return (
    <section aria-label="History">
      <p class="lead">
        {plural(d.record.events, "event")}, chained by hash; the last one is <code>{d.record.head.slice(0, 12)}</code>.
        {d.record.events > PAGE && ` The newest ${PAGE} are shown; conclave dialogue history ${d.id} has all of them.`}
      </p>
      <Loaded asked={asked}>{({ events }) => <Lines d={d} events={events} />}</Loaded>
    </section>
  );
}
