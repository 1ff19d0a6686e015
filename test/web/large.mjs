// large.mjs - a dialogue of 100 rounds with 1,000 contributions and 2,000 references, over the API.

export const ROUNDS = 100;
const EXPERTS = 10;
export const ENTITIES = ROUNDS * EXPERTS;

export async function post(url, operation, input) {
  const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer).slice(0, 600)}`);
  return answer;
}

const name = (i) => `expert-${String.fromCharCode(97 + i)}`;
const id = (kind, round, n) => `${kind}${String(round).padStart(2, "0")}${String(n).padStart(2, "0")}`;

/** What everybody says in a round; all of it refers to what was said in the round before, twice. */
function roundOf(dialogue_id, round) {
  const item = (i) => {
    const kind = i < 3 ? "T" : "P";
    const before = round === 0 ? [] : [0, 1].map((n) => ({ type: n ? "support" : "refine", target: id((i + n) % EXPERTS < 3 ? "T" : "P", round - 1, ((i + n) % EXPERTS < 3 ? 1 : -2) + ((i + n) % EXPERTS)) }));
    const references = before.map((r) => (r.target.startsWith("T") ? { ...r, type: "address" } : r));
    const text = `What ${name(i)} thinks in round ${round}. `.repeat(3);
    return { local_id: `${name(i).toUpperCase()}-${id(kind, round, 1)}`, label: `Point ${i} of round ${round}`, [kind === "T" ? "description" : "content"]: text, contributors: [name(i)], references };
  };
  const all = Array.from({ length: EXPERTS }, (_, i) => item(i));
  return {
    dialogue_id,
    round,
    score: 20 + (round % 7),
    title: `Round ${round}`,
    summary: `The judge sums up round ${round}.`,
    expert_scores: Object.fromEntries(all.map((_, i) => [name(i), 1 + (i % 5)])),
    perspectives: all.filter((e) => e.content),
    tensions: all.filter((e) => e.description),
  };
}

/** Returns its id. */
export async function makeLarge(url, rounds = ROUNDS) {
  const experts = Array.from({ length: EXPERTS }, (_, i) => ({ slug: name(i), role: `Role ${i}`, tier: "Core", relevance: 0.9 }));
  const { dialogue_id } = await post(url, "dialogue/create", { title: "Large", question: "Does it stay quick?", panel_size: EXPERTS, expert_pool: { domain: "Size", experts } });
  for (let round = 0; round < rounds; round++) await post(url, "dialogue/round-register", roundOf(dialogue_id, round));
  return dialogue_id;
}
