/* import.c - the operation `import`: files into the record, by the rooms that they belong to; see kit/import.h.
 *
 *     paths -> how well do they fit each room -> those that they fit best take them -> one answer
 *
 * A dry run does all of it on a copy of the record in memory: so its report is the report.
 */
#include "base/file.h"
#include "base/path.h"
#include "kit/room.h"
#include "project/operations.h"

typedef struct {
    cv_call *call;
    cv_record *record; /* the record, or a copy of it */
    cv_where *paths;
    size_t count;
    size_t importers;    /* rooms that import; a single one takes every path and is not asked */
    cv_import_fit *best; /* of each path */
    cv_json_writer w;
    cv_buf text;
    size_t outcomes[CV_OUTCOME_COUNT];
    size_t ignored;
    cv_json *counts; /* of each room that took something: an object */
    size_t room_count;
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
                                  "this does not look like files of any room: nothing would be taken from it");
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
    cv_buf counts = {0};
    cv_import import = {.call = im->call,
                        .record = im->record,
                        .paths = paths,
                        .w = &im->w,
                        .text = im->call->for_people ? &im->text : NULL,
                        .counts = {.out = &counts}};
    cv_err err = {.arena = a};
    for (size_t i = 0; i < im->count; i++)
        if (fits[i] == im->best[i])
            paths[import.count++] = im->paths[i];
    if (import.count == 0)
        return true;
    cv_json_key(&im->w, cv_str_of(room->scope.many));
    cv_json_begin_array(&im->w);
    cv_json_begin_object(&import.counts);
    bool ok = room->import.run(&import);
    cv_json_end_object(&import.counts);
    cv_json_end_array(&im->w);
    im->ignored += import.ignored;
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++)
        im->outcomes[i] += import.outcomes[i];
    cv_str text = cv_buf_take(&counts, a);
    return ok && (cv_json_parse(a, text, &im->counts[im->room_count++], &err) || cv_call_fail(im->call, &err));
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

/* Was something imported, and did nothing fail or conflict? */
static bool is_whole(const importing *im)
{
    size_t done =
        im->outcomes[CV_OUTCOME_IMPORTED] + im->outcomes[CV_OUTCOME_CONTINUED] + im->outcomes[CV_OUTCOME_UNCHANGED];
    return done > 0 && im->outcomes[CV_OUTCOME_FAILED] == 0 && im->outcomes[CV_OUTCOME_CONFLICT] == 0;
}

static void answer_begin(importing *im, bool dry_run)
{
    im->w = (cv_json_writer){.out = im->call->out};
    cv_json_begin_object(&im->w);
    cv_json_key_bool(&im->w, "dry_run", dry_run);
    if (dry_run)
        cv_buf_add_z(&im->text, "Nothing is written (--dry-run). This would be done:\n");
}

static void answer_end(importing *im)
{
    cv_json_writer *w = &im->w;
    cv_json_key_str(w, "status", is_whole(im) ? CV_STR("success") : CV_STR("partial"));
    cv_json_key(w, CV_STR("counts"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++) {
        cv_json_key(w, cv_import_outcomes.items[i]);
        cv_json_int(w, (int64_t)im->outcomes[i]);
    }
    cv_json_key_int(w, "ignored_files", (int64_t)im->ignored);
    for (size_t i = 0; i < im->room_count; i++)
        for (uint32_t k = 0; k < im->counts[i].count; k++) {
            cv_json_key(w, im->counts[i].members[k].key);
            cv_json_value(w, &im->counts[i].members[k].value);
        }
    cv_json_end_object(w);
    for (size_t i = 0; i < CV_OUTCOME_COUNT; i++)
        cv_buf_printf(&im->text, "%s%zu %.*s", i ? ", " : "", im->outcomes[i], CV_FMT(cv_import_outcomes.items[i]));
    if (im->call->for_people)
        cv_json_key_str(w, "report", cv_buf_str(&im->text));
    cv_json_end_object(w);
    im->call->unwell = !is_whole(im);
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

bool cv_project_import(cv_call *call)
{
    importing im = {.call = call, .record = call->record};
    bool dry_run = cv_json_get_true(call->input, "dry_run");
    size_t rooms = 0;
    cv_err err = {.arena = call->arena};
    for (; cv_rooms[rooms]; rooms++)
        im.importers += cv_rooms[rooms]->import.run != NULL;
    if (!read_paths(&im))
        return false;
    cv_import_fit *fits = CV_NEW_ARRAY(call->arena, rooms * im.count, cv_import_fit);
    im.best = CV_NEW_ARRAY(call->arena, im.count, cv_import_fit);
    im.counts = CV_NEW_ARRAY(call->arena, rooms, cv_json);
    if (!ask_rooms(&im, rooms, fits))
        return false;
    if (dry_run && !call->record->calls->scratch(call->record, call->arena, false, &im.record, &err))
        return cv_call_fail(call, &err);
    answer_begin(&im, dry_run);
    bool done = true;
    for (size_t i = 0; i < rooms && done; i++)
        done = run_room(&im, cv_rooms[i], fits + i * im.count);
    if (done)
        answer_end(&im);
    cv_buf_release(&im.text);
    if (dry_run)
        cv_record_close(im.record);
    return done;
}
