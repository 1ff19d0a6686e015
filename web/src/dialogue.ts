// dialogue.ts - a dialogue as its export tells it, and what follows from it: the sentence on top, the lanes, the edges.
import { capital, list, plural, type Kind } from "./words";

export interface Reference {
  type: string;
  target: string;
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
}

export interface Expert {
  slug: string;
  role: string;
  tier: string;
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
  experts: Record<string, unknown>;
}

export interface Verdict {
  id: string;
  type: string;
  round: number;
  author: string | null;
  recommendation: string;
  description: string | null;
  conditions: string[];
  vote: string | null;
  confidence: string | null;
}

interface Raw {
  id: string;
  title: string;
  question: string | null;
  status: string;
  experts: Expert[];
  rounds: Round[];
  perspectives: Entity[];
  recommendations: Entity[];
  tensions: Entity[];
  evidence: Entity[];
  claims: Entity[];
  verdicts: Verdict[];
}

export interface Dialogue extends Raw {
  entities: Entity[];
}

const lists: [keyof Raw, Kind][] = [
  ["perspectives", "perspective"],
  ["recommendations", "recommendation"],
  ["tensions", "tension"],
  ["evidence", "evidence"],
  ["claims", "claim"],
];

export function readDialogue(raw: unknown): Dialogue {
  const d = raw as Raw;
  const entities = lists.flatMap(([name, kind]) =>
    (d[name] as Entity[]).map((entity) => ({ ...entity, kind, references: entity.references ?? [] })),
  );
  return { ...d, entities };
}

export const isOpen = (tension: Entity): boolean => ["open", "addressed", "reopened"].includes(tension.status);

export const finalVerdict = (d: Dialogue): Verdict | undefined => d.verdicts.find((v) => v.type === "final");

export const dissents = (d: Dialogue): Verdict[] =>
  d.verdicts.filter((v) => v.type === "dissent" || v.type === "minority");

/** One sentence that says where it stands. */
export function sentence(d: Dialogue): string {
  const final = finalVerdict(d);
  if (final) {
    const against = dissents(d).map((v) => capital(v.author ?? "somebody"));
    const vote = final.vote ? ` (${final.vote})` : "";
    const disagree = against.length ? ` ${list(against)} ${against.length === 1 ? "disagrees" : "disagree"}.` : "";
    return `Decided in round ${final.round}: ${final.recommendation.replace(/\.$/, "")}${vote}.${disagree}`;
  }
  if (d.status === "abandoned") return "Abandoned without a decision.";
  const open = d.entities.filter((e) => e.kind === "tension" && isOpen(e));
  if (d.rounds.length === 0) return "No round has been held yet.";
  if (open.length === 0) return "Every tension is closed. The final verdict is still to be given.";
  const named = open.slice(0, 3).map((t) => `${t.label} (${t.contributors.join(", ")})`);
  const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
  const verb = open.length === 1 ? "is" : "are";
  return `After round ${d.rounds.length - 1}, ${plural(open.length, "tension")} ${verb} open: ${named.join(", ")}${more}.`;
}
