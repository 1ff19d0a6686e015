// show.tsx - small parts that many views use.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { report } from "../api";
import type { Asked } from "../ask";
import { link } from "../router";
import { clock, hueOf, initials, toneOf } from "../words";

export function Status({ word, tone = toneOf(word) }: { word: string; tone?: string }): preact.JSX.Element {
  return <span class={`status ${tone}`}>{word}</span>;
}

function Dot({ name }: { name: string }): preact.JSX.Element {
  return (
    <span class="dot" style={{ "--hue": String(hueOf(name)) }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** Somebody; with an address a link to what is known of them. A report knows nothing of other places. */
export function Person({ name, href }: { name: string; href?: string }): preact.JSX.Element {
  const inner = (
    <>
      <Dot name={name} />
      <bdi>{name}</bdi>
    </>
  );
  return href && !report ? (
    <a class="person" href={href}>
      {inner}
    </a>
  ) : (
    <span class="person">{inner}</span>
  );
}

export const AgentName = ({ name }: { name: string }): preact.JSX.Element => <Person name={name} href={link("agents", name)} />;

export function Time({ at }: { at: string }): preact.JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {clock(at)}
    </time>
  );
}

/** Images become links: nothing is loaded. */
const withoutImages = (html: string): string =>
  html.replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, (_, address: string, words: string) => `<a href="${address}">${words || address}</a>`);

/** Markdown as HTML; what looks like HTML in it stays text. */
export const htmlOf = (text: string): string => withoutImages(micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }));

/** What agents write. `linked` may make links of words in it. */
export function Prose({ text, linked = (html) => html }: { text: string; linked?: (html: string) => string }): preact.JSX.Element {
  return <div class="prose" dir="auto" dangerouslySetInnerHTML={{ __html: linked(htmlOf(text)) }} />;
}

/** The data once it is there; until then what is known about it. */
export function Loaded<T>({ asked, children }: { asked: Asked<T>; children: (data: T) => ComponentChildren }): preact.JSX.Element {
  if (asked.data !== undefined) return <>{children(asked.data)}</>;
  if (asked.error)
    return (
      <div class="fault" role="alert">
        <p>{asked.error.fault?.message ?? `The server cannot be reached (${asked.error.message}). It is tried again by itself.`}</p>
        {asked.error.fault?.suggestion && <p>{asked.error.fault.suggestion}</p>}
        {asked.error.status === 401 ? (
          <a class="button" href={link("sign-in")}>
            Sign in
          </a>
        ) : (
          <button type="button" onClick={asked.again}>
            Try again
          </button>
        )}
      </div>
    );
  return (
    <p class="loading" aria-busy="true">
      Loading …
    </p>
  );
}

export function Copy({ text, label }: { text: string; label: string }): preact.JSX.Element {
  const [done, setDone] = useState(false);
  const copy = (): void => void navigator.clipboard?.writeText(text).then(() => setDone(true));
  return (
    <button type="button" class="quiet copy" onClick={copy} aria-label={`Copy ${label}`}>
      {done ? "copied" : "copy"}
    </button>
  );
}

/** Nothing is there yet: what would be, and how it begins. */
export function Empty({ title, short, children }: { title: string; short?: boolean | undefined; children: ComponentChildren }): preact.JSX.Element {
  return (
    <>
      {short ? <p class="lead">{title}</p> : <h1 class="sentence">{title}</h1>}
      <p class="lead">{children}</p>
    </>
  );
}

/** The heading of a part, with what it comes to behind it. */
export function Heading({ children, more }: { children: ComponentChildren; more?: ComponentChildren }): preact.JSX.Element {
  return (
    <h2>
      {children} {more && <small>{more}</small>}
    </h2>
  );
}

export function Crumbs({ children }: { children: ComponentChildren }): preact.JSX.Element {
  return (
    <nav class="crumbs" aria-label="Where you are">
      {children}
    </nav>
  );
}

/** One of several: as links, so that the address says which. */
export function Choice({ label, options, picked, href }: { label: string; options: [string, ComponentChildren][]; picked: string; href: (value: string) => string }): preact.JSX.Element {
  return (
    <nav class="choice" aria-label={label}>
      {options.map(([value, word]) => (
        <a key={value} href={href(value)} aria-current={value === picked ? "true" : undefined}>
          {word}
        </a>
      ))}
    </nav>
  );
}
