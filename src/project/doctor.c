/* doctor.c - the operation `doctor`: all checks in order, as JSON and as lines for people; see doctor.h.
 *
 *     ✓ record     212 KB, yours, can be written
 *     ! files      nvidia-decision: round-7 is not a round of this dialogue
 *                  -> …
 */
#include "project/doctor.h"

#include "kit/destination.h"
#include "kit/room.h"
#include "project/operations.h"

static const cv_str level_words[] = {CV_STR_INIT("ok"), CV_STR_INIT("note"), CV_STR_INIT("warning"),
                                     CV_STR_INIT("error")};
static const cv_words levels = {level_words, CV_COUNT(level_words)};
_Static_assert(CV_COUNT(level_words) == CV_DOCTOR_LEVELS, "a word per level");

static const char *const signs[CV_DOCTOR_LEVELS] = {"✓", "·", "!", "✗"};

/* Paths in the project begin in its folder. */
static cv_str shown(const cv_doctor *d, cv_str what)
{
    cv_str root = cv_str_of(d->call.root);
    bool inside = what.n > root.n + 1 && cv_str_starts(what, root) && what.p[root.n] == '/';
    return inside ? cv_str_from(what, root.n + 1) : what;
}

static size_t count_level(const cv_doctor *d, cv_doctor_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < d->findings.count; i++)
        count += d->findings.items[i].level == level && !d->findings.items[i].repaired;
    return count;
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

enum { CHECK_WIDTH = 9 };

/* Of the column of checks. */
static int width_of(const cv_doctor *d)
{
    size_t width = CHECK_WIDTH;
    for (size_t i = 0; i < d->findings.count; i++) {
        size_t length = strlen(d->findings.items[i].check);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_finding(cv_buf *out, const cv_doctor_finding *f, cv_str what, int width)
{
    bool named = what.n > 0 && cv_str_find(f->message, what) == SIZE_MAX;
    cv_buf_printf(out, "%s %-*s  ", f->repaired ? signs[CV_DOCTOR_OK] : signs[f->level], width, f->check);
    if (named) {
        cv_buf_add(out, what);
        cv_buf_add_z(out, ": ");
    }
    cv_buf_add(out, f->message);
    cv_buf_add_z(out, f->repaired ? " (repaired)\n" : "\n");
    if (f->remedy.n == 0 || f->repaired)
        return;
    cv_buf_printf(out, "  %-*s  -> ", width, "");
    cv_buf_add(out, f->remedy);
    cv_buf_add_char(out, '\n');
}

static void print_count(cv_buf *out, size_t count, const char *word, const char *end)
{
    cv_buf_printf(out, "%zu %s%s%s", count, word, CV_PLURAL(count), end);
}

static cv_str report(const cv_doctor *d)
{
    cv_buf out = {0};
    for (size_t i = 0; i < d->findings.count; i++)
        print_finding(&out, &d->findings.items[i], shown(d, d->findings.items[i].what), width_of(d));
    cv_buf_add_char(&out, '\n');
    print_count(&out, count_level(d, CV_DOCTOR_ERROR), "error", ", ");
    print_count(&out, count_level(d, CV_DOCTOR_WARNING), "warning", ", ");
    print_count(&out, count_level(d, CV_DOCTOR_NOTE), "note", "\n");
    return cv_buf_take(&out, d->call.arena);
}

/* ---- the answer ------------------------------------------------------------------------------------------------- */

typedef struct {
    const cv_doctor_finding *finding;
    cv_str check, level, what;
} told;

typedef struct {
    size_t errors, warnings, notes, count;
    bool healthy;
    told *findings;
    cv_str report;
} health;

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_LONG_AS(
        ALWAYS, "check", check, 1, CV_NO_LIMIT,
        "project, record, rights, disk, engine, integrity, watermark, history, search, files; of a server: sslmode, "
        "durable, standbys, feed; or a room's own"),
    CV_WORD(ALWAYS, "level", level, &levels, ""),
    CV_FIELD_OF(ALWAYS, finding, message, ""),
    CV_FIELD(IF_ANY, what, "the path or scope that it is about"),
    CV_FIELD_OF_AS(IF_ANY, "do", finding, remedy, "a command or a sentence"),
    CV_FIELD_OF(IF_ANY, finding, repaired, "it was repaired now, and is not counted"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE health
const cv_shape cv_doctor_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, healthy, "there are no errors"),
    CV_FIELD(ALWAYS, errors, ""),
    CV_FIELD(ALWAYS, warnings, ""),
    CV_FIELD(ALWAYS, notes, ""),
    CV_LIST("findings", findings, count, told_shape, ""),
    CV_PRINTED(report, "the same for people; not with --json"),
    {0},
};
#undef CV_THIS_TYPE

static void answer(cv_call *call, const cv_doctor *d)
{
    health h = {.errors = count_level(d, CV_DOCTOR_ERROR),
                .warnings = count_level(d, CV_DOCTOR_WARNING),
                .notes = count_level(d, CV_DOCTOR_NOTE),
                .findings = CV_NEW_ARRAY(call->arena, d->findings.count, told),
                .count = d->findings.count};
    h.healthy = h.errors == 0;
    call->unwell = !h.healthy;
    for (size_t i = 0; i < h.count; i++) {
        const cv_doctor_finding *f = &d->findings.items[i];
        h.findings[i] = (told){f, cv_str_of(f->check), level_words[f->level], shown(d, f->what)};
    }
    if (call->for_people)
        h.report = report(d);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_doctor_shape, &h);
}

bool cv_record_doctor(cv_call *call)
{
    cv_doctor d = {.call = *call,
                   .repair = cv_json_get_true(call->input, "repair"),
                   .folder = cv_record_path(call->arena, call->root, ""),
                   .store.path = cv_record_path(call->arena, call->root, cv_record_database)};
    bool there = cv_doctor_project(&d);
    if (there) {
        there = cv_doctor_record(&d) || call->record;
        cv_doctor_rights(&d);
        if (d.store.address.n == 0)
            cv_doctor_disk(&d);
    }
    if (there && cv_doctor_open(&d)) {
        cv_doctor_server(&d);
        cv_doctor_integrity(&d);
        cv_doctor_watermark(&d);
        cv_doctor_history(&d);
        cv_doctor_search(&d);
        for (size_t i = 0; cv_rooms[i]; i++)
            if (cv_rooms[i]->doctor)
                cv_rooms[i]->doctor(&d);
        cv_doctor_leftovers(&d);
    }
    if (!call->record)
        cv_record_close(d.call.record);
    answer(call, &d);
    return true;
}
