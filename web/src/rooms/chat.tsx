// chat.tsx - the room of chats: bubbles by participant, who has still to read what, blockers on top with what clears them.
import { useEffect } from "preact/hooks";
import { useAsk, useAskAll } from "../ask";
import { person } from "../api";
import { Act } from "../parts/act";
import { AgentName, Crumbs, Empty, Heading, Loaded, Prose, Time } from "../parts/show";
import type { Attention, Figure, Room } from "../room";
import { link, type Place } from "../router";
import { capital, count, list, plural } from "../words";


interface Chat {
  chat_id: string;
  status: string;
  messages: number;
  purpose: string;
  participants: string[];
  path: string;
}

interface Message {
  id: string;
  from: string;
  type: string;
  tag?: string[];
  at?: string;
  flag: string;
  reply_to?: string;
  body: string;
}

interface Shown extends Omit<Chat, "messages"> {
  messages: Message[];
  warnings?: { type?: string; message: string }[];
}

interface Pending {
  chat_id: string;
  message: string;
  from: string;
  type: string;
  cleared_by?: string;
}

interface Gate {
  as: string;
  pending: Pending[];
  blockers: Pending[];
}

const useChats = (): ReturnType<typeof useAsk<{ chats: Chat[] }>> => useAsk({ operation: "chat/list", room: "chat" });

/** Those whom a message goes to: without a tag everybody but its sender. */
export function readersOf(m: Message, participants: string[]): string[] {
  const tags = m.tag ?? [];
  const all = tags.length === 0 || tags.includes("@All");
  return participants.filter((p) => p !== m.from && (all || tags.some((tag) => tag === `@${p}` || tag === `@${p.split("@")[0] ?? ""}`)));
}

/** Who is blocked, and who has something to read. */
function useAttention(): Attention[] {
  const { data } = useChats();
  const open = (data?.chats ?? []).filter((c) => c.status === "OPEN");
  const everybody = [...new Set(open.flatMap((c) => c.participants))];
  const gates = useAskAll<Gate>("chat", "chat/gate", everybody.map((as) => ({ as })));
  const name = (id: string): string => open.find((c) => c.chat_id === id)?.purpose ?? id;
  return [
    ...gates.flatMap((g) =>
      g.blockers.map((b): Attention => ({ text: `${g.as} is blocked in “${name(b.chat_id)}”`, href: link("chat", b.chat_id), tone: "red" })),
    ),
    ...open.flatMap((c): Attention[] => {
      const waiting = gates.filter((g) => g.pending.some((p) => p.chat_id === c.chat_id)).map((g) => g.as);
      return waiting.length ? [{ text: `“${c.purpose}” waits for ${list(waiting)} to read`, href: link("chat", c.chat_id), tone: "amber" }] : [];
    }),
  ];
}

function useFigures(): Figure[] {
  const { data } = useChats();
  const open = (data?.chats ?? []).filter((c) => c.status === "OPEN").length;
  return data ? [{ value: String(open), label: open === 1 ? "open chat" : "open chats", href: link("chat") }] : [];
}

function MessageLink({ chat, id }: { chat: string; id: string }): preact.JSX.Element {
  return (
    <a class="id" href={link("chat", chat, id)}>
      {id}
    </a>
  );
}

function Blockers({ chat, who }: { chat: string; who: string }): preact.JSX.Element {
  const asked = useAsk<Gate>({ operation: "chat/gate", input: { as: who }, room: "chat" });
  return (
    <>
      {(asked.data?.blockers ?? [])
        .filter((b) => b.chat_id === chat)
        .map((b) => (
          <p class="blocker" role="note">
            <strong class="red">■ {who} is blocked</strong> by <MessageLink chat={chat} id={b.message} /> of {b.from}. Cleared by {b.cleared_by}.
          </p>
        ))}
    </>
  );
}

function sentenceOf(chat: Shown): string {
  const unread = chat.participants.filter((p) => chat.messages.some((m) => m.flag !== "READ" && readersOf(m, chat.participants).includes(p)));
  const state = chat.status === "OPEN" ? "open" : chat.status.toLowerCase().replaceAll("_", " ");
  return `${capital(count(chat.messages.length, "message"))} between ${list(chat.participants.map((p) => p.split("@")[1] ?? p))}; the chat is ${state}.${unread.length ? ` ${list(unread)} ${unread.length === 1 ? "has" : "have"} something to read.` : ""}`;
}

function Bubble({ m, chat, participants, own }: { m: Message; chat: string; participants: string[]; own: boolean }): preact.JSX.Element {
  const readers = readersOf(m, participants);
  const identity = m.from.split("@")[1] ?? m.from;
  return (
    <li key={m.id} id={m.id} class={`bubble${own ? " own" : ""}${m.type === "CONSULT_BLOCKER" ? " blocking" : ""}`}>
      <div class="facts">
        <AgentName name={identity} />
        <span>{m.from.split("@")[0]}</span>
        <strong>{m.type.replaceAll("_", " ").toLowerCase()}</strong>
        <MessageLink chat={chat} id={m.id} />
        {m.reply_to && (
          <span>
            answers <MessageLink chat={chat} id={m.reply_to} />
          </span>
        )}
        {m.at && <Time at={m.at} />}
      </div>
      <Prose text={m.body.replace(/\n/g, "  \n")} />
      <p class="facts">
        {m.flag === "READ" ? `read by ${list(readers)}` : <span class="amber">○ not read yet by {readers.length > 1 ? "all of " : ""}{list(readers)}</span>}
      </p>
    </li>
  );
}

/** Who has still to read how much. */
function Readers({ chat }: { chat: Shown }): preact.JSX.Element {
  return (
    <section aria-label="Participants">
      <Heading>Participants</Heading>
      <ul class="plain">
        {chat.participants.map((p) => {
          const unread = chat.messages.filter((m) => m.flag !== "READ" && readersOf(m, chat.participants).includes(p)).length;
          const [role = "", identity = p] = p.split("@");
          return (
            <li key={p}>
              <AgentName name={identity} /> <small>{role}</small> {unread > 0 ? <span class="amber">○ {unread} to read</span> : <span class="green">✓ has read all</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function OneChat({ id, message }: { id: string; message: string }): preact.JSX.Element {
  const asked = useAsk<Shown>({ operation: "chat/show", input: { chat_id: id }, room: "chat" });
  useEffect(() => {
    if (message && asked.data) document.getElementById(message)?.scrollIntoView({ block: "center" });
  }, [message, Boolean(asked.data)]);
  return (
    <Loaded asked={asked}>
      {(chat) => {
        const mine = chat.participants.find((p) => p.endsWith(`@${person()}`)) ?? "";
        return (
          <article>
            <Crumbs>
              <a href={link("chat")}>Chats</a> <span>›</span> <span>{chat.chat_id}</span>
            </Crumbs>
            <h1 dir="auto">{capital(chat.purpose)}</h1>
            <p class="lead">{sentenceOf(chat)}</p>
            {(chat.warnings ?? []).map((w) => (
              <p class="blocker" role="alert">
                ▲ {w.message}
              </p>
            ))}
            {chat.participants.map((p) => (
              <Blockers chat={chat.chat_id} who={p} key={p} />
            ))}
            <div class="columns chatting">
            <div>
            <ol class="chat">
              {chat.messages.map((m) => (
                <Bubble m={m} chat={chat.chat_id} participants={chat.participants} own={m.from === mine} />
              ))}
            </ol>
            <Act
              title="Say something"
              operation="chat/send"
              verb="Send"
              fields={[
                { name: "from", label: "From", value: mine || (chat.participants[0] ?? ""), kind: "choice", choices: mine ? [mine] : chat.participants },
                { name: "type", label: "Type", value: "ANSWER", hint: "QUESTION, ANSWER, STATUS, …" },
                { name: "tag", label: "To", hint: "@Role or @Role@Name, with commas between; empty: everybody" },
                { name: "reply_to", label: "Answers", hint: "M0001, or nothing" },
                { name: "body", label: "Message", kind: "long" },
              ]}
              input={(typed) => ({
                chat_id: id,
                from: typed["from"],
                type: typed["type"],
                body: typed["body"],
                ...(typed["tag"] ? { tag: typed["tag"].split(",").map((t) => t.trim()) } : {}),
                ...(typed["reply_to"] ? { reply_to: typed["reply_to"] } : {}),
              })}
            />
            </div>
            <Readers chat={chat} />
            </div>
          </article>
        );
      }}
    </Loaded>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const asked = useChats();
  const id = place.path[1] ?? "";
  if (id) return <OneChat id={id} message={place.path[2] ?? ""} key={id} />;
  return (
    <Loaded asked={asked}>
      {({ chats }) => (
        <>
          {chats.length ? (
            <h1 class="sentence">{`${capital(count(chats.length, "chat"))}, ${count(chats.filter((c) => c.status === "OPEN").length, "is", "are")} open.`}</h1>
          ) : (
            <Empty title="No chat yet.">
              Agents talk in one, and wait for each other: <code>conclave chat open "What it is about" --participants Owner@ada,Builder@bob</code>
            </Empty>
          )}
          <ul class="rows">
            {chats.map((c) => (
              <li key={c.path}>
                <a class="row" data-row href={link("chat", c.chat_id)}>
                  <span class="title">
                    {c.purpose}
                    <span class="next">{c.participants.join(", ")}</span>
                  </span>
                  <span class={`status ${c.status === "OPEN" ? "amber" : "grey"}`}>{c.status.toLowerCase()}</span>
                  <span class="number">{plural(c.messages, "message")}</span>
                  <span class="age">{c.chat_id}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}

/** A scope is the path of a chat file; its name has the id. */
const idOf = (scope: string): string | undefined => /temp_chat_(.+?)(_editing)?\.txt$/.exec(scope)?.[1];

function AboutAgent({ name }: { name: string }): preact.JSX.Element | null {
  const own = (useChats().data?.chats ?? []).filter((c) => c.participants.some((p) => p.endsWith(`@${name}`)));
  if (own.length === 0) return null;
  return (
    <section aria-label="Chats">
      <Heading>Chats</Heading>
      <ul class="plain">
        {own.map((c) => (
          <li key={c.path}>
            <a href={link("chat", c.chat_id)}>{c.purpose}</a> <small>as {c.participants.find((p) => p.endsWith(`@${name}`))?.split("@")[0]}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

const verbs: Record<string, string> = { open: "opened", send: "wrote in", read: "read", join: "joined", leave: "left", close: "closed", repair: "put right" };

export const chat: Room = {
  name: "chat",
  title: "Chats",
  useAttention,
  useFigures,
  AboutAgent,
  View,
  told: (commit) => verbs[(commit.operation ?? "").replace("chat ", "")] ?? (commit.operation ?? "changed").replace("chat ", ""),
  scopeName: (scope) => idOf(scope) ?? scope,
  address: (scope, kind, id) => {
    const chatId = idOf(scope);
    return chatId ? link("chat", chatId, ...(kind === "message" && id ? [id] : [])) : link("chat");
  },
};
