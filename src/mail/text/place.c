/* place.c - paths of old data; see place.h. */
#include "mail/text/place.h"

/* "." and ".." lead elsewhere than they say, and an empty name nowhere. */
static bool is_plain(cv_str below)
{
    cv_str name, rest = below;
    while (rest.n && cv_str_split(&rest, '/', &name))
        if (name.n == 0 || cv_str_eq(name, CV_STR(".")) || cv_str_eq(name, CV_STR("..")))
            return false;
    return below.n == 0 || below.p[below.n - 1] != '/';
}

bool cv_mtext_place_of(cv_arena *a, cv_str path, cv_str *ret_below)
{
    static const cv_str bases[] = {CV_STR_INIT("/d:/Dream.os"), CV_STR_INIT("d:/Dream.os")};
    char *plain = cv_arena_copy_z(a, path);
    for (size_t i = 0; i < path.n; i++)
        plain[i] = plain[i] == '\\' ? '/' : plain[i];
    for (size_t i = 0; i < CV_COUNT(bases); i++) {
        cv_str s = {plain, path.n};
        if (!cv_str_starts_nocase(s, bases[i]) || (s.n > bases[i].n && s.p[bases[i].n] != '/'))
            continue;
        *ret_below = cv_str_from(s, bases[i].n + 1);
        while (ret_below->n && ret_below->p[ret_below->n - 1] == '/')
            ret_below->n--;
        return is_plain(*ret_below);
    }
    return false;
}
