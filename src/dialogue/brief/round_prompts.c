/* round_prompts.c - the prompts of a round, for all its experts in one call.
 *
 *     request, record  ->  jobs      who gets one, and what the judge wants to say in it
 *     budget           ->  cuts      what is left out; too small for anybody: nothing is written
 *     jobs             ->  files     round-N/prompt-SLUG.md and context-SLUG.json, one after the other
 *
 * Prompts and contexts can be large and experts many: one of each is in memory at a time.
 */
#include <assert.h>

#include "dialogue/brief/prompt.h"
#include "dialogue/brief/story.h"
#include "dialogue/faults.h"
#include "dialogue/files.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"

typedef struct press {
    struct press *own; /* itself: prompts are made while the answer is written */
    cv_call *call;
    cv_view v;
    cv_prompt *jobs; /* by member; member NULL: not asked for */
    cv_where folder; /* root NULL: none */
    bool write, include, failed;
    cv_notices warnings;
    cv_buf prompt, context;
    cv_buf shared; /* the beginning of every context */
    cv_json_writer shared_writer;
} press;

/* ---- the request ------------------------------------------------------------------------------------------------- */

static void refuse_expert(press *x, cv_str at, const char *field, cv_str slug)
{
    cv_str *slugs = CV_NEW_ARRAY(x->call->arena, x->v.members.count, cv_str);
    for (size_t i = 0; i < x->v.members.count; i++)
        slugs[i] = x->v.members.items[i].slug;
    cv_err *fault =
        cv_refuse(x->call, CV_ERR_UNKNOWN_EXPERT, at, field, slug, "'%.*s' is not on the panel of round %lld",
                  CV_FMT(cv_excerpt(x->call->arena, slug)), (long long)x->v.round);
    cv_refuse_words(fault, slugs, x->v.members.count);
    cv_suggest_expert(fault, &x->v.s, slug, "");
}

static void choose(press *x, const cv_json *experts)
{
    for (size_t i = 0; !experts && i < x->v.members.count; i++)
        x->jobs[i].member = &x->v.members.items[i];
    for (uint32_t i = 0; experts && i < experts->count; i++) {
        const cv_view_member *member = cv_view_member_of(&x->v, experts->items[i].text);
        if (member)
            x->jobs[member - x->v.members.items].member = member;
        else
            refuse_expert(x, CV_STR(""), cv_arena_printf(x->call->arena, "experts[%u]", i).p, experts->items[i].text);
    }
}

static void read_words(press *x, const cv_json *overrides)
{
    for (uint32_t i = 0; overrides && i < overrides->count; i++) {
        const cv_json *given = &overrides->members[i].value;
        const cv_view_member *member = cv_view_member_of(&x->v, overrides->members[i].key);
        if (!member) {
            cv_str slug = overrides->members[i].key;
            refuse_expert(x, CV_STR("overrides"), cv_arena_copy_z(x->call->arena, slug), slug);
            continue;
        }
        x->jobs[member - x->v.members.items].words = (cv_prompt_words){
            .round_context = cv_json_get_text(given, "round_context"),
            .brief = cv_json_get_text(given, "brief"),
            .framing = cv_json_get_text(given, "framing"),
            .mandate = cv_json_get_text(given, "mandate"),
        };
    }
}

/* What is on disk of a registered round is what its experts were given. After the end there is no next round. */
static bool may_prompt(press *x)
{
    cv_err err = {.arena = x->call->arena};
    bool found = cv_dialogue_folder(x->call, &x->v.s, &x->folder, &err);
    bool over = x->v.round < cv_state_next_round(&x->v.s);
    if (!found)
        x->folder = (cv_where){NULL, NULL};
    if (!x->write)
        return over || cv_journal_open(x->call, &x->v.s, false);
    if (!found)
        return cv_call_fail(x->call, &err);
    if (over) {
        cv_err_suggest(cv_refuse(x->call, CV_ERR_INVALID_VALUE, CV_STR(""), "round",
                                 cv_arena_printf(x->call->arena, "%lld", (long long)x->v.round),
                                 "round %lld is registered: its prompts are history", (long long)x->v.round),
                       CV_STR("ask with \"write\": false to see what its experts were given"));
        return false;
    }
    return cv_journal_open(x->call, &x->v.s, false);
}

static cv_prompt_spec read_spec(const cv_call *call)
{
    cv_str spec = cv_json_get_text(call->input, "spec");
    return cv_str_eq(spec, CV_STR("short"))  ? CV_SPEC_SHORT
           : cv_str_eq(spec, CV_STR("full")) ? CV_SPEC_FULL
                                             : CV_SPEC_NONE;
}

static void make_jobs(press *x)
{
    cv_arena *a = x->call->arena;
    int64_t budget = cv_json_get_int(x->call->input, "token_budget", 0);
    cv_prompt_block *blocks = CV_NEW_ARRAY(a, x->v.items.count, cv_prompt_block);
    x->jobs = CV_NEW_ARRAY(a, x->v.members.count, cv_prompt);
    for (size_t i = 0; i < x->v.members.count; i++) {
        const cv_view_member *member = &x->v.members.items[i];
        x->jobs[i] = (cv_prompt){.v = &x->v,
                                 .token_budget = budget,
                                 .spec = read_spec(x->call),
                                 .blocks = blocks,
                                 .context = cv_story_context(&x->v, member),
                                 .answer_only = cv_json_get_true(x->call->input, "answer_only"),
                                 .out = &x->prompt};
        if (x->folder.root)
            x->jobs[i].response_path =
                cv_where_path(a, cv_round_file_where(a, x->folder, x->v.round, CV_FILE_RESPONSE, member->slug));
    }
}

static bool read_request(press *x)
{
    const cv_json *write = cv_json_get(x->call->input, CV_STR("write"));
    const cv_json *include = cv_json_get(x->call->input, CV_STR("include_prompts"));
    x->write = !write || write->type == CV_JSON_TRUE;
    x->include = include ? include->type == CV_JSON_TRUE : !x->write;
    if (x->v.members.count == 0) {
        cv_err *err = cv_refuse(x->call, CV_ERR_INVALID_VALUE, CV_STR(""), "dialogue_id", x->v.s.id,
                                "round %lld has no panel", (long long)x->v.round);
        bool experts = x->v.s.experts.count > 0 || x->v.s.dialogue.expert_pool.n > 0;
        cv_err_operation(err, experts ? CV_STR("dialogue evolve-panel") : CV_STR("dialogue expert-create"));
        cv_err_suggest(err, experts ? CV_STR("seats a panel") : CV_STR("adds experts"));
    }
    if (!may_prompt(x))
        return false;
    make_jobs(x);
    choose(x, cv_json_get(x->call->input, CV_STR("experts")));
    read_words(x, cv_json_get(x->call->input, CV_STR("overrides")));
    return x->call->errs->count == 0;
}

/* ---- the budget -------------------------------------------------------------------------------------------------- */

/* Finds the cuts of all before anything is written. */
static bool fit_all(press *x)
{
    int64_t most = 0, least;
    const cv_view_member *who = NULL;
    for (size_t i = 0; i < x->v.members.count; i++) {
        cv_prompt *job = &x->jobs[i];
        if (!job->member || job->token_budget == 0 || cv_budget_fit(job, &least) || least <= most)
            continue;
        most = least;
        who = job->member;
    }
    if (who)
        cv_err_suggest(cv_refuse(x->call, CV_ERR_INVALID_VALUE, CV_STR(""), "token_budget",
                                 cv_json_get(x->call->input, CV_STR("token_budget"))->text,
                                 "the shortest prompt of %.*s has %lld tokens", CV_FMT(who->slug), (long long)most),
                       cv_arena_printf(x->call->arena, "give at least %lld", (long long)most));
    return !who;
}

/* ---- one expert -------------------------------------------------------------------------------------------------- */

/* What a prompt does not have, because of the budget. */
typedef struct {
    cv_str *texts, *items;
    int64_t *syntheses;
    size_t text_count, item_count, synthesis_count;
    cv_str how_to_read;
} left_out;

/* The prompt of one expert, as the answer has it. */
typedef struct {
    cv_str slug, source;
    cv_str prompt_path, context_path, response_path; /* empty: there is none */
    size_t bytes;
    int64_t tokens;
    const left_out *left; /* NULL: it has everything */
    cv_str prompt;        /* empty: nobody asked for it, or */
    bool too_long;        /* … it would not fit into the answer */
} told_prompt;

#define CV_THIS_TYPE left_out
static const cv_shape left_shape[] = {
    CV_TEXTS("texts", texts, text_count, "ids of which the prompt has only the label"),
    CV_TEXTS("items", items, item_count, "ids that the prompt leaves out"),
    CV_INTS("syntheses", syntheses, synthesis_count, "rounds"),
    CV_FIELD(ALWAYS, how_to_read, "the command that shows an item"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_prompt
static const cv_shape prompt_shape[] = {
    CV_FIELD(ALWAYS, slug, ""),
    CV_FIELD(ALWAYS, source, ""),
    CV_BELOW(IF_ANY, prompt_path, ""),
    CV_BELOW(IF_ANY, context_path, ""),
    CV_BELOW(IF_ANY, response_path, "where the expert's response belongs"),
    CV_FIELD(ALWAYS, bytes, ""),
    CV_FIELD_AS(ALWAYS, "estimated_tokens", tokens, "a fourth of the bytes"),
    CV_OBJECT_AT(IF_ANY, "left_out", left, left_shape, "only when token_budget took something away"),
    CV_BELOW(IF_ANY, prompt, ""),
    CV_FIELD_AS(IF_ANY, "prompt_left_out", too_long,
                "the answer would have become too long for the client: ask for this expert alone"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str *ids_of(const cv_prompt *job, cv_arena *a, const uint32_t *items, size_t count)
{
    cv_str *ids = CV_NEW_ARRAY(a, count, cv_str);
    for (size_t i = 0; i < count; i++) {
        assert(items[i] < job->v->items.count);
        ids[i] = job->v->items.items[items[i]].id;
    }
    return ids;
}

static const left_out *left_of(const cv_prompt *job, cv_arena *a)
{
    const cv_prompt_left *left = &job->left;
    if (left->bodies.count + left->items.count == 0 && left->syntheses == 0)
        return NULL;
    left_out *out = CV_NEW(a, left_out);
    *out = (left_out){.texts = ids_of(job, a, left->bodies.items, left->bodies.count),
                      .items = ids_of(job, a, left->items.items, left->items.count),
                      .syntheses = CV_NEW_ARRAY(a, (size_t)left->syntheses, int64_t),
                      .text_count = left->bodies.count,
                      .item_count = left->items.count,
                      .synthesis_count = (size_t)left->syntheses,
                      .how_to_read = cv_prompt_how_to_read(job)};
    for (int64_t round = 0; round < left->syntheses; round++)
        out->syntheses[round] = round;
    return out;
}

/* The shared part of every context is the same text; the expert's own is put behind it. */
static void print_context(press *x, const cv_prompt *job, const left_out *left)
{
    cv_str story = job->words.round_context.n ? job->words.round_context : job->context;
    cv_json_writer w = x->shared_writer;
    w.out = &x->context;
    cv_buf_clear(&x->context);
    cv_buf_add(&x->context, cv_buf_str(&x->shared));
    cv_json_key(&w, CV_STR("expert"));
    cv_json_begin_object(&w);
    cv_view_print_member(job->member, story, &w);
    cv_json_key_str_if(&w, "brief", job->words.brief);
    cv_json_key_str_if(&w, "framing", job->words.framing);
    cv_json_key_str_if(&w, "mandate", job->words.mandate);
    if (left) {
        cv_json_key(&w, CV_STR("left_out"));
        cv_shape_write(&w, left_shape, left);
    }
    cv_json_end_object(&w);
    cv_json_end_object(&w);
    cv_buf_add_char(&x->context, '\n');
}

static void begin_contexts(press *x)
{
    x->shared_writer = (cv_json_writer){.out = &x->shared, .indent = 2};
    cv_json_begin_object(&x->shared_writer);
    cv_view_print_shared(&x->v, 0, &x->shared_writer);
}

/* A prompt that the judge has edited is kept beside the new one. */
static bool write_file(press *x, const cv_prompt *job, cv_round_file file, cv_str bytes, cv_str *ret_path)
{
    cv_arena *a = x->call->arena;
    cv_err err = {.arena = a};
    cv_file_rules rules = {.arena = a};
    cv_where where = cv_round_file_where(a, x->folder, x->v.round, file, job->member->slug);
    if (!cv_dialogue_file_write(where, bytes, &rules, &err))
        return cv_call_fail(x->call, &err);
    cv_dialogue_file_warn(x->call, &rules, job->member->slug, &x->warnings);
    *ret_path = cv_str_of(cv_where_path(a, where));
    return true;
}

/* Where nobody is to know who the others are there is no context: it names them. */
static bool write_files(press *x, const cv_prompt *job, told_prompt *told)
{
    if (!write_file(x, job, CV_FILE_PROMPT, cv_buf_str(&x->prompt), &told->prompt_path))
        return false;
    if (x->v.anonymous)
        return true;
    print_context(x, job, told->left);
    return write_file(x, job, CV_FILE_CONTEXT, cv_buf_str(&x->context), &told->context_path);
}

/* What is too long for the caller in sum is there for the asking, one expert after the other. */
static void print_told(const press *x, told_prompt *told, cv_json_writer *w)
{
    const cv_json_writer before = *w;
    size_t length = w->out->n, most = x->call->most;
    cv_shape_write(w, prompt_shape, told);
    if (!told->prompt.n || most == 0 || w->out->n <= most)
        return;
    *w = before;
    w->out->n = length;
    told->prompt = (cv_str){NULL, 0};
    told->too_long = true;
    cv_shape_write(w, prompt_shape, told);
}

static bool print_job(press *x, cv_prompt *job, cv_json_writer *w)
{
    cv_buf_clear(&x->prompt);
    cv_prompt_write(job);
    told_prompt told = {.slug = job->member->slug,
                        .source = cv_source_words.items[job->member->source],
                        .response_path = cv_str_of(job->response_path),
                        .bytes = x->prompt.n,
                        .tokens = cv_prompt_tokens(x->prompt.n),
                        .left = left_of(job, x->call->arena),
                        .prompt = x->include ? cv_buf_str(&x->prompt) : (cv_str){NULL, 0}};
    if (x->write && !write_files(x, job, &told))
        return false;
    print_told(x, &told, w);
    return true;
}

static void print_jobs(cv_json_writer *w, const void *value)
{
    press *x = ((const press *)value)->own;
    for (size_t i = 0; !x->failed && i < x->v.members.count; i++)
        x->failed = x->jobs[i].member && !print_job(x, &x->jobs[i], w);
}

#define CV_THIS_TYPE press
const cv_shape cv_round_prompts_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", v.s.id, ""),
    CV_FIELD_AS(ALWAYS, "rev", v.s.position.rev, ""),
    CV_FIELD_AS(ALWAYS, "round", v.round, ""),
    CV_FIELD_AS(ALWAYS, "written", write, ""),
    CV_LIST_BY("prompts", print_jobs, prompt_shape, ""),
    CV_WARNINGS_IF_ANY(warnings, "files of others, kept under another name"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_dialogue_round_prompts(cv_call *call)
{
    press x = {.call = call, .own = &x};
    if (!cv_view_load(call, &x.v))
        return false;
    if (cv_json_get_true(call->input, "anonymous"))
        cv_view_anonymise(&x.v);
    if (!read_request(&x))
        return false;
    bool ok = fit_all(&x);
    if (ok && x.write)
        begin_contexts(&x);
    if (ok)
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_round_prompts_shape, &x);
    cv_buf_release(&x.prompt);
    cv_buf_release(&x.context);
    cv_buf_release(&x.shared);
    return ok && !x.failed;
}
