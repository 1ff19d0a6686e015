/* room.c - the mail room's descriptor; see kit/room.h. */
#include "mail/room.h"

#include "kit/settings.h"

#include "base/embedded.h"
#include "mail/files.h"
#include "mail/files/door.h"
#include "mail/types.h"
#include "mail/verify.h"
#include "mail/words/errors.h"

static void print_skill(cv_buf *out)
{
    for (size_t i = 0; i < cv_skill_files_count; i++)
        if (strcmp(cv_skill_files[i].name, "conclave-mail") == 0)
            cv_buf_add(out, cv_skill_files[i].text);
}

static const cv_skill skills[] = {{"conclave-mail", print_skill}, {0}};

/* Where its files are, if not in .conclave. */
static bool folder_of(cv_call *call, cv_str scope, cv_where *ret_where, cv_err *err)
{
    (void)scope, (void)err;
    *ret_where = cv_room_place(call->arena, call->root, CV_STR("mail"));
    return true;
}

static void release_files(void *hold)
{
    cv_door_close(hold);
}

/* Its folders are in .conclave, or in the folder above. While they are locked, nobody takes in files or shows
 * messages; reports, states and prompts are written under locks of their own folders. */
static bool hold_files(cv_call *call, cv_str scope, cv_room_files *files, cv_err *err)
{
    cv_mail_door *door = CV_NEW(call->arena, cv_mail_door);
    bool open, locked;
    (void)scope;
    *door = cv_door_begin(call);
    if (cv_json_get_true(call->input, "dry_run"))
        return true;
    files->release = release_files;
    files->hold = door;
    return cv_door_open(door, false, &open, err) && (!open || cv_door_lock(door, true, &locked, err));
}

static const char *const limits[] = {"send_rate", "quota", "hops", "size", NULL};

const cv_room cv_room_mail = {
    .name = "mail",
    .summary = "agents send each other messages and tasks, and finish them once",
    .details =
        "A message is in the mailbox of every recipient when 'send' answers, and is not lost from then on. An agent\n"
        "claims a message for some time, and finishes it with the token of that claim. So it is done once, even\n"
        "when several agents take from one mailbox. See docs/mail.md.\n",
    .instructions = "Mail between agents: conclave_mail_inbox shows what is there, conclave_mail_wait waits for more, "
                    "conclave_mail_claim takes a message, conclave_mail_done or conclave_mail_fail finishes it with "
                    "the token, conclave_mail_send writes to others.",
    .examples = "  conclave mail send --from muffin --to Planner-1 \"The oven is free\"\n"
                "  conclave agent limit muffin --send-rate 30 --quota 1000\n"
                "  conclave agent limit muffin --lift quota\n",
    .ops = cv_mail_ops,
    .records = &cv_mail_records,
    .codes = cv_mail_codes,
    .resources = cv_mail_resources,
    .skills = skills,
    .conditions = cv_mail_conditions,
    .scope = {.one = "post office", .many = "post offices"},
    .statuses = {.good = " done completed online ",
                 .pending = " new claimed accepted delivered pending running idle busy ",
                 .bad = " failed dead expired superseded offline "},
    .folder = "mail",
    .folder_moves = true,
    .scope_folder = folder_of,
    .scope_files = hold_files,
    .verify = cv_mail_verify,
    .doctor = cv_mail_doctor,
    .intake = cv_mail_take_in,
    .make_places = cv_mail_make_places,
    .undone = cv_mail_undone,
    .measure = cv_mail_measure,
    .limits = limits,
};
