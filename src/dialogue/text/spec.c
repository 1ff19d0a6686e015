/* spec.c - the specification as markdown; see spec.h.
 *
 * The words, purposes, targets and section names below come from the vocabulary; the example document is rendered by
 * the same code that renders dialogues, and a test parses it without a finding.
 */
#include "dialogue/text/spec.h"

#include "dialogue/text/doc.h"

static void upper(cv_buf *out, cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        cv_buf_add_char(out, cv_upper(s.p[i]));
}

static void entities(cv_buf *out)
{
    cv_buf_add_z(out,
                 "## Entities\n\n"
                 "An entity marker is alone on its line; the text below it belongs to it, up to the next marker line,\n"
                 "a heading or a line `---`.\n\n"
                 "| Kind | In a response | In an assembled document | Registered | Purpose |\n"
                 "|---|---|---|---|---|\n");
    for (size_t i = 0; i < CV_KIND_COUNT; i++) {
        const cv_kind_row *k = &cv_kinds[i];
        cv_buf_printf(
            out, "| %.*s | `[MUFFIN-%c0101: label]` | `[%.*s %c01: label]` | `[%c0101: label] (muffin)` | %.*s |\n",
            CV_FMT(k->word), k->letter, CV_FMT(cv_marks_table[i].word), k->letter, k->letter, CV_FMT(k->purpose));
    }
    cv_buf_add_z(
        out,
        "\nIn a response use your own slug in capitals, the kind's letter, two digits for the round and two for your\n"
        "own count: `MUFFIN-P0102` is Muffin's second perspective in round 1. A registered item gets a global id\n"
        "(`P0107`); refer to items of earlier rounds by it.\n");
}

static const char *targets_text(cv_ref_targets targets)
{
    switch (targets) {
    case CV_TARGETS_TENSION:
        return "tensions (T) only";
    case CV_TARGETS_SAME:
        return "the same kind only";
    case CV_TARGETS_ANY:
        break;
    }
    return "any";
}

static void references(cv_buf *out)
{
    cv_buf_add_z(
        out, "\n## References\n\n"
             "A reference belongs to the entity above it. Targets are global ids (`P0001`), local ids of this round\n"
             "(`DONUT-R0101`) or an expert's whole position (`@donut`).\n\n"
             "| Marker | Targets | Purpose |\n|---|---|---|\n");
    for (size_t i = 0; i < CV_REF_COUNT; i++) {
        cv_buf_add_z(out, "| `[RE:");
        upper(out, cv_ref_words.items[i]);
        cv_buf_printf(out, " {id}]` | %s | %.*s |\n", targets_text(cv_refs[i].targets), CV_FMT(cv_refs[i].purpose));
    }
}

static void moves(cv_buf *out)
{
    cv_buf_add_z(out, "\n## Moves\n\n| Marker | Purpose |\n|---|---|\n");
    for (size_t i = 0; i < CV_MOVE_COUNT; i++) {
        cv_buf_add_z(out, "| `[MOVE:");
        upper(out, cv_move_words.items[i]);
        cv_buf_printf(out, "%s%.*s]` | %.*s |\n", cv_moves[i].argument.n ? " " : "", CV_FMT(cv_moves[i].argument),
                      CV_FMT(cv_moves[i].purpose));
    }
}

/* The taught marks of a shape, each with the argument it takes. */
static void other_marks(cv_buf *out, cv_mark_shape shape, const char *argument)
{
    for (size_t i = 0; i < CV_MARK_COUNT; i++)
        if (cv_marks_table[i].shape == shape && cv_marks_table[i].purpose.n > 0)
            cv_buf_printf(out, "| `[%.*s%s]` | %.*s |\n", CV_FMT(cv_marks_table[i].word), argument,
                          CV_FMT(cv_marks_table[i].purpose));
}

static void verdicts(cv_buf *out)
{
    cv_buf_add_z(out, "\n## Verdicts and turns\n\n| Marker | Purpose |\n|---|---|\n");
    static const cv_verdict judged[] = {CV_VERDICT_INTERIM, CV_VERDICT_FINAL};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        cv_buf_add_z(out, "| `[VERDICT:");
        upper(out, cv_verdict_words.items[judged[i]]);
        cv_buf_printf(out, "]` | %.*s (judge) |\n", CV_FMT(cv_verdict_purposes[judged[i]]));
    }
    other_marks(out, CV_SHAPE_LABEL, ": label");
    other_marks(out, CV_SHAPE_TARGETS, " {id}: label");
}

void cv_spec_print_marks(cv_buf *out)
{
    entities(out);
    references(out);
    moves(out);
    verdicts(out);
    cv_buf_add_z(out, "\n## Writing markers\n\n"
                      "- Words in capitals, the id before the colon, the label after it, everything on one line.\n"
                      "- Text in backticks or in a code fence is never a marker: quote markers that way.\n"
                      "- Brackets inside a label are fine when they balance; write `\\[` or `\\]` for a single one.\n");
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

static const char example[] = "# NVIDIA Investment Decision\n"
                              "**Draft**: Dialogue 2047\n"
                              "**Status**: In Progress\n"
                              "**Participants**: 💙 Judge, 🧁 Muffin, 🧁 Donut\n"
                              "## Expert Panel\n"
                              "| Agent | Role | Tier | Relevance | Emoji |\n"
                              "|---|---|---|---|---|\n"
                              "| 💙 Judge | Orchestrator | — | — | 💙 |\n"
                              "| 🧁 Muffin | Value Analyst | Core | 0.95 | 🧁 |\n"
                              "| 🧁 Donut | Options Strategist | Adjacent | 0.70 | 🧁 |\n"
                              "## Alignment Scoreboard\n"
                              "| Agent | Wisdom | Consistency | Truth | Relationships | **Total** |\n"
                              "|---|---|---|---|---|---|\n"
                              "| 🧁 Muffin | 4 | 3 | 3 | 2 | **12** |\n"
                              "| 🧁 Donut | 5 | 4 | 3 | 3 | **15** |\n"
                              "\n**Total ALIGNMENT**: 27\n"
                              "## Perspectives Inventory\n"
                              "| ID | Agent | Perspective | Round |\n"
                              "|---|---|---|---|\n"
                              "| P01 | 🧁 Muffin | Income mandate mismatch | 0 |\n"
                              "| P02 | 🧁 Donut | Options overlay opportunity | 0 |\n"
                              "## Tensions Tracker\n"
                              "| ID | Tension | Status | Raised | Resolved |\n"
                              "|---|---|---|---|---|\n"
                              "| T01 | Growth vs income | Open | 🧁 Muffin | — |\n"
                              "## Round 0: Opening Arguments\n"
                              "### Muffin 🧁\n"
                              "[PERSPECTIVE P01: Income mandate mismatch]\n"
                              "NVIDIA's zero dividend conflicts with the trust's 4% income requirement.\n"
                              "[TENSION T01: Growth vs income]\n"
                              "Growth exposure costs distributions.\n"
                              "### Donut 🧁\n"
                              "[PERSPECTIVE P02: Options overlay opportunity]\n"
                              "A covered call strategy could generate the income that the dividend does not.\n"
                              "[RE:ADDRESS T01]\n"
                              "The premium closes the gap.\n"
                              "## 💙 Judge: Round 0 Assessment\n"
                              "Two views, one tension; the overlay needs figures.\n";

static void known_sections(cv_buf *out)
{
    static const char *const purposes[] = {
        [CV_SECTION_PANEL] = "who takes part: Agent, Role, Tier, Relevance, Emoji",
        [CV_SECTION_SCOREBOARD] = "W, C, T, R and their total per agent or per round; `**Total ALIGNMENT**: N` below",
        [CV_SECTION_PERSPECTIVES] = "every perspective: ID, Agent, Perspective, Round",
        [CV_SECTION_TENSIONS] = "every tension: ID, Tension, Status, Raised, Resolved",
    };
    _Static_assert(CV_COUNT(purposes) == CV_SECTION_TENSIONS + 1, "a purpose for every section with a table");
    cv_buf_add_z(out, "| Section | Holds a table of |\n|---|---|\n");
    for (size_t i = 0; i <= CV_SECTION_TENSIONS; i++)
        cv_buf_printf(out, "| `## %.*s` | %s |\n", CV_FMT(cv_section_titles.items[i]), purposes[i]);
    cv_buf_add_z(out,
                 "| `## Round N: Label` | (rounds count from 0) one `### Name Emoji` heading per agent of the panel |\n"
                 "| `## 💙 Judge: Round N Label` | (text) the judge's assessment of that round |\n");
}

static void line_kinds(cv_buf *out)
{
    cv_buf_add_z(
        out,
        "\n## Lines\n\nEvery line is exactly one of these:\n\n| Kind | Written |\n|---|---|\n"
        "| heading | `# Title` |\n| metadata | `**Key**: value` |\n| section | `## Section Name` |\n"
        "| round | `## Round N: Label` |\n| agent | `### Name Emoji` |\n| table row | `\\| cell \\| cell \\|` |\n"
        "| marker | `[MARKER id: label]` |\n| content | everything else, and all inside code fences |\n\n"
        "Strict: `## Round ` with a capital R, agents that are on the panel, as many cells in a row as in its header,\n"
        "the id of an entity before the colon. Lenient: white space, the text of labels, any markdown as content.\n"
        "`P1` and `P001` are read as `P01`. A line of text that would read as structure is written with `\\` in "
        "front.\n");
}

void cv_spec_print(cv_buf *out)
{
    cv_arena a = {0};
    cv_doc doc;
    cv_buf_add_z(out, "# Dialogue format\n\nA dialogue is a markdown document: a title, metadata, sections. An "
                      "expert's response is a "
                      "fragment with\nthe same markers.\n\n## Sections\n\n");
    known_sections(out);
    line_kinds(out);
    cv_buf_add_char(out, '\n');
    cv_spec_print_marks(out);
    cv_buf_add_z(out, "\n## Example\n\n````markdown\n");
    cv_doc_parse(&a, (cv_str){example, sizeof example - 1}, &doc, NULL);
    cv_doc_render(&a, &doc, out);
    cv_buf_add_z(out, "````\n");
    cv_arena_release(&a);
}

/* ---- the same as a skill ----------------------------------------------------------------------------------------- */

void cv_skill_print_expert(cv_buf *out)
{
    cv_buf_add_z(
        out,
        "---\n"
        "name: alignment-expert\n"
        "description: Answer as an expert in an ALIGNMENT dialogue - the markers for perspectives, recommendations, "
        "tensions, evidence, claims, references, moves and dissent, and the rules of a response. Use when a prompt "
        "makes you an expert of a dialogue.\n"
        "---\n\n"
        "# Alignment Expert\n\n"
        "You are an expert in an ALIGNMENT dialogue. Your prompt says who you are, what has been said and what is "
        "open. Structure\nyour response with these markers.\n\n");
    cv_spec_print_marks(out);
    cv_buf_add_z(
        out,
        "\n## A response, worked\n\n"
        "Muffin, a baker, answers in round 1 of a dialogue where P0001, R0001 and T0001 are registered:\n\n"
        "```markdown\n"
        "# Muffin - Baker (Round 1)\n\n"
        "[MUFFIN-P0101: The oven serves both]\n"
        "Rye needs less heat than wheat, and the oven falls by forty degrees in two hours.\n"
        "[RE:REFINE P0001]\n\n"
        "[MUFFIN-E0101: Measured on Friday]\n"
        "250 degrees at six, 210 at eight.\n"
        "[RE:SUPPORT MUFFIN-P0101]\n\n"
        "[MUFFIN-R0101: Wheat first]\n"
        "Wheat at six, rye at eight. It would change my mind if wheat sold out before eight.\n"
        "[RE:REFINE R0001]\n"
        "[RE:RESOLVE T0001]\n\n"
        "[MOVE:CONVERGE]\n"
        "```\n\n"
        "## Output Rules\n\n"
        "1. Begin with a heading: your name, your role, the round. Then markers, each with two to four sentences below "
        "it.\n"
        "2. Use global ids for what is registered and local ids for what is new in this round. Never invent an id.\n"
        "3. Say what has changed since the last round, which tension you can close, and what would change your mind.\n"
        "4. If you have nothing to add, say so: no contribution is better than a repeated one.\n"
        "5. Signal `[MOVE:CONVERGE]` only when nothing that you raised is open any more. It holds until you speak "
        "against it.\n"
        "6. One sharp insight beats ten paragraphs: you are scored on PRECISION, not volume.\n\n"
        "## Sending it\n\n"
        "Your prompt names the call and the file. Take the first way that you have:\n\n"
        "1. The tool: `blue_dialogue_respond` of the MCP server `conclave`, with the response as `content`. If your "
        "client shows only its\n   name, load it first; Claude Code: `ToolSearch` with "
        "`select:mcp__conclave__blue_dialogue_respond`.\n"
        "2. The command: `conclave dialogue respond DIALOGUE_ID --round N --expert SLUG --content @FILE`.\n"
        "3. The file alone: write the response where the prompt says. The judge sends it.\n"
        "4. None of them: the response is your answer, and nothing else around it.\n\n"
        "The first two answer at once with what was understood: look at `diagnostics`, and correct what is `lost` by "
        "sending it again with\n`replace: true`.\n\n"
        "## What you return\n\n"
        "When the response is sent or in its file, the judge has it: do not repeat it. Return who you are, where "
        "it is, and what is in it; the answer to `blue_dialogue_respond` has these members ready:\n\n"
        "```json\n"
        "{\"expert_slug\": \"muffin\", \"round\": 1, \"response_path\": \"…/round-1/response-muffin.md\",\n"
        " \"summary\": {\"perspectives\": [\"MUFFIN-P0101\"], \"recommendations\": [\"MUFFIN-R0101\"], "
        "\"tensions_raised\": [],\n"
        "             \"evidence\": [\"MUFFIN-E0101\"], \"claims\": [],\n"
        "             \"references\": [{\"type\": \"refine\", \"from\": \"MUFFIN-P0101\", \"target\": \"P0001\"},\n"
        "                            {\"type\": \"refine\", \"from\": \"MUFFIN-R0101\", \"target\": \"R0001\"},\n"
        "                            {\"type\": \"resolve\", \"from\": \"MUFFIN-R0101\", \"target\": \"T0001\"},\n"
        "                            {\"type\": \"support\", \"from\": \"MUFFIN-E0101\", \"target\": "
        "\"MUFFIN-P0101\"}],\n"
        "             \"moves\": [{\"type\": \"converge\", \"targets\": []}]}}\n"
        "```\n");
}
