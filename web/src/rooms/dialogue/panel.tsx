// panel.tsx - who sat in one dialogue, what they scored, what became of what they said, and who agreed with whom.
import { agreement, type Dialogue, type Expert } from "./model";
import { Chart } from "../../parts/chart";
import { HeatMap } from "./heat";
import { ExpertName } from "./show";
import { capital, count, plural } from "../../words";

function whatBecame(d: Dialogue, slug: string): string {
  const own = d.entities.filter((e) => e.contributors.includes(slug));
  const tensions = own.filter((e) => e.kind === "tension");
  const closed = tensions.filter((t) => t.status === "resolved" || t.status === "accepted").length;
  const adopted = own.filter((e) => e.status === "adopted").length;
  return [plural(own.length, "contribution"), tensions.length ? `${closed} of ${plural(tensions.length, "tension")} closed` : "", adopted ? `${adopted} adopted` : ""].filter(Boolean).join(", ");
}

function Row({ d, expert }: { d: Dialogue; expert: Expert }): preact.JSX.Element {
  return (
    <tr>
      <th scope="row">
        <ExpertName slug={expert.slug} />
        <span class="facts on-narrow">{expert.role}</span>
      </th>
      <td class="on-wide">
        {expert.role}
        {expert.creationReason && <div class="facts">{expert.creationReason}</div>}
      </td>
      <td class="on-wide">{expert.tier}</td>
      {d.rounds.length <= 12 && d.rounds.map((r) => <td class="figure">{expert.scores[String(r.round)] ?? "–"}</td>)}
      <td class="figure">{expert.total ?? "–"}</td>
      <td>{whatBecame(d, expert.slug)}</td>
    </tr>
  );
}

function Table({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <div class="scroll">
      <table class="grid">
        <caption class="hidden">Experts with their scores</caption>
        <thead>
          <tr>
            <th scope="col">Expert</th>
            <th scope="col" class="on-wide">
              Role
            </th>
            <th scope="col" class="on-wide">
              Tier
            </th>
            {d.rounds.length <= 12 &&
              d.rounds.map((r) => (
                <th scope="col" class="figure">
                  R{r.round}
                </th>
              ))}
            <th scope="col" class="figure">
              Total
            </th>
            <th scope="col">What became of it</th>
          </tr>
        </thead>
        <tbody>
          {d.experts.map((expert) => (
            <Row d={d} expert={expert} key={expert.slug} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const tones = ["accent", "green", "amber", "red", "grey", "ink"];

/** Who scored most and least in the last round; of many experts only some have a line. */
function courseOf(d: Dialogue, lines: number): string {
  const last = d.rounds[d.rounds.length - 1]?.round ?? 0;
  const scored = d.experts.flatMap((e) => (typeof e.scores[String(last)] === "number" ? [{ slug: e.slug, score: e.scores[String(last)] ?? 0 }] : [])).sort((a, b) => b.score - a.score);
  const [most, least] = [scored[0], scored[scored.length - 1]];
  const told = most && least && most !== least ? `In round ${last} ${most.slug} scored most (${most.score}) and ${least.slug} least (${least.score}).` : "Scores by round.";
  return d.experts.length > lines ? `${told} The lines are the ${lines} with the highest total.` : told;
}

export function Panel({ d }: { d: Dialogue }): preact.JSX.Element {
  const best = [...d.experts].sort((a, b) => (b.total ?? 0) - (a.total ?? 0));
  const first = best[0];
  return (
    <>
      <p class="lead">
        {capital(count(d.experts.length, "expert"))} sat on the panel.{first?.total ? ` ${capital(first.slug)} scored most (${first.total}).` : ""}
      </p>
      <Table d={d} />
      {d.rounds.length > 1 && (
        <Chart
          title={courseOf(d, tones.length)}
          labels={d.rounds.map((r) => `R${r.round}`)}
          series={best.slice(0, tones.length).map((e, i) => ({ name: e.slug, tone: tones[i] ?? "grey", values: d.rounds.map((r) => e.scores[String(r.round)] ?? null) }))}
          height={160}
        />
      )}
      <HeatMap people={d.experts.map((e) => e.slug)} pairs={agreement(d)} />
    </>
  );
}
