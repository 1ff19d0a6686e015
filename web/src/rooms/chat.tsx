// chat.tsx - the room of chats: bubbles by participant, who has still to read what, blockers on top with what clears them.
import { useAsk, useAskAll } from "../ask";
import { Act, person } from "../parts/act";
import { Loaded, Person, Prose } from "../parts/show";
import type { Attention, Room } from "../room";
import { link, type Place } from "../router";
import { clock, list, plural } from "../words";

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

function Blockers({ chat, who }: { chat: string; who: string }): preact.JSX.Element {
  const asked = useAsk<Gate>({ operation: "chat/gate", input: { as: who }, room: "chat" });
  return (
    <>
      {(asked.data?.blockers ?? [])
        .filter((b) => b.chat_id === chat)
        .map((b) => (
          <p class="blocker" role="note">
            <strong class="red">■ {who} is blocked</strong> by {b.message} of {b.from}. Cleared by {b.cleared_by}.
          </p>
        ))}
    </>
  );
}

function Bubble({ m, participants, own }: { m: Message; participants: string[]; own: boolean }): preact.JSX.Element {
  const readers = readersOf(m, participants);
  const identity = m.from.split("@")[1] ?? m.from;
  return (
    <li key={m.id} id={m.id} class={`bubble${own ? " own" : ""}${m.type === "CONSULT_BLOCKER" ? " blocking" : ""}`}>
      <div class="facts">
        <Person name={identity} />
        <span>{m.from.split("@")[0]}</span>
        <strong>{m.type.replaceAll("_", " ").toLowerCase()}</strong>
        <span>{m.id}</span>
        {m.reply_to && <span>answers {m.reply_to}</span>}
        {m.at && <time dateTime={m.at}>{clock(m.at)}</time>}
      </div>
      <Prose text={m.body.replace(/\n/g, "  \n")} />
      <p class="facts">
        {m.flag === "READ" ? `read by ${list(readers)}` : <span class="amber">○ not read yet by all of: {list(readers)}</span>}
      </p>
    </li>
  );
}

function OneChat({ id }: { id: string }): preact.JSX.Element {
  const asked = useAsk<Shown>({ operation: "chat/show", input: { chat_id: id }, room: "chat" });
  return (
    <Loaded asked={asked}>
      {(chat) => {
        const mine = chat.participants.find((p) => p.endsWith(`@${person()}`)) ?? "";
        return (
          <article>
            <nav class="crumbs" aria-label="Where you are">
              <a href={link("chat")}>Chats</a> › {chat.chat_id}
            </nav>
            <h1>{chat.purpose}</h1>
            <p class="facts">
              <span>{chat.status.toLowerCase()}</span>
              {chat.participants.map((p) => (
                <Person name={p} />
              ))}
            </p>
            {(chat.warnings ?? []).map((w) => (
              <p class="blocker" role="alert">
                ▲ {w.message}
              </p>
            ))}
            {chat.participants.map((p) => (
              <Blockers chat={chat.chat_id} who={p} key={p} />
            ))}
            <ol class="chat">
              {chat.messages.map((m) => (
                <Bubble m={m} participants={chat.participants} own={m.from === mine} />
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
          </article>
        );
      }}
    </Loaded>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const asked = useChats();
  const id = place.path[1] ?? "";
  if (id) return <OneChat id={id} />;
  return (
    <Loaded asked={asked}>
      {({ chats }) => (
        <>
          <h1 class="sentence">
            {chats.length
              ? `${plural(chats.length, "chat")}, ${chats.filter((c) => c.status === "OPEN").length} open.`
              : "No chat yet. conclave chat open “…” --participants Role@Name,… opens one."}
          </h1>
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
function address(scope: string): string {
  const id = /temp_chat_(.+?)(_editing)?\.txt$/.exec(scope)?.[1];
  return id ? link("chat", id) : link("chat");
}

export const chat: Room = { name: "chat", title: "Chats", useAttention, View, address };
