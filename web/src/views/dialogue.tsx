// dialogue.tsx - one dialogue: the question, the sentence, and its views.
import { useAsk } from "../ask";
import { dissents, finalVerdict, isOpen, readDialogue, sentence, type Dialogue, type Entity } from "../dialogue";
import { Exports } from "../parts/exports";
import { Lanes } from "../parts/lanes";
import { Lines } from "../parts/lines";
import { EntityLink, Glyph, Loaded, Person, Prose, Status } from "../parts/show";
import { link, type Place } from "../router";
import { capital, plural } from "../words";
import { Acting } from "./acting";
import { Experts } from "./experts";
import { Graph } from "./graph";
import { History } from "./history";
import { Item } from "./item";
import { Rounds } from "./rounds";

const views: [string, string][] = [
  ["", "Overview"],
  ["rounds", "Rounds"],
  ["graph", "Graph"],
  ["tensions", "Tensions"],
  ["experts", "Experts"],
  ["history", "History"],
];

function Decision({ d }: { d: Dialogue }): preact.JSX.Element {
  const final = finalVerdict(d);
  return (
    <div class={final ? "decision decided" : "decision"}>
      <p class="sentence">
        <span aria-hidden="true">{final ? "✔ " : "○ "}</span>
        {sentence(d)}
      </p>
      {final && (
        <p class="facts">
          {final.vote && <span>{final.vote}</span>}
          {final.conditions.length > 0 && <span>{plural(final.conditions.length, "condition")}</span>}
          {final.confidence && <span>confidence {final.confidence}</span>}
        </p>
      )}
      {final && final.conditions.length > 0 && (
        <ul class="conditions">
          {final.conditions.map((condition) => (
            <li>{condition}</li>
          ))}
        </ul>
      )}
      {dissents(d).map((v) => (
        <div class="dissent" key={v.id}>
          <strong>
            {capital(v.type)}: {capital(v.author ?? "")}
          </strong>{" "}
          “{v.recommendation}”{v.description && <Prose text={v.description} />}
        </div>
      ))}
    </div>
  );
}

function Tension({ d, t }: { d: Dialogue; t: Entity }): preact.JSX.Element {
  const answers = d.entities.filter((e) => e.references.some((r) => r.target === t.id));
  return (
    <li>
      <div class="tension">
        <Glyph kind="tension" status={t.status} /> <EntityLink dialogue={d.id} id={t.id} /> <span class="label">{t.label}</span>{" "}
        <Status word={t.status} />
      </div>
      <div class="facts">
        {t.contributors.map((name) => (
          <Person name={name} />
        ))}
        {answers.length > 0 && <span>→</span>}
        {answers.map((e) => (
          <span>
            {e.contributors.join(", ")} (<EntityLink dialogue={d.id} id={e.id} />)
          </span>
        ))}
      </div>
    </li>
  );
}

function Tensions({ d }: { d: Dialogue }): preact.JSX.Element {
  const all = d.entities.filter((e) => e.kind === "tension");
  const open = all.filter(isOpen);
  const sorted = [...open, ...all.filter((t) => !isOpen(t))];
  return (
    <section aria-label="Tensions">
      <h2>
        Tensions <small>{`${all.length - open.length} closed, ${open.length} open`}</small>
      </h2>
      <ul class="plain">
        {sorted.map((t) => (
          <Tension d={d} t={t} key={t.id} />
        ))}
      </ul>
    </section>
  );
}

function RestsOn({ d }: { d: Dialogue }): preact.JSX.Element | null {
  const basis = d.entities.filter((e) => e.kind === "evidence" || (e.kind === "claim" && e.status === "adopted"));
  if (basis.length === 0) return null;
  return (
    <section aria-label="Rests on">
      <h2>Rests on</h2>
      <ul class="plain">
        {basis.map((e) => (
          <li key={e.id}>
            <Glyph kind={e.kind} status={e.status} /> <EntityLink dialogue={d.id} id={e.id} /> {e.label} <Status word={e.status} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Overview({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <div class="columns">
      <section aria-label="How it got there">
        <h2>How it got there</h2>
        <Lines
          rounds={d.rounds.map((r) => r.round)}
          lines={[
            { name: "score", tone: "blue", values: d.rounds.map((r) => r.score) },
            { name: "open tensions", tone: "amber", values: d.rounds.map((r) => r.openTensions) },
          ]}
        />
        <Lanes d={d} />
        <Acting d={d} />
      </section>
      <div>
        <Tensions d={d} />
        <RestsOn d={d} />
      </div>
    </div>
  );
}

function Body({ d, view, place }: { d: Dialogue; view: string; place: Place }): preact.JSX.Element {
  switch (view) {
    case "rounds":
      return <Rounds d={d} />;
    case "graph":
      return <Graph d={d} place={place} />;
    case "tensions":
      return <Tensions d={d} />;
    case "experts":
      return <Experts d={d} />;
    case "history":
      return <History id={d.id} />;
    case "item":
      return <Item d={d} id={place.path[3] ?? ""} />;
    default:
      return <Overview d={d} />;
  }
}

export function DialogueView({ id, view, place }: { id: string; view: string; place: Place }): preact.JSX.Element {
  const asked = useAsk<unknown>({
    operation: "dialogue/export",
    input: { dialogue_id: id, output_path: "-", plain: true },
    post: true,
    room: "dialogue",
    scope: id,
  });
  return (
    <Loaded asked={asked}>
      {(raw) => {
        const d = readDialogue(raw);
        return (
          <article>
            <nav class="crumbs" aria-label="Where you are">
              <a href={link("dialogue")}>Dialogues</a> › {d.id}
              <Exports id={d.id} drawn={view === "graph" || view === ""} />
            </nav>
            <h1>{d.question ?? d.title}</h1>
            <Decision d={d} />
            <nav class="tabs" aria-label="Views of this dialogue">
              {views.map(([name, word]) => (
                <a href={name ? link("dialogue", id, name) : link("dialogue", id)} aria-current={name === view ? "page" : undefined}>
                  {word}
                </a>
              ))}
            </nav>
            <Body d={d} view={view} place={place} />
          </article>
        );
      }}
    </Loaded>
  );
}
