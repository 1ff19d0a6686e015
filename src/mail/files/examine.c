/* examine.c - what `conclave doctor` finds in the folders: files that nobody takes in, and those in quarantine. */
#include "mail/files.h"
#include "mail/files/door.h"

static size_t count_in(const cv_mail_door *door, const char *agent, cv_door_folder folder, const char *end)
{
    cv_door_list names;
    cv_err ignored = {.arena = door->arena};
    size_t count = 0;
    cv_where where = cv_where_printf(door->arena, cv_door_root(door), "runtime/%s/%s", agent, cv_door_names[folder]);
    if (!cv_door_read(door, where, false, &names, &ignored))
        return 0;
    for (size_t i = 0; i < names.count; i++)
        count += cv_str_ends(cv_str_of(names.items[i]), cv_str_of(end));
    return count;
}

static bool examine_folder(cv_doctor *d, cv_mail_door *door, const char *name, cv_err *err)
{
    cv_agent_row row;
    bool found;
    size_t bad = count_in(door, name, CV_DOOR_QUARANTINE, ".reason.txt");
    size_t lost = count_in(door, name, CV_DOOR_OUTBOX, "") + count_in(door, name, CV_DOOR_INBOX, "");
    if (!cv_agent_find(door->record, door->arena, cv_str_of(name), &row, &found, err))
        return false;
    bool known = found && !cv_agent_is_removed(&row) && row.files == 1;
    if (!known && lost > 0) {
        cv_doctor_finding *f =
            cv_doctor_say(d, "mail files", CV_DOCTOR_WARNING,
                          "%zu file%s in runtime/%s %s not read in: no agent with files has this name", lost,
                          CV_PLURAL(lost), name, lost == 1 ? "was" : "were");
        f->remedy = cv_call_name(&d->call, CV_STR("agent list"), CV_STR(""), NULL, 0);
    }
    if (bad > 0) {
        cv_doctor_finding *f = cv_doctor_say(d, "mail files", CV_DOCTOR_NOTE, "%zu file%s of '%s' could not be read in",
                                             bad, CV_PLURAL(bad), name);
        f->remedy = cv_arena_printf(door->arena, "the reasons are beside them in %s/runtime/%s/quarantine",
                                    cv_door_root(door).path, name);
    }
    return true;
}

void cv_mail_doctor_files(cv_doctor *d)
{
    cv_door_list names;
    cv_err err = {.arena = d->call.arena};
    cv_mail_door door = cv_door_begin(&d->call);
    bool ok = cv_door_folders(&door, cv_where_in(door.arena, cv_door_root(&door), "runtime"), &names, &err);
    for (size_t i = 0; ok && i < names.count; i++)
        ok = examine_folder(d, &door, names.items[i], &err);
    if (!ok)
        cv_doctor_fail(d, "mail files", CV_DOCTOR_ERROR, &err);
}
