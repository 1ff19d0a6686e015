/* address.c - reading an address; see address.h.
 *
 *     scheme://  authority and path  ?  key=value & key=value …
 *
 * libpq has its own idea of where a password begins (the first ':' before an '@'), and its messages repeat what it was
 * given. So everything that could be one is refused here first, also where libpq would see a host: an '@' behind a ':'
 * is meant as a password.
 */
#include "record/postgres/address.h"
#include "base/buf.h"

static const cv_str schemes[] = {CV_STR_INIT("postgresql://"), CV_STR_INIT("postgres://")};

typedef struct {
    cv_str rest; /* what is not read yet */
    cv_str key, value;
    bool has_value;
} parameter;

/* The bytes of the scheme; 0: it has none of ours. */
static size_t scheme_of(cv_str text)
{
    for (size_t i = 0; i < CV_COUNT(schemes); i++)
        if (cv_str_starts_nocase(text, schemes[i]))
            return schemes[i].n;
    return 0;
}

bool cv_postgres_is_address(cv_str text)
{
    return scheme_of(text) > 0;
}

/* ---- parameters ---------------------------------------------------------------------------------------------------
 */

/* Those behind the first '?'. */
static parameter query_of(cv_str text)
{
    size_t question = cv_str_find_char(text, '?');
    bool any = question != SIZE_MAX && question + 1 < text.n;
    return (parameter){.rest = any ? cv_str_from(text, question + 1) : (cv_str){NULL, 0}};
}

static bool next_parameter(parameter *p)
{
    cv_str piece;
    if (!cv_str_split(&p->rest, '&', &piece))
        return false;
    size_t at = cv_str_find_char(piece, '=');
    p->has_value = at != SIZE_MAX;
    p->key = cv_str_head(piece, at);
    p->value = p->has_value ? cv_str_from(piece, at + 1) : (cv_str){NULL, 0};
    return true;
}

static int hex_digit(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_lower(c) >= 'a' && cv_lower(c) <= 'f' ? cv_lower(c) - 'a' + 10 : -1;
}

/* %41 -> A, as libpq does it; what is not of this form stays. */
static cv_str decoded(cv_arena *a, cv_str text)
{
    char *to = cv_arena_alloc(a, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool escaped =
            text.p[i] == '%' && text.n - i > 2 && hex_digit(text.p[i + 1]) >= 0 && hex_digit(text.p[i + 2]) >= 0;
        to[n++] = escaped ? (char)(hex_digit(text.p[i + 1]) * 16 + hex_digit(text.p[i + 2])) : text.p[i];
        i += escaped ? 2 : 0;
    }
    return (cv_str){to, n};
}

/* Also what only looks like one: a word that is nearly right is taken for it by people, and shown by libpq. */
static bool is_password(cv_str key)
{
    static const cv_str parts[] = {CV_STR_INIT("passw"), CV_STR_INIT("pwd"), CV_STR_INIT("secret"),
                                   CV_STR_INIT("scram")};
    size_t i = 0;
    while (i < CV_COUNT(parts) && cv_str_find_nocase(key, parts[i]) == SIZE_MAX)
        i++;
    return i < CV_COUNT(parts);
}

/* The same behind a ';', as the addresses of other programs have it: for libpq it would be part of a name. */
static bool has_other_password(cv_arena *a, cv_str text)
{
    cv_str piece, all = decoded(a, text);
    for (bool first = true; cv_str_split(&all, ';', &piece); first = false)
        if (!first && is_password(cv_str_head(piece, cv_str_find_char(piece, '='))))
            return true;
    return false;
}

/* ---- passwords ----------------------------------------------------------------------------------------------------
 */

/* "db1:5433,db2,[::1]:5434": is every ':' one before a port, or part of an address? */
static bool is_hosts(cv_str list)
{
    cv_str one;
    while (cv_str_split(&list, ',', &one)) {
        size_t bracket = cv_str_starts(one, CV_STR("[")) ? cv_str_find_char(one, ']') : SIZE_MAX;
        one = bracket == SIZE_MAX ? one : cv_str_from(one, bracket);
        size_t colon = cv_str_find_char(one, ':');
        for (size_t i = colon; i < one.n; i++)
            if (i > colon && !cv_is_digit(one.p[i]))
                return false;
    }
    return true;
}

/* Without a user and a password before an '@': what stands for a port and is not a number may be a password, where
 * somebody forgot the host. `begin`: where the rest begins in the address. */
static bool find_odd_port(cv_str rest, size_t begin, size_t *ret_begin, size_t *ret_end)
{
    size_t slash = cv_str_find_char(rest, '/'), question = cv_str_find_char(rest, '?'),
           at = cv_str_find_char(rest, '@');
    cv_str hosts = cv_str_head(rest, slash < question ? slash : question);
    size_t skipped = at < hosts.n ? at + 1 : 0;
    cv_str named = cv_str_from(hosts, skipped);
    size_t colon = cv_str_find_char(named, ':');
    if (is_hosts(named))
        return false;
    *ret_begin = begin + skipped + colon + 1;
    *ret_end = begin + hosts.n;
    return true;
}

/* Where a password of the user begins and ends, or what may be one; false: there is none. It ends at the last '@': it
 * may have others, and a '/' or a '?'. An '@' behind the '?' is one of a parameter where hosts, or nothing, come before
 * it, and libpq does not take it for the end of a password: it looks for that up to the first '/'. */
static bool find_secret(cv_str text, size_t *ret_begin, size_t *ret_end)
{
    size_t begin = scheme_of(text);
    cv_str rest = cv_str_from(text, begin);
    size_t colon = cv_str_find_char(rest, ':'), question = cv_str_find_char(rest, '?');
    size_t first = cv_str_find_char(rest, '@'), slash = cv_str_find_char(rest, '/'), last = first;
    if (first == SIZE_MAX || colon == SIZE_MAX || colon > first)
        return find_odd_port(rest, begin, ret_begin, ret_end);
    bool in_parameter =
        first > question && slash < first && is_hosts(cv_str_head(rest, slash < question ? slash : question));
    for (size_t i = first; i < rest.n; i++)
        if (rest.p[i] == '@')
            last = i;
    *ret_begin = begin + colon + 1;
    *ret_end = begin + last;
    return !in_parameter;
}

/* First what others put behind a ';', then that of the user, then those among the parameters: each may be before
 * the other. */
cv_str cv_postgres_address_masked(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    size_t begin, end;
    if (has_other_password(a, text)) {
        size_t plain = cv_str_find_char(text, ';'), escaped = cv_str_find_nocase(text, CV_STR("%3b"));
        text = cv_arena_join(a, cv_str_head(text, plain < escaped ? plain : escaped), CV_STR(";***"));
    }
    if (find_secret(text, &begin, &end))
        text = cv_arena_join(a, cv_arena_join(a, cv_str_head(text, begin), CV_STR("***")), cv_str_from(text, end));
    cv_buf_add(&out, cv_str_head(text, cv_str_find_char(text, '?')));
    parameter p = query_of(text);
    for (char before = '?'; next_parameter(&p); before = '&') {
        bool secret = is_password(decoded(a, p.key));
        cv_buf_add_char(&out, before);
        cv_buf_add(&out, secret && !p.has_value ? CV_STR("***") : p.key);
        cv_buf_add_z(&out, p.has_value ? "=" : "");
        cv_buf_add(&out, secret && p.has_value ? CV_STR("***") : p.value);
    }
    return cv_buf_take(&out, a);
}

/* partitions= counts only for a schema that is made. */
cv_str cv_postgres_address_of_schema(cv_arena *a, const cv_postgres_address *address, const char *schema)
{
    cv_buf out = {0};
    parameter p = query_of(address->text);
    cv_buf_add(&out, cv_str_head(address->text, cv_str_find_char(address->text, '?')));
    cv_buf_add_char(&out, '?');
    while (next_parameter(&p)) {
        cv_str key = decoded(a, p.key);
        if (!cv_str_eq(key, CV_STR("schema")) && !cv_str_eq(key, CV_STR("partitions")))
            cv_buf_printf(&out, "%.*s=%.*s&", CV_FMT(p.key), CV_FMT(p.value));
    }
    cv_buf_printf(&out, "schema=%s", schema);
    return cv_buf_take(&out, a);
}

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

/* The address is not repeated: what is wrong in it may hide a password. */
static bool refuse(cv_str what, const char *suggestion, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the address of the store is not valid: %.*s", CV_FMT(what));
    cv_err_suggest(err, cv_str_of(suggestion));
    return false;
}

static bool refuse_password(cv_err *err)
{
    return refuse(CV_STR("it has a password, and addresses are stored in a file and shown"),
                  "leave the password out of the address; put it into ~/.pgpass (or the file that PGPASSFILE names), a "
                  "service file (service=NAME), or the variable PGPASSWORD",
                  err);
}

/* ---- our own parameters -------------------------------------------------------------------------------------------
 */

static bool take_schema(cv_postgres_address *to, cv_arena *a, cv_str value)
{
    bool kept = cv_str_find(value, CV_STR(CV_POSTGRES_KEPT)) != SIZE_MAX;
    bool ok = value.n > 0 && value.n <= (kept ? CV_POSTGRES_MAX_NAME : CV_POSTGRES_MAX_SCHEMA) &&
              !cv_is_digit(value.p[0]) && !cv_str_starts(value, CV_STR("pg_")) && !cv_str_eq(value, CV_STR("public")) &&
              !cv_str_eq(value, CV_STR("information_schema"));
    for (size_t i = 0; ok && i < value.n; i++)
        ok = cv_is_lower(value.p[i]) || cv_is_digit(value.p[i]) || value.p[i] == '_';
    if (ok)
        to->schema = cv_arena_copy_z(a, value);
    return ok;
}

static bool take_pipeline(cv_postgres_address *to, cv_arena *a, cv_str value)
{
    (void)a;
    to->pipeline = cv_str_eq(value, CV_STR("on"));
    return to->pipeline || cv_str_eq(value, CV_STR("off"));
}

static bool take_partitions(cv_postgres_address *to, cv_arena *a, cv_str value)
{
    (void)a;
    return cv_str_to_int(value, &to->partitions) && to->partitions >= CV_POSTGRES_MIN_PARTITIONS &&
           to->partitions <= CV_POSTGRES_MAX_PARTITIONS;
}

static const struct {
    cv_str key;
    bool (*take)(cv_postgres_address *to, cv_arena *a, cv_str value);
    const char *valid;
} own[] = {
    {CV_STR_INIT("schema"), take_schema,
     "a lower-case letter or '_', then such, digits and '_'; at most 40 of them; not 'public' and 'pg_…', which are "
     "not ours alone"},
    {CV_STR_INIT("pipeline"), take_pipeline, "on or off"},
    {CV_STR_INIT("partitions"), take_partitions, "a number from 2 to 64"},
};

static bool refuse_value(cv_arena *a, size_t i, cv_str value, cv_err *err)
{
    cv_str what = cv_arena_printf(a, "%.*s=%.*s", CV_FMT(own[i].key), CV_FMT(cv_str_head(value, 80)));
    return refuse(what, cv_arena_printf(a, "%.*s is %s", CV_FMT(own[i].key), own[i].valid).p, err);
}

/* One parameter: ours is taken, the others are left for libpq. */
static bool read_parameter(cv_arena *a, const parameter *p, unsigned *seen, cv_buf *rest, cv_postgres_address *to,
                           cv_err *err)
{
    cv_str key = decoded(a, p->key);
    size_t i = 0;
    if (is_password(key))
        return refuse_password(err);
    if (!p->has_value || key.n == 0)
        return refuse(CV_STR("one of its settings is not KEY=VALUE"), "write settings as ?KEY=VALUE&KEY=VALUE", err);
    while (i < CV_COUNT(own) && !cv_str_eq(own[i].key, key))
        i++;
    if (i == CV_COUNT(own)) {
        cv_buf_add_char(rest, *seen & 1u << CV_COUNT(own) ? '&' : '?');
        *seen |= 1u << CV_COUNT(own);
        cv_buf_printf(rest, "%.*s=", CV_FMT(p->key));
        cv_buf_add(rest, p->value);
        return true;
    }
    if (*seen & 1u << i)
        return refuse(cv_arena_printf(a, "%.*s is given twice", CV_FMT(key)), "give it once", err);
    *seen |= 1u << i;
    cv_str value = decoded(a, p->value);
    return own[i].take(to, a, value) || refuse_value(a, i, value, err);
}

bool cv_postgres_address_parse(cv_arena *a, cv_str text, cv_postgres_address *ret_address, cv_err *err)
{
    cv_postgres_address to = {.text = cv_arena_copy(a, text), .schema = "conclave", .pipeline = true};
    size_t begin, end, question = cv_str_find_char(text, '?');
    if (!cv_postgres_is_address(text))
        return refuse(CV_STR("it does not begin with postgresql://"),
                      "write postgresql://[USER@]HOST[:PORT]/DATABASE[?KEY=VALUE&…]", err);
    if (find_secret(text, &begin, &end) || has_other_password(a, text))
        return refuse_password(err);
    if (cv_str_has_control(text))
        return refuse(CV_STR("it has line breaks or other control characters"), "take them out", err);

    cv_buf rest = {0};
    unsigned seen = 0;
    bool ok = true;
    cv_buf_add(&rest, schemes[0]);
    cv_buf_add(&rest, cv_str_from(cv_str_head(text, question), scheme_of(text)));
    parameter p = query_of(text);
    while (ok && next_parameter(&p))
        ok = read_parameter(a, &p, &seen, &rest, &to, err);
    cv_str libpq = cv_buf_take(&rest, a);
    if (!ok)
        return false;
    to.libpq = cv_arena_copy_z(a, libpq);
    *ret_address = to;
    return true;
}
