/* check_words.c - the first two steps of the check: words and consistency; see check.c. */
#include "base/utf8.h"
#include "dialogue/register/check.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- 1: words -------------------------------------------------------------------------------- */

static void need(cv_spot at, const char *name, cv_str value)
{
    if (cv_str_trim(value).n > 0)
        return;
    cv_spot in = cv_check_member(at, name);
    cv_fault_missing(&in);
}

static void letter_ok(cv_spot at, cv_str side, cv_str id)
{
    char letter;
    if (cv_id_bad_letter(id, &letter))
        cv_fault_letter(&at, side, letter);
}

static void words_of_draft(cv_batch *b, const cv_draft *draft)
{
    char letter;
    bool text_is_there = draft->local_id.n && draft->label.n && cv_str_trim(draft->content).n;
    if (text_is_there && draft->by.count && !cv_id_bad_letter(draft->local_id, &letter) &&
        !cv_str_has_control(draft->label) && draft->label.n <= CV_MAX_LABEL)
        return;
    cv_spot at = cv_check_draft(b, draft), label = cv_check_member(at, "label");
    need(at, "local_id", draft->local_id);
    letter_ok(cv_check_member(at, "local_id"), CV_STR("source"), draft->local_id);
    need(at, "label", draft->label);
    cv_fault_unless_line(&label, draft->label, CV_MAX_LABEL);
    need(at, draft->kind == CV_KIND_TENSION ? "description" : "content", draft->content);
    if (draft->by.count == 0 && draft->by.json.p) /* without a local id nobody is assumed */
        need(at, "contributors", (cv_str){NULL, 0});
}

static void words_of_ref(cv_batch *b, const cv_any_ref *any)
{
    const cv_draft_ref *ref = any->ref;
    if (ref->type >= 0 && ref->target.letter && !any->link)
        return;
    cv_spot at = cv_check_ref(b, any), type = cv_check_member(at, "type");
    if (any->link)
        need(at, "source", any->link->source.text);
    if (ref->word.n == 0)
        cv_fault_missing(&type);
    else if (ref->type < 0)
        cv_fault_word(&type, CV_ERR_REF_TYPE, CV_STR("ref_enum"), CV_STR("ref_type"), ref->word, cv_ref_words);
    need(at, "target", ref->target.text);
    letter_ok(cv_check_member(at, "target"), CV_STR("target"), ref->target.text);
}

static void words_of_move(cv_batch *b, const cv_draft_move *move, size_t index)
{
    bool wants_id = move->type >= 0 && cv_str_starts(cv_moves[move->type].argument, CV_STR("{id"));
    cv_spot at = cv_check_item(b, CV_STR("move"), CV_STR("moves"), index), type = cv_check_member(at, "type");
    need(at, "expert", move->expert);
    if (move->word.n == 0)
        cv_fault_missing(&type);
    else if (move->type < 0)
        cv_fault_word(&type, CV_ERR_INVALID_VALUE, CV_STR("move_enum"), CV_STR("move_type"), move->word, cv_move_words);
    if (wants_id && move->target_count == 0)
        need(at, "targets", (cv_str){NULL, 0});
    for (size_t i = 0; i < move->target_count; i++)
        letter_ok(cv_check_in_list(at, "targets", i), CV_STR("target"), move->targets[i].text);
}

static cv_words statuses_of(cv_arena *a, cv_kind kind)
{
    cv_str *words = CV_NEW_ARRAY(a, CV_STATUS_COUNT, cv_str);
    size_t count = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == kind)
            words[count++] = cv_statuses[status].word;
    return (cv_words){words, count};
}

static void words_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_spot at = cv_check_update(b, update), status = cv_check_member(at, "status");
    need(at, "id", update->target.text);
    letter_ok(cv_check_member(at, "id"), CV_STR("target"), update->target.text);
    if (update->word.n == 0)
        cv_fault_missing(&status);
    else if (update->status < 0)
        cv_fault_word(&status, CV_ERR_INVALID_VALUE, CV_STR("status_enum"), CV_STR("status"), update->word,
                      statuses_of(b->call->arena, update->kind));
    letter_ok(cv_check_member(at, "via"), CV_STR("target"), update->via.text);
}

static void ceilings(cv_batch *b)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        if (b->counts[kind] <= CV_MAX_SEQ)
            continue;
        cv_spot at = cv_check_root(b, cv_kinds[kind].word);
        at.field = cv_kinds[kind].plural;
        cv_err_suggest(cv_fault(&at, CV_ERR_TOO_LARGE, CV_STR("limit"),
                                cv_arena_printf(b->call->arena, "%zu", b->counts[kind]),
                                "%zu %.*s in one round: ids have two digits, the limit is %d", b->counts[kind],
                                CV_FMT(cv_kinds[kind].plural), CV_MAX_SEQ),
                       CV_STR("Merge items that say the same, or leave the lesser ones out"));
    }
}

void cv_check_words(cv_batch *b)
{
    cv_spot title = cv_check_member(cv_check_root(b, CV_STR("round")), "title");
    ceilings(b);
    cv_fault_unless_line(&title, b->title, CV_MAX_TITLE);
    for (size_t i = 0; i < b->drafts.count; i++)
        words_of_draft(b, &b->drafts.items[i]);
    cv_check_each_ref(b, words_of_ref);
    for (size_t i = 0; i < b->moves.count; i++)
        words_of_move(b, &b->moves.items[i], i);
    for (size_t i = 0; i < b->updates.count; i++)
        words_of_update(b, &b->updates.items[i]);
}

/* ---- 2: consistency -------------------------------------------------------------------------- */

static cv_err *bad_local_id(cv_spot at, cv_str found, cv_kind kind, int64_t round, cv_str expert, const char *why)
{
    cv_err *err = cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("type_consistency"), found, "local_id '%.*s' %s",
                           CV_FMT(cv_excerpt(at.call->arena, found)), why);
    cv_err_suggest(err, cv_arena_printf(at.call->arena, "Write it as %.*s-%c%02d01", CV_FMT(expert),
                                        cv_kinds[kind].letter, (int)round));
    return err;
}

static void local_id_ok(cv_batch *b, cv_spot at, const cv_draft *draft, cv_str local_id)
{
    cv_id id;
    char letter;
    if (local_id.n == 0 || cv_id_bad_letter(local_id, &letter))
        return; /* told before */
    if (!cv_id_parse(local_id, &id) || id.form != CV_ID_LOCAL) {
        bad_local_id(at, local_id, draft->kind, b->round, CV_STR("EXPERT"), "is not a local id");
        return;
    }
    if (id.kind != draft->kind)
        cv_fault_kind(&at, CV_STR("source"), draft->kind, local_id);
    if (id.round != b->round)
        bad_local_id(at, local_id, draft->kind, b->round, id.expert, "names another round than the one registered");
    if (id.number == 0)
        bad_local_id(at, local_id, draft->kind, b->round, id.expert, "has the number 00; the first is 01");
}

/* Whoever claimed the id first has it. */
static void unique(cv_batch *b, cv_spot at, const cv_draft *draft, cv_str local_id, bool seen_here)
{
    const uintptr_t *owner = cv_map_get(&b->local_at, local_id);
    const cv_draft *first = owner ? (const cv_draft *)*owner : draft;
    if (local_id.n == 0 || (first == draft && !seen_here))
        return;
    cv_err_suggest(cv_fault(&at, CV_ERR_DUPLICATE_LOCAL, CV_STR("unique"), local_id,
                            "local_id '%.*s' is taken by %.*s[%zu]", CV_FMT(cv_excerpt(b->call->arena, local_id)),
                            CV_FMT(first->list), first->index),
                   CV_STR("Give every item a local id of its own; name merged ones once, in 'also'"));
}

static void consistency_of_draft(cv_batch *b, const cv_draft *draft)
{
    const uintptr_t *owner = cv_map_get(&b->local_at, draft->local_id);
    const cv_id *id = &draft->parts;
    if (id->form == CV_ID_LOCAL && id->kind == draft->kind && id->round == b->round && id->number > 0 &&
        draft->also_count == 0 && (const cv_draft *)*owner == draft)
        return;
    cv_spot at = cv_check_draft(b, draft), in = cv_check_member(at, "local_id");
    local_id_ok(b, in, draft, draft->local_id);
    unique(b, in, draft, draft->local_id, false);
    cv_map seen = {0};
    cv_map_put(&seen, b->call->arena, draft->local_id, NULL);
    for (size_t i = 0; i < draft->also_count; i++) {
        bool is_new;
        cv_map_put(&seen, b->call->arena, draft->also[i], &is_new);
        in = cv_check_in_list(at, "also", i);
        local_id_ok(b, in, draft, draft->also[i]);
        unique(b, in, draft, draft->also[i], !is_new);
    }
}

/* `tension_updates` are about tensions: the id says so, whether or not it is there. */
static void consistency_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_id id;
    if (!cv_id_parse(update->target.text, &id) || (id.form != CV_ID_EXPERT && id.kind == update->kind))
        return;
    cv_spot at = cv_check_member(cv_check_update(b, update), "id");
    cv_fault_kind(&at, CV_STR("target"), update->kind, update->target.text);
}

void cv_check_consistency(cv_batch *b)
{
    for (size_t i = 0; i < b->drafts.count; i++)
        consistency_of_draft(b, &b->drafts.items[i]);
    for (size_t i = 0; i < b->updates.count; i++)
        consistency_of_update(b, &b->updates.items[i]);
}
