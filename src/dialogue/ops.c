/* ops.c - what can be asked in the dialogue room: every operation exactly once; see kit/room.h. */
#include "dialogue/operations.h"
#include "dialogue/room.h"

enum {
    READS = CV_OP_STORE | CV_OP_IDEMPOTENT,
    CACHEABLE = READS | CV_OP_CACHEABLE,
    ADDS = CV_OP_STORE | CV_OP_WRITES,
    WRITES = ADDS | CV_OP_IDEMPOTENT,
    LOOKS = READS | CV_OP_REGRESSED,
    FILES = CV_OP_FILES,
    LARGE = CV_OP_LARGE,
    UNASKED = CV_OP_UNASKED,
};

const cv_operation cv_dialogue_ops[] = {
    /* ---- a dialogue ---- */
    {.room = "dialogue",
     .verb = "create",
     .tool = "blue_dialogue_create",
     .summary = "start a dialogue: title, question, experts",
     .details =
         "The dialogue's id is made from its title. The pool of experts may be given here or grow later with\n"
         "expert-create; the first panel is drawn from it. --panel takes a template (panel-list), and each --expert\n"
         "\"Role: focus\" adds one more, of the tier Core.\n",
     .examples = "  conclave dialogue create \"NVIDIA decision\" --question \"Swap NVAI for NVDA?\"\n"
                 "  conclave dialogue create \"Queue move\" --panel architecture-review --expert \"DBA: locks\"\n"
                 "  conclave dialogue create --data @dialogue.json\n",
     .schema = "dialogue_create",
     .answer = cv_create_shape,
     .flags = ADDS | UNASKED,
     .run = cv_dialogue_create},
    {.room = "dialogue",
     .verb = "list",
     .tool = "blue_dialogue_list",
     .summary = "list the dialogues",
     .details =
         "Shows the question, status, age, and decision or next step of each, ordered by id, in pages of --limit.\n"
         "If there are more, the answer ends with the option for the next page (as JSON: 'next'; send it as\n"
         "'after').\n"
         "A dialogue is converged when it has its final verdict, and decided if that came before the target was "
         "reached.\n"
         "Archived dialogues are left out, unless you give --archived or --all.\n",
     .examples = "  conclave dialogue list\n"
                 "  conclave dialogue list --status open --json\n"
                 "  conclave dialogue list --tag investing --all\n",
     .schema = "dialogue_list",
     .answer = cv_list_shape,
     .flags = CACHEABLE | UNASKED,
     .run = cv_dialogue_list},
    {.room = "dialogue",
     .verb = "get",
     .tool = "blue_dialogue_get",
     .summary = "show one dialogue: experts, panel, rounds, open tensions, convergence",
     .details = "Everything that a judge needs for the next step. 'export' gives all of the dialogue.\n",
     .examples = "  conclave dialogue get nvidia-decision\n",
     .schema = "dialogue_get",
     .answer = cv_get_shape,
     .flags = CACHEABLE,
     .run = cv_dialogue_get},

    /* ---- its rounds ---- */
    {.room = "dialogue",
     .verb = "respond",
     .tool = "blue_dialogue_respond",
     .summary = "send the response of an expert in a round",
     .details =
         "--content is the text itself, @FILE, or - for standard input. Conclave stores it with its hash, writes it "
         "to\n"
         "round-N/response-SLUG.md, and answers with what it understood and what it did not. Experts can respond at\n"
         "the same time. The same text again gets the same answer. Another text is refused, unless --replace is\n"
         "given; the history keeps the first one. Conclave does not overwrite a file with a text that the record\n"
         "does not have. If the file is the response, send it with --content @FILE. With --replace Conclave keeps the\n"
         "old file under another name. --no-contribution says that the expert has nothing to add.\n",
     .examples = "  conclave dialogue respond nvidia-decision --expert muffin --content @response.md\n"
                 "  conclave dialogue respond nvidia-decision --expert donut --no-contribution\n",
     .schema = "dialogue_respond",
     .flags = WRITES | FILES | UNASKED,
     .run = cv_dialogue_respond,
     .answer = cv_respond_shape},
    {.room = "dialogue",
     .verb = "round-verify",
     .tool = "blue_dialogue_round_verify",
     .summary = "check a round: who has responded, what is not understood",
     .details =
         "Looks at the record and at the dialogue's folder and changes nothing. The exit status is 0 even if the\n"
         "round is not complete.\n",
     .examples = "  conclave dialogue round-verify nvidia-decision\n"
                 "  conclave dialogue round-verify nvidia-decision --round 0 --json\n",
     .schema = "dialogue_round_verify",
     .flags = READS | UNASKED,
     .run = cv_dialogue_round_verify,
     .answer = cv_round_verify_shape},
    {.room = "dialogue",
     .verb = "draft",
     .tool = "blue_dialogue_draft",
     .summary = "turn the responses of a round into a request to register it",
     .details =
         "The request has all items, references and moves of the stored responses, in the order of the panel. The\n"
         "judge edits it and adds the score. The notes name what cannot be registered, items that may say the same, "
         "and dissents.\n"
         "--payload-only prints the request alone, and the notes on standard error; an empty one is an error.\n"
         "--edit opens it in your editor with the scores to fill in, and registers the round when you save it. Faults\n"
         "open it again; what you wrote is never lost.\n",
     .examples = "  conclave dialogue draft nvidia-decision --json\n"
                 "  conclave dialogue draft nvidia-decision --payload-only\n",
     .schema = "dialogue_draft",
     .flags = READS | LARGE | UNASKED,
     .run = cv_dialogue_draft},
    {.room = "dialogue",
     .verb = "round-register",
     .tool = "blue_dialogue_round_register",
     .summary = "register a round, completely or not at all",
     .details =
         "Local ids (MUFFIN-P0101) become ids of the dialogue (P0101); references may use either, forward too.\n"
         "If something is wrong, the answer names every fault and nothing is written. If you send the same round\n"
         "again, you get the first answer. Labels and titles have one line. --dry-run says what would happen.\n"
         "--use-draft registers what the stored responses say: an item that you give replaces theirs, 'also' in\n"
         "an item merges others into it, and --remove leaves items out. The default of --score is the sum of\n"
         "--expert-scores.\n",
     .examples = "  conclave dialogue round-register --data @round-0.json --dry-run\n"
                 "  conclave dialogue round-register nvidia-decision --round 0 --data @round-0.json\n",
     .schema = "dialogue_round_register",
     .answer = cv_round_register_shape,
     .flags = WRITES | CV_OP_BATCH | UNASKED,
     .run = cv_dialogue_round_register},
    {.room = "dialogue",
     .verb = "expert-create",
     .tool = "blue_dialogue_expert_create",
     .summary = "add an expert to a dialogue that is under way",
     .details = "The expert joins the pool, with the reason and the round of joining.\n",
     .examples = "  conclave dialogue expert-create nvidia-decision --role \"Tax Strategist\" --tier Adjacent --reason "
                 "\"T0001\"\n",
     .schema = "dialogue_expert_create",
     .answer = cv_expert_create_shape,
     .flags = ADDS | UNASKED,
     .run = cv_dialogue_expert_create},
    {.room = "dialogue",
     .verb = "panel-sample",
     .tool = "blue_dialogue_panel_sample",
     .summary = "propose the next panel: a draw from the dialogue's pool of experts",
     .details =
         "The draw is weighted by relevance and split into tiers; the same seed draws the same panel. Nothing is\n"
         "written: 'evolve-panel' takes the proposal, changed or as it is.\n",
     .examples = "  conclave dialogue panel-sample nvidia-decision\n"
                 "  conclave dialogue panel-sample nvidia-decision --panel-size 4 --retain muffin --json\n",
     .schema = "dialogue_panel_sample",
     .answer = cv_panel_sample_shape,
     .flags = READS,
     .run = cv_dialogue_panel_sample},
    {.room = "dialogue",
     .verb = "panel-list",
     .tool = "blue_dialogue_panel_list",
     .summary = "list the panel templates: ours and the project's own",
     .details =
         "A template is a pool of experts to begin with: 'create --panel NAME'. Your own templates are files like\n"
         ".conclave/panels/NAME.json, with the expert_pool of 'create'. They replace ours of the same name.\n"
         "'conclave panel list' is the same.\n",
     .examples = "  conclave dialogue panel-list\n",
     .schema = "dialogue_panel_list",
     .answer = cv_panel_list_shape,
     .flags = CV_OP_PROJECT | CV_OP_IDEMPOTENT,
     .run = cv_dialogue_panel_list},
    {.room = "dialogue",
     .verb = "panel-show",
     .tool = "blue_dialogue_panel_show",
     .summary = "show a panel template: its experts",
     .details = "The output of --json is a good start for a template of your own.\n",
     .examples = "  conclave dialogue panel-show architecture-review\n",
     .schema = "dialogue_panel_show",
     .answer = cv_panel_show_shape,
     .flags = CV_OP_PROJECT | CV_OP_IDEMPOTENT,
     .run = cv_dialogue_panel_show},
    {.room = "dialogue",
     .verb = "evolve-panel",
     .tool = "blue_dialogue_evolve_panel",
     .summary = "set the panel of the next round: who stays, who comes",
     .details = "Without this command the last panel stays. --add and --drop take names, separated by commas. An "
                "expert from the pool may be named by role. The answer names who loses the seat.\n",
     .examples = "  conclave dialogue evolve-panel nvidia-decision --round 1 --add scone --drop cupcake\n",
     .schema = "dialogue_evolve_panel",
     .answer = cv_evolve_panel_shape,
     .flags = WRITES | UNASKED,
     .run = cv_dialogue_evolve_panel},
    {.room = "dialogue",
     .verb = "round-context",
     .tool = "blue_dialogue_round_context",
     .summary = "show what the experts of a round get to read",
     .details =
         "One answer has it for all experts of the panel. The default is the next round; an earlier one is shown as\n"
         "it was then. --since-rev shows only what has changed since that rev; docs/context.md says how to apply\n"
         "it.\n",
     .examples = "  conclave dialogue round-context nvidia-decision --json\n"
                 "  conclave dialogue round-context nvidia-decision --round 0\n",
     .schema = "dialogue_round_context",
     .flags = CACHEABLE | LARGE | UNASKED,
     .run = cv_dialogue_round_context},
    {.room = "dialogue",
     .verb = "round-prompts",
     .tool = "blue_dialogue_round_prompts",
     .summary = "write the prompts of a round, one for every expert",
     .details =
         "Writes round-N/prompt-SLUG.md and context-SLUG.json in the dialogue's folder. New experts also get a\n"
         "brief. --overrides replaces parts of a prompt by the judge's words. --token-budget shortens old rounds\n"
         "by fixed rules and says what it left out (docs/context.md).\n",
     .examples = "  conclave dialogue round-prompts nvidia-decision\n"
                 "  conclave dialogue round-prompts nvidia-decision --experts muffin --no-write\n",
     .schema = "dialogue_round_prompts",
     .answer = cv_round_prompts_shape,
     .flags = READS | LARGE | FILES | UNASKED,
     .run = cv_dialogue_round_prompts},

    /* ---- its end ---- */
    {.room = "dialogue",
     .verb = "verdict-register",
     .tool = "blue_dialogue_verdict_register",
     .summary = "register a verdict or a dissent",
     .details =
         "A verdict adopts recommendations and claims and closes tensions. There is at most one final verdict; it\n"
         "closes the dialogue. Before the first round it needs --force and a --warning. Verdicts never change.\n",
     .examples = "  conclave dialogue verdict-register nvidia-decision --data @verdict.json\n"
                 "  conclave dialogue verdict-register nvidia-decision --verdict-id keep --verdict-type dissent "
                 "--author-expert muffin --recommendation \"Keep NVAI\" --description \"Its income pays the fees.\"\n",
     .schema = "dialogue_verdict_register",
     .answer = cv_verdict_register_shape,
     .flags = WRITES | UNASKED,
     .run = cv_dialogue_verdict_register},
    {.room = "dialogue",
     .verb = "update",
     .tool = "blue_dialogue_update",
     .summary = "correct what was registered: statuses, labels, contents, scores",
     .details =
         "Each correction is an event that keeps the old value and the reason; ids never change. After the final\n"
         "verdict statuses stay, and each correction needs a reason.\n",
     .examples = "  conclave dialogue update nvidia-decision --updates '[{\"id\": \"P0001\", \"label\": \"Income\"}]'\n"
                 "  conclave dialogue update nvidia-decision --data @correction.json\n",
     .schema = "dialogue_update",
     .answer = cv_update_shape,
     .flags = ADDS,
     .run = cv_dialogue_update},
    {.room = "dialogue",
     .verb = "abandon",
     .tool = "blue_dialogue_abandon",
     .summary = "abandon a dialogue; nothing more can be written to it",
     .details = "The dialogue stays and can be read and exported.\n",
     .examples = "  conclave dialogue abandon nvidia-decision --reason \"The fund was sold\"\n",
     .schema = "dialogue_abandon",
     .answer = cv_abandon_shape,
     .flags = WRITES,
     .run = cv_dialogue_abandon},

    /* ---- how it is found again ---- */
    {.room = "dialogue",
     .verb = "archive",
     .tool = "blue_dialogue_archive",
     .summary = "archive a dialogue: lists and searches leave it out",
     .details = "Nothing is lost: it can be read, exported and verified as before. 'list --archived' shows archived\n"
                "dialogues, 'search --archived' looks there, too, and 'unarchive' brings one back.\n",
     .examples = "  conclave dialogue archive nvidia-decision --reason \"Decided last year\"\n",
     .schema = "dialogue_archive",
     .answer = cv_archive_shape,
     .flags = WRITES,
     .run = cv_dialogue_archive},
    {.room = "dialogue",
     .verb = "unarchive",
     .tool = "blue_dialogue_unarchive",
     .summary = "bring back an archived dialogue",
     .details = "It is in lists and searches again.\n",
     .examples = "  conclave dialogue unarchive nvidia-decision\n",
     .schema = "dialogue_archive",
     .answer = cv_archive_shape,
     .flags = WRITES,
     .run = cv_dialogue_unarchive},
    {.room = "dialogue",
     .verb = "rename",
     .tool = "blue_dialogue_rename",
     .summary = "give a dialogue another title; its id stays",
     .details =
         "Lists, pages, transcripts and exports show the new title. The id never changes, so that links, folders and\n"
         "references hold. The history keeps the old title.\n",
     .examples = "  conclave dialogue rename nvidia-decision \"NVIDIA: swap or keep\"\n",
     .schema = "dialogue_rename",
     .answer = cv_rename_shape,
     .flags = WRITES,
     .run = cv_dialogue_rename},
    {.room = "dialogue",
     .verb = "tag",
     .tool = "blue_dialogue_tag",
     .summary = "put tags on a dialogue, or take them off",
     .details =
         "A tag is one word, kept in lower case. 'list --tag' shows the dialogues that have all the tags it names.\n",
     .examples = "  conclave dialogue tag nvidia-decision investing income\n"
                 "  conclave dialogue tag nvidia-decision --remove income\n",
     .schema = "dialogue_tag",
     .answer = cv_tag_shape,
     .flags = WRITES,
     .run = cv_dialogue_tag},

    /* ---- what is known ---- */
    {.room = "dialogue",
     .verb = "show",
     .tool = "blue_dialogue_show",
     .summary = "show a dialogue for people: question, decision or blockers, dissent, panel, tensions",
     .details =
         "One page has everything that a person wants to know: conditions and vote of the decision, dissent and\n"
         "minority, who sat in which rounds, what became of each tension, rounds with their scores.\n",
     .examples = "  conclave dialogue show nvidia-decision\n"
                 "  conclave dialogue show nvidia-decision --json\n",
     .schema = "dialogue_show",
     .answer = cv_show_shape,
     .flags = CACHEABLE,
     .run = cv_dialogue_show},
    {.room = "dialogue",
     .verb = "export",
     .tool = "blue_dialogue_export",
     .summary = "write a dialogue to a file: JSON, CSV or an HTML page",
     .details =
         "The file is made from the record alone and written whole. Warnings name what is missing in it.\n"
         "With '-' as its path the document itself is printed, without warnings. The format html is one page with\n"
         "the views of the dashboard, for people who have only a browser; it loads nothing from elsewhere. The format\n"
         "csv is one table for spreadsheets: rounds, scores, everything said, moves, verdicts.\n",
     .examples = "  conclave dialogue export nvidia-decision\n"
                 "  conclave dialogue export nvidia-decision --output-path decision.json\n"
                 "  conclave dialogue export nvidia-decision --format html --output-path decision.html\n"
                 "  conclave dialogue export nvidia-decision --format csv --output-path -\n",
     .schema = "dialogue_export",
     .flags = LOOKS | FILES | UNASKED,
     .run = cv_dialogue_export},
    {.room = "dialogue",
     .verb = "progress",
     .tool = "blue_dialogue_progress",
     .summary = "show velocity, convergence, blockers and the next step",
     .details =
         "Everything is derived from the record. Velocity is the number of tensions still open after a round plus\n"
         "the perspectives new in it; the convergence is the smaller share of closed tensions and of experts who\n"
         "signalled. The estimate uses the pace at which open tensions became fewer in the last three rounds. If the\n"
         "record allows no estimate, the answer says why.\n",
     .examples = "  conclave dialogue progress nvidia-decision\n"
                 "  conclave dialogue progress nvidia-decision --json\n",
     .schema = "dialogue_progress",
     .answer = cv_progress_shape,
     .flags = CACHEABLE | UNASKED,
     .run = cv_dialogue_progress},
    {.room = "dialogue",
     .verb = "scoreboard",
     .tool = "blue_dialogue_scoreboard",
     .summary = "show the scores, round by round, with components and totals",
     .details =
         "Experts are sorted by their totals, equal ones by name. A missing score is a dash, not a 0. Scores that do\n"
         "not add up (a round and its experts, a score and its components) are named below the tables.\n",
     .examples = "  conclave dialogue scoreboard nvidia-decision\n"
                 "  conclave dialogue scoreboard nvidia-decision --round 0\n",
     .schema = "dialogue_scoreboard",
     .answer = cv_scoreboard_shape,
     .flags = CACHEABLE,
     .run = cv_dialogue_scoreboard},
    {.room = "dialogue",
     .verb = "dynamics",
     .tool = "blue_dialogue_dynamics",
     .summary = "show how opinions changed, with and without new evidence; dissent, collapse, overlap",
     .details =
         "Shows who changed an opinion in which round, and whether new evidence came before it; what\n"
         "became of every dissent (kept, withdrawn, lost, pending); rounds in which the panel agreed all at once\n"
         "without new evidence; how many words experts share. So you see whether a panel thought or only agreed.\n",
     .examples = "  conclave dialogue dynamics nvidia-decision\n"
                 "  conclave dialogue dynamics nvidia-decision --json\n",
     .schema = "dialogue_dynamics",
     .answer = cv_dynamics_shape,
     .flags = CACHEABLE,
     .run = cv_dialogue_dynamics},
    {.room = "dialogue",
     .verb = "expand",
     .tool = "blue_dialogue_expand",
     .summary = "show what ids stand for, with their context",
     .details =
         "Name entities by their ids or local ids, experts (@muffin), rounds (round-1), verdicts by their names. The\n"
         "answer has content, contributors, status, receipts, references in both directions, moves, verdicts, the last "
         "event. An\n"
         "unknown id is reported beside the others, with the nearest one. If all ids are unknown, the request is\n"
         "refused.\n",
     .examples = "  conclave dialogue expand nvidia-decision P0001 R0001\n"
                 "  conclave dialogue expand nvidia-decision MUFFIN-P0001 @muffin round-0 --json\n",
     .schema = "dialogue_expand",
     .answer = cv_expand_shape,
     .flags = CACHEABLE | UNASKED,
     .run = cv_dialogue_expand},
    {.room = "dialogue",
     .verb = "history",
     .tool = "blue_dialogue_history",
     .summary = "show what happened to one thing, or to all of them, in order",
     .details =
         "Shows every event with its number, time, round and actors, what it changed from and to, by which reference "
         "or\n"
         "verdict, the reason, the old values of corrections, and the hash that chains it to the one before.\n"
         "Ids as in 'expand', also panel-1, response-1-muffin and dialogue. Without an id, the whole dialogue.\n",
     .examples = "  conclave dialogue history nvidia-decision T0001\n"
                 "  conclave dialogue history nvidia-decision --limit 20 --json\n",
     .schema = "dialogue_history",
     .answer = cv_history_shape,
     .flags = CACHEABLE,
     .run = cv_dialogue_history},
    {.room = "dialogue",
     .verb = "graph",
     .tool = "blue_dialogue_graph",
     .summary = "draw a dialogue: what refers to what, as a drawing, Mermaid or Graphviz",
     .details =
         "Entities and verdicts are the nodes, references and what verdicts name the edges; --experts and --moves add\n"
         "theirs. --focus shows one node and what is around it. Mermaid draws 500 edges at most by default;\n"
         "with more than that, choose a round, kinds or a focus.\n",
     .examples = "  conclave dialogue graph nvidia-decision --format mermaid\n"
                 "  conclave dialogue graph nvidia-decision --focus R0001 --depth 2 --format dot\n"
                 "  conclave dialogue graph nvidia-decision --kinds tension --status open --json\n",
     .schema = "dialogue_graph",
     .flags = CACHEABLE,
     .run = cv_dialogue_graph,
     .answer = cv_graph_shape},
    {.room = "dialogue",
     .verb = "compare",
     .tool = "blue_dialogue_compare",
     .summary = "compare dialogues: course, tensions, verdicts, shared experts",
     .details =
         "Give two to twenty ids. A dialogue converged in the round that reached its target, or in the round of its\n"
         "final verdict if that came earlier. The error names all unknown ids.\n",
     .examples = "  conclave dialogue compare nvidia-decision nvidia-decision-2\n",
     .schema = "dialogue_compare",
     .flags = CACHEABLE,
     .run = cv_dialogue_compare,
     .answer = cv_compare_shape},
    {.room = "dialogue",
     .verb = "stats",
     .tool = "blue_dialogue_stats",
     .summary = "count all dialogues: statuses, entities, verdicts, top experts",
     .details = "Averages count only dialogues that have rounds. Experts with the same name count as one expert.\n",
     .examples = "  conclave dialogue stats\n"
                 "  conclave dialogue stats --status converged --since 2026-01-01\n",
     .schema = "dialogue_stats",
     .flags = CACHEABLE,
     .run = cv_dialogue_stats,
     .answer = cv_stats_shape},
    {.room = "dialogue",
     .verb = "experts",
     .summary = "show experts over all dialogues: scores, what became of their items, who agrees",
     .details =
         "A reference from an item of one expert to an item of another counts as support or opposition. With a name,\n"
         "the answer has every dialogue of this expert, round by round and item by item.\n",
     .examples = "  conclave dialogue experts\n"
                 "  conclave dialogue experts muffin\n",
     .schema = "dialogue_experts",
     .flags = CACHEABLE,
     .run = cv_dialogue_experts,
     .answer = cv_experts_shape},

    {.room = "dialogue",
     .verb = "search",
     .tool = "blue_dialogue_search",
     .summary = "find words in all dialogues: entities, questions, rounds, responses, verdicts",
     .details =
         "All words must occur, as they are or in another form (hedge, hedging). \"several words\" are a phrase,\n"
         "hedg* finds words that begin with it, -tax leaves out texts with the word, and OR between two words\n"
         "finds either. An id (P0001, MUFFIN-P0101) finds its entity first. When nothing has all the words, texts\n"
         "with any of them are shown. The best hits come first. If there are more, the answer ends\n"
         "with the option for the next page (as JSON: 'next'; send it as 'after').\n",
     .examples = "  conclave dialogue search \"income collar\"\n"
                 "  conclave dialogue search hedging --kinds tension --statuses open --expert muffin\n",
     .schema = "dialogue_search",
     .flags = READS,
     .run = cv_dialogue_search,
     .answer = cv_dialogue_search_shape},
    {.room = "dialogue",
     .verb = "similar",
     .tool = "blue_dialogue_similar",
     .summary = "find past dialogues like a question: what was in tension, what was decided",
     .details =
         "Before a new dialogue: has this been asked before? The words of the question are looked for in titles,\n"
         "questions, tensions and verdicts. Each dialogue comes with the words it shares, the tensions that have\n"
         "them, and what was recommended.\n",
     .examples = "  conclave dialogue similar \"Should we hedge the income of the fund?\"\n"
                 "  conclave dialogue similar \"Swap NVAI for NVDA?\" --exclude nvidia-decision --json\n",
     .schema = "dialogue_similar",
     .flags = READS,
     .run = cv_dialogue_similar,
     .answer = cv_similar_shape},
    {.room = "dialogue",
     .verb = "transcript",
     .tool = "blue_dialogue_transcript",
     .summary = "write a dialogue as markdown: panel, scores, tensions, rounds, verdicts",
     .details =
         "For people and agents, made from the record alone; 'conclave lint' and 'conclave parse' read it, too.\n"
         "--round writes the dialogue up to a round, as it was then. --write makes files of it in the\n"
         "dialogue's folder: the transcript, scoreboard.md, tensions.md, a summary per round, verdict.md. Files "
         "of\n"
         "these names that somebody else wrote are left alone without --force.\n",
     .examples = "  conclave dialogue transcript nvidia-decision\n"
                 "  conclave dialogue transcript nvidia-decision --round 0\n"
                 "  conclave dialogue transcript nvidia-decision --write\n",
     .schema = "dialogue_transcript",
     .flags = READS | LARGE | FILES,
     .run = cv_dialogue_transcript,
     .answer = cv_transcript_shape},
    {0},
};
