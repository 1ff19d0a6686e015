// search.tsx - everything that was said, in every room.
import { useAsk } from "../ask";
import type { Hit } from "../room";
import { addressOf } from "../rooms";
import { Loaded } from "../parts/show";
import { plural } from "../words";

/** The words that were met stand in ⟦brackets⟧. */
function Snippet({ text }: { text: string }): preact.JSX.Element {
  const parts = text.split(/⟦|⟧/);
  return <p class="snippet">{parts.map((part, i) => (i % 2 ? <mark>{part}</mark> : part))}</p>;
}

export function SearchView({ words }: { words: string }): preact.JSX.Element {
  const asked = useAsk<{ results: Hit[] }>({ operation: "search", input: { query: words } });
  return (
    <Loaded asked={asked}>
      {({ results }) => (
        <>
          <h1 class="sentence">
            {results.length ? `${plural(results.length, "place")} where “${words}” was said.` : `Nobody has said “${words}”.`}
          </h1>
          <ul class="rows">
            {results.map((hit) => (
              <li key={`${hit.room} ${hit.scope} ${hit.id}`}>
                <a class="row wide" data-row href={addressOf(hit.room, hit.scope, hit.kind, hit.id)}>
                  <span class="title">{hit.title || hit.id}</span>
                  <span class="what">
                    {hit.room} · {hit.scope} · {hit.kind} {hit.id}
                  </span>
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
