// experts.tsx - who sat, what they scored, and what became of what they said.
import { agreement, type Dialogue, type Expert } from "../dialogue";
import { Person } from "../parts/show";
import { plural } from "../words";

function fate(d: Dialogue, slug: string): string {
  const own = d.entities.filter((e) => e.contributors.includes(slug));
  const tensions = own.filter((e) => e.kind === "tension");
  const closed = tensions.filter((t) => t.status === "resolved" || t.status === "accepted").length;
  const adopted = own.filter((e) => e.status === "adopted").length;
  return [
    plural(own.length, "contribution"),
    tensions.length ? `${closed} of ${plural(tensions.length, "tension")} closed` : "",
    adopted ? `${adopted} adopted` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function Row({ d, expert }: { d: Dialogue; expert: Expert }): preact.JSX.Element {
  return (
    <tr>
      <th scope="row">
        <Person name={expert.slug} />
      </th>
      <td>{expert.role}</td>
      <td>{expert.tier}</td>
      {d.rounds.map((r) => (
        <td class="number">{expert.scores[String(r.round)] ?? ""}</td>
      ))}
      <td class="number">{expert.total ?? ""}</td>
      <td>{fate(d, expert.slug)}</td>
    </tr>
  );
}

/** Support minus oppose, who of whom; the numbers say what the colour does. */
function HeatMap({ d }: { d: Dialogue }): preact.JSX.Element {
  const pairs = agreement(d);
  const most = Math.max(1, ...[...pairs.values()].map((p) => Math.abs(p.support - p.oppose)));
  return (
    <section aria-label="Agreement">
      <h2>
        Agreement <small>the row supports (+) or opposes (−) the column</small>
      </h2>
      <div class="scroll">
        <table class="heat">
          <caption class="hidden">Support minus oppose between experts</caption>
          <thead>
            <tr>
              <th scope="col">Expert</th>
              {d.experts.map((e) => (
                <th scope="col">{e.slug}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {d.experts.map((row) => (
              <tr>
                <th scope="row">
                  <Person name={row.slug} />
                </th>
                {d.experts.map((column) => {
                  const p = pairs.get(`${row.slug} ${column.slug}`);
                  if (!p) return <td />;
                  const net = p.support - p.oppose;
                  return (
                    <td
                      class={net > 0 ? "heat-for" : net < 0 ? "heat-against" : ""}
                      style={{ "--heat": `${Math.round((45 * Math.abs(net)) / most)}%` }}
                      title={`${row.slug} supports ${p.support} and opposes ${p.oppose} of ${column.slug}`}
                    >
                      {net > 0 ? `+${net}` : String(net).replace("-", "−")} <small>{p.support + p.oppose}</small>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
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
            <th scope="col">Role</th>
            <th scope="col">Tier</th>
            {d.rounds.map((r) => (
              <th scope="col">R{r.round}</th>
            ))}
            <th scope="col">Total</th>
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

export function Experts({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <>
      <Table d={d} />
      <HeatMap d={d} />
    </>
  );
}
