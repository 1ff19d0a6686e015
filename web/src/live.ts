// live.ts - every commit, as it happens. The browser comes back by itself and says where it was.

export interface Commit {
  room: string;
  scope: string;
  rev: number;
  operation?: string;
  who: string[];
  created_at: string;
  position: string;
}

type Listener = (commit: Commit) => void;
type StateListener = (connected: boolean) => void;

const listeners = new Set<Listener>();
const returners = new Set<() => void>();
const watchers = new Set<StateListener>();
let sources: EventSource[] = [];
let connected = false;
let broken = false; // since it was last connected

function setConnected(now: boolean): void {
  connected = now;
  for (const watcher of watchers) watcher(now);
}

/** The rooms that a token is limited to; undefined: it is not, or may not come in at all. */
async function limits(): Promise<string[] | undefined> {
  const may = async (question: string): Promise<number> => (await fetch(`/api/feed?limit=0${question}`)).status;
  if ((await may("")) !== 403) return undefined;
  const { rooms = [] } = (await (await fetch("/api")).json()) as { rooms?: string[] };
  const statuses = await Promise.all(rooms.map((room) => may(`&room=${encodeURIComponent(room)}`)));
  return rooms.filter((_, i) => statuses[i] === 200);
}

/** A server that refused, or was restarted with another record, is asked again from its present. */
function again(): void {
  limits().then(
    (rooms) => (rooms?.length ? listen(rooms.map((room) => `?room=${encodeURIComponent(room)}`)) : setTimeout(connect, 2000)),
    () => setTimeout(connect, 2000),
  );
}

function listen(questions: string[]): void {
  for (const source of sources) source.close();
  sources = questions.map((question) => {
    const source = new EventSource(`/api/events${question}`);
    source.addEventListener("open", () => {
      setConnected(true);
      if (broken) for (const returner of returners) returner();
      broken = false;
    });
    source.addEventListener("error", () => {
      setConnected(false);
      broken = true;
      if (source.readyState === EventSource.CLOSED && sources.includes(source)) {
        sources = [];
        again();
      }
    });
    source.addEventListener("commit", (event) => {
      const commit = JSON.parse((event as MessageEvent<string>).data) as Commit;
      for (const listener of listeners) listener(commit);
    });
    return source;
  });
}

export const connect = (): void => listen([""]);

export function onCommit(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** After a break: what was shown may be old, and what failed may succeed. */
export function onReturn(returner: () => void): () => void {
  returners.add(returner);
  return () => returners.delete(returner);
}

export function onState(watcher: StateListener): () => void {
  watchers.add(watcher);
  watcher(connected);
  return () => watchers.delete(watcher);
}
