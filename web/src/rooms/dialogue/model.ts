// model.ts - a dialogue as its export tells it, and what follows from it: the sentence on top, the edges, who agrees.
import { capital, count, cut, first, isolate, list, vote } from "../../words";
import { type Kind } from "./words";

export interface Reference {
  type: string;
  target: string;
  reason?: string;
}

/** What happened to an entity, as its events tell it. */
export interface Step {
  type: string;
  round: number;
  by: string[];
  reference?: string;
  result?: string;
  reason?: string;
}

export interface Entity {
  id: string;
  kind: Kind;
  label: string;
  content?: string;
  description?: string;
  contributors: string[];
  round: number;
  status: string;
  references: Reference[];
  events?: Step[];
}

export interface Expert {
  slug: string;
  role: string;
  tier: string;
  focus?: string;
  description?: string;
  source?: string;
  creationReason?: string;
  total: number | null;
  scores: Record<string, number | null>;
}

export interface Round {
  round: number;
  title: string | null;
  score: number;
  velocity: number;
  openTensions: number;
  summary: string | null;
  scoreComponents?: Record<string, number> | null;
  experts: Record<string, Spoken>;
}

/** What an expert brought to a round: the response as it was written, and which of its local ids became what. */
export interface Spoken {
  score?: number | null;
  raw?: string | null;
  mapping?: Record<string, string>;
}

export interface Verdict {
  id: string;
  type: string;
  round: number;
  author: string | null;
  recommendation: string;
  description: string | null;
  conditions: string[];
  keyEvidence: string[];
  keyClaims: string[];
  vote: string | null;
  confidence: string | null;
}

interface Raw {
  id: string;
  title: string;
  date?: string;
  question: string | null;
  status: string;
  experts: Expert[];
  rounds: Round[];
  perspectives: Entity[];
  recommendations: Entity[];
  tensions: Entity[];
  evidence: Entity[];
  claims: Entity[];
  references: (Reference & { source: string; round: number })[];
  moves: { expert: string; round: number; type: string; targets: string[]; context?: string }[];
  verdicts: Verdict[];
  record: { rev: number; events: number; head: string };
}

/** A reference with both of its ends; `from` is an id, or @expert for an overall position. */
export interface Edge {
  from: string;
  to: string;
  type: string;
  reason?: string;
}

export interface Dialogue extends Raw {
  entities: Entity[];
  byId: Map<string, Entity>;
  edges: Edge[];
}

const lists: [keyof Raw, Kind][] = [
  ["perspectives", "perspective"],
  ["recommendations", "recommendation"],
  ["tensions", "tension"],
  ["evidence", "evidence"],
  ["claims", "claim"],
];

const edge = (from: string, r: Reference): Edge => ({ from, to: r.target, type: r.type, ...(r.reason ? { reason: r.reason } : {}) });

export function readDialogue(raw: unknown): Dialogue {
  const d = raw as Raw;
  const entities = lists.flatMap(([name, kind]) =>
    (d[name] as Entity[]).map((entity) => ({ ...entity, kind, references: entity.references ?? [] })),
  );
  const edges = [
    ...entities.flatMap((e) => e.references.map((r) => edge(e.id, r))),
    ...(d.references ?? []).map((r) => edge(r.source, r)),
  ];
  return { ...d, moves: d.moves ?? [], entities, byId: new Map(entities.map((e) => [e.id, e])), edges };
}

export const textOf = (e: Entity): string => e.content ?? e.description ?? "";

export const isOpen = (tension: Entity): boolean => ["open", "addressed", "reopened"].includes(tension.status);

export const tensionsOf = (d: Dialogue): Entity[] => d.entities.filter((e) => e.kind === "tension");

export const finalVerdict = (d: Dialogue): Verdict | undefined => d.verdicts.find((v) => v.type === "final");

export const dissents = (d: Dialogue): Verdict[] => d.verdicts.filter((v) => v.type === "dissent" || v.type === "minority");

/** Who has still to answer the round that is under way; known only while it is. */
export interface Waiting {
  round: number;
  complete: boolean;
  missing: string[];
  experts: { expert: string; state: string }[];
  diagnostics?: { expert: string; message: string; line?: number }[];
}

/** Tensions that are open, and that nobody has taken up since they were raised, for two rounds or more. */
function forgotten(d: Dialogue): Entity[] {
  const last = d.rounds.length - 1;
  return tensionsOf(d).filter((t) => t.status === "open" && last - t.round >= 2);
}

export type Standing = "decided" | "abandoned" | "blocked" | "running";

export function standing(d: Dialogue): Standing {
  if (finalVerdict(d)) return "decided";
  if (d.status === "abandoned") return "abandoned";
  return forgotten(d).length > 0 ? "blocked" : "running";
}

function decided(d: Dialogue, final: Verdict): string {
  const against = [...new Set(dissents(d).map((v) => capital(v.author ?? "somebody")))];
  const disagree = against.length ? ` ${list(against)} ${against.length === 1 ? "disagrees" : "disagree"}.` : "";
  const result = final.vote ? ` (${vote(final.vote)})` : "";
  return `Decided in round ${final.round}: ${isolate(final.recommendation.replace(/\.$/, ""))}${result}.${disagree}`;
}

/** What the round under way waits for; empty: nothing is known of it. */
export function awaited(waiting: Waiting | undefined): string {
  if (!waiting) return "";
  if (waiting.complete) return `Round ${waiting.round} is complete: it can be registered.`;
  const { missing } = waiting;
  if (missing.length === 0) return "";
  return `Round ${waiting.round} is waiting for ${missing.length > 4 && missing.length === waiting.experts.length ? `all ${missing.length} experts` : first(missing)}.`;
}

const LABEL = 70; // letters of a label within a sentence

const named = (tensions: Entity[]): string => first(tensions.map((t) => `${isolate(cut(t.label, LABEL))} (${first(t.contributors)})`));

/** What holds everything up: the oldest by name, the others by number. */
function stuck(d: Dialogue, [oldest, ...others]: Entity[]): string {
  if (!oldest) return "";
  const rounds = count(d.rounds.length - 1 - oldest.round, "round");
  return `Nobody has answered ${oldest.id} ${isolate(cut(oldest.label, LABEL))} for ${rounds}${others.length ? `, nor ${count(others.length, "other tension")} for two rounds or more` : ""}.`;
}

/** One sentence, or three short ones, that say where it stands and why it is not finished. */
export function sentence(d: Dialogue, waiting?: Waiting): string {
  const final = finalVerdict(d);
  if (final) return decided(d, final);
  if (d.status === "abandoned") return "Abandoned without a decision.";
  if (d.experts.length === 0) return "Nobody sits on the panel yet.";
  const open = tensionsOf(d).filter(isOpen);
  const blocking = forgotten(d);
  const parts = [stuck(d, blocking), awaited(waiting)];
  if (d.rounds.length === 0) parts.push("No round has been held yet.");
  else if (open.length === 0) parts.push("Every tension is closed. The final verdict is still to be given.");
  else if (blocking.length) parts.push(`${capital(count(open.length, "tension is", "tensions are"))} open in all.`);
  else parts.push(`${capital(count(open.length, "tension is", "tensions are"))} open: ${named(open)}.`);
  return parts.filter(Boolean).join(" ");
}

export interface Agreement {
  support: number;
  oppose: number;
}

/** Who supported and opposed whom: references from what one said to what the other said. Keys are "from to". */
export function agreement(d: Dialogue): Map<string, Agreement> {
  const owners = (id: string): string[] => (id.startsWith("@") ? [id.slice(1)] : (d.byId.get(id)?.contributors ?? []));
  const pairs = new Map<string, Agreement>();
  for (const e of d.edges) {
    if (e.type !== "support" && e.type !== "oppose") continue;
    for (const from of owners(e.from))
      for (const to of owners(e.to)) {
        if (from === to) continue;
        const pair = pairs.get(`${from} ${to}`) ?? { support: 0, oppose: 0 };
        pair[e.type]++;
        pairs.set(`${from} ${to}`, pair);
      }
  }
  return pairs;
}

export interface Passage {
  text: string;
  kind: "marker" | "marked" | "unmarked";
  id?: string;
}

/** A response line by line: markers, the text that belongs to one, and text under no marker. */
export function passages(raw: string, mapping: Record<string, string> = {}): Passage[] {
  let inside = false;
  return raw.split("\n").map((text): Passage => {
    const item = /^\s*\[([A-Z][A-Z0-9_-]*-[PRTEC]\d{2,4})\b/.exec(text);
    const marker = /^\s*\[(RE|MOVE|VERDICT|DISSENT|MINORITY VERDICT|REFINEMENT|CONCESSION|RESOLVED)\b/.test(text);
    if (item || marker) {
      inside = inside || Boolean(item);
      const id = mapping[item?.[1] ?? ""];
      return { text, kind: "marker", ...(id ? { id } : {}) };
    }
    if (/^(#|---)/.test(text)) inside = false;
    return { text, kind: inside ? "marked" : "unmarked" };
  });
}

export interface Source {
  expert: string;
  round: number;
  passage: Passage[];
}

/** Where an entity was said: the lines from its marker up to the next one, in the response of each contributor. */
export function sourcesOf(d: Dialogue, e: Entity): Source[] {
  const round = d.rounds.find((r) => r.round === e.round);
  return e.contributors.flatMap((expert): Source[] => {
    const spoken = round?.experts[expert];
    if (!spoken?.raw) return [];
    const all = passages(spoken.raw, spoken.mapping);
    const from = all.findIndex((p) => p.id === e.id);
    if (from < 0) return [];
    const rest = all.findIndex((p, i) => i > from && (p.id !== undefined || p.kind === "unmarked"));
    const passage = all.slice(from, rest < 0 ? undefined : rest);
    while (passage.length > 1 && !passage[passage.length - 1]?.text.trim()) passage.pop();
    return [{ expert, round: e.round, passage }];
  });
}
