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
let source: EventSource | undefined;
let connected = false;
let broken = false; // since it was last connected

function setConnected(now: boolean): void {
  connected = now;
  for (const watcher of watchers) watcher(now);
}

export function connect(): void {
  source?.close();
  source = new EventSource("/api/events");
  source.addEventListener("open", () => {
    setConnected(true);
    if (broken) for (const returner of returners) returner();
    broken = false;
  });
  source.addEventListener("error", () => {
    setConnected(false);
    broken = true;
    // A server that refused, or was restarted with another record, is asked again from its present.
    if (source?.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
  source.addEventListener("commit", (event) => {
    const commit = JSON.parse((event as MessageEvent<string>).data) as Commit;
    for (const listener of listeners) listener(commit);
  });
}

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
