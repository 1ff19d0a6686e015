/* respond.c - an expert's response into the record: the text as it is, its hash, an event; then its file.
 *
 *     the text that is there   answered as before, and its file is written if it is not there
 *     another text             refused; with `replace` it takes the place of the first, which the event keeps
 *     after its round          only when there is none yet: late, with a warning; nothing of it is registered
 *     its file holds a text    that the record does not have: refused; with `replace` that file is kept beside it
 *
 * One reading, one commit, then the file. Experts respond at the same time: writers take turns (kit/request.h),
 * nobody's text is lost. The record is the truth; a file that cannot be written is a warning that says so, for the
 * response itself is kept.
 */

#include "dialogue/dynamics.h"
#include "dialogue/faults.h"
#include "dialogue/files.h"
#include "dialogue/intake/attendance.h"
#include "dialogue/intake/diagnosis.h"
#include "dialogue/intake/handover.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "record/hash.h"

typedef struct {
    cv_call *call;
    cv_state state;
    cv_str expert;
    int64_t round;
    cv_str content;          /* absent: no contribution */
    cv_str sha256;           /* … and then absent, too */
    cv_rec_response *stored; /* what was before, in the state */

    /* of the answer */
    bool no_contribution, replaced;
    cv_summary summary;
    cv_unmarked unmarked;
    cv_diagnostics diagnostics;
} response;

/* What became of the response, for the rest of the answer. */
typedef struct {
    cv_str id, expert;
    int64_t round;
    cv_state state;
    cv_rec_response *row; /* NULL: none, with dry_run */
    cv_str path;          /* absent: no file holds it */
    cv_notices warnings;
} filing;

#define CV_THIS_TYPE filing
static const cv_shape rest_shape[] = {
    CV_FIELD_AS(OR_NULL, "response_path", path, "its file; null: none was written"),
    CV_WARNINGS(warnings, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE response
const cv_shape cv_respond_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", state.id, ""),
    CV_FIELD_AS(ALWAYS, "expert_slug", expert, ""),
    CV_NUMBER(ALWAYS, "round", round, 0, CV_MAX_ROUND, ""),
    CV_FIELD(ALWAYS, no_contribution, ""),
    CV_FIELD_AS(ALWAYS, "bytes", content.n, ""),
    CV_FIELD(IF_ANY, sha256, "of the response; absent without one"),
    CV_FIELD(ALWAYS, replaced, "another response was there before"),
    CV_OBJECT(ALWAYS, "summary", summary, cv_summary_shape, "what is understood"),
    CV_OBJECT(ALWAYS, "unmarked", unmarked, cv_unmarked_shape, "text under no mark"),
    CV_LIST("diagnostics", diagnostics.items, diagnostics.count, cv_diagnostic_shape,
            "what is not understood, or not as it is written"),
    CV_LATER(ALWAYS, "rev", INT, 1, "of the dialogue after this write"),
    CV_LATER(IF_ANY, "replayed", BOOL, CV_NO_LIMIT, "the record has this response already"),
    CV_TRIED,
    CV_LATER_ALL(rest_shape),
    {0},
};
#undef CV_THIS_TYPE

static cv_spot spot(response *r, const char *field)
{
    return (cv_spot){.call = r->call, .item_type = CV_STR("response"), .field = cv_str_of(field)};
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static void read_expert(response *r)
{
    cv_spot at = spot(r, "expert");
    cv_str slug = cv_arena_lower(r->call->arena, cv_json_get_text(r->call->input, "expert"));
    const cv_rec_expert *row = cv_state_expert(&r->state, slug);
    r->expert = row ? row->expert_slug : slug;
    if (cv_str_eq(slug, cv_judge_slug))
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("expert"), slug, "the judge does not respond"),
                       CV_STR("The judge speaks with round-register and verdict-register"));
    else if (!row && cv_journal_open(r->call, &r->state, false)) /* nobody joins a dialogue that is over */
        cv_fault_expert(&at, &r->state, slug);
}

static void read_content(response *r)
{
    cv_spot at = spot(r, "content");
    bool nothing = cv_json_get_true(r->call->input, "no_contribution");
    cv_str content = cv_json_get_text(r->call->input, "content");
    if (nothing && content.p)
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("either"), (cv_str){NULL, 0},
                                "'content' and 'no_contribution' exclude each other"),
                       CV_STR("Give one of them"));
    else if (!nothing && cv_str_trim(content).n == 0)
        cv_err_suggest(
            cv_fault(&at, CV_ERR_MISSING_FIELD, CV_STR("required"), (cv_str){NULL, 0}, "the response is %s",
                     content.p ? "empty" : "missing"),
            CV_STR("Give the text as 'content', or its file as 'content_path'; an expert with nothing to say "
                   "says 'no_contribution': true"));
    else if (content.n > CV_MAX_RESPONSE)
        cv_err_suggest(cv_fault(&at, CV_ERR_TOO_LARGE, CV_STR("limit"), (cv_str){NULL, 0},
                                "the response has %zu bytes, the limit is %zu", content.n, CV_MAX_RESPONSE),
                       CV_STR("Nothing was stored. One sharp insight beats ten paragraphs"));
    else if (!nothing) {
        r->content = content;
        r->sha256 = cv_hash_text(r->call->arena, content);
    }
}

static cv_rec_response *find_response(const cv_state *s, int64_t round, cv_str expert)
{
    for (size_t i = 0; i < s->responses.count; i++)
        if (s->responses.items[i].round == round && cv_str_eq(s->responses.items[i].expert_slug, expert))
            return &s->responses.items[i];
    return NULL;
}

static const cv_wanted lean = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) |
                                        CV_REC_BIT(ROUND) | CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) |
                                        CV_REC_BIT(ORIGIN) | CV_REC_BIT(VERDICT),
                               .no_content = true};

/* Against the dialogue as it is now; every fault is reported. */
static bool read_request(cv_call *call, response *r)
{
    cv_err err = {.arena = call->arena};
    *r = (response){.call = call};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &lean, &r->state, &err))
        return cv_call_fail(call, &err);
    read_expert(r);
    read_content(r);
    if (!cv_attendance_round(call, &r->state, &r->round) || call->errs->count)
        return false;
    r->stored = find_response(&r->state, r->round, r->expert);
    return true;
}

/* ---- may it be written ------------------------------------------------------------------------------------------- */

static bool refuse_other(response *r, bool registered)
{
    cv_spot at = spot(r, "content");
    cv_err_suggest(cv_fault(&at, CV_ERR_RESPONSE_EXISTS, CV_STR("unique"), r->stored->sha256,
                            registered ? "%.*s has another response in round %lld, which is registered"
                                       : "%.*s has another response in round %lld",
                            CV_FMT(r->expert), (long long)r->round),
                   registered ? CV_STR("Say it in the next round")
                              : CV_STR("Give 'replace': true to replace it by this one"));
    return false;
}

/* Experts are told where their file is to be: what only that file holds, its expert wrote. */
static bool refuse_foreign(response *r, const char *path)
{
    cv_spot at = spot(r, "content");
    cv_err_suggest(cv_fault(&at, CV_ERR_RESPONSE_EXISTS, CV_STR("unique"), cv_str_of(path),
                            "%s has another text, which is not in the record", path),
                   CV_STR("Nothing was stored. If that file is the response, send its path as 'content_path'. If "
                          "this text is, give 'replace': true; the file is kept under another name"));
    return false;
}

/* A folder that is not to be had is not a reason to fail: the record holds the response, and a warning says so. A file
 * of which the record cannot say whose it is stays. */
static bool spares_file(response *r)
{
    cv_err err = {.arena = r->call->arena};
    cv_where where;
    bool foreign;
    if (!r->content.p || cv_json_get_true(r->call->input, "replace"))
        return true;
    if (!cv_handover_look(r->call, &r->state, r->round, r->expert, r->sha256, &where, &foreign, &err))
        return !foreign || cv_call_fail(r->call, &err);
    return !foreign || refuse_foreign(r, cv_where_path(r->call->arena, where));
}

static bool may_write(response *r)
{
    bool registered = r->round < cv_state_next_round(&r->state);
    if (!cv_journal_open(r->call, &r->state, false))
        return false;
    return !r->stored || (!registered && cv_json_get_true(r->call->input, "replace")) || refuse_other(r, registered);
}

/* ---- the write --------------------------------------------------------------------------------------------------- */

/* The whole row; the state has no contents. */
static bool read_whole(cv_call *call, cv_str id, cv_rec_response *row, cv_err *err)
{
    bool found;
    return cv_record_get(call->record, call->arena, cv_dialogue_scope(id), cv_kind_types[CV_REC_RESPONSE], row, &found,
                         err);
}

/* What takes the place of another text keeps it: {"content", "sha256", "created_at"}. */
static bool keep_replaced(response *r, cv_rec_event *event)
{
    cv_arena *a = r->call->arena;
    cv_err err = {.arena = a};
    cv_rec_response row = *r->stored;
    if (!read_whole(r->call, r->state.id, &row, &err))
        return cv_call_fail(r->call, &err);
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    if (row.content.p) {
        cv_json_key_str(&w, "content", row.content);
        cv_json_key_str(&w, "sha256", row.sha256);
    }
    cv_json_key_str(&w, "created_at", row.created_at);
    cv_json_end_object(&w);
    event->data = cv_buf_take(&text, a);
    return true;
}

/* The expert, then all others who have responded. */
static size_t gather_texts(const response *r, const cv_state *s, cv_response_text **ret_texts)
{
    size_t count = 1;
    cv_response_text *texts = CV_NEW_ARRAY(r->call->arena, s->responses.count + 1, cv_response_text);
    texts[0] = (cv_response_text){r->expert, r->content};
    for (size_t i = 0; i < s->responses.count; i++) {
        const cv_rec_response *row = &s->responses.items[i];
        if (row->round == r->round && row->content.p && !cv_str_eq(row->expert_slug, r->expert))
            texts[count++] = (cv_response_text){row->expert_slug, row->content};
    }
    *ret_texts = texts;
    return count;
}

/* Contents are read only for what is quoted (is it what is registered?) and for what is named of others (is it there?).
 */
static void extract(response *r, cv_extract *ret_extract)
{
    cv_arena *a = r->call->arena;
    cv_err err = {.arena = a};
    cv_state *whole = CV_NEW(a, cv_state);
    cv_response_text text = {r->expert, r->content}, *texts = &text;
    const cv_wanted wanted = {.kinds = lean.kinds};
    size_t count = r->content.p ? 1 : 0;
    cv_extract_responses(a, &r->state, r->round, &text, count, ret_extract);
    if (!(ret_extract->needs_content || ret_extract->needs_others) ||
        !cv_state_load(r->call, r->state.id, &wanted, whole, &err))
        return;
    if (ret_extract->needs_others)
        count = gather_texts(r, whole, &texts);
    cv_extract_responses(a, whole, r->round, texts, count, ret_extract);
}

static cv_str answer(response *r)
{
    cv_arena *a = r->call->arena;
    cv_extract h;
    extract(r, &h);
    r->no_contribution = !r->content.p;
    r->replaced = r->stored != NULL;
    cv_summarize(a, &h, r->expert, &r->summary);
    if (h.response_count) {
        r->unmarked = cv_unmarked_of(a, &h, 0);
        cv_diagnose(a, &h, 0, &r->diagnostics);
    }
    return cv_shape_text(a, cv_respond_shape, r);
}

static bool enter(response *r, cv_rec_response *ret_row, cv_outcome *outcome)
{
    cv_arena *a = r->call->arena;
    cv_journal j;
    cv_journal_begin(&j, r->call, &r->state);
    *ret_row = (cv_rec_response){
        .round = r->round, .expert_slug = r->expert, .content = r->content, .sha256 = r->sha256, .created_at = j.now};
    cv_rec_event *event = cv_journal_event(&j, 'S', cv_turn_key(a, r->round, r->expert),
                                           cv_event_words.items[r->stored ? CV_EVENT_REPLACED : CV_EVENT_CREATED],
                                           r->round, cv_people_of(a, &r->expert, 1).json);
    cv_journal_covers(&j, event, CV_REC_RESPONSE, cv_journal_put(&j, CV_REC_RESPONSE, ret_row));
    return (!r->stored || keep_replaced(r, event)) && cv_journal_commit(&j, answer(r), outcome);
}

/* What stands is the answer. But as long as it can be replaced, a replacement with an op_id is written, so that the
 * op_id is kept: sent again after another replacement, it must not undo that one. */
static bool is_replay(const response *r)
{
    const cv_json *input = r->call->input;
    bool abandoned = cv_state_is_abandoned(&r->state);
    bool open = r->round >= cv_state_next_round(&r->state) && !abandoned && !cv_state_is_closed(&r->state);
    return r->stored && cv_str_eq(r->stored->sha256, r->sha256) &&
           !(open && cv_json_get(input, CV_STR("op_id")) && cv_json_get_true(input, "replace"));
}

static bool stands(response *r, cv_outcome *outcome)
{
    cv_rec_response *stored = r->stored;
    r->stored = NULL; /* nothing was replaced by this */
    *outcome = (cv_outcome){.replayed = true, .rev = stored->rev, .result = answer(r)};
    stored->content = r->content;
    r->call->left = &r->state;
    return true;
}

/* It leaves the dialogue as it is then. */
static bool work(cv_call *call, cv_outcome *outcome)
{
    response *r = CV_NEW(call->arena, response);
    cv_rec_response row;
    if (!read_request(call, r) || !spares_file(r))
        return false;
    if (is_replay(r))
        return stands(r, outcome);
    if (!may_write(r) || !enter(r, &row, outcome))
        return false;
    if (outcome->conflict || outcome->replayed)
        return true;
    if (!cv_json_get_true(call->input, "dry_run")) {
        row.rev = r->state.position.rev = outcome->rev;
        *(r->stored ? r->stored : CV_PUSH(call->arena, &r->state.responses)) = row;
    }
    call->left = &r->state;
    return true;
}

/* ---- its file ---------------------------------------------------------------------------------------------------- */

/* The dialogue and the response as they are now. */
static bool read_again(cv_call *call, filing *f, cv_err *err)
{
    if (!cv_state_load(call, f->id, &lean, &f->state, err))
        return false;
    f->row = find_response(&f->state, f->round, f->expert);
    return !f->row || read_whole(call, f->id, f->row, err);
}

/* What an answer is about to displace, and the record that may hold it. */
typedef struct {
    cv_call *call;
    const filing *f;
    cv_str sha256;
} displacing;

static bool is_ours(void *ctx, cv_str text, bool unmarked)
{
    displacing *d = ctx;
    cv_err err = {.arena = d->call->arena};
    (void)unmarked;
    return cv_handover_is_ours(d->call, &d->f->state, d->f->round, d->f->expert, d->sha256, text, &err);
}

/* Whose answer was lost asks again, and finds a file that was written since: it stays, unless `replace` is given. What
 * comes there after this look is kept beside the new file. */
static bool put_file(cv_call *call, filing *f, const cv_rec_response *row, cv_err *err)
{
    displacing d = {call, f, row->sha256};
    cv_file_rules rules = {.arena = call->arena, .is_ours = is_ours, .ctx = &d};
    cv_where where;
    bool foreign;
    if (!cv_handover_look(call, &f->state, f->round, f->expert, row->sha256, &where, &foreign, err))
        return false;
    const char *path = cv_where_path(call->arena, where);
    if (foreign && !cv_json_get_true(call->input, "replace"))
        return cv_err_set(err, CV_ERR_RESPONSE_EXISTS, "%s has another text, which is not in the record", path);
    bool done = cv_dialogue_file_write(where, row->content, &rules, err);
    cv_dialogue_file_warn(call, &rules, f->expert, &f->warnings);
    if (done)
        f->path = cv_str_of(path);
    return done;
}

/* Writes what the record holds, and again when somebody has replaced it meanwhile: the last look is right. */
static bool write_file(cv_call *call, filing *f, cv_err *err)
{
    enum { MOST_TRIES = 8 };
    int64_t written = 0; /* the rev of what is in the file */
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        cv_position now;
        bool found;
        if (!cv_response_speaks(f->row) || f->row->rev == written)
            return true;
        if (!put_file(call, f, f->row, err) || !cv_position_of(call->record, call->arena, f->id, &now, &found, err))
            return false;
        if (now.rev == f->state.position.rev)
            return true;
        written = f->row->rev;
        if (!read_again(call, f, err))
            return false;
    }
    return true;
}

/* ---- the rest of the answer -------------------------------------------------------------------------------------- */

static void warn_of_seat(cv_call *call, filing *f)
{
    cv_attendance attendance, alone = {0};
    cv_attendance_of(call->arena, &f->state, f->round, &attendance);
    for (size_t i = 0; i < attendance.count; i++)
        if (attendance.items[i].seated || cv_str_eq(attendance.items[i].expert, f->expert))
            *CV_PUSH(call->arena, &alone) = attendance.items[i];
    cv_attendance_warn(call->arena, &alone, f->round, &f->warnings);
}

/* Handed in once its round was registered; the same text asked for again later was not late. Writes are told apart by
 * their revs: the clock may have been set back. */
static void warn_if_late(cv_call *call, filing *f)
{
    cv_rec_event registered = {0};
    cv_err unknown = {.arena = call->arena};
    cv_str round = cv_arena_printf(call->arena, "%lld", (long long)f->round);
    if (!cv_state_round(&f->state, f->round) ||
        (f->row &&
         (!cv_journal_creation(call, f->id, 'O', round, &registered, &unknown) || f->row->rev <= registered.rev)))
        return;
    cv_notice_expert(cv_notice_add(&f->warnings, call->arena, CV_STR("late_response"),
                                   "round %lld is registered: nothing of this response is in it", (long long)f->round),
                     f->expert);
}

static void warn_if_superseded(cv_call *call, filing *f, cv_str sha256)
{
    if (f->row && !cv_str_eq(f->row->sha256, sha256))
        cv_notice_expert(cv_notice_add(&f->warnings, call->arena, CV_STR("superseded"),
                                       "%.*s has replaced this response since: the record has the later one",
                                       CV_FMT(f->expert)),
                         f->expert);
}

/* Who repeats a request whose answer was lost does not mean the next round, and the record cannot know that. */
static void warn_if_repeated(cv_call *call, filing *f, cv_str sha256)
{
    const cv_rec_response *last = find_response(&f->state, f->round - 1, f->expert);
    if (!cv_json_get(call->input, CV_STR("round")) && cv_response_speaks(last) && cv_str_eq(last->sha256, sha256))
        cv_notice_expert(cv_notice_add(&f->warnings, call->arena, CV_STR("repeated_response"),
                                       "%.*s said the same in round %lld: give the round to send the same text again",
                                       CV_FMT(f->expert), (long long)f->round - 1),
                         f->expert);
}

/* From the answer itself, which may be the one of another time. */
static void warn_of_reading(cv_call *call, filing *f, const cv_json *stored)
{
    const cv_json *summary = cv_json_get(stored, CV_STR("summary"));
    const cv_json *diagnostics = cv_json_get(stored, CV_STR("diagnostics"));
    size_t understood = 0, lost = 0;
    for (uint32_t i = 0; summary && summary->type == CV_JSON_OBJECT && i < summary->count; i++)
        understood += summary->members[i].value.type == CV_JSON_ARRAY ? summary->members[i].value.count : 0;
    for (uint32_t i = 0; diagnostics && diagnostics->type == CV_JSON_ARRAY && i < diagnostics->count; i++)
        lost += cv_str_eq(cv_json_get_text(&diagnostics->items[i], "severity"),
                          cv_diagnosis_words.items[CV_DIAGNOSIS_LOST]);
    if (!cv_json_get_true(stored, "no_contribution"))
        cv_warn_of_reading(call->arena, f->expert, understood, lost, &f->warnings);
}

static void file_it(cv_call *call, filing *f, bool is_present, cv_str sha256)
{
    cv_err err = {.arena = call->arena};
    bool dry = cv_json_get_true(call->input, "dry_run");
    bool ok = (is_present || read_again(call, f, &err)) && (dry || write_file(call, f, &err));
    if (dry)
        f->row = NULL;
    if (!ok && !dry)
        cv_notice_expert(
            cv_notice_add(&f->warnings, call->arena, CV_STR("file_not_written"),
                          "the record has the response, but its file was not written: %.*s; the same request again "
                          "writes it",
                          CV_FMT(cv_err_text(&err))),
            f->expert);
    warn_of_seat(call, f);
    warn_if_late(call, f);
    warn_if_superseded(call, f, sha256);
    warn_if_repeated(call, f, sha256);
}

/* The stored answer, and behind it what is found again each time: where the file is, and warnings. */
static void print_answer(cv_call *call, cv_str stored, const filing *f)
{
    cv_str rest = cv_shape_text(call->arena, rest_shape, f);
    cv_buf_add(call->out, cv_str_head(stored, stored.n - 1));
    cv_buf_add_char(call->out, ',');
    cv_buf_add(call->out, cv_str_from(rest, 1));
}

bool cv_dialogue_respond(cv_call *call)
{
    cv_json given, stored;
    cv_err err = {.arena = call->arena};
    cv_buf text = {0};
    cv_call mine = *call;
    mine.input = &given;
    mine.out = &text;
    bool ok = cv_handover_input(call, &given) && cv_journal_run(&mine, CV_STR("dialogue respond"), work) &&
              (cv_json_parse(call->arena, cv_buf_str(&text), &stored, &err) || cv_call_fail(call, &err));
    if (ok) {
        filing f = {.id = cv_json_get_text(&stored, "dialogue_id"),
                    .expert = cv_json_get_text(&stored, "expert_slug"),
                    .round = cv_json_get_int(&stored, "round", 0)};
        const cv_state *left = mine.left;
        if (left) {
            f.state = *left;
            f.row = find_response(&f.state, f.round, f.expert);
        }
        file_it(call, &f, left != NULL, cv_json_get_text(&stored, "sha256"));
        warn_of_reading(call, &f, &stored);
        print_answer(call, cv_buf_str(&text), &f);
    }
    cv_buf_release(&text);
    return ok;
}
