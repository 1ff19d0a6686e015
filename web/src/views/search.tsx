// search.tsx - everything that was said, in every room.
import { useAsk } from "../ask";
import type { Hit } from "../room";
import { addressOf, roomOf, rooms } from "../rooms";
import { linkWith, type Place } from "../router";
import { Choice, Loaded } from "../parts/show";
import { capital, count, plainly } from "../words";

/** The words that were met are in ⟦brackets⟧. */
function Snippet({ text }: { text: string }): preact.JSX.Element {
  const parts = text.split(/⟦|⟧/);
  return <p class="snippet">{parts.map((part, i) => (i % 2 ? <mark>{part}</mark> : part))}</p>;
}

const nameOf = (hit: Hit): string => capital([plainly(hit.title ?? ""), hit.kind, hit.id].filter(Boolean).join(" · "));

export function SearchView({ place }: { place: Place }): preact.JSX.Element {
  const words = place.parameters.get("q") ?? "";
  const room = place.parameters.get("room") ?? "";
  if (!words) return <h1 class="sentence">Type what you look for: every room is searched.</h1>;
  return <Found place={place} words={words} room={room} />;
}

function Found({ place, words, room }: { place: Place; words: string; room: string }): preact.JSX.Element {
  const asked = useAsk<{ results: Hit[] }>({ operation: "search", input: { query: words, room: room || undefined } });
  return (
    <Loaded asked={asked}>
      {({ results }) => (
        <>
          <h1 class="sentence">
            {results.length ? `${capital(count(results.length, "place"))} where “${words}” was said.` : `Nobody has said “${words}”.`}
          </h1>
          <Choice label="Which room" picked={room} options={[["", "all"], ...rooms.map((r): [string, string] => [r.name, r.name])]} href={(name) => linkWith(place, { room: name })} />
          <ul class="rows">
            {results.map((hit) => (
              <li key={`${hit.room} ${hit.scope} ${hit.id}`}>
                <a class="row wide" data-row href={addressOf(hit.room, hit.scope, hit.kind, hit.id)}>
                  <span class="title" dir="auto">
                    {roomOf(hit.room)?.hitName?.(hit) ?? nameOf(hit)}
                  </span>
                  <span class="next">{[hit.room, roomOf(hit.room)?.scopeName?.(hit.scope) ?? hit.scope].filter((word, i, all) => all.indexOf(word) === i).join(" · ")}</span>
                  <Snippet text={hit.snippet} />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  );
}
