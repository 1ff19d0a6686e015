// tensions.tsx - what was in tension: a row for each with what happened to it in every round.
import { report } from "../../api";
import { isOpen, tensionsOf, type Dialogue, type Entity, type Step } from "./model";
import { Heading } from "../../parts/show";
import { EntityLink, ExpertName, Glyph, Status } from "./show";
import { link } from "../../router";
import { capital, count, list, plural } from "../../words";
import { toneOf } from "./words";

export function summary(all: Entity[]): string {
  const open = all.filter(isOpen).length;
  if (all.length === 0) return "Nothing was in tension.";
  if (open === 0) return `${capital(count(all.length, "tension was", "tensions were"))} raised; ${all.length === 1 ? "it is" : "all are"} closed.`;
  return `${capital(count(open, "tension is", "tensions are"))} open, ${all.length > open ? count(all.length - open, "is", "are") : "none is"} closed.`;
}

const sorted = (all: Entity[]): Entity[] => [...all.filter(isOpen), ...all.filter((t) => !isOpen(t))];

const MOST = 12; // in the short form

/** The short form: who raised it, and who has taken it up. */
export function TensionList({ d }: { d: Dialogue }): preact.JSX.Element {
  const all = tensionsOf(d);
  const open = all.filter(isOpen).length;
  return (
    <section aria-label="Tensions">
      <Heading more={`${open} open, ${all.length - open} closed`}>Tensions</Heading>
      {all.length === 0 && <p class="facts">Nothing was in tension yet.</p>}
      <ul class="plain tensions">
        {sorted(all).slice(0, report ? all.length : MOST).map((t) => {
          const answers = d.edges.filter((e) => e.to === t.id && e.type !== "depend");
          return (
            <li key={t.id}>
              <div class="tension">
                <Glyph kind="tension" status={t.status} />
                <EntityLink dialogue={d.id} id={t.id} />
                <span class="label" dir="auto">
                  {t.label}
                </span>
                <Status word={t.status} />
              </div>
              <div class="facts">
                <span>raised by {list(t.contributors)}</span>
                {answers.length > 0 && (
                  <span>
                    taken up by{" "}
                    {answers.map((e, i) => (
                      <>
                        {i > 0 && ", "}
                        {e.from.startsWith("@") ? e.from.slice(1) : <EntityLink dialogue={d.id} id={e.from} />}
                      </>
                    ))}
                  </span>
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {!report && all.length > MOST && (
        <p class="facts">
          <a href={link("dialogue", d.id, "tensions")}>{plural(all.length - MOST, "more", "more")}</a>
        </p>
      )}
    </section>
  );
}

/** The last thing that happened in a round counts. */
function stepIn(t: Entity, round: number): Step | undefined {
  return [...(t.events ?? [])].reverse().find((s) => s.round === round && s.reference !== "verdict-final");
}

const closing = (type: string): boolean => ["resolved", "accepted"].includes(type);

/** Was it closed in an earlier round, and not opened again? */
function closedBefore(t: Entity, round: number): boolean {
  const last = [...(t.events ?? [])].reverse().find((s) => s.round < round);
  return Boolean(last && closing(last.type));
}

function Row({ d, t }: { d: Dialogue; t: Entity }): preact.JSX.Element {
  return (
    <tr>
      <th scope="row">
        <Glyph kind="tension" status={t.status} /> <EntityLink dialogue={d.id} id={t.id} /> {t.label}
        <div class="facts">
          {t.contributors.map((slug) => (
            <ExpertName slug={slug} />
          ))}
        </div>
      </th>
      {d.rounds.map((r) => {
        const step = stepIn(t, r.round);
        const word = step?.type === "created" ? "raised" : (step?.type ?? "");
        const between = !step && r.round > t.round && !closedBefore(t, r.round);
        return (
          <td class={step ? toneOf(step.type === "created" ? "open" : step.type) : "between"}>
            {step && (
              <>
                {word} <small>{list(step.by)}</small>
              </>
            )}
            {between && <small>not taken up</small>}
          </td>
        );
      })}
      <td>
        <Status word={t.status} />
      </td>
    </tr>
  );
}

export function Tensions({ d }: { d: Dialogue }): preact.JSX.Element {
  const all = tensionsOf(d);
  return (
    <section aria-label="Tensions">
      <p class="lead">{summary(all)}</p>
      {all.length > 0 && (
        <div class="scroll">
          <table class="grid course">
            <caption class="hidden">What happened to each tension, round by round</caption>
            <thead>
              <tr>
                <th scope="col">Tension</th>
                {d.rounds.map((r) => (
                  <th scope="col">R{r.round}</th>
                ))}
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {sorted(all).map((t) => (
                <Row d={d} t={t} key={t.id} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
