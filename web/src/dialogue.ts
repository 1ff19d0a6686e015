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
    const vote = final.vote ? ` (${final.vote.replaceAll("-", "\u2011")})` : ""; // it does not break
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

export interface Agreement {
  support: number;
  oppose: number;
}

/** Who supported and opposed whom: references from what one said to what the other said. */
export function agreement(d: Dialogue): Map<string, Agreement> {
  const owner = new Map(d.entities.map((e) => [e.id, e.contributors]));
  const pairs = new Map<string, Agreement>();
  for (const e of d.entities)
    for (const r of e.references) {
      if (r.type !== "support" && r.type !== "oppose") continue;
      for (const from of e.contributors)
        for (const to of owner.get(r.target) ?? []) {
          if (from === to) continue;
          const pair = pairs.get(`${from} ${to}`) ?? { support: 0, oppose: 0 };
          pair[r.type]++;
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

/** A response line by line: markers, the text that belongs to one, and text that stands alone. */
export function passages(raw: string, mapping: Record<string, string> = {}): Passage[] {
  let inside = false;
  return raw.split("\n").map((text): Passage => {
    const item = /^\[([A-Z][A-Z0-9_-]*-[PRTEC]\d{2,4})\b/.exec(text);
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
