/* log.c - what a file says, entered into the log; see log.h. */
#include "notes/log.h"

#include <assert.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "record/hash.h"

/* ---- what makes a message ---------------------------------------------------------------------------------------- */

cv_str cv_note_digest(cv_arena *a, const cv_found_note *note)
{
    cv_hash hash;
    cv_hash_begin(&hash);
    cv_hash_add(&hash, cv_note_kind_list[note->kind]);
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        cv_hash_add(&hash, note->of[i].p ? CV_STR("\1") : CV_STR("\2"));
        cv_hash_add(&hash, note->of[i]);
    }
    return cv_hash_end(&hash, a);
}

void cv_note_addressees(cv_arena *a, cv_str target, cv_note_names *ret)
{
    cv_str rest = cv_str_trim(target), word;
    bool names = cv_str_find_char(rest, '@') != SIZE_MAX; /* without one it is a name as a whole: "DIALOG Agent" */
    while (names ? cv_str_split(&rest, ' ', &word) : (word = rest).n > 0) {
        while (word.n && strchr("@,;", word.p[0]))
            word = cv_str_from(word, 1);
        while (word.n && strchr(",;", word.p[word.n - 1]))
            word.n--;
        word = cv_arena_lower(a, word);
        if (word.n && cv_words_find((cv_words){ret->items, ret->count}, word) < 0)
            *CV_PUSH(a, ret) = word;
        rest = names ? rest : CV_STR("");
    }
}

bool cv_note_is_broadcast(cv_arena *a, cv_str target)
{
    cv_note_names names = {0};
    cv_note_addressees(a, target, &names);
    return cv_str_find_char(target, '@') != SIZE_MAX &&
           cv_words_find((cv_words){names.items, names.count}, CV_STR("everyone")) >= 0;
}

int64_t cv_notes_ymdhis(cv_str time)
{
    int64_t number = 0;
    for (size_t i = 0; i < 19 && i < time.n; i++)
        if (cv_is_digit(time.p[i]))
            number = number * 10 + (time.p[i] - '0');
    return number;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* node_id of new messages comes from where the program runs: CONCLAVE_NODE_ID, else 1. */
static bool find_node(int64_t *ret_node, cv_err *err)
{
    const char *given = getenv("CONCLAVE_NODE_ID");
    int node = 1;
    if (given && *given && (!cv_str_to_int(cv_str_of(given), &node) || node < 1)) {
        cv_err_set(err, CV_ERR_INVALID_VALUE,
                   "the variable CONCLAVE_NODE_ID is '%s', which is not the number of a node", given);
        cv_err_suggest(err, CV_STR("set it to a whole number above 0, or unset it: then it is 1"));
        return false;
    }
    *ret_node = node;
    return true;
}

bool cv_notes_log_begin(cv_notes_log *log, cv_call *call, cv_writing *w, cv_err *err)
{
    const cv_find last = {.type = &cv_note_row_type,
                          .index = cv_notes_by_number,
                          .scope = cv_notes_scope(),
                          .limit = 1,
                          .descending = true,
                          .outline = true};
    cv_note_row row = {.dialog_message_id = 0};
    bool found;
    *log = (cv_notes_log){.call = call, .w = w, .thread = CV_ABSENT, .ymdhis = cv_notes_ymdhis(w->now)};
    if (!find_node(&log->node, err) || !cv_record_first(call->record, call->arena, &last, &row, &found, err))
        return false;
    log->last_number = row.dialog_message_id;
    return true;
}

bool cv_notes_file_row(cv_record *record, cv_arena *a, cv_str path, cv_note_file *ret, bool *ret_found, cv_err *err)
{
    *ret = (cv_note_file){.path = path};
    return cv_record_get(record, a, cv_notes_scope(), &cv_note_file_type, ret, ret_found, err);
}

/* ---- rows of a file ---------------------------------------------------------------------------------------------- */

/* Those that are in the file, as far as the log knows. */
static bool read_current(cv_notes_log *log, cv_str path, cv_row_list *ret, cv_err *err)
{
    const cv_note_row like = {.path = path, .status = cv_note_current};
    const cv_find find = {
        .type = &cv_note_row_type, .index = cv_notes_by_status, .scope = cv_notes_scope(), .like = &like, .equal = 2};
    return cv_record_rows(log->call->record, log->call->arena, &find, ret, err);
}

/* How often this message has been in the file so far. */
static bool last_occurrence(cv_notes_log *log, cv_str path, cv_str digest, int64_t *ret, cv_err *err)
{
    const cv_note_row like = {.path = path, .digest = digest};
    const cv_find find = {.type = &cv_note_row_type,
                          .scope = cv_notes_scope(),
                          .like = &like,
                          .equal = 2,
                          .limit = 1,
                          .descending = true,
                          .outline = true};
    cv_note_row last = {.occurrence = 0};
    bool found;
    bool ok = cv_record_first(log->call->record, log->call->arena, &find, &last, &found, err);
    *ret = last.occurrence;
    return ok;
}

/* ---- a new message ----------------------------------------------------------------------------------------------- */

static int64_t number_of(cv_str digits)
{
    int64_t n = 0;
    for (size_t i = 0; i < digits.n; i++)
        n = n * 10 + (digits.p[i] - '0');
    return n;
}

/* Its own date, one from around it, or the time of logging; the row says which. */
static void set_time(const cv_notes_log *log, const cv_found_note *note, cv_note_row *row)
{
    cv_str own = note->of[CV_NOTE_DATE];
    if (own.p && cv_notes_date_valid(own)) {
        row->created_ymdhis = number_of(own);
        row->ts_source = CV_STR("dialog");
    } else if (note->date.p) {
        row->created_ymdhis = number_of(note->date);
        row->ts_source = note->date_source;
    } else {
        row->created_ymdhis = log->ymdhis;
        row->ts_source = CV_STR("logged");
    }
}

/* What the columns cannot hold: further fields, and values that are not what they should be. */
static cv_str metadata_of(cv_arena *a, const cv_found_note *note)
{
    static const struct {
        cv_note_field_id id;
        bool (*is_valid)(cv_str value);
        const char *key;
    } odd[] = {{CV_NOTE_MOOD, cv_mood_valid, "mood_RGB"}, {CV_NOTE_DATE, cv_notes_date_valid, "date_ymdhis"}};
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    bool any = note->further.p;
    cv_json_begin_object(&w);
    cv_json_key_raw_if(&w, "fields", note->further);
    for (size_t i = 0; i < CV_COUNT(odd); i++)
        if (note->of[odd[i].id].n && !odd[i].is_valid(note->of[odd[i].id])) {
            cv_json_key_str(&w, odd[i].key, note->of[odd[i].id]);
            any = true;
        }
    cv_json_end_object(&w);
    cv_str json = cv_buf_take(&text, a);
    return any ? json : (cv_str){NULL, 0};
}

static void warn_of_mood(cv_notes_log *log, cv_str path, const cv_found_note *note)
{
    cv_str mood = note->of[CV_NOTE_MOOD];
    if (!mood.n || cv_mood_valid(mood))
        return;
    cv_notice *n = cv_notice_add(&log->warnings, log->call->arena, CV_STR("invalid_mood"),
                                 "%.*s:%zu: the mood '%.*s' is not six hex digits; 666666 is logged", CV_FMT(path),
                                 note->line, CV_FMT(cv_str_head(mood, 40)));
    n->field = CV_STR("mood_RGB");
}

static void put_addressees(cv_notes_log *log, cv_str target, int64_t number)
{
    cv_note_names names = {0};
    cv_note_addressees(log->call->arena, target, &names);
    for (size_t i = 0; i < names.count; i++) {
        const cv_note_addressee row = {.name = names.items[i], .number = number};
        cv_writing_put(log->w, &cv_note_addressee_type, &row);
    }
}

static bool is_escaped(const cv_found_note *note)
{
    return cv_str_find(note->of[CV_NOTE_MESSAGE], CV_STR("\\x")) != SIZE_MAX;
}

static void put_message(cv_notes_log *log, const cv_notes_file_found *file, const cv_found_note *note, cv_str digest,
                        int64_t occurrence, cv_str status)
{
    assert(occurrence > 0 && cv_words_find(cv_note_statuses, status) >= 0);
    assert(note->kind < CV_NOTE_KIND_COUNT && note->container < CV_IN_COUNT);
    cv_arena *a = log->call->arena;
    cv_note_row row;
    cv_row_clear(&cv_note_row_type, &row);
    row.path = file->path;
    row.digest = digest;
    row.occurrence = occurrence;
    row.dialog_message_id = ++log->last_number;
    row.agent_name = note->of[CV_NOTE_SPEAKER];
    row.speaker = cv_arena_lower(a, row.agent_name);
    row.target = note->of[CV_NOTE_TARGET];
    row.message_text = note->of[CV_NOTE_MESSAGE];
    row.mood_rgb = cv_mood_valid(note->of[CV_NOTE_MOOD]) ? note->of[CV_NOTE_MOOD] : cv_mood_default;
    row.node_id = log->node;
    row.dialog_threads_id = cv_str_eq(status, cv_note_current) ? log->thread : CV_ABSENT;
    row.message_type = CV_STR("text");
    row.is_broadcast = cv_note_is_broadcast(a, row.target);
    row.source_kind = cv_note_kind_list[note->kind];
    row.line_start = (int64_t)note->line;
    row.line_end = (int64_t)note->last_line;
    row.container = cv_notes_containers[note->container].word;
    row.content_sha256 = file->sha256;
    row.status = status;
    row.logged_at = log->w->now;
    row.encoding = is_escaped(note) ? CV_STR("escaped") : (cv_str){NULL, 0};
    row.metadata_json = metadata_of(a, note);
    set_time(log, note, &row);
    warn_of_mood(log, file->path, note);
    cv_writing_put(log->w, &cv_note_row_type, &row);
    put_addressees(log, row.target, row.dialog_message_id);
    cv_event_row *event = cv_writing_event(
        log->w, CV_STR("message"), cv_arena_printf(a, "%lld", (long long)row.dialog_message_id), CV_STR("logged"));
    event->reference = file->path;
    event->step = row.line_start;
    log->logged++;
}

static void change_status(cv_notes_log *log, cv_note_row *row, cv_str status)
{
    assert(cv_str_eq(row->status, cv_note_current) && !cv_str_eq(status, cv_note_current));
    row->status = status;
    row->gone_at = log->w->now;
    cv_writing_put(log->w, &cv_note_row_type, row);
    cv_event_row *event =
        cv_writing_event(log->w, CV_STR("message"),
                         cv_arena_printf(log->call->arena, "%lld", (long long)row->dialog_message_id), status);
    event->reference = row->path;
    log->replaced += cv_str_eq(status, cv_note_replaced);
    log->gone += cv_str_eq(status, cv_note_gone);
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

/* Which message of the file stands for which row: equal ones are matched one by one, in order. */
typedef struct {
    cv_row_list *current;
    size_t *next; /* the row behind it with the same digest, plus one; 0: there is none */
    bool *used;
    cv_map by_digest; /* the first row that is not used, plus one */
    cv_map added;     /* how many were added in this write: they are not in the record yet */
} matches;

static matches match_rows(cv_arena *a, cv_row_list *current)
{
    matches m = {.current = current,
                 .next = CV_NEW_ARRAY(a, current->count, size_t),
                 .used = CV_NEW_ARRAY(a, current->count, bool)};
    for (size_t i = current->count; i > 0; i--) {
        const cv_note_row *row = current->items[i - 1];
        uintptr_t *first = cv_map_put(&m.by_digest, a, row->digest, NULL);
        m.next[i - 1] = *first;
        *first = i;
    }
    return m;
}

static bool takes_row(matches *m, cv_str digest)
{
    uintptr_t *first = cv_map_get(&m->by_digest, digest);
    if (!first || !*first)
        return false;
    assert(*first <= m->current->count && !m->used[*first - 1] && "a row is matched once");
    m->used[*first - 1] = true;
    *first = m->next[*first - 1];
    return true;
}

/* Older entries of a list are history that the file tells: added once, never current. */
static bool is_older(const cv_found_note *n)
{
    return n->kind == CV_NOTE_KIND_HEADER && n->place > 0;
}

/* A message that the log does not have in the file: the next occurrence of its digest. */
static bool add_message(cv_notes_log *log, const cv_notes_file_found *file, const cv_found_note *n, matches *m,
                        cv_str status, cv_err *err)
{
    cv_str digest = cv_note_digest(log->call->arena, n);
    uintptr_t *added = cv_map_put(&m->added, log->call->arena, digest, NULL);
    int64_t last;
    if (!last_occurrence(log, file->path, digest, &last, err))
        return false;
    if (is_older(n) && last + (int64_t)*added > 0)
        return true;
    *added += 1;
    put_message(log, file, n, digest, last + (int64_t)*added, status);
    return true;
}

static bool log_notes(cv_notes_log *log, const cv_notes_file_found *file, matches *m, cv_err *err)
{
    for (size_t i = 0; i < file->count; i++) {
        const cv_found_note *n = &file->notes[i];
        if (n->reason != CV_COUNTS)
            continue;
        log->found++;
        if (!is_older(n) && takes_row(m, cv_note_digest(log->call->arena, n)))
            continue;
        if (!add_message(log, file, n, m, is_older(n) ? cv_note_replaced : cv_note_current, err))
            return false;
    }
    return true;
}

static const cv_found_note *header_of(const cv_notes_file_found *file)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->notes[i].kind == CV_NOTE_KIND_HEADER && file->notes[i].reason == CV_COUNTS)
            return &file->notes[i];
    return NULL;
}

/* Those that are not in the file any more. A header that another took the place of is replaced, the rest is gone. */
static void settle_rest(cv_notes_log *log, matches *m, bool has_header)
{
    for (size_t i = 0; i < m->current->count; i++) {
        cv_note_row *row = m->current->items[i];
        bool is_header = cv_str_eq(row->source_kind, cv_note_kind_list[CV_NOTE_KIND_HEADER]);
        bool never_came = log->withdrawn.p && cv_str_eq(row->content_sha256, log->withdrawn);
        if (!m->used[i])
            change_status(log, row,
                          never_came                ? cv_note_withdrawn
                          : is_header && has_header ? cv_note_replaced
                                                    : cv_note_gone);
    }
}

/* The file as it is now. The digest of its body stays that of the moment when its header was set, so that a change
 * without a new header can be seen. */
static bool put_file(cv_notes_log *log, const cv_notes_file_found *file, bool keeps_body, cv_err *err)
{
    cv_note_file row;
    bool known;
    if (!cv_notes_file_row(log->call->record, log->call->arena, file->path, &row, &known, err))
        return false;
    bool same = known && cv_str_eq(row.sha256, file->sha256) && !row.sha256.p == !file->sha256.p;
    cv_str body = known && keeps_body && row.body_sha256.p && !log->body_moves ? row.body_sha256 : file->body_sha256;
    if (same && (!log->body_moves || cv_str_eq(body, row.body_sha256)))
        return true;
    row = (cv_note_file){.path = file->path, .sha256 = file->sha256, .body_sha256 = body, .logged_at = log->w->now};
    cv_writing_put(log->w, &cv_note_file_type, &row);
    cv_writing_event(log->w, CV_STR("file"), file->path, file->sha256.p ? CV_STR("seen") : CV_STR("removed"));
    return true;
}

bool cv_notes_log_edit(cv_notes_log *log, const cv_found_note *before, const cv_notes_file_found *file, cv_err *err)
{
    cv_row_list current;
    cv_arena *a = log->call->arena;
    if (!read_current(log, file->path, &current, err))
        return false;
    matches m = match_rows(a, &current);
    const cv_found_note *header = header_of(file);
    cv_str digest = header ? cv_note_digest(a, header) : CV_STR("");
    uintptr_t *known = header ? cv_map_get(&m.by_digest, digest) : NULL;
    bool same_header = !header || (known && *known);
    bool archives = before && before->reason == CV_COUNTS && !cv_str_eq(cv_note_digest(a, before), digest) &&
                    !cv_map_get(&m.by_digest, cv_note_digest(a, before));
    if (archives && !add_message(log, file, before, &m, cv_note_replaced, err))
        return false;
    if (!log_notes(log, file, &m, err))
        return false;
    settle_rest(log, &m, header != NULL);
    return put_file(log, file, same_header, err);
}

bool cv_notes_log_file(cv_notes_log *log, const cv_notes_file_found *file, cv_err *err)
{
    return cv_notes_log_edit(log, NULL, file, err);
}

bool cv_notes_log_gone(cv_notes_log *log, cv_str path, cv_err *err)
{
    const cv_notes_file_found nothing = {.path = path};
    return cv_notes_log_file(log, &nothing, err);
}
