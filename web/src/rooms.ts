// rooms.ts - the rooms that have views, in the order of the menu. A room that has none is still searched and fed.
import type { Room } from "./room";
import { chat } from "./rooms/chat";
import { dialogue } from "./rooms/dialogue";
import { mail } from "./rooms/mail";
import { notes } from "./rooms/notes";
import { link } from "./router";

export const rooms: Room[] = [dialogue, mail, chat, notes];

export function addressOf(room: string, scope: string, kind?: string, id?: string): string {
  return rooms.find((r) => r.name === room)?.address(scope, kind, id) ?? link();
}
