// acting.tsx - what a person can do in a dialogue: answer as an expert, register the drafted round, give a verdict.
import { useAsk } from "../../ask";
import { person, type Input } from "../../api";
import type { Dialogue, Waiting } from "./model";
import { Act } from "../../parts/act";
import { list } from "../../words";

interface Draft {
  payload: { [key: string]: never };
}

function Register({ d, round }: { d: Dialogue; round: number }): preact.JSX.Element {
  const draft = useAsk<Draft>({ operation: "dialogue/draft", input: { dialogue_id: d.id, round }, room: "dialogue", scope: d.id });
  return (
    <Act
      title={`Register round ${round}`}
      operation="dialogue/round-register"
      verb="Register"
      fields={[
        { name: "title", label: "Title" },
        { name: "score", label: "Score of the round", kind: "number" },
        { name: "expert_scores", label: "Scores of the experts", value: d.experts.map((e) => `${e.slug}=`).join(" "), hint: "muffin=12 donut=9; leave out who has none" },
        { name: "summary", label: "Synthesis", kind: "long" },
      ]}
      input={(typed): Input => ({
        ...draft.data?.payload,
        title: typed["title"] || undefined,
        score: typed["score"] ? Number(typed["score"]) : undefined,
        summary: typed["summary"] || undefined,
        expert_scores: Object.fromEntries(
          (typed["expert_scores"] ?? "")
            .split(/\s+/)
            .map((pair) => pair.split("="))
            .filter(([name, value]) => name && value)
            .map(([name, value]) => [name ?? "", Number(value)]),
        ),
      })}
    >
      <p class="facts">Items, references and moves come from the draft of the stored responses.</p>
    </Act>
  );
}

export function Acting({ d, waiting }: { d: Dialogue; waiting: Waiting | undefined }): preact.JSX.Element | null {
  if (d.status === "converged" || d.status === "abandoned" || !waiting) return null;
  const { round, missing } = waiting;
  const by = person() ? `(entered by ${person()}, a person)` : "(entered by a person at the dashboard)";
  return (
    <section aria-label="Act" class="acts">
      <h2>
        Act <small>{missing.length ? `round ${round} waits for ${list(missing)}` : `round ${round} is complete: it can be registered`}</small>
      </h2>
      <Act
        title="Answer as an expert"
        operation="dialogue/respond"
        verb="Hand in"
        fields={[
          { name: "expert", label: "Expert", kind: "choice", choices: missing.length ? missing : d.experts.map((e) => e.slug) },
          { name: "content", label: "Response", kind: "long", hint: "markers like [KIM-P0101: label] make items of it; the rest is kept as it is" },
        ]}
        input={(typed) => ({ dialogue_id: d.id, round, expert: typed["expert"], content: typed["content"] })}
      />
      <Register d={d} round={round} />
      <Act
        title="Give a verdict"
        operation="dialogue/verdict-register"
        verb="Decide"
        fields={[
          { name: "verdict_type", label: "Type", kind: "choice", choices: ["interim", "final"] },
          { name: "verdict_id", label: "Short name", value: `V${String(round).padStart(2, "0")}` },
          { name: "recommendation", label: "Decision", hint: "one line" },
          { name: "description", label: "Reasoning", kind: "long" },
          { name: "vote", label: "Vote", hint: "5–1, or nothing" },
        ]}
        input={(typed) => ({
          dialogue_id: d.id,
          verdict_type: typed["verdict_type"],
          verdict_id: typed["verdict_id"],
          recommendation: typed["recommendation"],
          description: [typed["description"], by].filter(Boolean).join(" "),
          ...(typed["vote"] ? { vote: typed["vote"] } : {}),
        })}
      />
    </section>
  );
}
