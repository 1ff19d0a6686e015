// run.tsx - a run of a dialogue with real agents: one live line for each expert and the judge, as on the terminal.
import { useEffect, useState } from "preact/hooks";
import { useAsk } from "../../ask";
import type { Dialogue } from "./model";
import { Heading, Person } from "../../parts/show";
import { ExpertName } from "./show";
import { capital, plural } from "../../words";

interface Attempt {
  round: number;
  who: string;
  attempt: number;
  task: string;
  agent: string;
  model?: string;
  state: string;
  message?: string;
  started_at: string;
  duration_ms?: number;
  markers?: number;
}

interface Status {
  state: string;
  why?: string;
  message?: string;
  next_round: number;
  spent: { calls: number; tokens_in: number; tokens_out: number; estimated_tokens: number; cost: number };
  attempts?: Attempt[];
}

/** Words for how the last attempt stands, with a sign and a colour of their own. */
const looks: Record<string, [string, string]> = {
  started: ["◐", "blue"],
  answered: ["✓", "green"],
  unmarked: ["▲", "amber"],
  faulty: ["▲", "amber"],
  lost: ["▲", "amber"],
};

function seconds(ms: number): string {
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.floor(ms / 1000) % 60} s`;
}

/** Now, once a second, while somebody is waited for. */
function useNow(ticks: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}

/** How one stands, in words. */
export function standingOf(last: Attempt | undefined, goesOn: boolean, now: number): string {
  if (!last) return goesOn ? "waiting" : "not asked";
  const again = last.attempt > 1 ? ` · attempt ${last.attempt}` : "";
  if (last.state === "started") return `${goesOn ? `thinking · ${seconds(Math.max(0, now - Date.parse(last.started_at)))}` : "interrupted"}${again}`;
  const took = last.duration_ms === undefined ? "" : ` · ${seconds(last.duration_ms)}`;
  if (last.state === "answered") return `answered${last.markers === undefined ? "" : ` · ${plural(last.markers, "marker")}`}${took}${again}`;
  return `${last.state.replaceAll("_", " ")}${took}${again}${last.message ? `: ${last.message}` : ""}`;
}

function Line({ who, role, last, goesOn, now }: { who: string; role: string; last: Attempt | undefined; goesOn: boolean; now: number }): preact.JSX.Element {
  const [sign, tone] = last ? (looks[last.state] ?? ["■", "red"]) : ["○", "grey"];
  return (
    <li class="seat">
      <span>
        {who === "judge" ? <Person name="judge" /> : <ExpertName slug={who} />} <small>{role}</small>
      </span>
      <span class={tone}>
        <span aria-hidden="true">{sign}</span> {standingOf(last, goesOn, now)}
      </span>
      <small>{last?.model ?? last?.agent ?? ""}</small>
    </li>
  );
}

function spentOf({ calls, tokens_in, tokens_out, estimated_tokens, cost }: Status["spent"]): string {
  const tokens = tokens_in + tokens_out + estimated_tokens;
  return [plural(calls, "call"), tokens > 0 && `${estimated_tokens ? "about " : ""}${tokens.toLocaleString("en")} tokens`, cost > 0 && `$${(cost / 1e6).toFixed(2)}`].filter(Boolean).join(", ");
}

function Seats({ d }: { d: Dialogue }): preact.JSX.Element | null {
  const { data } = useAsk<Status>({ operation: "run/status", input: { dialogue_id: d.id, attempts: true }, room: "run", scope: d.id });
  const attempts = (data?.attempts ?? []).filter((a) => a.task !== "control");
  const goesOn = data?.state === "running" || data?.state === "waiting";
  const now = useNow(goesOn && attempts.some((a) => a.state === "started"));
  if (!data) return null;
  const round = Math.max(data.state === "ended" ? 0 : data.next_round, ...attempts.map((a) => a.round));
  const of = (who: string): Attempt | undefined => attempts.filter((a) => a.who === who && a.round === round).sort((a, b) => b.attempt - a.attempt)[0];
  const judge = of("judge");
  return (
    <section aria-label="Run" class="run">
      <Heading more={`round ${round} · ${spentOf(data.spent)}`}>Run {data.state}</Heading>
      {!goesOn && (data.why || data.message) && <p class="lead">{[data.why && `${capital(data.why)}.`, data.message].filter(Boolean).join(" ")}</p>}
      <ul class="plain">
        {d.experts.map((e) => (
          <Line who={e.slug} role={e.role} last={of(e.slug)} goesOn={goesOn} now={now} key={e.slug} />
        ))}
        {judge && <Line who="judge" role="" last={judge} goesOn={goesOn} now={now} />}
      </ul>
    </section>
  );
}

/** Nothing as long as it never ran: then the feed has nothing of it. */
export function Run({ d }: { d: Dialogue }): preact.JSX.Element | null {
  const { data } = useAsk<{ entries: unknown[] }>({ operation: "feed", input: { after: "start", limit: 1, room: "run", scope: d.id }, room: "run", scope: d.id });
  return data?.entries.length ? <Seats d={d} /> : null;
}
