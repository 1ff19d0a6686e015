/* export_record.c - the record behind an export: its position, and its rows as they are; see exporter.h.
 *
 * With the rows an export can be imported into another project without any loss (import/rows.h). They are streamed like
 * the rest. Contents are in the document already and are left out, except responses of rounds that are not
 * registered: those are nowhere else.
 */
#include "dialogue/export/exporter.h"
#include "dialogue/import/rows.h"
#include "record/scope.h"

typedef struct {
    cv_export *x;
    int kinds; /* that have been begun */
} rows;

/* Begins the lists up to that of `kind`; those in between are empty. */
static void begin_kind(rows *r, int kind)
{
    cv_json_writer *w = &r->x->w;
    for (; r->kinds <= kind; r->kinds++) {
        if (r->kinds > 0) {
            cv_json_end_array(w);
            cv_json_end_object(w);
        }
        cv_json_key(w, cv_rows_type(r->kinds)->name);
        cv_json_begin_object(w);
        cv_json_key(w, CV_STR("fields"));
        cv_json_begin_array(w);
        cv_export_line(r->x, true);
        cv_rows_print_fields(w, cv_rows_type(r->kinds));
        cv_json_end_array(w);
        cv_export_line(r->x, false);
        cv_json_key(w, CV_STR("rows"));
        cv_json_begin_array(w);
    }
}

static bool stands_elsewhere(const cv_export *x, const cv_rec_response *response)
{
    return cv_state_round(&x->s, response->round) && cv_expert_index(&x->g, response->expert_slug) >= 0;
}

static void write_one(cv_export *x, const cv_type *type, const void *row)
{
    cv_json_begin_array(&x->w);
    cv_export_line(x, true);
    cv_rows_print(&x->w, type, row);
    cv_json_end_array(&x->w);
    cv_export_line(x, false);
}

static bool write_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    rows *r = ctx;
    cv_rec_response response;
    cv_rec_entity entity;
    if (!cv_row_check(kind, row, err))
        return false;
    if (kind == CV_REC_RESPONSE && stands_elsewhere(r->x, row)) {
        response = *(const cv_rec_response *)row;
        response.content = (cv_str){NULL, 0};
        row = &response;
    } else if (kind == CV_REC_ENTITY) {
        entity = *(const cv_rec_entity *)row;
        entity.content = entity.correction = (cv_str){NULL, 0};
        row = &entity;
    }
    begin_kind(r, (int)kind);
    write_one(r->x, cv_kind_types[kind], row);
    return cv_buf_ok(r->x->w.out) || cv_err_set(err, CV_ERR_IO, "cannot write the export");
}

static bool write_commit(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const rows *r = ctx;
    if (!cv_scope_printable(scope, &cv_commit_row_type, row, err))
        return false;
    if (cv_row_rev(row) <= r->x->s.position.rev) /* others were made since */
        write_one(r->x, &cv_commit_row_type, row);
    return cv_buf_ok(r->x->w.out) || cv_err_set(err, CV_ERR_IO, "cannot write the export");
}

static bool write_rows(cv_export *x, cv_position *ret_position, cv_err *err)
{
    const cv_wanted wanted = {.no_content = x->waiting == 0};
    const cv_find commits = {
        .type = &cv_commit_row_type, .index = cv_commits_by_rev, .scope = cv_dialogue_scope(x->s.id)};
    cv_record *record = x->call->record;
    rows r = {x, 0};
    bool found;
    cv_json_key(&x->w, CV_STR("rows"));
    cv_json_begin_object(&x->w);
    if (!cv_snapshot(x->call, x->s.id, &wanted, write_row, &r, ret_position, &found, err))
        return false;
    begin_kind(&r, CV_ROWS_COMMIT);
    if (!record->calls->find(record, &commits, write_commit, &r, err))
        return false;
    cv_json_end_array(&x->w);
    cv_json_end_object(&x->w);
    cv_json_end_object(&x->w);
    return true;
}

bool cv_export_record(cv_export *x, bool plain, cv_position *ret_position, cv_err *err)
{
    *ret_position = x->s.position;
    cv_json_key(&x->w, CV_STR("record"));
    cv_json_begin_object(&x->w);
    cv_json_key_int(&x->w, "rev", x->s.position.rev);
    cv_json_key_int(&x->w, "events", x->s.position.event_count);
    cv_json_key_str(&x->w, "head", x->s.position.head);
    if (!plain && !write_rows(x, ret_position, err))
        return false;
    cv_json_end_object(&x->w);
    return true;
}
