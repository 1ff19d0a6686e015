// dialogue.tsx - the room of deliberations: what waits in it, and which view an address means.
import { useAsk, useAskAll } from "../ask";
import type { Attention, Room } from "../room";
import { link } from "../router";
import { DialogueView } from "../views/dialogue";
import { Dialogues } from "../views/dialogues";

interface Row {
  dialogue_id: string;
  status: string;
}

interface Progress {
  dialogue_id: string;
  title: string;
  next_step?: { text: string };
}

const MOST = 20; // dialogues whose next step is asked for

function useAttention(): Attention[] {
  const asked = useAsk<{ dialogues: Row[] }>({ operation: "dialogue/list", room: "dialogue" });
  const running = (asked.data?.dialogues ?? []).filter((d) => d.status === "open" || d.status === "converging").slice(0, MOST);
  const steps = useAskAll<Progress>("dialogue", "dialogue/progress", running.map((d) => ({ dialogue_id: d.dialogue_id })));
  return steps.map((p) => ({
    text: `${p.title}: ${p.next_step?.text ?? "not decided yet"}`,
    href: link("dialogue", p.dialogue_id),
    tone: "blue",
  }));
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
