// feed.tsx - commits as lines for people: when, who, what, where. What happens again and again is one line.
import { useEffect, useState } from "preact/hooks";
import { useAsk } from "../ask";
import { onCommit, type Commit } from "../live";
import { addressOf, roomOf } from "../rooms";
import { capital, list } from "../words";
import { Loaded, Time } from "./show";

interface Line {
  commit: Commit;
  times: number;
  fresh: boolean;
}

/** What is done with those who act, which is of no room. */
const registry: Record<string, string> = {
  "agent add": "registered one of the",
  "agent edit": "changed one of the",
  "agent remove": "removed one of the",
  "token add": "made a token for one of the",
  "token revoke": "revoked a token of one of the",
};

/** Empty: it is not worth a line. */
function told(commit: Commit): string {
  if (commit.room === "project") return registry[commit.operation ?? ""] ?? `${commit.operation ?? "change"} of`;
  const words = commit.operation ?? "changed";
  return roomOf(commit.room)?.told?.(commit) ?? words.replace(new RegExp(`^${commit.room} `), "").replaceAll("-", " ");
}

/** The same act of the same people in the same place, one after the other, is told once. */
function fold(commits: Commit[], fresh: Set<string>): Line[] {
  const lines: Line[] = [];
  for (const commit of commits) {
    const last = lines[lines.length - 1];
    const same = last && ["room", "scope", "operation"].every((k) => last.commit[k as "room"] === commit[k as "room"]) && last.commit.who.join() === commit.who.join();
    if (last && same) last.times++;
    else lines.push({ commit, times: 1, fresh: fresh.has(commit.position) });
  }
  return lines;
}

/** The newest commits, those that come while the page is open included. */
export function Feed({ room, scope, who, most }: { room?: string; scope?: string; who?: string; most: number }): preact.JSX.Element {
  const [news, setNews] = useState<Commit[]>([]);
  const asked = useAsk<{ entries: Commit[] }>({ operation: "feed", input: { last: 1000, room, scope }, room: "-" });
  useEffect(() => onCommit((commit) => setNews((all) => [commit, ...all].slice(0, 200))), []);
  const fresh = new Set(news.map((commit) => commit.position));
  const wanted = (c: Commit): boolean => (!room || c.room === room) && (!scope || c.scope === scope) && (!who || c.who.some((name) => name === who || name.endsWith(`@${who}`)));
  return (
    <Loaded asked={asked}>
      {({ entries }) => {
        const old = [...entries].reverse().filter((commit) => !fresh.has(commit.position));
        const lines = fold([...news, ...old].filter((c) => wanted(c) && told(c)), fresh).slice(0, most);
        if (lines.length === 0) return <p class="facts">Nothing has happened yet.</p>;
        return (
          <ol class="activity">
            {lines.map(({ commit, times, fresh: isFresh }) => (
              <li key={commit.position} class={isFresh ? "fresh" : ""}>
                <Time at={commit.created_at} />
                <span>
                  {commit.who.length > 0 ? (
                    <>
                      <strong>{list(commit.who)}</strong> {told(commit)}
                    </>
                  ) : (
                    capital(told(commit))
                  )}{" "}
                  <a href={addressOf(commit.room, commit.scope)}>{roomOf(commit.room)?.scopeName?.(commit.scope) ?? (commit.room === "project" ? "agents" : commit.scope || commit.room)}</a>
                  {times > 1 && <span class="what"> {times} times</span>}
                </span>
              </li>
            ))}
          </ol>
        );
      }}
    </Loaded>
  );
}
