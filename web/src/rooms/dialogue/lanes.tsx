// lanes.tsx - who said something in which round: a row for each expert, one sign for each contribution. Who was asked and
// said nothing is a dot; who did not sit is an empty cell; a check mark is a signal to converge. The round under way has
// a column, too: who has answered, and who is waited for.
import { dissents, type Dialogue, type Entity, type Waiting } from "./model";
import { glyphOf, glyphs, kinds, toneOf } from "./words";
import { EntityLink, ExpertName } from "./show";

interface Lane {
  said: Map<number, Entity[]>;
  converges: Set<number>;
}

function lanesOf(d: Dialogue): Map<string, Lane> {
  const lanes = new Map<string, Lane>(d.experts.map((e) => [e.slug, { said: new Map(), converges: new Set() }]));
  for (const e of d.entities)
    for (const slug of e.contributors) {
      const said = lanes.get(slug)?.said;
      said?.set(e.round, [...(said.get(e.round) ?? []), e]);
    }
  for (const m of d.moves) if (m.type === "converge") lanes.get(m.expert)?.converges.add(m.round);
  return lanes;
}

function Cell({ d, slug, round, lane }: { d: Dialogue; slug: string; round: number; lane: Lane }): preact.JSX.Element {
  const said = lane.said.get(round) ?? [];
  const converges = lane.converges.has(round);
  const spoken = d.rounds.find((r) => r.round === round)?.experts[slug];
  if (!spoken && said.length === 0) return <td class="cell" />;
  return (
    <td class="cell">
      {said.map((e) => (
        <EntityLink dialogue={d.id} id={e.id} key={e.id}>
          <span class={`glyph ${toneOf(e.status, e.kind)}`} title={`${e.id} ${e.label} (${e.status})`} role="img" aria-label={`${e.kind} ${e.id}: ${e.label}, ${e.status}`}>
            {glyphOf(e.kind, e.status)}
          </span>
        </EntityLink>
      ))}
      {converges && (
        <span class="glyph green" title="signals convergence" role="img" aria-label="signals convergence">
          ✓
        </span>
      )}
      {said.length === 0 && !converges && (
        <span class="silent" title={spoken?.raw ? "answered, without a contribution of their own" : "asked, and silent"} role="img" aria-label={spoken?.raw ? "answered, without a contribution" : "asked, and silent"}>
          {spoken?.raw ? "–" : "·"}
        </span>
      )}
    </td>
  );
}

/** What an expert does in the round under way; empty: not asked. */
function Awaited({ state }: { state: string | undefined }): preact.JSX.Element {
  if (!state) return <td class="cell" />;
  const missing = state === "missing";
  return (
    <td class="cell">
      <span class={missing ? "amber" : "green"}>{missing ? "… waiting" : "✓ answered"}</span>
    </td>
  );
}

const MANY = 4; // rounds; more of them stand closer

function Legend({ open }: { open: boolean }): preact.JSX.Element {
  return (
    <p class="legend">
      {kinds.map((kind) => (
        <span>
          {glyphs[kind]} {kind}
        </span>
      ))}
      {open && <span>{glyphOf("tension", "open")} open tension</span>}
      <span>✓ converges</span>
      <span>· asked, silent</span>
    </p>
  );
}

/** How the rounds went, below their columns: a figure, and a bar against the highest. */
function Course({ name, tone, values, goesOn }: { name: string; tone: string; values: number[]; goesOn: boolean }): preact.JSX.Element {
  const most = Math.max(1, ...values);
  return (
    <tr class="course-row">
      <th scope="row">{name}</th>
      {values.map((value) => (
        <td class="cell figure">
          <span class={`bar ${tone}`} style={{ "--part": `${(100 * Math.max(0, value)) / most}%` }} aria-hidden="true" />
          <span>{value}</span>
        </td>
      ))}
      {goesOn && <td class="cell" />}
      <td class="score" />
    </tr>
  );
}

export function Lanes({ d, waiting }: { d: Dialogue; waiting: Waiting | undefined }): preact.JSX.Element {
  const lanes = lanesOf(d);
  const now = waiting && !d.rounds.some((r) => r.round === waiting.round) ? waiting : undefined;
  const states = new Map(now?.experts.map((e) => [e.expert, e.state]));
  const against = new Set(dissents(d).map((v) => v.author));
  const most = Math.max(1, ...d.experts.map((e) => e.total ?? 0));
  const first = d.rounds[0]?.round ?? 0;
  return (
    <>
      <div class="scroll">
        <table class={`lanes${d.rounds.length > MANY ? " many" : ""}`}>
          <caption class="hidden">Contributions of each expert by round</caption>
          <thead>
            <tr>
              <th scope="col">Expert</th>
              {d.rounds.map((r) => (
                <th scope="col" title={r.title ?? ""}>
                  R{r.round}
                </th>
              ))}
              {now && (
                <th scope="col" title="under way">
                  R{now.round}, now
                </th>
              )}
              <th scope="col" class="score">
                Score
              </th>
            </tr>
          </thead>
          <tbody>
            {d.experts.map((expert) => {
              const lane = lanes.get(expert.slug) ?? { said: new Map(), converges: new Set() };
              const joined = Math.min(...d.rounds.filter((r) => expert.slug in r.experts).map((r) => r.round));
              return (
                <tr key={expert.slug}>
                  <th scope="row">
                    <ExpertName slug={expert.slug} /> <small title={expert.role}>{expert.role}</small>
                    {against.has(expert.slug) && <span class="tag red">✗ dissents</span>}
                    {Number.isFinite(joined) && joined > first && <span class="tag">joined in R{joined}</span>}
                  </th>
                  {d.rounds.map((r) => (
                    <Cell d={d} slug={expert.slug} round={r.round} lane={lane} key={r.round} />
                  ))}
                  {now && <Awaited state={states.get(expert.slug)} />}
                  <td class="score">
                    {d.rounds.length > 0 && <span class="bar" style={{ "--part": `${(100 * (expert.total ?? 0)) / most}%` }} aria-hidden="true" />}
                    <span>{d.rounds.length > 0 ? (expert.total ?? "") : ""}</span>
                  </td>
                </tr>
              );
            })}
          </tbody>
          {d.rounds.length > 0 && (
            <tfoot>
              <Course name="Score of the round" tone="accent" values={d.rounds.map((r) => r.score)} goesOn={Boolean(now)} />
              <Course name="Open tensions" tone="amber" values={d.rounds.map((r) => r.openTensions)} goesOn={Boolean(now)} />
            </tfoot>
          )}
        </table>
      </div>
      <Legend open={d.entities.some((e) => glyphOf(e.kind, e.status) !== glyphs[e.kind])} />
    </>
  );
}
