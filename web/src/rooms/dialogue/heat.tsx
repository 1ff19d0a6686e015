// heat.tsx - who agrees with whom: support minus oppose, with the counts behind each number; the sign says what the colour does.
import type { Agreement } from "./model";
import { cut } from "../../words";
import { Heading } from "../../parts/show";
import { ExpertName } from "./show";

function sentence(people: string[], pairs: Map<string, Agreement>): string {
  const all = [...pairs.entries()].map(([key, p]) => ({ pair: key.split(" "), net: p.support - p.oppose, p }));
  const name = ({ pair }: { pair: string[] }): string => `${pair[0] ?? ""} and ${pair[1] ?? ""}`;
  const best = all.filter((x) => x.net > 0).sort((a, b) => b.net - a.net)[0];
  const worst = all.filter((x) => x.net < 0).sort((a, b) => a.net - b.net)[0];
  if (people.length === 0 || all.length === 0) return "Nobody has supported or opposed somebody else yet.";
  return [best && `${name(best)} agree most (${best.p.support} for, ${best.p.oppose} against)`, worst && `${name(worst)} disagree most (${worst.p.support} for, ${worst.p.oppose} against)`].filter(Boolean).join("; ") + ".";
}

function Cell({ row, column, pair, most }: { row: string; column: string; pair: Agreement | undefined; most: number }): preact.JSX.Element {
  if (!pair) return <td class={row === column ? "self" : ""} />;
  const net = pair.support - pair.oppose;
  return (
    <td
      class={net > 0 ? "heat-for" : net < 0 ? "heat-against" : "heat-even"}
      style={{ "--heat": `${Math.round(12 + (33 * Math.abs(net)) / most)}%` }}
      title={`${row} supports ${pair.support} and opposes ${pair.oppose} of ${column}`}
    >
      {net > 0 ? `+${net}` : String(net).replace("-", "−")}{" "}
      <small>
        {pair.support}:{pair.oppose}
      </small>
    </td>
  );
}

export function HeatMap({ people, pairs }: { people: string[]; pairs: Map<string, Agreement> }): preact.JSX.Element {
  const met = people.filter((slug) => people.some((other) => pairs.has(`${slug} ${other}`) || pairs.has(`${other} ${slug}`)));
  const most = Math.max(1, ...[...pairs.values()].map((p) => Math.abs(p.support - p.oppose)));
  return (
    <section aria-label="Agreement">
      <Heading more="the row supports (+) or opposes (−) the column; behind it how often">Agreement</Heading>
      <p class="lead">{sentence(people, pairs)}</p>
      {met.length > 0 && (
        <div class="scroll">
          <table class="heat">
            <caption class="hidden">Support minus oppose between experts</caption>
            <thead>
              <tr>
                <th scope="col">Expert</th>
                {met.map((slug) => (
                  <th scope="col">{cut(slug, 14)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {met.map((row) => (
                <tr>
                  <th scope="row">
                    <ExpertName slug={row} />
                  </th>
                  {met.map((column) => (
                    <Cell row={row} column={column} pair={pairs.get(`${row} ${column}`)} most={most} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
