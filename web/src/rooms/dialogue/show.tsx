// show.tsx - small parts of the views of a dialogue: kinds, statuses, experts, and links to what was said.
import type { ComponentChildren } from "preact";
import { Person, Prose, Status as AnyStatus } from "../../parts/show";
import { link, linkWith, useHere, type Place } from "../../router";
import { glyphOf, toneOf, type Kind } from "./words";

export const Status = ({ word, kind }: { word: string; kind?: Kind }): preact.JSX.Element => <AnyStatus word={word} tone={toneOf(word, kind)} />;

export function Glyph({ kind, status }: { kind: Kind; status: string }): preact.JSX.Element {
  return (
    <span class={`glyph ${toneOf(status, kind)}`} aria-hidden="true">
      {glyphOf(kind, status)}
    </span>
  );
}

export const ExpertName = ({ slug }: { slug: string }): preact.JSX.Element => <Person name={slug} href={link("experts", slug)} />;

/** An entity opens beside what is looked at; somewhere else it has a page of its own. */
function besideHref(here: Place, dialogue: string, id: string): string {
  const beside = here.path[0] === "dialogue" && here.path[1] === dialogue && here.path[2] !== "item";
  return beside ? linkWith(here, { item: id }) : link("dialogue", dialogue, "item", id);
}

export function EntityLink({ dialogue, id, children }: { dialogue: string; id: string; children?: ComponentChildren }): preact.JSX.Element {
  const here = useHere();
  return (
    <a class="id" href={besideHref(here, dialogue, id)} data-id={id}>
      {children ?? id}
    </a>
  );
}

/** Ids of entities become links, except those in links, code and tags. */
export const withIds = (html: string, address: (id: string) => string | undefined): string =>
  html.replace(/<a [\s\S]*?<\/a>|<code[\s\S]*?<\/code>|<[^>]*>|\b[PRTEC]\d{4}\b/g, (found) => {
    const href = found.startsWith("<") ? undefined : address(found);
    return href ? `<a class="id" href="${href.replaceAll("&", "&amp;")}">${found}</a>` : found;
  });

/** What somebody wrote in a dialogue; the entities that it names are links. */
export function Text({ text, d }: { text: string; d: { id: string; byId: Map<string, unknown> } }): preact.JSX.Element {
  const here = useHere();
  return <Prose text={text} linked={(html) => withIds(html, (id) => (d.byId.has(id) ? besideHref(here, d.id, id) : undefined))} />;
}
