// mail.tsx - the room of messages and tasks: mailboxes, their messages, one message with its course; dead letters; plans.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { useAsk, useAskAll } from "../ask";
import { act, person, type Value } from "../api";
import { Act, usePeople } from "../parts/act";
import { Layered, type Box, type Line } from "../parts/layered";
import { savePicture } from "../parts/picture";
import { AgentName, Crumbs, Empty, Heading, Loaded, Person, Prose, Status, Time } from "../parts/show";
import type { Attention, Figure, Room } from "../room";
import { go, link, type Place } from "../router";
import { agoSeconds, capital, count, cut, plural, toneOf } from "../words";

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
  lease_until?: string;
  attempts?: number;
  task_id?: string;
  plan?: string;
  reason?: string;
  error_details?: Value;
  params: { [key: string]: Value | undefined };
  receipts?: { to: string; state: string; at?: string }[];
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

const useStats = (): ReturnType<typeof useAsk<{ mailboxes: Mailbox[]; waiting: number; dead: number }>> => useAsk({ operation: "mail/stats", room: "mail" });

function useAttention(): Attention[] {
  const people = usePeople();
  const boxes = useStats().data?.mailboxes ?? [];
  return [
    ...boxes
      .filter((box) => box.dead > 0)
      .map((box): Attention => ({ text: `${plural(box.dead, "dead letter")} of ${box.agent}`, href: link("mail", box.agent), tone: "red" })),
    ...boxes
      .filter((box) => people.includes(box.agent) && box.waiting > 0)
      .map((box): Attention => ({ text: `${plural(box.waiting, "message waits", "messages wait")} for ${box.agent}`, href: link("mail", box.agent), tone: "amber" })),
  ];
}

function useFigures(): Figure[] {
  const { data } = useStats();
  return data ? [{ value: String(data.waiting), label: data.waiting === 1 ? "message waits" : "messages wait", href: link("mail") }] : [];
}

/** Who is there, and what waits for them. */
function useAgentNotes(): Map<string, string> {
  return new Map(
    (useStats().data?.mailboxes ?? []).map((box): [string, string] => [
      box.agent,
      [box.status, box.waiting > 0 ? `${box.waiting} waiting${box.oldest_seconds !== null ? `, the oldest ${agoSeconds(box.oldest_seconds)}` : ""}` : "", box.dead > 0 ? plural(box.dead, "dead letter") : ""].filter(Boolean).join(" · "),
    ]),
  );
}

const textOf = (m: Message): string => {
  const body = m.params["body"];
  return typeof body === "string" ? body : Object.keys(m.params).length ? "```json\n" + JSON.stringify(m.params, null, 2) + "\n```" : "";
};

const subjectOf = (m: Message): string => {
  const body = m.params["body"];
  if (typeof body === "string") return body.split("\n")[0] ?? "";
  return [m.command.replaceAll("_", " ").toLowerCase(), m.task_id && `task ${m.task_id}`].filter(Boolean).join(" · ");
};

function reasonOf(m: Message): string {
  const details = m.error_details;
  const more = details && typeof details === "object" && !Array.isArray(details) ? (details["message"] ?? JSON.stringify(details)) : details;
  return [m.reason, typeof more === "string" ? more : ""].filter(Boolean).join(": ");
}

// ---- mailboxes and their messages ----

function Boxes({ boxes, picked }: { boxes: Mailbox[]; picked: string }): preact.JSX.Element {
  return (
    <ul class="rows side-list" aria-label="Mailboxes">
      {boxes.map((box) => (
        <li key={box.agent}>
          <a class="row two" data-row href={link("mail", box.agent)} aria-current={box.agent === picked ? "true" : undefined}>
            <span class="title">
              <Person name={box.agent} /> <Status word={box.status} />
            </span>
            <span class="next">
              {box.waiting > 0 ? `${box.waiting} waiting` : "empty"}
              {box.oldest_seconds !== null && box.waiting > 0 && `, the oldest ${agoSeconds(box.oldest_seconds)}`}
              {box.dead > 0 && (
                <>
                  ; <span class="red">{box.dead}&nbsp;dead</span>
                </>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Requeue({ m }: { m: Message }): preact.JSX.Element | null {
  if (!["dead", "failed", "expired"].includes(m.state ?? "")) return null;
  const reason = `by ${person() || "a person at the dashboard"}`;
  return (
    <button type="button" onClick={() => void act("mail/requeue", { message_id: m.message_id, agent: m.agent, reason })}>
      Requeue
    </button>
  );
}

function Rows({ agent, messages, picked }: { agent: string; messages: Message[]; picked: string }): preact.JSX.Element {
  return (
    <ul class="rows" aria-label="Messages">
      {[...messages].reverse().map((m) => (
        <li key={m.message_id}>
          <a class="row letter-row" data-row href={link("mail", agent, m.message_id)} aria-current={m.message_id === picked ? "true" : undefined}>
            <span class="title" dir="auto">
              {cut(subjectOf(m), 120) || "(empty)"}
              <span class="next">
                from {m.from}, {agoSeconds(m.age_seconds)}
              </span>
            </span>
            <Status word={m.state ?? ""} />
          </a>
        </li>
      ))}
    </ul>
  );
}

/** What became of a message, in the order of time. */
function Course({ m }: { m: Message }): preact.JSX.Element {
  const steps: [string, string | undefined][] = [
    [`sent by ${m.from}`, m.accepted_at],
    ["claimed", m.claimed_at],
    [m.state ?? "settled", m.settled_at],
  ];
  return (
    <ol class="steps" aria-label="Course of the message">
      {steps.map(
        ([word, time]) =>
          time && (
            <li>
              <span class="when">
                <Time at={time} />
              </span>{" "}
              {word}
            </li>
          ),
      )}
      {(m.receipts ?? []).map((r) => (
        <li>
          <span class="when">now</span> {r.state} at {r.to}
        </li>
      ))}
    </ol>
  );
}

function Letter({ m, whole }: { m: Message; whole: boolean }): preact.JSX.Element {
  return (
    <article class="letter" aria-label={subjectOf(m)}>
      <div class="facts">
        <AgentName name={m.from} />
        <span>→ {(m.to ?? [m.agent ?? ""]).join(", ")}</span>
        {m.command !== "message" && <strong>{m.command}</strong>}
        <Status word={m.state ?? ""} />
        <span>priority {m.priority}</span>
        {m.plan && <a href={`${link("mail")}?plan=${encodeURIComponent(m.plan)}`}>{`${m.plan} / ${m.task_id ?? ""}`}</a>}
        <Requeue m={m} />
      </div>
      {reasonOf(m) && <p class="red">■ {reasonOf(m)}</p>}
      <Prose text={textOf(m)} />
      {whole && <Course m={m} />}
    </article>
  );
}

function One({ agent, id, known }: { agent: string; id: string; known: Message | undefined }): preact.JSX.Element {
  const asked = useAsk<{ message: Message }>({ operation: "mail/read", input: { message_id: id, agent }, room: "mail" });
  return <Loaded asked={asked}>{({ message }) => <Letter m={{ ...known, ...message, agent, state: known?.state ?? message.state ?? "" }} whole />}</Loaded>;
}

function Inbox({ agent, picked }: { agent: string; picked: string }): preact.JSX.Element {
  const asked = useAsk<{ messages: Message[]; waiting: number }>({ operation: "mail/inbox", input: { agent, all: true }, room: "mail" });
  return (
    <section aria-label={`Mailbox of ${agent}`}>
      <Heading more={asked.data ? `${asked.data.waiting} waiting` : ""}>{agent}</Heading>
      <Loaded asked={asked}>
        {({ messages }) => {
          if (messages.length === 0) return <p class="facts">Nothing was sent to {agent} yet.</p>;
          const id = picked || (messages[messages.length - 1]?.message_id ?? "");
          return (
            <div class="columns reading">
              <Rows agent={agent} messages={messages} picked={id} />
              <One agent={agent} id={id} known={messages.find((m) => m.message_id === id)} key={id} />
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}

function Dead(): preact.JSX.Element {
  const asked = useAsk<{ messages: Message[] }>({ operation: "mail/dead", room: "mail" });
  return (
    <section aria-label="Dead letters">
      <Heading>Dead letters</Heading>
      <Loaded asked={asked}>
        {({ messages }) => (messages.length === 0 ? <p class="facts">None: nothing was given up.</p> : <>{messages.map((m) => <Letter m={{ ...m, state: m.state ?? "dead" }} whole={false} key={m.message_id} />)}</>)}
      </Loaded>
    </section>
  );
}

// ---- plans ----

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

/** The longest chain of tasks that are not completed: what the end has to wait for. */
export function criticalPath(tasks: Task[]): string[] {
  const left = tasks.filter((t) => t.status !== "COMPLETED");
  const ranks = ranksOf(left.map((t) => ({ ...t, depends_on: t.depends_on.filter((id) => left.some((x) => x.task_id === id)) })));
  const by = (a: Task, b: Task): number => (ranks.get(b.task_id) ?? 0) - (ranks.get(a.task_id) ?? 0);
  const path: string[] = [];
  let next = [...left].sort(by)[0];
  while (next && !path.includes(next.task_id)) {
    path.unshift(next.task_id);
    const before = next.depends_on;
    next = left.filter((t) => before.includes(t.task_id)).sort(by)[0];
  }
  return path;
}

const signs: Record<string, string> = { completed: "✓", failed: "✗", running: "◐" };

function Drawing({ plan, critical }: { plan: Plan; critical: string[] }): preact.JSX.Element {
  const boxes = useMemo((): Box[] => {
    const ranks = ranksOf(plan.tasks);
    return plan.tasks.map((t) => {
      const status = t.status.toLowerCase();
      return { id: t.task_id, rank: ranks.get(t.task_id) ?? 0, tone: toneOf(status), shape: signs[status] ?? "○", name: t.task_id, below: `${t.target_agent} · ${status}` };
    });
  }, [plan]);
  const lines = useMemo(() => {
    const holds = new Set(critical);
    return plan.tasks.flatMap((t) => t.depends_on.map((from): Line => (holds.has(from) && holds.has(t.task_id) ? { from, to: t.task_id, look: "critical", tone: "ink" } : { from, to: t.task_id, look: "", tone: "grey" })));
  }, [plan]);
  const byId = new Map(plan.tasks.map((t) => [t.task_id, t]));
  const tell = (t: Task | undefined): ComponentChildren =>
    t && (
      <>
        <strong>{t.task_id}</strong> {t.action.replaceAll("_", " ").toLowerCase()}
        <div class="facts">
          {t.target_agent} · {t.status.toLowerCase()}
        </div>
      </>
    );
  return (
    <Layered
      boxes={boxes}
      lines={lines}
      label={`Tasks of ${plan.plan}; the table below says the same`}
      onOpen={(id) => go(link("mail", byId.get(id)?.target_agent ?? ""))}
      tellBox={(id) => tell(byId.get(id))}
      tellLine={({ from, to }) => `${to} waits for ${from}`}
    />
  );
}

function TaskTable({ plan, critical }: { plan: Plan; critical: string[] }): preact.JSX.Element {
  return (
    <div class="scroll">
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
              <th scope="row">
                {t.task_id} {critical.includes(t.task_id) && <span class="tag">critical</span>}
              </th>
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
    </div>
  );
}

function PlanView({ plan }: { plan: string }): preact.JSX.Element {
  const asked = useAsk<Plan>({ operation: "mail/graph", input: { plan }, room: "mail" });
  return (
    <section aria-label={`Plan ${plan}`} class="plan">
      <Loaded asked={asked}>
        {(p) => {
          const critical = criticalPath(p.tasks);
          return (
            <>
              <Heading more={<a href={`${link("mail")}?plan=${encodeURIComponent(p.plan)}`}>plan {p.plan}</a>}>{p.goal ?? p.plan}</Heading>
              <p class="lead">
                {`${p.completed} of ${plural(p.tasks.length, "task")} completed.`}
                {critical.length > 0 && ` The end waits for ${critical.join(" → ")}.`}{" "}
                <button
                  type="button"
                  class="quiet picture"
                  onClick={(event) => {
                    const box = event.currentTarget.closest("section");
                    if (box) void savePicture(box, p.plan);
                  }}
                >
                  PNG
                </button>
              </p>
              <Drawing plan={p} critical={critical} />
              <TaskTable plan={p} critical={critical} />
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

/** Plans are known by the tasks that were delivered. */
function Plans({ boxes }: { boxes: Mailbox[] }): preact.JSX.Element {
  const inboxes = useAskAll<{ messages: Message[] }>("mail", "mail/inbox", boxes.map((box) => ({ agent: box.agent, all: true })));
  const plans = [...new Set(inboxes.flatMap((inbox) => inbox.messages.flatMap((m) => (m.plan ? [m.plan] : []))))];
  return (
    <>
      {plans.map((plan) => (
        <PlanView plan={plan} key={plan} />
      ))}
    </>
  );
}

// ---- the view ----

function Write({ to }: { to: string }): preact.JSX.Element {
  return (
    <Act
      title="Write a message"
      operation="mail/send"
      verb="Send"
      fields={[
        { name: "to", label: "To", value: to, hint: "names with commas between, capability:WORD, all:WORD or broadcast" },
        { name: "body", label: "Message", kind: "long" },
        { name: "priority", label: "Priority", kind: "choice", choices: ["medium", "critical", "high", "low"] },
      ]}
      input={(typed) => ({
        from: person() || "User",
        to: (typed["to"] ?? "")
          .split(",")
          .map((name) => name.trim())
          .filter(Boolean),
        body: typed["body"],
        priority: typed["priority"],
      })}
    >
      <p class="facts">From {person() || "User"}, a person.</p>
    </Act>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const stats = useStats();
  const [, picked = "", message = ""] = place.path;
  const plan = place.parameters.get("plan") ?? "";
  return (
    <Loaded asked={stats}>
      {({ mailboxes, waiting, dead }) => (
        <>
          {(picked || plan) && (
            <Crumbs>
              <a href={link("mail")}>Mail</a> <span>›</span> <span>{picked || plan}</span>
            </Crumbs>
          )}
          {mailboxes.length ? (
            <h1 class="sentence">{`${capital(count(waiting, "message waits", "messages wait"))} in ${count(mailboxes.length, "mailbox", "mailboxes")}${dead ? `; ${count(dead, "dead letter")}` : ""}.`}</h1>
          ) : (
            <Empty title="No mailbox yet.">
              Every agent has one: <code>conclave agent add NAME</code>, then <code>conclave mail send --to NAME "Hello"</code>
            </Empty>
          )}
          <div class="columns mailing">
            <div>
              <Boxes boxes={mailboxes} picked={picked} />
              <Write to={picked} key={picked} />
            </div>
            <div>
              {plan ? <PlanView plan={plan} /> : picked ? <Inbox agent={picked} picked={message} key={picked} /> : <Dead />}
              {!plan && !picked && <Plans boxes={mailboxes} />}
            </div>
          </div>
        </>
      )}
    </Loaded>
  );
}

function AboutAgent({ name }: { name: string }): preact.JSX.Element | null {
  const box = useStats().data?.mailboxes.find((b) => b.agent.toLowerCase() === name.toLowerCase());
  if (!box) return null;
  return (
    <section aria-label="Mailbox">
      <Heading more={<Status word={box.status} />}>Mailbox</Heading>
      <p>
        <a href={link("mail", box.agent)}>
          {box.waiting} waiting{box.waiting > 0 && box.oldest_seconds !== null ? `, the oldest ${agoSeconds(box.oldest_seconds)}` : ""}
        </a>
        , {box.done} done{box.dead > 0 ? `, ${plural(box.dead, "dead letter")}` : ""}.
      </p>
    </section>
  );
}

const verbs: Record<string, string> = {
  send: "sent a message by",
  claim: "took a message from",
  done: "finished a message in",
  fail: "could not do a message in",
  requeue: "made a message new in",
  plan: "handed in a plan to",
  complete: "completed a task in",
  take: "took the prompt from",
  fetch: "fetched an answer from",
  log: "",
  slot: "",
};

export const mail: Room = {
  name: "mail",
  title: "Mail",
  useAttention,
  useFigures,
  useAgentNotes,
  AboutAgent,
  View,
  told: (commit) => verbs[(commit.operation ?? "").replace("mail ", "")] ?? (commit.operation ?? "changed").replace("mail ", ""),
  scopeName: () => "mail",
  address: () => link("mail"),
};
