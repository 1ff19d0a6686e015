/* diagnosis.c - what is not understood, and what is; see diagnosis.h. */
#include "dialogue/intake/diagnosis.h"

#include "dialogue/intake/lookalike.h"

/* The parser finds more, but the rest is heard all the same, noted by the hearing, or about whole dialogues. */
static bool is_for_writer(const cv_finding *finding)
{
    static const cv_rule rules[] = {CV_RULE_UNCLOSED_FENCE, CV_RULE_MARKER_SPELLING, CV_RULE_MARKER_UNCLOSED};
    for (size_t i = 0; i < CV_COUNT(rules); i++)
        if (finding->rule == rules[i])
            return true;
    return false;
}

typedef struct {
    cv_json_writer *w;
    cv_str expert; /* empty: not named */
} printer;

static void print(const printer *p, cv_str type, size_t line, cv_str message, cv_str suggestion)
{
    cv_json_begin_object(p->w);
    cv_json_key_str_if(p->w, "expert", p->expert);
    cv_json_key_str(p->w, "type", type);
    cv_json_key_int(p->w, "line", (int64_t)line);
    cv_json_key_str(p->w, "message", message);
    cv_json_key_str_if(p->w, "suggestion", suggestion);
    cv_json_end_object(p->w);
}

/* What could not be read, by line: the parser's findings and, on lines that have none, what looks like a mark. */
typedef struct {
    const cv_findings *findings;
    cv_lookalikes lookalikes;
    size_t next_finding, next_lookalike;
    size_t told; /* the last line with a finding */
} unread;

static unread unread_of(cv_arena *a, const cv_speech *speech)
{
    unread u = {.findings = &speech->findings};
    cv_lookalikes_find(a, speech, &u.lookalikes);
    return u;
}

static void print_finding(const printer *p, unread *u)
{
    const cv_finding *f = &u->findings->items[u->next_finding++];
    if (!is_for_writer(f))
        return;
    u->told = f->line;
    print(p, cv_rules[f->rule].word, f->line, f->message, f->hint);
}

/* … up to this line. */
static void print_unread(const printer *p, unread *u, size_t line)
{
    for (;;) {
        const cv_lookalike *like =
            u->next_lookalike < u->lookalikes.count ? &u->lookalikes.items[u->next_lookalike] : NULL;
        size_t until = like && like->line < line ? like->line : line;
        while (u->next_finding < u->findings->count && u->findings->items[u->next_finding].line <= until)
            print_finding(p, u);
        if (!like || like->line > line)
            return;
        if (like->line != u->told)
            print(p, like->type, like->line, like->message, like->suggestion);
        u->next_lookalike++;
    }
}

void cv_diagnosis_print(cv_arena *a, const cv_hearing *h, size_t voice, bool named, cv_json_writer *w)
{
    const cv_speech *speech = &h->speeches[voice];
    printer p = {w, named ? speech->expert : (cv_str){NULL, 0}};
    unread u = unread_of(a, speech);
    for (size_t i = speech->first_note; i < speech->first_note + speech->note_count; i++) {
        const cv_heard_note *note = &h->notes.items[i];
        print_unread(&p, &u, note->line);
        if (!cv_str_eq(note->type, CV_STR("pending_target")))
            print(&p, note->type, note->line, note->message, note->suggestion);
    }
    print_unread(&p, &u, SIZE_MAX);
}

void cv_diagnosis_print_unread(cv_arena *a, const cv_hearing *h, size_t voice, cv_json_writer *w)
{
    const cv_speech *speech = &h->speeches[voice];
    unread u = unread_of(a, speech);
    print_unread(&(printer){w, speech->expert}, &u, SIZE_MAX);
}

/* ---- what is understood ------------------------------------------------------------------------------------------ */

static void print_ids(const cv_hearing *h, cv_str expert, cv_kind kind, cv_json_writer *w)
{
    cv_json_key(w, kind == CV_KIND_TENSION ? CV_STR("tensions_raised") : cv_kinds[kind].plural);
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->entities.count; i++)
        if (h->entities.items[i].kind == kind && cv_str_eq(h->entities.items[i].expert, expert))
            cv_json_str(w, h->entities.items[i].local_id);
    cv_json_end_array(w);
}

static void print_reference(cv_json_writer *w, cv_str from, const cv_heard_ref *ref)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "type", cv_ref_words.items[ref->type]);
    cv_json_key_str(w, "from", from);
    cv_json_key_str(w, "target", ref->target);
    cv_json_end_object(w);
}

static void print_references(cv_arena *a, const cv_hearing *h, cv_str expert, cv_json_writer *w)
{
    cv_str position = cv_arena_join(a, CV_STR("@"), expert);
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->links.count; i++)
        if (cv_str_eq(h->links.items[i].expert, expert))
            print_reference(w, position, &h->links.items[i].ref);
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_heard_entity *entity = &h->entities.items[i];
        for (size_t k = 0; cv_str_eq(entity->expert, expert) && k < entity->refs.count; k++)
            print_reference(w, entity->local_id, &entity->refs.items[k]);
    }
    cv_json_end_array(w);
}

static void print_moves(const cv_hearing *h, cv_str expert, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("moves"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_heard_move *move = &h->moves.items[i];
        if (!cv_str_eq(move->expert, expert))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", cv_move_words.items[move->type]);
        cv_json_key_strs(w, "targets", move->targets.items, move->targets.count);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

void cv_summary_print(cv_arena *a, const cv_hearing *h, cv_str expert, cv_json_writer *w)
{
    cv_json_begin_object(w);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        print_ids(h, expert, (cv_kind)kind, w);
    print_references(a, h, expert, w);
    print_moves(h, expert, w);
    cv_json_key(w, CV_STR("verdicts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->verdicts.count; i++)
        if (cv_str_eq(h->verdicts.items[i].expert, expert))
            cv_json_str(w, cv_verdict_words.items[h->verdicts.items[i].type]);
    cv_json_end_array(w);
    cv_json_end_object(w);
}
