// show.tsx - small parts that many views use.
import type { ComponentChildren } from "preact";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { Asked } from "../ask";
import { link } from "../router";
import { glyphs, hueOf, toneOf, type Kind } from "../words";

export function Status({ word }: { word: string }): preact.JSX.Element {
  return <span class={`status ${toneOf(word)}`}>{word}</span>;
}

export function Glyph({ kind, status }: { kind: Kind; status: string }): preact.JSX.Element {
  return (
    <span class={`glyph ${toneOf(status)}`} aria-hidden="true">
      {glyphs[kind]}
    </span>
  );
}

export function Person({ name }: { name: string }): preact.JSX.Element {
  return (
    <span class="person">
      <span class="dot" style={{ "--hue": String(hueOf(name)) }} aria-hidden="true">
        {name.slice(0, 2)}
      </span>
      {name}
    </span>
  );
}

/** What agents write: markdown, of which nothing is ever taken for HTML. */
export function Prose({ text }: { text: string }): preact.JSX.Element {
  const html = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** The data once it is there; until then what is known about it. */
export function Loaded<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }): preact.JSX.Element {
  if (asked.data !== undefined) return <>{children(asked.data)}</>;
  if (asked.error)
    return (
      <div class="fault" role="alert">
        <p>{asked.error.fault.message}</p>
        {asked.error.fault.suggestion && <p>{asked.error.fault.suggestion}</p>}
        <button type="button" onClick={asked.again}>
          Try again
        </button>
      </div>
    );
  return (
    <p class="loading" aria-busy="true">
      Loading …
    </p>
  );
}

export function EntityLink({ dialogue, id }: { dialogue: string; id: string }): preact.JSX.Element {
  return <a href={`${link("dialogue", dialogue, "item", id)}`}>{id}</a>;
}
