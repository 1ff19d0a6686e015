/* framing.c - is it certain where a request ends? see framing.h.
 *
 * Version 0.9 of the library joins folded lines, ends a line at a lone line feed, and cuts a value at a NUL, all
 * without a word. But it hands the headers out where they lie in its buffer, so that this can be seen:
 *
 *     P O S T   / m c p   H T T P / 1 . 1 . . H o s t :   l o c a l h o s t . . A : b . . . .
 *     method    target    version           name          value             ^ the next name, two bytes later
 *     |<------------------------------- size of all headers -------------------------------->|
 *
 * Later versions refuse such requests when they are told to be strict.
 */
#include "door/http/framing.h"

#include <string.h>

#include "base/buf.h"

/* Headers that have one value: which of two counts is anyone's guess. */
#define SINGLE(name)                                                                                                   \
    {                                                                                                                  \
        name, "the header " name " was sent twice"                                                                     \
    }
static const struct {
    const char *name, *why;
} single[] = {SINGLE("Host"),         SINGLE("Content-Length"), SINGLE("Transfer-Encoding"),
              SINGLE("Content-Type"), SINGLE("Authorization"),  SINGLE("Origin")};

enum { LENGTH = 1, ENCODING = 2 }; /* places in `single` */

typedef struct {
    bool contiguous; /* the library leaves headers where they were read */
    const char *end; /* of what has been looked at */
    unsigned seen;   /* one bit per header of `single` */
    const char *why; /* NULL: nothing is wrong so far */
} walk;

static bool is_old(void)
{
    return cv_str_starts(cv_str_of(MHD_get_version()), CV_STR("0."));
}

int cv_framing_strictness(void)
{
    return is_old() ? 0 : 1; /* an old one that is strict answers twice */
}

static bool is_token(cv_str name)
{
    static const char signs[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < name.n; i++)
        if (!cv_is_digit(name.p[i]) && !cv_is_alpha(name.p[i]) && (!name.p[i] || !strchr(signs, name.p[i])))
            return false;
    return name.n > 0;
}

static bool has_controls(cv_str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7f)
            return true;
    return false;
}

static void count(walk *w, cv_str name)
{
    for (unsigned i = 0; i < CV_COUNT(single); i++)
        if (cv_str_eq_nocase(name, cv_str_of(single[i].name))) {
            if (w->seen & 1u << i)
                w->why = single[i].why;
            w->seen |= 1u << i;
        }
}

static enum MHD_Result look_at(void *ctx, enum MHD_ValueKind kind, const char *key, size_t key_size, const char *value,
                               size_t value_size)
{
    walk *w = ctx;
    cv_str name = {key, key_size}, text = {value ? value : "", value ? value_size : 0};
    bool follows =
        w->contiguous && value && key == w->end + 2 && value == key + key_size + 1 + strspn(key + key_size + 1, " \t");
    (void)kind;
    count(w, name);
    if (!is_token(name))
        w->why = "the name of a header has a character that names cannot have";
    else if (has_controls(text))
        w->why = "the value of a header has a control character";
    else if (w->contiguous && !follows)
        w->why = "a header continues on the next line, has a NUL, or does not end with CR LF";
    w->end = text.p + text.n;
    return w->why ? MHD_NO : MHD_YES;
}

static cv_str value_of(struct MHD_Connection *connection, const char *name)
{
    return cv_str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

bool cv_framing_check(struct MHD_Connection *connection, const cv_framed *request, const char **ret_why)
{
    const char *version = request->version;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    walk w = {.contiguous = is_old(), .end = version + strlen(version)};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, look_at, &w);
    bool length = w.seen & 1u << LENGTH, encoding = w.seen & 1u << ENCODING;
    if (!w.why && w.contiguous && info && request->method + info->header_size != w.end + 4)
        w.why = "a header has a NUL, or does not end with CR LF";
    if (!w.why && w.contiguous && request->target + request->target_size + 1 != version)
        w.why = "the first line has a NUL";
    if (!w.why && length && encoding)
        w.why = "Content-Length and Transfer-Encoding were both sent";
    if (!w.why && encoding && !cv_str_eq_nocase(value_of(connection, "Transfer-Encoding"), CV_STR("chunked")))
        w.why = "the only Transfer-Encoding that is understood is 'chunked'";
    if (!w.why && encoding && strcmp(version, "HTTP/1.1") != 0)
        w.why = "Transfer-Encoding needs HTTP/1.1";
    *ret_why = w.why;
    return !w.why;
}
