// history.tsx - every event of a dialogue, the newest first.
import { useAsk } from "../ask";
import { Loaded } from "../parts/show";
import { link } from "../router";
import { clock } from "../words";

interface Event {
  event: number;
  at: string;
  round?: number;
  id: string;
  type: string;
  by: string[];
}

export function History({ id }: { id: string }): preact.JSX.Element {
  const asked = useAsk<{ events: Event[] }>({
    operation: "dialogue/history",
    input: { dialogue_id: id, limit: 1000 },
    room: "dialogue",
    scope: id,
  });
  return (
    <Loaded asked={asked}>
      {({ events }) => (
        <ol class="activity" reversed>
          {[...events].reverse().map((e) => (
            <li key={e.event}>
              <time dateTime={e.at}>{clock(e.at)}</time>{" "}
              {/^[PRTEC]\d{4}$/.test(e.id) ? <a href={link("dialogue", id, "item", e.id)}>{e.id}</a> : e.id}{" "}
              <span class="what">{e.type}</span> <span class="who">{e.by.join(", ")}</span>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
