// rooms.ts - the rooms that have views, in the order of the menu. A room that has none is shown by its feed (views/feed.tsx).
import type { Room } from "./room";
import { chat } from "./rooms/chat";
import { dialogue } from "./rooms/dialogue/room";
import { mail } from "./rooms/mail";
import { notes } from "./rooms/notes";
import { link } from "./router";

export const rooms: Room[] = [dialogue, mail, chat, notes];

export const roomOf = (name: string): Room | undefined => rooms.find((r) => r.name === name);

export function addressOf(room: string, scope: string, kind?: string, id?: string): string {
  if (room === "project") return link("agents");
  return roomOf(room)?.address(scope, kind, id) ?? link("feed", room, scope);
}
