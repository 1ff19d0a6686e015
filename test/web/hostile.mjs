// hostile.mjs - a project in which every field that somebody else fills holds what must never run, and never widens a page.
export const marks = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script></script><!--`;
export const hostile = `${marks} [click](javascript:window.pwned=1) ![i](javascript:window.pwned=1) ![j](http://elsewhere.example/j.png) <svg onload=window.pwned=1> "'\`&lt;b&gt; \u202Eesrever\u202C`;
const giant = "x".repeat(600);
const long = `${hostile} ${giant}`;

export const hostileFile = "evil <img src=x onerror=window.pwned=1>.py";

/** Fills every room over the API; returns the id of the dialogue that is hostile in every field. */
export async function plant(url) {
  const post = async (operation, input) => {
    const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer).slice(0, 600)}`);
    return answer;
  };
  const short = marks.slice(0, 78);
  const { dialogue_id } = await post("dialogue/create", {
    title: marks.slice(0, 60),
    question: long,
    background: { subject: hostile, description: long, constraints: [hostile] },
    expert_pool: { domain: hostile, experts: ["eve", "mallory"].map((slug) => ({ slug, role: `${slug} ${short}`.slice(0, 90), tier: "Core", relevance: 0.9, focus: hostile, description: long })) },
  });
  for (const expert of ["eve", "mallory"])
    await post("dialogue/respond", { dialogue_id, round: 0, expert, content: `# ${hostile}\n\n[${expert.toUpperCase()}-P0001: ${short}]\n${long}\n\n${hostile}\n` });
  const item = (id, key, more = {}) => ({ local_id: id, label: short, [key]: long, contributors: [id.split("-")[0].toLowerCase()], ...more });
  await post("dialogue/round-register", {
    dialogue_id,
    round: 0,
    score: 3,
    title: short,
    summary: long,
    expert_scores: { eve: 1, mallory: 2 },
    perspectives: [item("EVE-P0001", "content"), item("MALLORY-P0001", "content", { references: [{ type: "oppose", target: "EVE-P0001", reason: hostile }] })],
    recommendations: [item("EVE-R0001", "content", { parameters: { [short]: hostile } })],
    tensions: [item("EVE-T0001", "description", { references: [{ type: "depend", target: "EVE-P0001", reason: hostile }] })],
    evidence: [item("EVE-E0001", "content")],
    claims: [item("EVE-C0001", "content")],
    references: [{ source: "@mallory", type: "question", target: "EVE-R0001", reason: hostile }],
    moves: [{ expert: "eve", type: "request", targets: [], context: hostile }],
    tension_updates: [{ id: "EVE-T0001", status: "addressed", by: ["judge"], reason: hostile }],
  }).catch(async (error) => {
    if (!String(error).includes("tension_updates")) throw error; // a status of an item of the same batch cannot be set
  });
  await post("dialogue/verdict-register", { dialogue_id, verdict_id: "final", verdict_type: "final", recommendation: hostile, description: long, conditions: [hostile, giant], vote: short.slice(0, 20), force: true, warning: hostile });
  await post("dialogue/verdict-register", { dialogue_id, verdict_id: "against", verdict_type: "minority", author_expert: "eve", recommendation: hostile, description: long });
  await post("dialogue/create", { title: "Hostile and running", question: long, expert_pool: { domain: "x", experts: [{ slug: "eve", role: short, tier: "Core", relevance: 0.5 }] } });
  await post("agent/add", { agent_id: "eve", kind: "human", summary: hostile.slice(0, 150), capabilities: ["x"] });
  await post("mail/send", { from: "eve", to: ["tester", "eve"], body: long });
  await post("mail/send", { from: "builder", to: ["tester"], command: short, params: { [hostile]: long } });
  await post("mail/plan", { from: "planner", plan: "evil", goal: hostile, tasks: [{ task_id: "t1", action: short, target_agent: "tester" }] });
  await post("chat/open", { purpose: hostile, participants: ["A@ada", "B@tester"], id: "hostile" });
  await post("chat/send", { chat_id: "hostile", from: "A@ada", type: "QUESTION", body: long });
  await post("notes/create", { path: hostileFile, speaker: "eve", target: "@everyone", message: `Read ${marks}`, content: "x = 1\n", notes: [{ line: 1, speaker: "eve", target: "@everyone", message: `See ${hostile}`.slice(0, 270) }] });
  return dialogue_id;
}
