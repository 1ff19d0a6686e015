// room.tsx - the room of deliberations: what waits in it, and which view an address means.
import { useAsk, useAskAll } from "../../ask";
import { Heading } from "../../parts/show";
import type { Attention, Figure, Room } from "../../room";
import { link } from "../../router";
import { awaited, type Waiting } from "./model";
import { DialogueView, ReportView } from "./view";
import { Dialogues } from "./dialogues";
import { ExpertsView } from "./experts";
import { capital, count, cut } from "../../words";

interface Row {
  dialogue_id: string;
  title: string;
  status: string;
}

interface Page {
  dialogue_id: string;
  title: string;
  question: string | null;
  next_step?: { text: string };
  rounds: unknown[];
  tensions: { id: string; label: string; status: string; since: number }[];
}

const MOST = 20; // dialogues whose next step is asked for

const useRows = (): Row[] => useAsk<{ dialogues: Row[] }>({ operation: "dialogue/list", room: "dialogue" }).data?.dialogues ?? [];

/** A tension that is open for two rounds, and was never taken up, blocks. */
function useAttention(): Attention[] {
  const running = useRows()
    .filter((d) => d.status === "open" || d.status === "converging")
    .slice(0, MOST);
  const inputs = running.map((d) => ({ dialogue_id: d.dialogue_id }));
  const pages = useAskAll<Page>("dialogue", "dialogue/show", inputs);
  const rounds = useAskAll<Waiting & { dialogue_id: string }>("dialogue", "dialogue/round-verify", inputs);
  return pages.flatMap((p): Attention[] => {
    const href = link("dialogue", p.dialogue_id);
    const [oldest, ...others] = p.tensions.filter((t) => t.status === "open" && p.rounds.length - 1 - t.since >= 2);
    const more = others.length ? ` and ${count(others.length, "other tension")}` : "";
    return [
      ...(oldest ? [{ text: `${cut(p.title, 60)}: nobody has answered ${oldest.id} ${cut(oldest.label, 60)}${more}`, href, tone: "red" as const }] : []),
      { text: `${cut(p.title, 60)}: ${awaited(rounds.find((r) => r.dialogue_id === p.dialogue_id)) || (p.next_step?.text ?? "not decided yet")}`, href, tone: "blue" },
    ];
  });
}

interface Stats {
  dialogues: { total: number; by_status: Record<string, number> };
  entities: Record<string, { total: number }>;
  open_tensions: number;
  closed_tensions: number;
}

function useFigures(): Figure[] {
  const { data } = useAsk<Stats>({ operation: "dialogue/stats", room: "dialogue" });
  if (!data) return [];
  const said = Object.values(data.entities).reduce((sum, kind) => sum + kind.total, 0);
  return [
    { value: String(data.dialogues.total), label: data.dialogues.total === 1 ? "dialogue" : "dialogues", href: link("dialogue") },
    { value: String(data.dialogues.by_status["converged"] ?? 0), label: "decided", href: `${link("dialogue")}?show=decided` },
    { value: String(said), label: "contributions", href: link("experts") },
    { value: `${data.closed_tensions}/${data.closed_tensions + data.open_tensions}`, label: "tensions closed", href: link("dialogue") },
  ];
}

const verbs: Record<string, string> = {
  create: "asked",
  respond: "answered in",
  "round-register": "registered a round of",
  "round-prompts": "wrote the prompts of",
  "verdict-register": "gave a verdict in",
  "evolve-panel": "changed the panel of",
  "expert-create": "added an expert to",
  update: "corrected",
  abandon: "gave up",
};

/** An agent may sit on a panel under its own name. */
function AboutAgent({ name }: { name: string }): preact.JSX.Element | null {
  const { data } = useAsk<{ experts: { expert_slug: string; dialogues: number; total_score: number }[] }>({ operation: "dialogue/experts", room: "dialogue" });
  const expert = data?.experts.find((e) => e.expert_slug === name.toLowerCase());
  if (!expert) return null;
  return (
    <section aria-label="On panels">
      <Heading>On panels</Heading>
      <p>
        <a href={link("experts", expert.expert_slug)}>
          {expert.dialogues} dialogues, score {expert.total_score}
        </a>
      </p>
    </section>
  );
}

export const dialogue: Room = {
  name: "dialogue",
  title: "Dialogues",
  useAttention,
  useFigures,
  AboutAgent,
  View: ({ place }) => (place.path[1] ? <DialogueView id={place.path[1]} view={place.path[2] ?? ""} key={place.path[1]} /> : <Dialogues place={place} />),
  Front: ({ place }) => <Dialogues place={place} short />,
  Report: ReportView,
  pages: { experts: { title: "Experts", View: ExpertsView } },
  told: (commit) => verbs[(commit.operation ?? "").replace("dialogue ", "")] ?? (commit.operation ?? "changed").replace("dialogue ", ""),
  hitName: ({ kind, id, title }) => {
    const [, round, expert] = /^(\d+)\/(.+)$/.exec(id) ?? [];
    if (expert) return `${capital(expert)}: ${kind} of round ${round}`;
    return [/^[PRTEC]\d{4}$/.test(id) ? id : capital(kind), title].filter(Boolean).join(" ");
  },
  address: (scope, kind, id) => {
    if (id && /^[PRTEC]\d{4}$/.test(id)) return link("dialogue", scope, "item", id);
    return kind === "response" || kind === "position" ? link("dialogue", scope, "rounds") : link("dialogue", scope);
  },
};
