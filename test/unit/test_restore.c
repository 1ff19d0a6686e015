/* test_restore.c - backups put back, in a bad world: processes that are killed at each step, writers meanwhile, records
 * of which a part is missing, backups that are none. */
#include "kit/writing.h"
#include "world.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kit/destination.h"
#include "kit/room.h"
#include "project/operations.h"
#include "project/project.h"
#include "record/sql.h"

static const char *const bakers[] = {"muffin", "scone", NULL};

typedef struct {
    cv_world w;
    const char *record, *path, *log, *backup; /* .conclave, its database, the log of it; a backup outside */
} fixture;

static void open_record(fixture *f)
{
    cv_err err = {.arena = &f->w.a};
    assert_ok(cv_record_open(&f->w.a, f->path, CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &f->w.record,
                             &err),
              &err);
}

static void close_record(fixture *f)
{
    cv_world_leave(&f->w);
}

static bool call(fixture *f, cv_handler run, const char *text)
{
    cv_call call = cv_world_begin(&f->w);
    cv_err err = {.arena = &f->w.turn};
    cv_json *input = CV_NEW(&f->w.turn, cv_json);
    call.input_text = cv_world_request(&f->w.turn, cv_str_of(text));
    assert_ok(cv_json_parse(&f->w.turn, call.input_text, input, &err), &err);
    call.input = input;
    return run(&call);
}

static const char *path_input(fixture *f, const char *path)
{
    return cv_arena_printf(&f->w.a, "{'path': '%s'}", path).p;
}

static bool restore(fixture *f, const char *from)
{
    return call(f, cv_record_restore, path_input(f, from));
}

/* A project with the dialogue "bread", a backup of it, and then the dialogue "wine". */
static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.w = {.now = 1767323045678}};
    cv_arena *a = &f.w.a;
    f.w.folder = cv_test_folder(a);
    f.record = cv_record_path(a, f.w.folder, "");
    f.path = cv_record_path(a, f.w.folder, cv_record_database);
    f.log = cv_arena_printf(a, "%s-wal", f.path).p;
    f.backup = cv_arena_printf(a, "%s/backup.db", f.w.folder).p;
    mkdir(f.record, 0700);
    open_record(&f);
    cv_world_dialogue(&f.w, "bread", bakers, false);
    assert_true(call(&f, cv_record_backup, path_input(&f, f.backup)));
    cv_world_dialogue(&f.w, "wine", bakers, false);
    close_record(&f);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    cv_world_close(&((fixture *)*state)->w);
    return 0;
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static cv_str bytes_of(fixture *f, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? cv_test_read(&f->w.a, path) : (cv_str){NULL, 0};
}

static bool add_name(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    (void)row, (void)rev, (void)err;
    cv_buf_printf(ctx, "%.*s ", CV_FMT(id));
    return true;
}

/* "bread wine ": the dialogues of a database that verifies. */
static cv_str dialogues_in(fixture *f, const char *path)
{
    cv_record *before = f->w.record;
    cv_err err = {.arena = &f->w.a};
    cv_buf names = {0};
    assert_ok(
        cv_record_open(&f->w.a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &f->w.record, &err),
        &err);
    assert_true(call(f, cv_record_verify, "{}"));
    assert_ok(cv_list_dialogues(f->w.record, &f->w.a, &(cv_list_query){0}, add_name, &names, &err), &err);
    cv_record_close(f->w.record);
    f->w.record = before;
    return cv_buf_take(&names, &f->w.a);
}

/* Calls `visit` with each path in the record's folder whose name has `part` in it; how many. */
static size_t each_file(fixture *f, const char *part, void (*visit)(fixture *f, const char *path, void *ctx), void *ctx)
{
    size_t count = 0;
    DIR *folder = opendir(f->record);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (!strstr(e->d_name, part))
            continue;
        count++;
        if (visit)
            visit(f, cv_arena_printf(&f->w.a, "%s/%s", f->record, e->d_name).p, ctx);
    }
    closedir(folder);
    return count;
}

static void keep_path(fixture *f, const char *path, void *ctx)
{
    (void)f;
    *(const char **)ctx = path;
}

static void remove_file(fixture *f, const char *path, void *ctx)
{
    (void)f, (void)ctx;
    unlink(path);
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

static void a_backup_is_put_back_and_that_is_undone(void **state)
{
    fixture *f = *state;
    const char *kept = NULL;
    struct stat st;
    cv_str before = bytes_of(f, f->backup);
    assert_true(restore(f, f->backup));
    assert_str_has(cv_buf_str(&f->w.out),
                   "\"lost\":[{\"room\":\"dialogue\",\"name\":\"wine\",\"rev\":1,\"restored_rev\":0}]");
    assert_str_has(cv_buf_str(&f->w.out), "newer_in_kept");
    assert_str_eq(dialogues_in(f, f->path), "bread ");
    assert_int_equal(each_file(f, "before-restore", keep_path, &kept), 1);
    assert_int_equal(stat(kept, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_view_eq(bytes_of(f, f->backup), before);
    assert_true(restore(f, kept));
    assert_str_has(cv_buf_str(&f->w.out), "\"lost\":[]");
    assert_str_eq(dialogues_in(f, f->path), "bread wine ");
    assert_int_equal(each_file(f, ".tmp", NULL, NULL), 0);
}

/* Who has it open sees a commit like any other, and its own next write is not lost. */
static void an_open_handle_goes_on(void **state)
{
    fixture *f = *state;
    open_record(f);
    cv_record *mine = f->w.record;
    assert_true(restore(f, f->backup));
    f->w.record = mine;
    cv_world_dialogue(&f->w, "beer", bakers, false);
    close_record(f);
    assert_str_eq(dialogues_in(f, f->path), "beer bread ");
}

/* ---- killed at each step ----------------------------------------------------------------------------------------- */

static void kill_at(void *ctx)
{
    int *left = ctx;
    if ((*left)-- == 0)
        kill(getpid(), SIGKILL);
}

/* True: it was killed before step n; false: it has fewer steps. */
static bool restore_and_kill(fixture *f, int n)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        cv_world w = {.now = 1767323045678, .folder = f->w.folder};
        cv_call c = cv_world_begin(&w);
        cv_json input;
        cv_err err = {.arena = &w.turn};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        c.input_text = cv_world_request(&w.turn, cv_str_of(path_input(f, f->backup)));
        if (!cv_json_parse(&w.turn, c.input_text, &input, &err))
            _exit(2);
        c.input = &input;
        _exit(cv_record_restore_with(&c, kill_at, &n) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

/* What the killed process has left under a temporary name can be told from what is in use. */
static void check_leftover(fixture *f, const char *path, void *ctx)
{
    (void)f, (void)ctx;
    assert_true(cv_file_is_leftover(strrchr(path, '/') + 1));
}

static void killed_it_leaves_the_old_record_or_the_new_one(void **state)
{
    fixture *f = *state;
    size_t old = 0, new = 0;
    bool killed = true;
    for (int n = 0; killed; n++) {
        const char *kept = NULL;
        killed = restore_and_kill(f, n);
        each_file(f, ".tmp", check_leftover, NULL);
        each_file(f, "before-restore", keep_path, &kept);
        cv_str now = dialogues_in(f, f->path);
        if (cv_str_eq(now, CV_STR("bread wine "))) {
            old++;
            continue;
        }
        new ++;
        assert_str_eq(now, "bread ");
        assert_non_null(kept);
        assert_str_eq(dialogues_in(f, kept), "bread wine ");
        open_record(f);
        cv_world_dialogue(&f->w, "wine", bakers, false); /* as before, for the next one */
        close_record(f);
        each_file(f, "before-restore", remove_file, NULL);
    }
    assert_true(old >= 4 && new >= 2);
    assert_true(restore(f, f->backup)); /* which sweeps */
    assert_int_equal(each_file(f, ".tmp", NULL, NULL), 0);
}

static void look_for(fixture *f, const char *path, void *ctx)
{
    cv_str *wanted = ctx;
    if (cv_str_eq(bytes_of(f, path), *wanted))
        wanted->n = 0; /* found */
}

/* Every file in the record's folder, under any name. */
static void assert_somewhere(fixture *f, cv_str bytes)
{
    each_file(f, "conclave.db", look_for, &bytes);
    assert_int_equal(bytes.n, 0);
}

static void killed_it_loses_no_byte_of_a_damaged_record(void **state)
{
    fixture *f = *state;
    cv_err err = {.arena = &f->w.a};
    bool killed = true;
    cv_str database = CV_STR("damaged beyond all hope, but somebody may still want it"), log = CV_STR("and its log");
    for (int n = 0; killed; n++) {
        each_file(f, "conclave.db", remove_file, NULL);
        assert_ok(cv_file_write(f->path, database, &err), &err);
        assert_ok(cv_file_write(f->log, log, &err), &err);
        killed = restore_and_kill(f, n);
        assert_somewhere(f, database);
        assert_somewhere(f, log);
        cv_str now = bytes_of(f, f->path);
        if (!cv_str_eq(now, database))
            assert_str_eq(dialogues_in(f, f->path), "bread ");
        assert_true(restore(f, f->backup)); /* from wherever it was left */
        assert_str_eq(dialogues_in(f, f->path), "bread ");
        assert_somewhere(f, database);
        assert_somewhere(f, log);
    }
}

/* ---- writers meanwhile ------------------------------------------------------------------------------------------- */

enum { WRITERS = 3, RESTORES = 6, RESTORES_SOAK = 100 };

static cv_write_result write_dialogue(cv_record *record, cv_arena *a, cv_str id, cv_err *err)
{
    const cv_rec_dialogue row = {
        .id = id, .title = id, .status = CV_STR("open"), .created_at = CV_STR("now"), .total_rounds = 0};
    const cv_request request = {id, CV_STR("d"), CV_STR("test")};
    cv_writing w;
    cv_written written;
    if (!cv_writing_begin(&w, record, a, cv_dialogue_scope(id), CV_STR(""), CV_STR("now"), err))
        return err->code == CV_ERR_BUSY ? CV_WRITE_BUSY : CV_WRITE_FAILED;
    cv_writing_put(&w, &cv_rec_dialogue_type, &row);
    cv_writing_event(&w, CV_STR("D"), id, CV_STR("created"));
    cv_writing_commit(&w, &request, CV_STR("{}"), &written, err);
    return written.how;
}

/* Makes dialogues, in turn through a handle of its own and through one that stays open, and tells those that were
 * acknowledged. */
static _Noreturn void write_until_killed(fixture *f, int writer, int told)
{
    cv_arena long_lived = {0};
    cv_record *kept_open = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0;; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        char id[32] = {0};
        bool stays = i % 2;
        cv_record *record = stays ? kept_open : NULL;
        snprintf(id, sizeof id, "w%d-%d", writer, i);
        while (!record && !cv_record_open(stays ? &long_lived : &a, f->path, CV_RECORD_EXISTING, &cv_program_types,
                                          &cv_sql_sqlite_schema, &record, &err))
            if (err.code != CV_ERR_BUSY && err.code != CV_ERR_NOT_FOUND)
                _exit(3);
        if (stays)
            kept_open = record;
        cv_write_result done = write_dialogue(record, &a, cv_str_of(id), &err);
        if (done == CV_WRITE_DONE && write(told, id, sizeof id) != sizeof id)
            _exit(4);
        if (done == CV_WRITE_FAILED)
            _exit(5);
        if (!stays)
            cv_record_close(record);
        cv_arena_release(&a);
    }
}

static void note_dialogues(fixture *f, const char *path, void *ctx)
{
    cv_map *found = ctx;
    cv_record *record;
    cv_err err = {.arena = &f->w.a};
    cv_buf names = {0};
    assert_ok(
        cv_record_open(&f->w.a, path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &record, &err),
        &err);
    assert_ok(cv_list_dialogues(record, &f->w.a, &(cv_list_query){0}, add_name, &names, &err), &err);
    cv_record_close(record);
    cv_str all = cv_buf_take(&names, &f->w.a), name;
    while (cv_str_split(&all, ' ', &name))
        *cv_map_put(found, &f->w.a, name, NULL) = 1;
}

/* Whatever was acknowledged is in the record or in one of the records that were kept. */
static void no_write_that_was_acknowledged_is_lost(void **state)
{
    fixture *f = *state;
    int ends[2], status;
    pid_t writers[WRITERS];
    char id[32];
    size_t told = 0;
    cv_map found = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETPIPE_SZ, 1 << 20), 1 << 20);
    for (int i = 0; i < WRITERS; i++)
        if ((writers[i] = fork()) == 0)
            write_until_killed(f, i, ends[1]);
    close(ends[1]);
    for (int i = 0, n = cv_test_soak() ? RESTORES_SOAK : RESTORES; i < n; i++) {
        if (!restore(f, f->backup))
            print_error("%.*s\n", CV_FMT(cv_err_text(&f->w.errs.items[0])));
        assert_int_equal(f->w.errs.count, 0);
        usleep(20000);
    }
    for (int i = 0; i < WRITERS; i++) {
        kill(writers[i], SIGKILL);
        waitpid(writers[i], &status, 0);
        assert_true(WIFSIGNALED(status));
    }
    each_file(f, "before-restore", note_dialogues, &found);
    note_dialogues(f, f->path, &found);
    for (; read(ends[0], id, sizeof id) == sizeof id; told++)
        if (!cv_map_get(&found, cv_str_of(id)))
            fail_msg("%s was acknowledged and is lost", id);
    close(ends[0]);
    assert_true(told > 0);
    print_message("# %zu writes acknowledged meanwhile\n", told);
}

/* A file put in the record's place by other means: a process that has the old one open does not write into it any
 * more. */
static void a_file_that_was_replaced_takes_no_write(void **state)
{
    fixture *f = *state;
    cv_err err = {.arena = &f->w.a};
    open_record(f);
    assert_int_equal(rename(f->backup, f->path), 0);
    assert_int_equal(write_dialogue(f->w.record, &f->w.a, CV_STR("d"), &err), CV_WRITE_BUSY);
    assert_str_has(err.message, "another file was put in the place of the record");
}

/* ---- backups that are none --------------------------------------------------------------------------------------- */

static void what_is_no_backup_changes_nothing(void **state)
{
    fixture *f = *state;
    cv_err err = {.arena = &f->w.a};
    cv_str good = bytes_of(f, f->backup), before = bytes_of(f, f->path);
    const char *bad = cv_arena_printf(&f->w.a, "%s/bad.db", f->w.folder).p;
    char *changed = cv_arena_dup(&f->w.a, good.p, good.n);
    size_t at = cv_str_find(good, CV_STR("muffin"));
    changed[at] = 'M'; /* whichever row that is: the history does not agree */
    const cv_str texts[] = {CV_STR(""),
                            CV_STR("x"),
                            CV_STR("This is not a database, however long it may be."),
                            cv_str_head(good, 100),
                            cv_str_head(good, 5000),
                            cv_str_head(good, good.n - 4096),
                            {changed, good.n}};
    for (size_t i = 0; i < CV_COUNT(texts); i++) {
        assert_ok(cv_file_write(bad, texts[i], &err), &err);
        assert_false(restore(f, bad));
        assert_str_has(f->w.errs.items[0].file, "bad.db");
        assert_str_has(f->w.errs.items[0].suggestion, "another backup");
        assert_view_eq(bytes_of(f, bad), texts[i]);
    }
    const char *const paths[] = {f->path, f->w.folder, "/no/such/file"};
    for (size_t i = 0; i < CV_COUNT(paths); i++) {
        assert_false(restore(f, paths[i]));
        assert_str_eq(f->w.errs.items[0].field, "path");
    }
    assert_view_eq(bytes_of(f, f->path), before);
    assert_int_equal(each_file(f, "before-restore", NULL, NULL), 0);
    assert_int_equal(each_file(f, ".tmp", NULL, NULL), 0);
}

/* ---- a database that is missing or damaged, with whatever is left beside it -------------------------------------- */

typedef enum { INIT, OPEN, DOCTOR, RESTORE, ACTIONS } action;

static bool act(fixture *f, action what)
{
    cv_err err = {.arena = &f->w.a};
    switch (what) {
    case INIT:
        return call(f, cv_project_init, "{}");
    case OPEN: /* as list, verify and backup begin */
        if (!cv_project_open(&f->w.a, f->w.folder, &f->w.record, &err))
            return false;
        close_record(f);
        return true;
    case DOCTOR:
        return call(f, cv_record_doctor, "{}");
    default:
        return restore(f, f->backup);
    }
}

static void put_or_remove(const char *path, const cv_str *bytes)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    unlink(path);
    if (bytes->p)
        assert_ok(cv_file_write(path, *bytes, &err), &err);
    cv_arena_release(&a);
}

static void check_family(fixture *f, const cv_str *database, const cv_str *log, const cv_str *index)
{
    const char *shm = cv_arena_printf(&f->w.a, "%s-shm", f->path).p;
    for (action what = 0; what < ACTIONS; what++) {
        each_file(f, "conclave.db", remove_file, NULL);
        put_or_remove(f->path, database);
        put_or_remove(f->log, log);
        put_or_remove(shm, index);
        bool nothing = database->n == 0 && log->n == 0, done = act(f, what);
        bool expected = what == DOCTOR || what == RESTORE || (what == INIT && nothing);
        if (done != expected)
            print_error("%zu bytes, log %zu, action %d\n", database->n, log->n, (int)what);
        assert_int_equal(done, expected);
        if (what == RESTORE)
            assert_str_eq(dialogues_in(f, f->path), "bread ");
        assert_somewhere(f, *database);
        assert_somewhere(f, *log);
        if (what == OPEN || what == DOCTOR || (what == INIT && !nothing)) { /* where it was */
            assert_view_eq(bytes_of(f, f->path), *database);
            assert_view_eq(bytes_of(f, f->log), *log);
            assert_view_eq(bytes_of(f, shm), log->n > 0 ? *index : bytes_of(f, shm));
        }
    }
}

/* Every database with a quarter of the logs and an index, drawn; the soak takes them all. */
static void nothing_that_is_left_of_a_record_is_removed(void **state)
{
    fixture *f = *state;
    open_record(f);
    cv_world_dialogue(&f->w, "beer", bakers, false);
    cv_str database = bytes_of(f, f->path), log = bytes_of(f, f->log);
    close_record(f);
    assert_true(log.n > 0);
    char *noise = cv_arena_alloc(&f->w.a, 9000);
    cv_test_random random = {7};
    for (size_t i = 0; i < 9000; i++)
        noise[i] = (char)cv_test_below(&random, 256);
    const cv_str none = {NULL, 0}, empty = CV_STR("");
    const cv_str databases[] = {none,
                                empty,
                                cv_str_head(database, 1),
                                cv_str_head(database, 16),
                                cv_str_head(database, 30),
                                cv_str_head(database, 99),
                                cv_str_head(database, 100),
                                cv_str_head(database, 600),
                                cv_str_head(database, 4095),
                                {noise, 60},
                                {noise, 100},
                                {noise, 8192}};
    const cv_str logs[] = {none, empty, log, {noise, 5}, {noise, 9000}};
    const cv_str indexes[] = {none, empty, {noise, 4096}};
    random.state = cv_test_seed();
    for (size_t i = 0; i < CV_COUNT(databases); i++)
        for (size_t k = 0; k < CV_COUNT(logs); k++) {
            size_t drawn = cv_test_below(&random, CV_COUNT(indexes));
            for (size_t m = 0; m < CV_COUNT(indexes); m++)
                if (cv_test_soak() || (m == drawn && cv_test_drawn(&random, 4)))
                    check_family(f, &databases[i], &logs[k], &indexes[m]);
        }
}

/* ---- backups side by side ---------------------------------------------------------------------------------------- */

enum { THREADS = 8, BACKUPS = 6 };

typedef struct {
    fixture *f;
    int number, failed;
} worker;

static void *back_up_often(void *ctx)
{
    worker *me = ctx;
    for (int i = 0; i < BACKUPS; i++) {
        cv_world w = {.now = 1767323045678, .folder = me->f->w.folder};
        cv_err err = {.arena = &w.a};
        const char *name = i % 2 ? "shared" : cv_arena_printf(&w.a, "own-%d-%d", me->number, i).p;
        if (!cv_record_open(&w.a, me->f->path, CV_RECORD_EXISTING, &cv_program_types, &cv_sql_sqlite_schema, &w.record,
                            &err))
            me->failed++;
        cv_call c = cv_world_begin(&w);
        cv_json input;
        c.input_text =
            cv_world_request(&w.turn, cv_arena_printf(&w.a, "{'path': '%s/%s.db', 'force': true}", w.folder, name));
        if (!cv_json_parse(&w.turn, c.input_text, &input, &err))
            me->failed++;
        c.input = &input;
        if (!cv_record_backup(&c))
            me->failed++;
        cv_record_close(w.record);
        cv_buf_release(&w.out);
        cv_arena_release(&w.turn);
        cv_arena_release(&w.a);
    }
    return NULL;
}

static void backups_beside_each_other_are_all_whole(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.f = f, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, back_up_often, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].failed, 0);
    }
    assert_str_eq(dialogues_in(f, cv_arena_printf(&f->w.a, "%s/shared.db", f->w.folder).p), "bread wine ");
    size_t files = 0;
    DIR *folder = opendir(f->w.folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL; files++)
        assert_null(strstr(e->d_name, ".tmp"));
    closedir(folder);
    assert_int_equal(files,
                     2 + 4 + THREADS * (BACKUPS / 2)); /* . and .., .conclave, backup.db, shared.db, shared.db-turn */
}

/* What a killed backup has left goes with the next one; what a live one is writing stays. */
static void a_backup_removes_what_killed_ones_left(void **state)
{
    fixture *f = *state;
    cv_err err = {.arena = &f->w.a};
    const char *const left[] = {".conclave-99999999-0.tmp", ".conclave-99999999-0.tmp-wal"};
    const char *live = cv_arena_printf(&f->w.a, "%s/.conclave-%ld-77.tmp", f->w.folder, (long)getpid()).p;
    for (size_t i = 0; i < CV_COUNT(left); i++)
        assert_ok(cv_file_write(cv_arena_printf(&f->w.a, "%s/%s", f->w.folder, left[i]).p, CV_STR("x"), &err), &err);
    assert_ok(cv_file_write(live, CV_STR("x"), &err), &err);
    open_record(f);
    assert_true(call(f, cv_record_backup, path_input(f, cv_arena_printf(&f->w.a, "%s/b.db", f->w.folder).p)));
    for (size_t i = 0; i < CV_COUNT(left); i++)
        assert_int_equal(access(cv_arena_printf(&f->w.a, "%s/%s", f->w.folder, left[i]).p, F_OK), -1);
    assert_int_equal(access(live, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0); /* hundreds of copies: the disk is not what is tested here */
    const struct CMUnitTest tests[] = {
        TEST(a_backup_is_put_back_and_that_is_undone),
        TEST(an_open_handle_goes_on),
        TEST(killed_it_leaves_the_old_record_or_the_new_one),
        TEST(killed_it_loses_no_byte_of_a_damaged_record),
        TEST(no_write_that_was_acknowledged_is_lost),
        TEST(a_file_that_was_replaced_takes_no_write),
        TEST(what_is_no_backup_changes_nothing),
        TEST(nothing_that_is_left_of_a_record_is_removed),
        TEST(backups_beside_each_other_are_all_whole),
        TEST(a_backup_removes_what_killed_ones_left),
    };
    return cmocka_run_group_tests_name("restore", tests, NULL, NULL);
}
