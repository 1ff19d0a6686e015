/* import.c - the operation `import`: files into the record, by the rooms that they belong to; see kit/import.h.
 *
 *     paths -> how well do they fit each room -> those that they fit best take them -> one answer
 *
 * A dry run does all of it on a copy of the record in memory: so its report is the report.
 */
#include <assert.h>

#include "base/file.h"
#include "base/path.h"
#include "kit/room.h"
#include "project/operations.h"

/* What a room took. */
typedef struct {
    const cv_room *room;
    cv_str found; /* a list, JSON */
    const void *counted;
} taking;

typedef struct {
    cv_call *call;
    cv_record *record; /* the record, or a copy of it */
    cv_where *paths;
    size_t count;
    size_t importers;    /* rooms that import; a single one takes every path and is not asked */
    cv_import_fit *best; /* of each path */
    cv_buf text;
    size_t outcomes[CV_OUTCOME_COUNT];
    size_t ignored;
    taking *taken; /* of each room that took something */
    size_t taken_count;
    bool dry_run;
    cv_str status, report, reason;
} importing;

/* ---- whose paths are they? --------------------------------------------------------------------------------------- */

static bool read_paths(importing *im)
{
    cv_call *call = im->call;
    const cv_json *given = cv_json_get(call->input, CV_STR("path"));
    const cv_json *items = given->type == CV_JSON_ARRAY ? given->items : given;
    im->count = given->type == CV_JSON_ARRAY ? given->count : 1;
    im->paths = CV_NEW_ARRAY(call->arena, im->count, cv_where);
    for (size_t i = 0; i < im->count; i++) {
        cv_err err = {.arena = call->arena};
        if (!cv_path_allowed(call->arena, call->root, call->confined, items[i].text, &im->paths[i], &err) ||
            !cv_file_is_there(im->paths[i], &err)) {
            cv_err_field(&err, cv_arena_printf(call->arena, "path[%zu]", i));
            cv_call_fail(call, &err);
        }
    }
    return call->errs->count == 0;
}

static cv_import_fit fit_of(const importing *im, const cv_room *room, size_t path)
{
    cv_arena scratch = {0};
    cv_import_fit fit = CV_FIT_NONE;
    if (room->import.run)
        fit = im->importers == 1 ? CV_FIT_OWN : room->import.fit(&scratch, im->paths[path]);
    cv_arena_release(&scratch);
    return fit;
}

/* How well the paths fit each room: a row per room. A path that fits none is an error. */
static bool ask_rooms(importing *im, size_t rooms, cv_import_fit *ret_fits)
{
    for (size_t i = 0; i < im->count; i++) {
        for (size_t k = 0; k < rooms; k++) {
            cv_import_fit fit = ret_fits[k * im->count + i] = fit_of(im, cv_rooms[k], i);
            im->best[i] = fit > im->best[i] ? fit : im->best[i];
        }
        if (im->best[i] > CV_FIT_NONE)
            continue;
        cv_err *err = cv_errs_add(im->call->errs, im->call->arena, CV_ERR_INVALID_VALUE,
                                  "no room can read these files: nothing would be imported");
        cv_err_field(err, cv_arena_printf(im->call->arena, "path[%zu]", i));
        cv_err_value(err, cv_str_of(cv_where_path(im->call->arena, im->paths[i])));
        cv_err_suggest(err, CV_STR("docs/import.md says which files can be imported"));
    }
    return im->call->errs->count == 0;
}

/* ---- one room ---------------------------------------------------------------------------------------------------- */

static bool run_room(importing *im, const cv_room *room, const cv_import_fit *fits)
{
    cv_arena *a = im->call->arena;
    cv_where *paths = CV_NEW_ARRAY(a, im->count, cv_where);
    cv_buf found = {0};
    cv_json_writer w = {.out = &found};
    cv_import import = {.call = im->call,
                        .record = im->record,
                        .paths = paths,
                        .found = room->import.found,
                        .w = &w,
                        .text = im->call->for_people ? &im->text : NULL};
    for (size_t i = 0; i < im->count; i++)
        if (fits[i] == im->best[i])
            paths[import.count++] = im->paths[i];
    if (import.count == 0)
        return true;
    assert(room->import.run && import.count <= im->count && "only a room that imports fits a path");
    cv_json_begin_array(&w);
    bool ok = room->import.run(&import);
    cv_json_end_array(&w);
    im->taken[im->taken_count++] = (taking){room, cv_buf_take(&found, a), import.counted};
    im->ignored += import.ignored;
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++)
        im->outcomes[i] += import.outcomes[i];
    return ok;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* Each room has a list in the answer, under the name that its scopes have, and counts in its own words. */
static void write_found(cv_json_writer *w, const void *value)
{
    const importing *im = value;
    for (size_t i = 0; i < im->taken_count; i++)
        cv_json_key_raw_if(w, im->taken[i].room->scope.many, im->taken[i].found);
}

static void describe_found(cv_json_writer *w)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->import.run) {
            cv_json_key(w, cv_str_of(cv_rooms[i]->scope.many));
            cv_json_begin_object(w);
            cv_json_key_str(w, "type", CV_STR("array"));
            cv_json_key(w, CV_STR("items"));
            cv_shape_schema(w, cv_rooms[i]->import.found);
            cv_json_end_object(w);
        }
}

static void write_counts(cv_json_writer *w, const void *value)
{
    const importing *im = value;
    for (size_t i = 0; i < im->taken_count; i++)
        if (im->taken[i].counted)
            cv_shape_write_members(w, im->taken[i].room->import.counts, im->taken[i].counted);
}

static void describe_counts(cv_json_writer *w)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->import.counts)
            cv_shape_schema_properties(w, cv_rooms[i]->import.counts);
}

static const cv_str status_words[] = {CV_STR_INIT("success"), CV_STR_INIT("partial")};
static const cv_words statuses = {status_words, CV_COUNT(status_words)};

#define CV_THIS_TYPE importing
static const cv_shape counts_shape[] = {
#define X(id, word) CV_FIELD_AS(ALWAYS, word, outcomes[CV_OUTCOME_##id], ""),
    CV_OUTCOMES(X)
#undef X
        CV_FIELD_AS(ALWAYS, "ignored_files", ignored, "of a kind that no room can read"),
    CV_OTHERS(write_counts, describe_counts),
    {0},
};
const cv_shape cv_import_shape[] = {
    CV_FIELD(ALWAYS, dry_run, "nothing was written"),
    CV_OTHERS(write_found, describe_found),
    CV_WORD(ALWAYS, "status", status, &statuses, "partial: something failed or conflicts, or nothing was there"),
    CV_GROUP("counts", counts_shape, ""),
    CV_FIELD(IF_ANY, reason, "why nothing was imported, where nothing was found"),
    CV_PRINTED(report, "the same for people"),
    {0},
};
#undef CV_THIS_TYPE

/* Was something imported, and did nothing fail or conflict? */
static bool is_whole(const importing *im)
{
    size_t done =
        im->outcomes[CV_OUTCOME_IMPORTED] + im->outcomes[CV_OUTCOME_CONTINUED] + im->outcomes[CV_OUTCOME_UNCHANGED];
    return done > 0 && im->outcomes[CV_OUTCOME_FAILED] == 0 && im->outcomes[CV_OUTCOME_CONFLICT] == 0;
}

/* Nothing that was found has an outcome. */
static cv_str reason_of(const importing *im)
{
    size_t found = 0;
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++)
        found += im->outcomes[i];
    return found ? CV_STR("") : CV_STR("there is nothing to import: no file is of a kind that a room reads");
}

static void answer(importing *im)
{
    im->status = status_words[is_whole(im) ? 0 : 1];
    im->reason = reason_of(im);
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++)
        cv_buf_printf(&im->text, "%s%zu %.*s", i ? ", " : "", im->outcomes[i], CV_FMT(cv_import_outcomes.items[i]));
    if (im->reason.n)
        cv_buf_printf(&im->text, "\n%.*s; docs/import.md says which are", CV_FMT(im->reason));
    if (im->call->for_people)
        im->report = cv_buf_str(&im->text);
    cv_shape_write(&(cv_json_writer){.out = im->call->out}, cv_import_shape, im);
    im->call->unwell = !is_whole(im);
}

const char *cv_import_about(const cv_room *room)
{
    return room->import.about;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

bool cv_project_import(cv_call *call)
{
    importing im = {.call = call, .record = call->record, .dry_run = cv_json_get_true(call->input, "dry_run")};
    size_t rooms = 0;
    cv_err err = {.arena = call->arena};
    for (; cv_rooms[rooms]; rooms++)
        im.importers += cv_rooms[rooms]->import.run != NULL;
    if (!read_paths(&im))
        return false;
    cv_import_fit *fits = CV_NEW_ARRAY(call->arena, rooms * im.count, cv_import_fit);
    im.best = CV_NEW_ARRAY(call->arena, im.count, cv_import_fit);
    im.taken = CV_NEW_ARRAY(call->arena, rooms, taking);
    if (!ask_rooms(&im, rooms, fits))
        return false;
    if (im.dry_run && !call->record->calls->scratch(call->record, call->arena, false, &im.record, &err))
        return cv_call_fail(call, &err);
    if (im.dry_run)
        cv_buf_add_z(&im.text, "Nothing is written (--dry-run). This would be done:\n");
    bool done = true;
    for (size_t i = 0; i < rooms && done; i++)
        done = run_room(&im, cv_rooms[i], fits + i * im.count);
    if (done)
        answer(&im);
    cv_buf_release(&im.text);
    if (im.dry_run)
        cv_record_close(im.record);
    return done;
}
