/* extract_print.c - what the responses say as requests to round-register and verdict-register; see extract.h. */
#include "dialogue/intake/extract.h"

#include <stdio.h>

static void print_ref(const cv_extracted_ref *ref, cv_json_writer *w)
{
    cv_json_key_str(w, "type", cv_ref_words.items[ref->type]);
    cv_json_key_str(w, "target", ref->target);
    cv_json_key_str_if(w, "reason", ref->reason);
}

static void print_one(cv_json_writer *w, const char *key, cv_str only)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    cv_json_str(w, only);
    cv_json_end_array(w);
}

static void print_entity(const cv_extracted_entity *entity, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "local_id", entity->local_id);
    cv_json_key_str(w, "label", entity->label);
    cv_json_key_str(w, entity->kind == CV_KIND_TENSION ? "description" : "content", entity->content);
    cv_json_key(w, CV_STR("contributors"));
    cv_json_begin_array(w);
    cv_json_str(w, entity->expert);
    for (size_t i = 0; i < entity->others.count; i++)
        cv_json_str(w, entity->others.items[i]);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < entity->refs.count; i++) {
        if (entity->refs.items[i].pending)
            continue;
        cv_json_begin_object(w);
        print_ref(&entity->refs.items[i], w);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_end_object(w);
}

static void print_links(const cv_extract *h, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->links.count; i++) {
        const cv_extracted_link *link = &h->links.items[i];
        char source[64];
        if (link->ref.pending)
            continue;
        cv_json_begin_object(w);
        int n = snprintf(source, sizeof source, "@%.*s", CV_FMT(link->expert));
        cv_json_key_str(w, "source", (cv_str){source, (size_t)n});
        print_ref(&link->ref, w);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_moves(const cv_extract *h, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("moves"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->moves.count; i++) {
        const cv_extracted_move *move = &h->moves.items[i];
        if (move->pending)
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert", move->expert);
        cv_json_key_str(w, "type", cv_move_words.items[move->type]);
        cv_json_key_strs(w, "targets", move->targets.items, move->targets.count);
        if (move->context.n)
            cv_json_key_str(w, "context", move->context);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_updates(const cv_extract *h, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("tension_updates"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < h->updates.count; i++) {
        const cv_extracted_update *update = &h->updates.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", update->id);
        cv_json_key_str(w, "status", cv_statuses[update->status].word);
        print_one(w, "by", update->expert);
        if (update->reason.n)
            cv_json_key_str(w, "reason", update->reason);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_positions(const cv_extract *h, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("positions"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < h->positions.count; i++) {
        cv_json_key(w, h->positions.items[i].expert);
        cv_json_str(w, h->positions.items[i].text);
    }
    cv_json_end_object(w);
}

void cv_extract_print_members(const cv_extract *h, cv_json_writer *w)
{
    size_t next = 0;
    cv_json_key_str(w, "dialogue_id", h->dialogue_id);
    cv_json_key_int(w, "round", h->round);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_begin_array(w);
        for (; next < h->entities.count && (int)h->entities.items[next].kind == kind; next++)
            print_entity(&h->entities.items[next], w);
        cv_json_end_array(w);
    }
    print_links(h, w);
    print_moves(h, w);
    print_updates(h, w);
    print_positions(h, w);
}

void cv_extract_print_payload(const cv_extract *h, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_extract_print_members(h, w);
    cv_json_end_object(w);
}

void cv_extracted_verdict_print_members(const cv_extract *h, const cv_extracted_verdict *verdict, cv_json_writer *w)
{
    cv_json_key_str(w, "dialogue_id", h->dialogue_id);
    cv_json_key_str(w, "verdict_id", verdict->verdict_id);
    cv_json_key_str(w, "verdict_type", cv_verdict_words.items[verdict->type]);
    cv_json_key_int(w, "round", h->round);
    if (verdict->type == CV_VERDICT_DISSENT || verdict->type == CV_VERDICT_MINORITY)
        cv_json_key_str(w, "author_expert", verdict->expert);
    cv_json_key_str(w, "recommendation", verdict->label);
    cv_json_key_str(w, "description", verdict->text);
}

void cv_extracted_verdict_print(const cv_extract *h, const cv_extracted_verdict *verdict, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_extracted_verdict_print_members(h, verdict, w);
    cv_json_end_object(w);
}

void cv_extracted_note_print(const cv_extracted_note *note, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "type", note->type);
    cv_json_key_str(w, "severity", cv_diagnosis_words.items[note->severity]);
    cv_json_key_str(w, "expert", note->expert);
    cv_json_key_int(w, "line", (int64_t)note->line);
    if (note->id.n)
        cv_json_key_str(w, "id", note->id);
    cv_json_key_str(w, "text", note->text);
    cv_json_key_str(w, "message", note->message);
    if (note->suggestion.n)
        cv_json_key_str(w, "suggestion", note->suggestion);
    cv_json_end_object(w);
}
