// lanes.tsx - who said something in which round: a row for each expert, one sign for each contribution. Who was asked and
// said nothing is a dot; who did not sit is an empty cell.
import type { Dialogue, Entity } from "../dialogue";
import { link } from "../router";
import { glyphs, toneOf } from "../words";
import { Person } from "./show";

function Cell({ d, slug, round }: { d: Dialogue; slug: string; round: number }): preact.JSX.Element {
  const said = d.entities.filter((e) => e.round === round && e.contributors.includes(slug));
  const seated = slug in (d.rounds.find((r) => r.round === round)?.experts ?? {});
  if (said.length === 0) return <td class="cell">{seated ? <span title="asked, and silent">·</span> : ""}</td>;
  return (
    <td class="cell">
      {said.map((e: Entity) => (
        <a
          class={`glyph ${toneOf(e.status)}`}
          href={link("dialogue", d.id, "item", e.id)}
          title={`${e.id} ${e.label} (${e.status})`}
          aria-label={`${e.kind} ${e.id}: ${e.label}, ${e.status}`}
        >
          {glyphs[e.kind]}
        </a>
      ))}
    </td>
  );
}

export function Lanes({ d }: { d: Dialogue }): preact.JSX.Element {
  return (
    <div class="scroll">
      <table class="lanes">
        <caption class="hidden">Contributions of each expert by round</caption>
        <thead>
          <tr>
            <th scope="col">Expert</th>
            {d.rounds.map((r) => (
              <th scope="col">R{r.round}</th>
            ))}
            <th scope="col">Score</th>
          </tr>
        </thead>
        <tbody>
          {d.experts.map((expert) => (
            <tr key={expert.slug}>
              <th scope="row">
                <Person name={expert.slug} /> <small>{expert.role}</small>
              </th>
              {d.rounds.map((r) => (
                <Cell d={d} slug={expert.slug} round={r.round} />
              ))}
              <td class="number">{expert.total ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
