/* room.c - the chat room's descriptor: what its other tables do not say; see kit/room.h. */
#include "chat/room.h"

#include "base/embedded.h"
#include "base/folder.h"
#include "chat/all_chats.h"
#include "chat/change.h"
#include "chat/lock.h"
#include "chat/text/fields.h"
#include "chat/words/errors.h"
#include "kit/destination.h"

/* ---- help -------------------------------------------------------------------------------------------------------- */

static void print_file(cv_buf *out)
{
    cv_buf_add_z(
        out, "A chat is a text file that several agents share, with this program or by hand:\n\n"
             "  # CHAT v3\n"
             "  # Chat ID: 261116_1723\n"
             "  # Status: OPEN\n"
             "  # Participants:\n"
             "  # - Implementer@claude\n"
             "  # - Validator@ada\n"
             "  # Last read:\n"
             "  # - Implementer@claude: 0\n"
             "  # - Validator@ada: 0\n"
             "  # Purpose: primers for gene X\n"
             "  [M0001] FROM:Implementer@claude | TYPE:QUESTION | FLAG:UNREAD | TAG:@Validator\n"
             "  Is the reverse primer right?\n\n"
             "By hand: if temp_chat_ID_editing.txt exists, do not write. Else rename temp_chat_ID.txt to it, append\n"
             "a message with the next number, and rename it back. Never change or move what was said before.\n");
}

static void print_consult(cv_buf *out)
{
    cv_buf_add_z(out, "A consult message needs these lines 'name: value' in its body:\n");
    for (int kind = 0; kind < CV_CONSULT_COUNT; kind++) {
        cv_buf_printf(out, "\n  %.*s\n", CV_FMT(cv_consults[kind].type));
        for (size_t i = 0; i < cv_consult_field_count; i++)
            if ((int)cv_consult_fields[i].of == kind)
                cv_buf_printf(out, "    %-18.*s %s\n", CV_FMT(cv_consult_fields[i].name),
                              cv_consult_fields[i].required ? "required" : "if it is clear");
    }
    cv_buf_add_z(out, "\nCONSULT_DOMAIN is the name of a profile in " CV_CONSULTANTS ", any other name, or none.\n");
}

static void print_policy(cv_buf *out)
{
    cv_buf_add_z(out, "A workflow sets the rules of its chats in chat_policy.json, in the folder of the chats or in\n"
                      ".conclave/chat; all keys are optional:\n\n"
                      "  {\"types\": [\"QUESTION\", \"ANSWER\"],            other types are refused\n"
                      "   \"other_types\": \"refuse\",                    or accept, warn\n"
                      "   \"roles\": [\"Implementer\", \"Validator\"],      other roles are refused\n"
                      "   \"combos\": [\"Specifier+Validator\"],          joined roles that are allowed\n"
                      "   \"disallowed_combos\": [\"Implementer+Validator\"],\n"
                      "   \"consult\": \"refuse\",                        incomplete consults; or warn, off\n"
                      "   \"archive\": true}                            may a digest be written at the end\n");
}

static void print_skill(cv_buf *out)
{
    for (size_t i = 0; i < cv_skill_files_count; i++)
        if (strcmp(cv_skill_files[i].name, "conclave-chat") == 0)
            cv_buf_add(out, cv_skill_files[i].text);
}

/* ---- its files --------------------------------------------------------------------------------------------------- */

static void examine_entry(cv_doctor *d, const cv_chat_entry *e, size_t *chats)
{
    cv_chat_holder holder;
    cv_err err = {.arena = d->call.arena};
    if (e->foreign.p) {
        cv_doctor_say(d, "chats", CV_DOCTOR_NOTE, "'%.*s' only looks like a chat: a copy of a sync tool?",
                      CV_FMT(e->foreign))
            ->remedy = CV_STR("compare it with the chat, and move it away");
        return;
    }
    ++*chats;
    if (!cv_chat_lock_holder(&d->call, &e->place, &holder, &err) || holder.kind == CV_HOLDER_NONE ||
        holder.kind == CV_HOLDER_OURS)
        return;
    cv_doctor_finding *f = cv_doctor_say(d, "chats", CV_DOCTOR_WARNING, "locked by %.*s since %.*s",
                                         CV_FMT(holder.text), CV_FMT(holder.since));
    f->what = e->place.scope.name;
    f->remedy = cv_arena_printf(d->call.arena, "conclave chat unlock %.*s", CV_FMT(e->place.id));
}

/* The folders of all workflows, whichever is active. */
static void examine(cv_doctor *d)
{
    cv_arena *a = d->call.arena;
    cv_chat_entries all = {0};
    cv_err err = {.arena = a};
    cv_folder_entries workflows = {0};
    size_t chats = 0;
    cv_where own = {d->call.root, cv_record_path(a, "", CV_CHAT_FOLDER)}, flows = {d->call.root, CV_WORKFLOWS};
    bool ok = (cv_chat_nothing_at(a, flows) || cv_folder_list(a, flows, &workflows, &err)) &&
              cv_chat_entries_in(&d->call, &(cv_chat_folder){own, {NULL, 0}}, &all, &err);
    for (size_t i = 0; ok && i < workflows.count; i++)
        if (workflows.items[i].is_folder)
            ok = cv_chat_entries_in(
                &d->call, &(cv_chat_folder){cv_where_in(a, flows, workflows.items[i].name), {NULL, 0}}, &all, &err);
    if (!ok) {
        cv_doctor_fail(d, "chats", CV_DOCTOR_ERROR, &err);
        return;
    }
    for (size_t i = 0; i < all.count; i++)
        examine_entry(d, &all.items[i], &chats);
    if (chats)
        cv_doctor_say(d, "chats", CV_DOCTOR_OK, "%zu chat file%s", chats, CV_PLURAL(chats));
}

typedef struct {
    cv_chat_place place;
    cv_chat_lock turn;
} held_files;

static void release_files(void *hold)
{
    cv_chat_lock_end(&((held_files *)hold)->turn);
}

/* The chat file, also under the name that it has while somebody writes, its digest, and its versions in .wf. Only our
 * own processes take this turn: who edits by hand is not kept away. */
static bool files_of(cv_call *call, cv_str scope, cv_room_files *files, cv_err *err)
{
    cv_arena *a = call->arena;
    cv_err none = {.arena = a};
    held_files *held = CV_NEW(a, held_files);
    cv_folder_entries versions = {0};
    if (!cv_chat_place_of(call, scope, &held->place, &none) || cv_chat_nothing_at(a, held->place.folder.where))
        return true; /* there is no such chat, or none any more */
    const cv_chat_place *p = &held->place;
    cv_where folder = p->folder.where, wf = cv_where_in(a, folder, ".wf");
    if (!cv_json_get_true(call->input, "dry_run")) {
        files->release = release_files;
        files->hold = held;
        if (cv_chat_lock_turn(call, p, cv_chat_wait_ms(call), &held->turn, err) != CV_LOCK_HELD)
            return false;
    }
    *CV_PUSH(a, files) = (cv_room_file){.where = cv_where_in(a, folder, p->name)};
    *CV_PUSH(a, files) = (cv_room_file){.where = cv_where_in(a, folder, p->editing)};
    *CV_PUSH(a, files) = (cv_room_file){.where = cv_where_printf(a, folder, "chat_digest_%.*s.md", CV_FMT(p->id))};
    if (!cv_chat_nothing_at(a, wf) && !cv_folder_list(a, wf, &versions, err))
        return false;
    cv_str begin = cv_arena_printf(a, "%.*s.", CV_FMT(p->id));
    for (size_t i = 0; i < versions.count; i++)
        if (cv_str_starts(cv_str_of(versions.items[i].name), begin) && versions.items[i].is_regular)
            *CV_PUSH(a, files) = (cv_room_file){.where = cv_where_in(a, wf, versions.items[i].name)};
    return true;
}

/* ---- the descriptor ---------------------------------------------------------------------------------------------- */

static const cv_topic topics[] = {
    {"chat-file", print_file}, {"chat-consult", print_consult}, {"chat-policy", print_policy}, {0}};
static const cv_skill skills[] = {{"conclave-chat", print_skill}, {0}};
static const cv_room_hook hooks[] = {{"chat gate --format hook", "the agent must first read its new chat messages"},
                                     {0}};
static const cv_completion completions[] = {
    {"CHAT", "chat_id id", "chat list", NULL, false, "chats", "chat_id", "purpose"}, {0}};

const cv_room cv_room_chat = {
    .name = "chat",
    .summary = "agents share one chat file, with locks, read pointers and consult rules",
    .details =
        "A chat is a text file (CHAT v3) that others can edit by hand, too. The file is what counts. The record is\n"
        "the witness: it keeps every message as it first saw it, and says when somebody changed the history.\n",
    .instructions = "Chats with other agents in a shared file: conclave_chat_gate before you act (as: Role@Identity), "
                    "conclave_chat_read for what is new to you, conclave_chat_send to answer (type, tag, reply_to), "
                    "conclave_chat_close to end it (step request, the others ack).",
    .examples = "  conclave chat open \"gene X\" --participants Implementer@claude,Validator@ada\n",
    .ops = cv_chat_ops,
    .records = &cv_chat_records,
    .codes = cv_chat_codes,
    .resources = cv_chat_resources,
    .completions = completions,
    .skills = skills,
    .topics = topics,
    .hooks = hooks,
    .conditions = cv_chat_conditions,
    .scope = {.field = "chat_id",
              .value = "CHAT",
              .show = "chat show",
              .one = "chat",
              .many = "chats",
              .only = cv_chat_only},
    .statuses = {.good = " CLOSED ", .pending = " OPEN queued ", .bad = " refused "},
    .folder = CV_CHAT_FOLDER,
    .scope_files = files_of,
    .files_are_truth = true,
    .doctor = examine,
    .import = {.fit = cv_chat_import_fit,
               .run = cv_chat_import_files,
               .about = "Chats: chat files, each under the chat id in its header. The record becomes their witness.\n",
               .found = cv_import_file_shape,
               .counts = cv_chat_import_counts},
};
