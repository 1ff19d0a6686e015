/* brackets.c - the brackets that people write around marks; see spelling.h. */
#include "dialogue/intake/spelling.h"

#include "dialogue/words/limits.h"

size_t cv_bracket_at(cv_str s, size_t *ret_close, size_t *ret_close_length)
{
    static const struct {
        cv_str open, close;
    } pairs[] = {
        {CV_STR_INIT("[[["), CV_STR_INIT("]]]")}, {CV_STR_INIT("[["), CV_STR_INIT("]]")},
        {CV_STR_INIT("["), CV_STR_INIT("]")},     {CV_STR_INIT("【"), CV_STR_INIT("】")},
        {CV_STR_INIT("［"), CV_STR_INIT("］")},   {CV_STR_INIT("〔"), CV_STR_INIT("〕")},
        {CV_STR_INIT("「"), CV_STR_INIT("」")},   {CV_STR_INIT("『"), CV_STR_INIT("』")},
        {CV_STR_INIT("〖"), CV_STR_INIT("〗")},   {CV_STR_INIT("《"), CV_STR_INIT("》")},
        {CV_STR_INIT("〈"), CV_STR_INIT("〉")},   {CV_STR_INIT("⟦"), CV_STR_INIT("⟧")},
        {CV_STR_INIT("⟨"), CV_STR_INIT("⟩")},     {CV_STR_INIT("❲"), CV_STR_INIT("❳")},
        {CV_STR_INIT("{{"), CV_STR_INIT("}}")},   {CV_STR_INIT("{"), CV_STR_INIT("}")},
        {CV_STR_INIT("("), CV_STR_INIT(")")},     {CV_STR_INIT("<<"), CV_STR_INIT(">>")},
        {CV_STR_INIT("<"), CV_STR_INIT(">")},
    };
    for (size_t i = 0; i < CV_COUNT(pairs); i++) {
        if (!cv_str_starts(s, pairs[i].open))
            continue;
        int depth = 0;
        *ret_close = SIZE_MAX;
        *ret_close_length = pairs[i].close.n;
        for (size_t k = 0; k < s.n && *ret_close == SIZE_MAX && depth <= CV_MAX_LABEL_DEPTH; k++) {
            cv_str here = cv_str_from(s, k);
            if (s.p[k] == '\\')
                k++;
            else if (cv_str_starts(here, pairs[i].open))
                depth++, k += pairs[i].open.n - 1;
            else if (cv_str_starts(here, pairs[i].close)) {
                if (--depth == 0)
                    *ret_close = k;
                k += pairs[i].close.n - 1;
            }
        }
        return pairs[i].open.n;
    }
    return 0;
}
