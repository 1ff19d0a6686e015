/* doctor_files.c - do the files of the dialogues agree with the record? see kit/doctor.h.
 *
 *     .conclave/dialogues/ID/             a folder whose dialogue is gone, or never was
 *         round-7/                        … of a round that is neither registered nor the next one
 *         round-1/prompt-nobody.md        … of an expert who takes no part
 *         round-1/response-muffin.md      sent? as it is here?
 *         .conclave-4711-0.tmp            left by a write that was cut off
 *
 * Names that are none of ours are left alone: people may keep what they like beside them.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/path.h"
#include "dialogue/files.h"
#include "dialogue/intake/response_files.h"
#include "dialogue/room.h"
#include "kit/destination.h"
#include "record/hash.h"

enum { MOST_NAMED = 6 };

/* Something that several dialogues may lack: one finding in sum, which names some of the places. */
typedef struct {
    size_t count, dialogues;
    cv_str first; /* the only dialogue's folder or id */
    cv_str parts; /* … and "1/muffin, 1/scone" of it */
    cv_str some;  /* several: "bread (2), rye (1)" */
} lack;

typedef struct {
    cv_doctor *d;
    lack files;     /* responses of the record without a file */
    size_t written; /* … that now have one */
    cv_err trouble; /* … or why not */
    lack unheard;   /* seats of registered rounds from which nothing is kept */
} ward;

typedef struct {
    ward *w;
    cv_doctor *d;
    cv_state *s;
    cv_where folder;
    cv_map responses; /* "round/slug" -> index into s->responses + 1 */
    size_t missing;   /* responses of the record without a file */
} visit;

/* ---- the files of a round --------------------------------------------------------------------------------------- */

static const struct {
    const char *begin, *end;
    bool response;
} round_names[] = {
    {"prompt-", ".md", false}, {"context-", ".json", false}, {"response-", ".md", true}, {"", ".prompt.md", false},
    {"", ".md", true},
};

/* Which file of whom a name is; false: none of ours. */
static bool read_name(const char *name, cv_str *ret_slug, bool *ret_response)
{
    cv_str s = cv_str_of(name);
    for (size_t i = 0; i < CV_COUNT(round_names); i++) {
        cv_str begin = cv_str_of(round_names[i].begin), end = cv_str_of(round_names[i].end);
        if (s.n <= begin.n + end.n || !cv_str_starts(s, begin) || !cv_str_ends(s, end))
            continue;
        *ret_slug = cv_str_head(cv_str_from(s, begin.n), s.n - begin.n - end.n);
        *ret_response = round_names[i].response;
        return cv_slug_ok(*ret_slug);
    }
    return false;
}

static cv_str hand_in(const visit *v, int64_t round, cv_str slug, cv_where where)
{
    return cv_response_hand_in(&v->d->call, v->s->id, round, slug, cv_str_of(cv_where_path(v->d->call.arena, where)),
                               false);
}

/* Was the response taken out of the record? Then its file is not what was sent, either. */
static bool is_redacted(visit *v, const cv_rec_response *row)
{
    cv_call *call = &v->d->call;
    cv_err unread = {.arena = call->arena};
    cv_rec_response whole = *row;
    bool found;
    return cv_record_get(call->record, call->arena, cv_dialogue_scope(v->s->id), cv_kind_types[CV_REC_RESPONSE], &whole,
                         &found, &unread) &&
           found && cv_is_redacted(whole.content, NULL);
}

static void compare_response(visit *v, int64_t round, cv_str slug, cv_where where)
{
    cv_arena *a = v->d->call.arena;
    const uintptr_t *at = cv_map_get(&v->responses, cv_turn_key(a, round, slug));
    const cv_rec_response *row = at ? &v->s->responses.items[*at - 1] : NULL;
    cv_err err = {.arena = a};
    cv_str text;
    if (!row && round < cv_state_next_round(v->s)) {
        cv_doctor_about(v->d, where,
                        cv_doctor_say(v->d, "files", CV_DOCTOR_NOTE,
                                      "the round was registered without this response of %.*s", CV_FMT(slug)))
            ->remedy = CV_STR("nothing, if the judge left it out on purpose: a registered round does not change");
    } else if (!row) {
        cv_doctor_about(v->d, where,
                        cv_doctor_say(v->d, "files", CV_DOCTOR_NOTE, "the response of %.*s was not sent", CV_FMT(slug)))
            ->remedy = hand_in(v, round, slug, where);
    } else if (!cv_file_read_at(a, where, CV_MAX_FILE_BYTES, &text, &err)) {
        cv_doctor_about(v->d, where, cv_doctor_fail(v->d, "files", CV_DOCTOR_WARNING, &err));
    } else if (!cv_str_eq(cv_hash_text(a, text), row->sha256) && !is_redacted(v, row)) {
        cv_doctor_about(
            v->d, where,
            cv_doctor_say(v->d, "files", CV_DOCTOR_WARNING, "is not the response that %.*s sent", CV_FMT(slug)))
            ->remedy =
            CV_STR("the record has what was sent: move the file away, and 'conclave doctor --repair' writes it again");
    }
}

static void check_round_file(visit *v, int64_t round, cv_where folder, const char *name)
{
    cv_str slug;
    bool response;
    cv_where where = cv_where_in(v->d->call.arena, folder, name);
    if (cv_doctor_leftover(v->d, folder, name) || !read_name(name, &slug, &response))
        return;
    const cv_rec_expert *expert = cv_state_expert(v->s, slug);
    if (!expert)
        cv_doctor_about(
            v->d, where,
            cv_doctor_say(v->d, "files", CV_DOCTOR_NOTE, "'%.*s' is not an expert of this dialogue", CV_FMT(slug)))
            ->remedy = CV_STR("rename the file after its expert, or remove it");
    else if (response)
        compare_response(v, round, expert->expert_slug, where);
}

/* "round-12": its number; -1: another name. */
static int64_t round_of(const char *name)
{
    static const cv_str begin = CV_STR_INIT("round-");
    int round;
    cv_str s = cv_str_of(name);
    return cv_str_starts(s, begin) && cv_str_to_int(cv_str_from(s, begin.n), &round) ? round : -1;
}

static void check_round_folder(visit *v, int64_t round, cv_where folder)
{
    cv_folder_entries entries;
    cv_err err = {.arena = v->d->call.arena};
    if (round > cv_state_next_round(v->s)) {
        cv_doctor_about(
            v->d, folder,
            cv_doctor_say(v->d, "files", CV_DOCTOR_NOTE, "there is no round %lld in this dialogue", (long long)round))
            ->remedy = cv_arena_printf(v->d->call.arena, "the next one is %lld: rename the folder, or remove it",
                                       (long long)cv_state_next_round(v->s));
        return;
    }
    if (!cv_folder_list(v->d->call.arena, folder, &entries, &err)) {
        cv_doctor_about(v->d, folder, cv_doctor_fail(v->d, "files", CV_DOCTOR_WARNING, &err));
        return;
    }
    for (size_t i = 0; i < entries.count; i++)
        if (!entries.items[i].is_folder)
            check_round_file(v, round, folder, entries.items[i].name);
}

/* ---- what several dialogues lack --------------------------------------------------------------------------------- */

static void add_lack(cv_arena *a, lack *l, size_t count, cv_str place, cv_str id, cv_str parts)
{
    if (count == 0)
        return;
    l->count += count;
    l->first = l->dialogues ? l->first : place;
    l->parts = l->dialogues ? l->parts : parts;
    if (l->dialogues < MOST_NAMED)
        l->some = cv_arena_printf(a, "%.*s%s%.*s (%zu)", CV_FMT(l->some), l->dialogues ? ", " : "", CV_FMT(id), count);
    else if (l->dialogues == MOST_NAMED)
        l->some = cv_arena_printf(a, "%.*s …", CV_FMT(l->some));
    l->dialogues++;
}

static void say_missing_files(ward *w)
{
    cv_arena *a = w->d->call.arena;
    const lack *l = &w->files;
    cv_doctor_finding *f;
    if (l->dialogues == 0)
        return;
    if (l->dialogues == 1) {
        f = cv_doctor_say(w->d, "files", CV_DOCTOR_NOTE, "%zu response%s of the record %s no file", l->count,
                          CV_PLURAL(l->count), l->count == 1 ? "has" : "have");
        f->what = l->first;
    } else {
        f = cv_doctor_say(w->d, "files", CV_DOCTOR_NOTE, "%zu responses of %zu dialogues have no file", l->count,
                          l->dialogues);
        f->what = cv_str_of(cv_where_path(a, (cv_where){w->d->call.root, CV_DIALOGUES_FOLDER}));
    }
    f->remedy = CV_STR("nothing; 'conclave doctor --repair' writes the files, if you want to read them there");
    f->repaired = w->written == l->count;
    if (w->trouble.code != CV_ERR_NONE)
        f->remedy = w->trouble.message;
}

static void say_unheard(ward *w)
{
    const lack *l = &w->unheard;
    cv_doctor_finding *f;
    if (l->dialogues == 0)
        return;
    if (l->dialogues == 1) {
        f = cv_doctor_say(w->d, "responses", CV_DOCTOR_NOTE, "%zu response%s of registered rounds %s not kept: %.*s",
                          l->count, CV_PLURAL(l->count), l->count == 1 ? "is" : "are", CV_FMT(l->parts));
        f->what = l->first;
    } else {
        f = cv_doctor_say(w->d, "responses", CV_DOCTOR_NOTE,
                          "%zu responses of registered rounds of %zu dialogues are not kept: %.*s", l->count,
                          l->dialogues, CV_FMT(l->some));
    }
    f->remedy = CV_STR("nothing, if an import had no responses; else send responses before their round is registered, "
                       "or with it: then Conclave can prove what was said");
}

/* ---- responses of the record ------------------------------------------------------------------------------------ */

static bool read_response(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    visit *v = ctx;
    const cv_rec_response *response = row;
    struct stat st;
    cv_arena *a = v->d->call.arena;
    cv_file_rules rules = {.arena = a};
    (void)kind;
    if (!response->content.p)
        return true;
    cv_where where = cv_round_file_where(a, v->folder, response->round, CV_FILE_RESPONSE, response->expert_slug);
    if (cv_where_look(where, &st))
        return true;
    v->missing++;
    (void)err;
    if (v->d->repair && cv_dialogue_file_write(where, response->content, &rules, &v->w->trouble))
        v->w->written++;
    return true;
}

static void check_missing_files(visit *v)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(RESPONSE)};
    cv_position position;
    bool found;
    cv_err err = {.arena = v->d->call.arena};
    if (!cv_snapshot(&v->d->call, v->s->id, &wanted, read_response, v, &position, &found, &err))
        cv_doctor_fail(v->d, "files", CV_DOCTOR_WARNING, &err)->what = v->s->id;
    add_lack(v->d->call.arena, &v->w->files, v->missing, cv_str_of(cv_where_path(v->d->call.arena, v->folder)),
             v->s->id, CV_STR(""));
}

static void check_unheard(visit *v)
{
    cv_buf text = {0};
    size_t count = 0;
    for (size_t i = 0; i < v->s->rounds.count; i++) {
        const cv_rec_seat *seats;
        int64_t round = v->s->rounds.items[i].round;
        size_t panel = cv_state_panel(v->s, round, &seats);
        for (size_t k = 0; k < panel; k++) {
            cv_str key = cv_turn_key(v->d->call.arena, round, seats[k].expert_slug);
            if (cv_map_get(&v->responses, key))
                continue;
            if (count++ < MOST_NAMED)
                cv_buf_printf(&text, "%s%.*s", text.n ? ", " : "", CV_FMT(key));
        }
    }
    cv_buf_add_z(&text, count > MOST_NAMED ? " …" : "");
    cv_str some = cv_buf_take(&text, v->d->call.arena);
    add_lack(v->d->call.arena, &v->w->unheard, count, v->s->id, v->s->id, some);
}

/* ---- one dialogue ----------------------------------------------------------------------------------------------- */

static void check_folder(visit *v)
{
    cv_folder_entries entries;
    cv_err err = {.arena = v->d->call.arena};
    struct stat st;
    const char *path = cv_where_path(v->d->call.arena, v->folder);
    if (!cv_where_look(v->folder, &st)) {
        if (!cv_path_is_below(v->d->call.arena, path, v->d->folder))
            cv_doctor_about(
                v->d, v->folder,
                cv_doctor_say(v->d, "files", CV_DOCTOR_NOTE, "the output_dir of %.*s is not there", CV_FMT(v->s->id)))
                ->remedy = CV_STR("nothing: it is made when something is written into it");
        return;
    }
    if (access(path, W_OK) != 0)
        cv_doctor_about(
            v->d, v->folder,
            cv_doctor_say(v->d, "files", CV_DOCTOR_WARNING, "the folder of %.*s cannot be written", CV_FMT(v->s->id)))
            ->remedy = cv_arena_printf(v->d->call.arena, "chmod u+rwx '%s', or run as its owner", path);
    if (!cv_folder_list(v->d->call.arena, v->folder, &entries, &err)) {
        cv_doctor_about(v->d, v->folder, cv_doctor_fail(v->d, "files", CV_DOCTOR_WARNING, &err));
        return;
    }
    for (size_t i = 0; i < entries.count; i++) {
        int64_t round = entries.items[i].is_folder ? round_of(entries.items[i].name) : -1;
        if (round >= 0)
            check_round_folder(v, round, cv_where_in(v->d->call.arena, v->folder, entries.items[i].name));
        else
            cv_doctor_leftover(v->d, v->folder, entries.items[i].name);
    }
}

static bool check_dialogue(void *ctx, cv_str id, cv_err *unused)
{
    ward *w = ctx;
    cv_doctor *d = w->d;
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) |
                                       CV_REC_BIT(ROUND) | CV_REC_BIT(RESPONSE),
                              .no_content = true};
    cv_arena *a = d->call.arena;
    cv_err err = {.arena = a};
    visit v = {.w = w, .d = d, .s = CV_NEW(a, cv_state)};
    (void)unused;
    if (!cv_state_load(&d->call, id, &wanted, v.s, &err) || !cv_dialogue_folder(&d->call, v.s, &v.folder, &err)) {
        cv_doctor_fail(d, "files", CV_DOCTOR_WARNING, &err)->what = id;
        return true;
    }
    for (size_t i = 0; i < v.s->responses.count; i++)
        *cv_map_put(&v.responses, a, cv_turn_key(a, v.s->responses.items[i].round, v.s->responses.items[i].expert_slug),
                    NULL) = i + 1;
    check_folder(&v);
    check_missing_files(&v);
    check_unheard(&v);
    return true;
}

static void check_files(cv_doctor *d)
{
    size_t before = d->findings.count;
    cv_err err = {.arena = d->call.arena};
    ward w = {.d = d, .trouble = {.arena = d->call.arena}};
    if (!cv_state_each(&d->call, check_dialogue, &w, &err))
        cv_doctor_fail(d, "files", CV_DOCTOR_ERROR, &err);
    say_missing_files(&w);
    say_unheard(&w);
    if (d->findings.count == before)
        cv_doctor_say(d, "files", CV_DOCTOR_OK, "the files of the dialogues agree with the record");
}

/* ---- what belongs to none --------------------------------------------------------------------------------------- */

static void check_owner(cv_doctor *d, cv_where folder, const char *name)
{
    cv_position position;
    bool found = false;
    cv_err err = {.arena = d->call.arena};
    if (!cv_position_of(d->call.record, d->call.arena, cv_str_of(name), &position, &found, &err) || found)
        return;
    cv_doctor_finding *f = cv_doctor_say(d, "files", CV_DOCTOR_NOTE, "there is no dialogue '%s' in the record", name);
    cv_doctor_about(d, cv_where_in(d->call.arena, folder, name), f);
    f->remedy = CV_STR("remove the folder, or move it; a new dialogue of this name would write into it");
}

/* Folders without a dialogue, leftovers of writes. */
static void check_orphans(cv_doctor *d)
{
    const cv_where folder = {d->call.root, CV_DIALOGUES_FOLDER};
    cv_folder_entries entries;
    cv_err err = {.arena = d->call.arena};
    if (!cv_folder_list(d->call.arena, folder, &entries, &err))
        return; /* it is made when it is needed; one that cannot be read has been told */
    for (size_t i = 0; i < entries.count; i++)
        if (!cv_doctor_leftover(d, folder, entries.items[i].name) && entries.items[i].is_folder)
            check_owner(d, folder, entries.items[i].name);
}

void cv_dialogue_doctor(cv_doctor *d)
{
    check_files(d);
    check_orphans(d);
}
