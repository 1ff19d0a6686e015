// notes.tsx - the room of notes in files: the files as a tree with counts and moods, their notes in the order of the lines
// with what stands around them, headers that are out of date first.
import { useAsk } from "../ask";
import { Crumbs, Empty, Heading, Loaded, Person } from "../parts/show";
import type { Attention, Figure, Room } from "../room";
import { link, type Place } from "../router";
import { capital, count, plural } from "../words";

interface Note {
  number?: number;
  kind: string;
  speaker: string;
  target: string;
  mood_rgb: string;
  path: string;
  line: number;
  created_ymdhis: number;
  message: string;
  last_line?: number;
  after?: string;
}

interface Stale {
  path: string;
  line?: number;
  problem: string;
  speaker?: string;
}

const useStale = (): ReturnType<typeof useAsk<{ stale: Stale[] }>> => useAsk({ operation: "notes/stale", room: "notes" });

const useNotes = (): ReturnType<typeof useAsk<{ notes: Note[] }>> => useAsk({ operation: "notes/list", input: { limit: 500 }, room: "notes" });

function useAttention(): Attention[] {
  const { data } = useStale();
  return (data?.stale ?? []).map((s) => ({ text: `${s.path} was changed without a new header dialog`, href: link("notes", s.path), tone: "amber" }));
}

function useFigures(): Figure[] {
  const { data } = useNotes();
  return data ? [{ value: String(data.notes.length), label: data.notes.length === 1 ? "note in files" : "notes in files", href: link("notes") }] : [];
}

const moods: Record<string, string> = {
  FF0000: "critical",
  "00FF00": "reassuring",
  "0000FF": "reflective",
  "666666": "neutral",
  "888888": "balanced",
  FF8800: "warning",
  "00CC88": "calm",
  "000000": "no signal",
};

function Dot({ rgb }: { rgb: string }): preact.JSX.Element {
  const valid = /^[0-9A-Fa-f]{6}$/.test(rgb);
  return (
    <svg class="mood-dot" width="12" height="12" aria-hidden="true">
      <circle cx="6" cy="6" r="5" fill={valid ? `#${rgb}` : "none"} stroke="currentColor" stroke-opacity="0.5" />
    </svg>
  );
}

function Mood({ rgb }: { rgb: string }): preact.JSX.Element {
  return (
    <span class="mood">
      <Dot rgb={rgb} /> {moods[rgb.toUpperCase()] ?? "mood"} <small>#{rgb}</small>
    </span>
  );
}

function when(stamp: number): string {
  return String(stamp).replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d).*$/, "$1-$2-$3 $4:$5");
}

function Context({ text, line }: { text: string | undefined; line: number }): preact.JSX.Element | null {
  if (!text) return null;
  return (
    <pre class="context">
      {text.trimEnd().split("\n").map((words, i) => (
        <div>
          <span class="line-number">{line + i}</span> {words || " "}
        </div>
      ))}
    </pre>
  );
}

function OneNote({ n }: { n: Note }): preact.JSX.Element {
  return (
    <li class="note" id={`line-${n.line}`}>
      <div class="said">
        <div class="facts">
          <span>{n.kind === "header" ? "header" : `line ${n.line}`}</span>
          <Person name={n.speaker} />
          <span>→ {n.target}</span>
          <Mood rgb={n.mood_rgb} />
          <time>{when(n.created_ymdhis)}</time>
        </div>
        <p class="message" dir="auto">
          {n.message}
        </p>
      </div>
      {n.kind !== "header" && <Context text={n.after} line={(n.last_line ?? n.line) + 1} />}
    </li>
  );
}

function Outdated({ stale }: { stale: Stale | undefined }): preact.JSX.Element | null {
  if (!stale) return null;
  return <p class="amber">▲ Changed without a new header dialog{stale.speaker ? `; the last one is of ${stale.speaker}` : ""}.</p>;
}

/** One file, read now, with the lines before each note. */
function OneFile({ path, stale }: { path: string; stale: Stale | undefined }): preact.JSX.Element {
  const asked = useAsk<{ notes: Note[] }>({ operation: "notes/scan", input: { paths: path, context: 3 }, room: "notes" });
  return (
    <section aria-label={path} class="file">
      <Heading more={asked.data ? plural(asked.data.notes.length, "note") : ""}>{path}</Heading>
      <Outdated stale={stale} />
      <Loaded asked={asked}>
        {({ notes }) => (
          <ul class="plain">
            {notes.map((n) => (
              <OneNote n={n} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function InBrief({ path, notes, stale }: { path: string; notes: Note[]; stale: Stale | undefined }): preact.JSX.Element {
  const sorted = [...notes].sort((a, b) => a.line - b.line);
  return (
    <section aria-label={path} class="file">
      <Heading more={plural(notes.length, "note")}>
        <a href={link("notes", path)}>{path}</a>
      </Heading>
      <Outdated stale={stale} />
      <ul class="plain">
        {sorted.map((n) => (
          <OneNote n={n} key={n.number} />
        ))}
      </ul>
    </section>
  );
}

/** Folders, and in them the files with how many notes they have and in which moods. */
function Tree({ paths, notes, stale, picked }: { paths: string[]; notes: Note[]; stale: Stale[]; picked: string }): preact.JSX.Element {
  const folders = new Map<string, string[]>();
  for (const path of [...paths].sort()) {
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return (
    <nav class="tree" aria-label="Files with notes">
      {[...folders].map(([folder, files]) => (
        <>
          <p class="facts">{folder === "." ? "here" : `${folder}/`}</p>
          <ul class="rows">
            {files.map((path) => {
              const own = notes.filter((n) => n.path === path);
              return (
                <li key={path}>
                  <a class="row tree-row" data-row href={link("notes", path)} aria-current={path === picked ? "true" : undefined}>
                    <span class="title">{path.slice(path.lastIndexOf("/") + 1)}</span>
                    <span class="next">
                      {stale.some((s) => s.path === path) && <span class="amber">▲ </span>}
                      {own.slice(0, 6).map((n) => (
                        <Dot rgb={n.mood_rgb} />
                      ))}{" "}
                      {own.length}
                    </span>
                  </a>
                </li>
              );
            })}
          </ul>
        </>
      ))}
    </nav>
  );
}

function sentenceOf(notes: Note[], paths: string[], stale: Stale[]): string {
  return `${capital(count(notes.length, "note"))} in ${count(paths.length, "file")}; ${count(stale.length, "header is", "headers are")} out of date.`;
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const asked = useNotes();
  const stale = useStale().data?.stale ?? [];
  const only = place.path[1] ?? "";
  return (
    <Loaded asked={asked}>
      {({ notes }) => {
        const paths = [...new Set([...stale.map((s) => s.path), ...notes.map((n) => n.path)])];
        return (
          <>
            {only && (
              <Crumbs>
                <a href={link("notes")}>Notes</a> <span>›</span> <span>{only}</span>
              </Crumbs>
            )}
            {paths.length ? (
              <h1 class="sentence">{sentenceOf(notes, paths, stale)}</h1>
            ) : (
              <Empty title="No notes yet.">
                A file has a header for its readers: <code>conclave notes header FILE --target @everyone --message "What it is for"</code>. Notes that stand in files already are read by <code>conclave notes log</code>.
              </Empty>
            )}
            {paths.length > 0 && (
              <div class="columns mailing">
                <Tree paths={paths} notes={notes} stale={stale} picked={only} />
                <div>
                  {only ? (
                    <OneFile path={only} stale={stale.find((s) => s.path === only)} key={only} />
                  ) : (
                    paths.map((path) => <InBrief path={path} notes={notes.filter((n) => n.path === path)} stale={stale.find((s) => s.path === path)} key={path} />)
                  )}
                </div>
              </div>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const verbs: Record<string, string> = { header: "wrote the header of a file in", add: "left a note in", create: "made a file with", log: "", repair: "" };

export const notes: Room = {
  name: "notes",
  title: "Notes",
  useAttention,
  useFigures,
  View,
  told: (commit) => verbs[(commit.operation ?? "").replace("notes ", "")] ?? (commit.operation ?? "changed").replace("notes ", ""),
  scopeName: () => "notes",
  address: () => link("notes"),
};
