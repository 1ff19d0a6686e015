// room.ts - what the frame wants of a room. rooms.ts has the table; nothing else names one.
import type { Place } from "./router";

/** Something that waits for somebody: shown on top of the first page. */
export interface Attention {
  text: string;
  href: string;
  tone: "amber" | "red" | "blue";
}

export interface Hit {
  room: string;
  scope: string;
  kind: string;
  id: string;
  title?: string;
  snippet: string;
}

export interface Room {
  name: string;
  title: string;
  /** A hook: what waits now. */
  useAttention: () => Attention[];
  View: (props: { place: Place }) => preact.JSX.Element;
  /** Where a hit of the search, or a commit of the feed, is shown. */
  address: (scope: string, kind?: string, id?: string) => string;
}
