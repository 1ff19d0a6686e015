// dialogue.tsx - the room of deliberations: what waits in it, and which view an address means.
import { useAsk } from "../ask";
import type { Attention, Room } from "../room";
import { link } from "../router";
import { DialogueView } from "../views/dialogue";
import { Dialogues } from "../views/dialogues";

interface Progress {
  dialogue_id: string;
  title: string;
  status: string;
  responses_waiting?: number;
}

function useAttention(): Attention[] {
  const asked = useAsk<{ dialogues: Progress[] }>({ operation: "dialogue/list", room: "dialogue" });
  return (asked.data?.dialogues ?? [])
    .filter((d) => d.status === "open" || d.status === "converging")
    .map((d) => ({ text: `“${d.title}” is not decided`, href: link("dialogue", d.dialogue_id), tone: "blue" }));
}

export const dialogue: Room = {
  name: "dialogue",
  title: "Dialogues",
  useAttention,
  View: ({ place }) =>
    place.path[1] ? <DialogueView id={place.path[1]} view={place.path[2] ?? ""} place={place} /> : <Dialogues place={place} />,
  address: (scope, kind, id) => {
    if (id && /^[PRTEC]\d{4}$/.test(id)) return link("dialogue", scope, "item", id);
    return kind === "response" ? link("dialogue", scope, "rounds") : link("dialogue", scope);
  },
};
