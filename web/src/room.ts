// room.ts - what the frame wants of a room. rooms.ts has the table; nothing else names one.
import type { Commit } from "./live";
import type { Place } from "./router";

/** Something that waits for somebody: shown on top of the first page. */
export interface Attention {
  text: string;
  href: string;
  tone: "amber" | "red" | "blue";
}

/** A number that says something: shown on the first page. */
export interface Figure {
  value: string;
  label: string;
  href: string;
}

export interface Hit {
  room: string;
  scope: string;
  kind: string;
  id: string;
  title?: string;
  snippet: string;
}

export type View = (props: { place: Place }) => preact.JSX.Element;

export interface Room {
  name: string;
  title: string;
  View: View;
  /** A hook: what waits now. */
  useAttention: () => Attention[];
  /** A hook: the room in a few numbers. */
  useFigures?: () => Figure[];
  /** Where a hit of the search, or a commit of the feed, is shown. */
  address: (scope: string, kind?: string, id?: string) => string;
  /** What people call a hit of the search; without it by its title. */
  hitName?: (hit: Hit) => string;
  /** What people call a scope of it; without it by its name. */
  scopeName?: (scope: string) => string;
  /** What was done, behind the name of who did it: "answered in"; empty: not worth a line. Without it the words of the operation. */
  told?: (commit: Commit) => string;
  /** A hook: a few words about each agent, for the first page. */
  useAgentNotes?: () => Map<string, string>;
  /** What the room knows of an agent, on the agent's page. */
  AboutAgent?: (props: { name: string }) => preact.JSX.Element | null;
  /** What the first page shows of the room. */
  Front?: View;
  /** One scope as a page of its own, without a server (api.ts). */
  Report?: (props: { place: Place; id: string }) => preact.JSX.Element;
  /** Views besides its own, by their names in the address. */
  pages?: Record<string, { title: string; View: View }>;
}
