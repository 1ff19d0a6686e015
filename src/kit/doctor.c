/* doctor.c - findings about a project; see doctor.h. */
#include "kit/doctor.h"

#include "base/file.h"

cv_doctor_finding *cv_doctor_say(cv_doctor *d, const char *check, cv_doctor_level level, const char *format, ...)
{
    va_list args;
    cv_doctor_finding *f = CV_PUSH(d->call.arena, &d->findings);
    va_start(args, format);
    *f = (cv_doctor_finding){.check = check, .level = level, .message = cv_arena_vprintf(d->call.arena, format, args)};
    va_end(args);
    return f;
}

cv_doctor_finding *cv_doctor_fail(cv_doctor *d, const char *check, cv_doctor_level level, const cv_err *err)
{
    cv_doctor_finding *f = cv_doctor_say(d, check, level, "%.*s", CV_FMT(err->message));
    f->what = err->file;
    f->remedy = err->suggestion;
    return f;
}

cv_doctor_finding *cv_doctor_about(cv_doctor *d, cv_where where, cv_doctor_finding *f)
{
    f->what = cv_str_of(cv_where_path(d->call.arena, where));
    return f;
}

bool cv_doctor_leftover(cv_doctor *d, cv_where folder, const char *name)
{
    if (!cv_file_is_leftover(name))
        return false;
    cv_where where = cv_where_in(d->call.arena, folder, name);
    cv_doctor_finding *f =
        cv_doctor_about(d, where, cv_doctor_say(d, "files", CV_DOCTOR_NOTE, "left by an interrupted write"));
    f->remedy = CV_STR("conclave doctor --repair removes it");
    f->repaired = d->repair && cv_where_unlink(where);
    return true;
}
