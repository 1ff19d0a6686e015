// mail.tsx - the room of messages and tasks: mailboxes with what waits and for how long, dead letters, plans as graphs.
import { useAsk } from "../ask";
import { act, type Value } from "../api";
import { layers } from "../layout";
import { Act, person, usePeople } from "../parts/act";
import { Loaded, Person, Prose, Status } from "../parts/show";
import type { Attention, Room } from "../room";
import { link, type Place } from "../router";
import { agoSeconds, clock, plural, toneOf } from "../words";

interface Mailbox {
  agent: string;
  status: string;
  waiting: number;
  oldest_seconds: number | null;
  done: number;
  dead: number;
}

interface Message {
  message_id: string;
  agent?: string;
  from: string;
  to?: string[];
  command: string;
  state?: string;
  age_seconds: number;
  priority: number;
  accepted_at: string;
  claimed_at?: string;
  settled_at?: string;
  task_id?: string;
  plan?: string;
  reason?: string;
  error_details?: Value;
  params: { [key: string]: Value | undefined };
  receipts?: { to: string; state: string }[];
}

interface Task {
  task_id: string;
  action: string;
  target_agent: string;
  status: string;
  depends_on: string[];
}

interface Plan {
  plan: string;
  goal?: string;
  completed: number;
  failed: number;
  tasks: Task[];
}

const useStats = (): ReturnType<typeof useAsk<{ mailboxes: Mailbox[]; waiting: number; dead: number }>> =>
  useAsk({ operation: "mail/stats", room: "mail" });

function useAttention(): Attention[] {
  const people = usePeople();
  const { data } = useStats();
  const boxes = data?.mailboxes ?? [];
  return [
    ...boxes
      .filter((box) => people.includes(box.agent) && box.waiting > 0)
      .map((box): Attention => ({ text: `${plural(box.waiting, "message waits", "messages wait")} for ${box.agent}`, href: link("mail", box.agent), tone: "amber" })),
    ...boxes
      .filter((box) => box.dead > 0)
      .map((box): Attention => ({ text: `${plural(box.dead, "dead letter")} of ${box.agent}`, href: link("mail", box.agent), tone: "red" })),
  ];
}

const textOf = (m: Message): string => {
  const body = m.params["body"];
  return typeof body === "string" ? body : Object.keys(m.params).length ? "```json\n" + JSON.stringify(m.params, null, 2) + "\n```" : "";
};

function reasonOf(m: Message): string {
  const details = m.error_details;
  const more = details && typeof details === "object" && !Array.isArray(details) ? (details["message"] ?? JSON.stringify(details)) : details;
  return [m.reason, typeof more === "string" ? more : ""].filter(Boolean).join(": ");
}

function Boxes({ boxes, picked }: { boxes: Mailbox[]; picked: string }): preact.JSX.Element {
  return (
    <ul class="rows side" aria-label="Mailboxes">
      {boxes.map((box) => (
        <li key={box.agent}>
          <a class="row two" data-row href={link("mail", box.agent)} aria-current={box.agent === picked ? "page" : undefined}>
            <span class="title">
              <Person name={box.agent} /> <Status word={box.status} />
            </span>
            <span class="number">
              {box.waiting > 0 ? `${box.waiting} waiting` : "empty"}
              {box.oldest_seconds !== null && `, ${agoSeconds(box.oldest_seconds)}`}
              {box.dead > 0 && <span class="red"> · {box.dead} dead</span>}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What became of a message, as far as it is known, in the order of time. */
function Course({ m }: { m: Message }): preact.JSX.Element {
  const steps: [string, string | undefined][] = [
    ["accepted", m.accepted_at],
    ["claimed", m.claimed_at],
    [m.state ?? "settled", m.settled_at],
  ];
  return (
    <p class="facts">
      {steps.map(([word, time]) => time && <span>{`${clock(time)} ${word}`}</span>)}
      <span>priority {m.priority}</span>
      {m.plan && <a href={`${link("mail")}?plan=${encodeURIComponent(m.plan)}`}>{`${m.plan} / ${m.task_id ?? ""}`}</a>}
    </p>
  );
}

function Letter({ m }: { m: Message }): preact.JSX.Element {
  const state = m.state ?? "";
  return (
    <li key={m.message_id} class="letter">
      <div class="facts">
        <Person name={m.from} />
        <strong>{m.command === "message" ? "" : m.command}</strong>
        <Status word={state} />
        <span>{agoSeconds(m.age_seconds)}</span>
        {(state === "dead" || state === "failed" || state === "expired") && (
          <button type="button" onClick={() => void act("mail/requeue", { message_id: m.message_id, agent: m.agent, reason: `by ${person() || "a person at the dashboard"}` })}>
            Requeue
          </button>
        )}
      </div>
      {reasonOf(m) && <p class="red">{reasonOf(m)}</p>}
      <Prose text={textOf(m)} />
      <Course m={m} />
    </li>
  );
}

function Inbox({ agent }: { agent: string }): preact.JSX.Element {
  const asked = useAsk<{ messages: Message[]; waiting: number }>({ operation: "mail/inbox", input: { agent, all: true }, room: "mail" });
  return (
    <section aria-label={`Mailbox of ${agent}`}>
      <h2>
        {agent} <small>{asked.data ? `${asked.data.waiting} waiting` : ""}</small>
      </h2>
      <Loaded asked={asked}>
        {({ messages }) =>
          messages.length === 0 ? (
            <p class="facts">Nothing was sent to {agent} yet.</p>
          ) : (
            <ul class="plain">
              {messages.map((m) => (
                <Letter m={{ ...m, agent }} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

/** The rank of a task is the longest way to it: tasks that wait for nothing stand left. */
export function ranksOf(tasks: Task[]): Map<string, number> {
  const ranks = new Map<string, number>(tasks.map((t) => [t.task_id, 0]));
  for (let changed = true, turn = 0; changed && turn <= tasks.length; turn++) {
    changed = false;
    for (const t of tasks)
      for (const other of t.depends_on) {
        const rank = (ranks.get(other) ?? -1) + 1;
        if (rank > (ranks.get(t.task_id) ?? 0)) {
          ranks.set(t.task_id, rank);
          changed = true;
        }
      }
  }
  return ranks;
}

const BOX = { width: 168, height: 52 };

function Tasks({ plan }: { plan: Plan }): preact.JSX.Element {
  const ranks = ranksOf(plan.tasks);
  const edges = plan.tasks.flatMap((t) => t.depends_on.map((from) => ({ from, to: t.task_id })));
  const points = layers(plan.tasks.map((t) => ({ id: t.task_id, rank: ranks.get(t.task_id) ?? 0 })), edges, { x: BOX.width + 48, y: BOX.height + 16 });
  const all = [...points.values()];
  const top = Math.min(0, ...all.map((p) => p.y)) - BOX.height / 2 - 2;
  const width = Math.max(0, ...all.map((p) => p.x)) + BOX.width + 4;
  const height = Math.max(0, ...all.map((p) => p.y)) - top + BOX.height / 2 + 2;
  return (
    <>
      <div class="scroll">
        <svg class="tasks" width={width} height={height} viewBox={`-2 ${top} ${width} ${height}`} role="img" aria-label={`Tasks of ${plan.plan}; the table below says the same`}>
          {edges.map((e) => {
            const [a, b] = [points.get(e.from), points.get(e.to)];
            if (!a || !b) return null;
            const middle = (a.x + BOX.width + b.x) / 2;
            return <path class="edge grey" d={`M${a.x + BOX.width},${a.y} C${middle},${a.y} ${middle},${b.y} ${b.x},${b.y}`} />;
          })}
          {plan.tasks.map((t) => {
            const p = points.get(t.task_id) ?? { x: 0, y: 0 };
            return (
              <g class={`task ${toneOf(t.status.toLowerCase())}`} transform={`translate(${p.x},${p.y - BOX.height / 2})`}>
                <rect width={BOX.width} height={BOX.height} rx={6} />
                <text x={10} y={21} class="name">{`${t.task_id} · ${t.target_agent}`.slice(0, 24)}</text>
                <text x={10} y={39}>
                  {t.status.toLowerCase()}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <table class="grid">
        <caption class="hidden">Tasks of {plan.plan}</caption>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">Status</th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          {plan.tasks.map((t) => (
            <tr>
              <th scope="row">{t.task_id}</th>
              <td>{t.action.replaceAll("_", " ").toLowerCase()}</td>
              <td>
                <a href={link("mail", t.target_agent)}>{t.target_agent}</a>
              </td>
              <td>
                <Status word={t.status.toLowerCase()} />
              </td>
              <td>{t.depends_on.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function PlanView({ plan }: { plan: string }): preact.JSX.Element {
  const asked = useAsk<Plan>({ operation: "mail/graph", input: { plan }, room: "mail" });
  return (
    <section aria-label={`Plan ${plan}`}>
      <Loaded asked={asked}>
        {(p) => (
          <>
            <h2>
              {p.goal ?? p.plan} <small>{`plan ${p.plan}: ${p.completed} of ${plural(p.tasks.length, "task")} completed`}</small>
            </h2>
            <Tasks plan={p} />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Plans are known by the tasks that were delivered. */
function Plans({ boxes }: { boxes: Mailbox[] }): preact.JSX.Element {
  return (
    <>
      {boxes.map((box) => (
        <PlansOf agent={box.agent} key={box.agent} />
      ))}
    </>
  );
}

const shown = new Map<string, string>(); // a plan is drawn once, by the first mailbox that has a task of it

function PlansOf({ agent }: { agent: string }): preact.JSX.Element {
  const asked = useAsk<{ messages: Message[] }>({ operation: "mail/inbox", input: { agent, all: true }, room: "mail" });
  const plans = [...new Set((asked.data?.messages ?? []).flatMap((m) => (m.plan ? [m.plan] : [])))];
  for (const plan of plans) if (!shown.has(plan)) shown.set(plan, agent);
  return (
    <>
      {plans
        .filter((plan) => shown.get(plan) === agent)
        .map((plan) => (
          <PlanView plan={plan} key={plan} />
        ))}
    </>
  );
}

function Dead(): preact.JSX.Element {
  const asked = useAsk<{ messages: Message[] }>({ operation: "mail/dead", room: "mail" });
  return (
    <section aria-label="Dead letters">
      <h2>Dead letters</h2>
      <Loaded asked={asked}>
        {({ messages }) =>
          messages.length === 0 ? (
            <p class="facts">None: nothing was given up.</p>
          ) : (
            <ul class="plain">
              {messages.map((m) => (
                <Letter m={m} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const stats = useStats();
  const picked = place.path[1] ?? "";
  const plan = place.parameters.get("plan") ?? "";
  return (
    <Loaded asked={stats}>
      {({ mailboxes, waiting, dead }) => (
        <>
          <h1 class="sentence">
            {mailboxes.length
              ? `${plural(waiting, "message waits", "messages wait")} in ${plural(mailboxes.length, "mailbox", "mailboxes")}; ${plural(dead, "dead letter")}.`
              : "No mailbox yet. conclave mail send --to NAME “…” makes one."}
          </h1>
          <div class="columns mailing">
            <div>
              <Boxes boxes={mailboxes} picked={picked} />
              <Act
                title="Write a message"
                operation="mail/send"
                verb="Send"
                fields={[
                  { name: "to", label: "To", value: picked, hint: "names with commas between, capability:WORD, all:WORD or broadcast" },
                  { name: "body", label: "Message", kind: "long" },
                  { name: "priority", label: "Priority", kind: "choice", choices: ["medium", "critical", "high", "low"] },
                ]}
                input={(typed) => ({
                  from: person() || "User",
                  to: (typed["to"] ?? "").split(",").map((name) => name.trim()).filter(Boolean),
                  body: typed["body"],
                  priority: typed["priority"],
                })}
              >
                <p class="facts">From {person() || "User"}, a person.</p>
              </Act>
            </div>
            <div>
              {plan ? <PlanView plan={plan} /> : picked ? <Inbox agent={picked} /> : <Dead />}
              {!plan && !picked && <Plans boxes={mailboxes} />}
            </div>
          </div>
        </>
      )}
    </Loaded>
  );
}

export const mail: Room = { name: "mail", title: "Mail", useAttention, View, address: () => link("mail") };
