// view.tsx - one dialogue: the question, the sentence, and its views.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { report } from "../../api";
import { useAsk } from "../../ask";
import { dissents, finalVerdict, readDialogue, sentence, standing, tensionsOf, type Dialogue, type Standing, type Verdict, type Waiting } from "./model";
import { Chart } from "../../parts/chart";
import { Exports } from "./exports";
import { Lanes } from "./lanes";
import { Crumbs, Heading, Loaded, Prose } from "../../parts/show";
import { EntityLink, Glyph, Status, Text } from "./show";
import { Here, link, useHere, type Place } from "../../router";
import { capital, count, cut } from "../../words";
import { Acting } from "./acting";
import { Graph } from "./graph";
import { History, Latest } from "./history";
import { Beside, Item } from "./item";
import { Panel } from "./panel";
import { Rounds } from "./rounds";
import { Run } from "./run";
import { TensionList, Tensions } from "./tensions";

export const views: [string, string][] = [
  ["", "Overview"],
  ["rounds", "Rounds"],
  ["graph", "Graph"],
  ["tensions", "Tensions"],
  ["experts", "Experts"],
  ...(report ? [] : ([["history", "History"]] as [string, string][])),
];

const signs: Record<Standing, [string, string]> = {
  decided: ["✔", "green"],
  running: ["◐", "amber"],
  blocked: ["■", "red"],
  abandoned: ["○", "grey"],
};

function Dissent({ v, short }: { v: Verdict; short: boolean }): preact.JSX.Element {
  return (
    <div class="dissent">
      <p>
        <span class="red" aria-hidden="true">
          ▲
        </span>{" "}
        {v.type === "minority" ? "Minority view" : "Dissent"}: <strong>{capital(v.author ?? "somebody")}</strong> “<bdi>{v.recommendation}</bdi>”
      </p>
      {!short && v.description && <Prose text={v.description} />}
    </div>
  );
}

/** What was decided, or how far it is; dissent is always below it. */
function Decision({ d, waiting, short }: { d: Dialogue; waiting: Waiting | undefined; short: boolean }): preact.JSX.Element {
  const final = finalVerdict(d);
  const [sign, tone] = signs[standing(d)];
  const facts = final
    ? [final.conditions.length > 0 && count(final.conditions.length, "condition"), final.confidence && `confidence ${final.confidence}`]
    : [d.rounds.length > 0 && `after ${count(d.rounds.length, "round")}`, count(d.experts.length, "expert")];
  const against = dissents(d);
  return (
    <div class={`decision ${standing(d)}${short ? " short" : ""}${against.length ? "" : " alone"}`}>
      <div>
      <p class="sentence" dir="auto">
        <span class={tone} aria-hidden="true">
          {sign}
        </span>{" "}
        {sentence(d, waiting)}
      </p>
      {!short && (
        <p class="facts">
          {facts.filter(Boolean).map((fact) => (
            <span>{fact}</span>
          ))}
        </p>
      )}
      {!short && final?.description && <Text text={final.description} d={d} />}
      {!short && final && final.conditions.length > 0 && (
        <ol class="conditions" aria-label="Conditions">
          {final.conditions.map((condition) => (
            <li dir="auto">{condition}</li>
          ))}
        </ol>
      )}
      </div>
      {against.length > 0 && (
        <div>
          {against.map((v) => (
            <Dissent v={v} short={short} key={v.id} />
          ))}
        </div>
      )}
    </div>
  );
}

/** What the decision names as its grounds; before there is one, all evidence and what is claimed. */
function RestsOn({ d }: { d: Dialogue }): preact.JSX.Element | null {
  const final = finalVerdict(d);
  const key = new Set([...(final?.keyEvidence ?? []), ...(final?.keyClaims ?? [])]);
  const all = d.entities.filter((e) => e.kind === "evidence" || e.kind === "claim");
  const basis = [...all.filter((e) => key.has(e.id)), ...all.filter((e) => !key.has(e.id))].slice(0, 8);
  if (basis.length === 0) return null;
  return (
    <section aria-label="Rests on">
      <Heading more={all.length > basis.length ? `${basis.length} of ${all.length}` : ""}>Rests on</Heading>
      <ul class="plain">
        {basis.map((e) => (
          <li key={e.id}>
            <div class="tension">
              <Glyph kind={e.kind} status={e.status} />
              <EntityLink dialogue={d.id} id={e.id} />
              <span class="label" dir="auto">
                {e.label}
              </span>
              {key.has(e.id) ? <span class="status green">key</span> : <Status word={e.status} kind={e.kind} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How the lines of the charts go, in words. */
function course(d: Dialogue): [string, string] {
  const scores = d.rounds.map((r) => r.score);
  const open = d.rounds.map((r) => r.openTensions);
  const [first = 0, last = 0] = [scores[0], scores[scores.length - 1]];
  const way = last > first ? "rose" : last < first ? "fell" : "stayed";
  const most = Math.max(0, ...open);
  const now = open[open.length - 1] ?? 0;
  return [
    scores.length < 2 ? `Score of the round: ${first}.` : `The score ${way} from ${first} to ${last}.`,
    now === 0 ? `All tensions were closed, at most ${most} were open at once.` : `${capital(count(now, "tension is", "tensions are"))} open after the last round.`,
  ];
}

function Charts({ d }: { d: Dialogue }): preact.JSX.Element | null {
  if (d.rounds.length === 0) return null;
  const labels = d.rounds.map((r) => `R${r.round}`);
  const [score, open] = course(d);
  if (d.rounds.length < 2) return <p class="lead">{`${score} ${open}`}</p>;
  return (
    <div class="charts">
      <Chart title={score} labels={labels} series={[{ name: "score", tone: "accent", values: d.rounds.map((r) => r.score) }]} />
      <Chart title={open} labels={labels} series={[{ name: "open tensions", tone: "amber", values: d.rounds.map((r) => r.openTensions) }]} bars />
    </div>
  );
}

function lead(d: Dialogue): string {
  const raised = tensionsOf(d).length;
  if (d.rounds.length === 0) return "Nobody has been heard yet.";
  return `${capital(count(d.rounds.length, "round"))}, ${count(d.entities.length, "contribution")} by ${count(d.experts.length, "expert")}, ${count(raised, "tension")} raised.`;
}

function Overview({ d, waiting }: { d: Dialogue; waiting: Waiting | undefined }): preact.JSX.Element {
  return (
    <div class="columns overview">
      <div>
        {!report && !finalVerdict(d) && <Run d={d} />}
        <section aria-label="Who said what">
          <Heading more={lead(d)}>Who said what</Heading>
          <Lanes d={d} waiting={waiting} />
        </section>
      </div>
      <div class="aside">
        <TensionList d={d} />
        <RestsOn d={d} />
        {!report && <Latest d={d} />}
      </div>
      <section aria-label="How it got there">
        {d.rounds.length > 0 && <Heading>How it got there</Heading>}
        <Charts d={d} />
        {!report && <Acting d={d} waiting={waiting} />}
        {!report && finalVerdict(d) && <Run d={d} />}
      </section>
    </div>
  );
}

function Body({ d, view, place, waiting }: { d: Dialogue; view: string; place: Place; waiting: Waiting | undefined }): preact.JSX.Element {
  switch (view) {
    case "rounds":
      return <Rounds d={d} place={place} />;
    case "graph":
      return <Graph d={d} place={place} />;
    case "tensions":
      return <Tensions d={d} />;
    case "experts":
      return <Panel d={d} />;
    case "history":
      return <History d={d} />;
    case "item":
      return <Item d={d} id={place.path[3] ?? ""} />;
    default:
      return <Overview d={d} waiting={waiting} />;
  }
}

/** On a phone they may not all fit: the one that is open is in sight. */
function Tabs({ id, view }: { id: string; view: string }): preact.JSX.Element {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const open = tabs.current?.querySelector<HTMLElement>("[aria-current]");
    if (tabs.current && open) tabs.current.scrollLeft = open.offsetLeft - tabs.current.offsetLeft - 24;
  }, [view]);
  return (
    <nav class="tabs" ref={tabs} aria-label="Views of this dialogue">
      {views.map(([name, word]) => (
        <a href={name ? link("dialogue", id, name) : link("dialogue", id)} aria-current={name === view ? "page" : undefined} data-tab>
          {word}
        </a>
      ))}
    </nav>
  );
}

const LONG = 140; // letters of a question that is set in a smaller size

function Shown({ raw, view, place, waiting }: { raw: unknown; view: string; place: Place; waiting: Waiting | undefined }): preact.JSX.Element {
  const d = useMemo(() => readDialogue(raw), [raw]);
  return (
    <article class="dialogue">
      <Crumbs>
        {report ? <span>Deliberation</span> : <a href={link("dialogue")}>Dialogues</a>} <span>›</span> <span>{cut(d.title, 80)}</span>
        {!report && <Exports id={d.id} />}
      </Crumbs>
      <h1 class={view || (d.question ?? d.title).length > LONG ? "short" : ""} dir="auto">
        {d.question ?? d.title}
      </h1>
      <Decision d={d} waiting={waiting} short={Boolean(view)} />
      <Tabs id={d.id} view={view} />
      <Body d={d} view={view} place={place} waiting={waiting} />
      <Beside d={d} />
    </article>
  );
}

const over = (raw: unknown): boolean => ["converged", "abandoned"].includes((raw as { status: string }).status);

/** A running one is told who has still to answer. */
function Running(props: { raw: unknown; id: string; view: string; place: Place }): preact.JSX.Element {
  const asked = useAsk<Waiting>({ operation: "dialogue/round-verify", input: { dialogue_id: props.id }, room: "dialogue", scope: props.id });
  return <Shown {...props} waiting={asked.data} />;
}

export function DialogueView({ id, view }: { id: string; view: string }): preact.JSX.Element {
  const place = useHere();
  const asked = useAsk<unknown>({
    operation: "dialogue/export",
    input: { dialogue_id: id, output_path: "-", plain: true },
    post: true,
    room: "dialogue",
    scope: id,
  });
  return (
    <Loaded asked={asked}>
      {(raw) => (over(raw) || report ? <Shown raw={raw} view={view} place={place} waiting={undefined} /> : <Running raw={raw} id={id} view={view} place={place} />)}
    </Loaded>
  );
}

/** The whole page of a report: the same views, and nothing to ask for. */
export function ReportView({ place, id }: { place: Place; id: string }): preact.JSX.Element {
  const view = place.path[0] === "dialogue" ? (place.path[2] ?? "") : "";
  const here = place.path.length ? place : { ...place, path: ["dialogue", id] };
  return (
    <Here.Provider value={here}>
      <main id="main" tabIndex={-1}>
        <DialogueView id={id} view={view} />
        <footer class="facts">A report of Conclave. It needs no server and loads nothing.</footer>
      </main>
    </Here.Provider>
  );
}
