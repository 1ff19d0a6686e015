// notes.tsx - the room of notes in files: files with their notes in the order of their lines, moods as colour and value,
// headers that are out of date first.
import { useAsk } from "../ask";
import { Loaded, Person } from "../parts/show";
import type { Attention, Room } from "../room";
import { link, type Place } from "../router";
import { plural } from "../words";

interface Note {
  number: number;
  kind: string;
  speaker: string;
  target: string;
  mood_rgb: string;
  path: string;
  line: number;
  created_ymdhis: number;
  message: string;
}

interface Stale {
  path: string;
  line?: number;
  problem: string;
  speaker?: string;
}

const useStale = (): ReturnType<typeof useAsk<{ stale: Stale[] }>> => useAsk({ operation: "notes/stale", room: "notes" });

function useAttention(): Attention[] {
  const { data } = useStale();
  return (data?.stale ?? []).map((s) => ({ text: `${s.path} was changed without a new header dialog`, href: link("notes", s.path), tone: "amber" }));
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

function Mood({ rgb }: { rgb: string }): preact.JSX.Element {
  const valid = /^[0-9A-Fa-f]{6}$/.test(rgb);
  return (
    <span class="mood">
      <svg width="12" height="12" aria-hidden="true">
        <circle cx="6" cy="6" r="5.5" fill={valid ? `#${rgb}` : "none"} stroke="currentColor" stroke-opacity="0.4" />
      </svg>{" "}
      {moods[rgb.toUpperCase()] ?? ""} <small>{rgb}</small>
    </span>
  );
}

function when(stamp: number): string {
  return String(stamp).replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d).*$/, "$1-$2-$3 $4:$5");
}

function File({ path, notes, stale }: { path: string; notes: Note[]; stale: Stale | undefined }): preact.JSX.Element {
  const sorted = [...notes].sort((a, b) => a.line - b.line);
  return (
    <section aria-label={path} class="file">
      <h2>
        <a href={link("notes", path)}>{path}</a> <small>{plural(notes.length, "note")}</small>
      </h2>
      {stale && <p class="amber">▲ Changed without a new header dialog{stale.speaker ? `; the last one is of ${stale.speaker}` : ""}.</p>}
      <ul class="plain">
        {sorted.map((n) => (
          <li key={n.number} class="note">
            <div class="facts">
              <span>{n.kind === "header" ? "header" : `line ${n.line}`}</span>
              <Person name={n.speaker} />
              <span>→ {n.target}</span>
              <Mood rgb={n.mood_rgb} />
              <time>{when(n.created_ymdhis)}</time>
            </div>
            <p class="message">{n.message}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const asked = useAsk<{ notes: Note[] }>({ operation: "notes/list", input: { limit: 500 }, room: "notes" });
  const stale = useStale().data?.stale ?? [];
  const only = place.path[1] ?? "";
  return (
    <Loaded asked={asked}>
      {({ notes }) => {
        const paths = [...new Set([...stale.map((s) => s.path), ...notes.map((n) => n.path)])].filter((path) => !only || path === only);
        return (
          <>
            {only && (
              <nav class="crumbs" aria-label="Where you are">
                <a href={link("notes")}>Notes</a> › {only}
              </nav>
            )}
            <h1 class="sentence">
              {paths.length
                ? `${plural(notes.filter((n) => !only || n.path === only).length, "note")} in ${plural(paths.length, "file")}; ${plural(stale.filter((s) => paths.includes(s.path)).length, "header is", "headers are")} out of date.`
                : "No notes yet. conclave notes header FILE --target @everyone --message “…” leaves one; conclave notes log reads those in files."}
            </h1>
            {paths.map((path) => (
              <File path={path} notes={notes.filter((n) => n.path === path)} stale={stale.find((s) => s.path === path)} key={path} />
            ))}
          </>
        );
      }}
    </Loaded>
  );
}

export const notes: Room = { name: "notes", title: "Notes", useAttention, View, address: () => link("notes") };
