/* chat_file.c - the bytes of a chat file, as what they mean; see chat_file.h. */
#include "chat/text/chat_file.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"

static const cv_str mark = CV_STR_INIT("\xEF\xBB\xBF");

/* Cuts the next line off; its break is not part of it. False: nothing is left. */
static bool next_line(cv_str *rest, cv_str *ret_line)
{
    if (rest->n == 0)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->p) : rest->n;
    *ret_line = cv_str_head(*rest, n);
    *rest = cv_str_from(*rest, end ? n + 1 : n);
    if (ret_line->n && ret_line->p[ret_line->n - 1] == '\r')
        ret_line->n--;
    return true;
}

int64_t cv_chat_line_count(cv_str text)
{
    int64_t count = 0;
    for (const char *p = text.p, *end = cv_str_end(text); text.n && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        count++;
    return count;
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

typedef enum { NOWHERE, PEOPLE, POINTERS } section;

/* "# Status: OPEN" with the key "Status"; false: another line. */
static bool keyed(cv_str line, cv_str key, cv_str *ret_value)
{
    cv_str s = cv_str_trim_left(cv_str_from(line, 1));
    if (!cv_str_starts(s, key) || s.n == key.n || s.p[key.n] != ':')
        return false;
    *ret_value = cv_str_trim(cv_str_from(s, key.n + 1));
    return true;
}

/* "# - x": an item of a list. */
static bool item_of(cv_str line, cv_str *ret_item)
{
    cv_str s = cv_str_trim_left(cv_str_from(line, 1));
    if (s.n < 2 || s.p[0] != '-' || !cv_is_blank(s.p[1]))
        return false;
    *ret_item = cv_str_trim(cv_str_from(s, 1));
    return true;
}

/* Digits that fit; -1 for anything else. */
static int64_t read_number(cv_str digits)
{
    int64_t value = 0;
    if (digits.n == 0 || digits.n > 15)
        return -1;
    for (size_t i = 0; i < digits.n; i++) {
        if (!cv_is_digit(digits.p[i]))
            return -1;
        value = value * 10 + (digits.p[i] - '0');
    }
    return value;
}

static void read_pointer(cv_arena *a, cv_chat_header *h, cv_str item)
{
    size_t colon = item.n;
    while (colon > 0 && item.p[colon - 1] != ':')
        colon--;
    cv_chat_pointer *p = CV_PUSH(a, &h->pointers);
    if (colon == 0) {
        *p = (cv_chat_pointer){{NULL, 0}, -1, item}; /* nobody's */
        return;
    }
    cv_str number = cv_str_trim(cv_str_from(item, colon));
    *p = (cv_chat_pointer){cv_str_trim(cv_str_head(item, colon - 1)), read_number(number), number};
}

/* One line of the header, which is not the first; *in is the list that it may belong to. */
static void read_header_line(cv_arena *a, cv_chat_header *h, cv_str line, size_t end, section *in)
{
    cv_str value;
    if (keyed(line, CV_STR("Chat ID"), &value)) {
        h->id = h->ids++ ? h->id : value;
    } else if (keyed(line, CV_STR("Status"), &value)) {
        h->status = h->statuses++ ? h->status : value;
    } else if (keyed(line, CV_STR("Purpose"), &value)) {
        h->title = h->titles++ ? h->title : value;
    } else if (keyed(line, CV_STR("Participants"), &value) && !h->people_end) {
        *in = PEOPLE;
        h->people_end = end;
        return;
    } else if (keyed(line, CV_STR("Last read"), &value) && !h->pointers_end) {
        *in = POINTERS;
        h->pointers_end = end;
        return;
    } else if (item_of(line, &value) && *in != NOWHERE) {
        if (*in == PEOPLE)
            *CV_PUSH(a, &h->people) = value;
        else
            read_pointer(a, h, value);
        *(*in == PEOPLE ? &h->people_end : &h->pointers_end) = end;
        return;
    }
    *in = NOWHERE;
}

static bool fail_first(cv_arena *a, cv_str line, cv_err *err)
{
    cv_err_at(err, CV_ERR_CHAT_HEADER, 1, 1, "the first line must be '# CHAT v3', found: '%.*s'",
              CV_FMT(cv_excerpt(a, cv_str_head(line, CV_MAX_EXCERPT))));
    cv_err_suggest(err, cv_str_starts(line, CV_STR("# CHAT"))
                            ? CV_STR("only files of version v3 can be read: write a new header")
                            : CV_STR("name a chat file, or give it the header of 'conclave help chat-file'"));
    return false;
}

bool cv_chat_header_parse(cv_arena *a, cv_str text, cv_chat_header *ret, cv_err *err)
{
    cv_str rest = cv_str_starts(text, mark) ? cv_str_from(text, mark.n) : text, line;
    section in = NOWHERE;
    *ret = (cv_chat_header){0};
    if (!next_line(&rest, &line))
        line = CV_STR("");
    if (!cv_str_eq(cv_str_trim_right(line), CV_STR("# CHAT v3")))
        return fail_first(a, cv_utf8_head(line, cv_utf8_valid(line)), err);
    size_t end = (size_t)(rest.p - text.p);
    while (rest.n && rest.p[0] == '#') {
        next_line(&rest, &line);
        end = (size_t)(rest.p - text.p);
        read_header_line(a, ret, line, end, &in);
    }
    ret->text = cv_str_head(text, end);
    ret->lines = cv_chat_line_count(ret->text);
    ret->whole = rest.n > 0;
    return true;
}

static bool lacks(cv_err *err, const char *what, const char *advice)
{
    cv_err_set(err, CV_ERR_CHAT_HEADER, "the header %s", what);
    cv_err_suggest(err, cv_str_of(advice));
    return false;
}

bool cv_chat_header_check(const cv_chat_header *h, cv_err *err)
{
    if (!h->id.n)
        return lacks(err, "has no line '# Chat ID: ID'",
                     "add it: ID is the middle of the file's name, temp_chat_ID.txt");
    if (!cv_str_eq(h->status, CV_STR("OPEN")) && !cv_str_eq(h->status, CV_STR("CLOSED")))
        return lacks(err, h->status.p ? "has another status than OPEN or CLOSED" : "has no line '# Status: OPEN'",
                     "write '# Status: OPEN' or '# Status: CLOSED'");
    if (!h->people_end)
        return lacks(err, "has no line '# Participants:'", "add it, with a line '# - Role@Identity' for each");
    if (!h->pointers_end)
        return lacks(err, "has no line '# Last read:'",
                     "add it, with a line '# - Role@Identity: 0' for each participant");
    if (!h->title.p)
        return lacks(err, "has no line '# Purpose: …'", "add it as the last line of the header");
    return true;
}

bool cv_chat_is_open(const cv_chat_header *h)
{
    return cv_str_eq(h->status, CV_STR("OPEN"));
}

bool cv_chat_has_person(const cv_chat_header *h, cv_str who)
{
    for (size_t i = 0; i < h->people.count; i++)
        if (cv_str_eq(h->people.items[i], who))
            return true;
    return false;
}

const cv_chat_pointer *cv_chat_pointer_of(const cv_chat_header *h, cv_str who)
{
    for (size_t i = 0; i < h->pointers.count; i++)
        if (cv_str_eq(h->pointers.items[i].who, who))
            return &h->pointers.items[i];
    return NULL;
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static bool is_name(cv_str s)
{
    if (s.n == 0 || cv_utf8_valid(s) < s.n)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f || strchr("@|,:\"\\", s.p[i]))
            return false;
    return true;
}

bool cv_chat_person_valid(cv_str who)
{
    cv_str rest = cv_chat_role_of(who), role;
    if (who.n > CV_MAX_PERSON || cv_str_has_control(who) || rest.n == 0 || rest.n == who.n ||
        !is_name(cv_chat_identity_of(who)) || rest.p[rest.n - 1] == '+')
        return false;
    while (cv_str_split(&rest, '+', &role))
        if (!is_name(role) || cv_str_eq_nocase(role, CV_STR("All")))
            return false;
    return true;
}

cv_str cv_chat_role_of(cv_str who)
{
    size_t at = cv_str_find_char(who, '@');
    return at == SIZE_MAX ? who : cv_str_head(who, at);
}

cv_str cv_chat_identity_of(cv_str who)
{
    size_t at = cv_str_find_char(who, '@');
    return at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(who, at + 1);
}

bool cv_chat_has_role(cv_str who, cv_str role)
{
    cv_str all = cv_chat_role_of(who), rest = all, one;
    while (cv_str_split(&rest, '+', &one))
        if (cv_str_eq(one, role))
            return true;
    return cv_str_eq(all, role);
}

bool cv_chat_is_called(cv_str who, cv_str name)
{
    return cv_str_eq(who, name) || cv_chat_has_role(who, name) || cv_str_eq_nocase(cv_chat_identity_of(who), name);
}

bool cv_chat_next_tag(cv_str *rest, cv_str *ret_tag)
{
    while (rest->n && (cv_is_space(rest->p[0]) || rest->p[0] == ',' || rest->p[0] == '|'))
        *rest = cv_str_from(*rest, 1);
    size_t n = 0;
    while (n < rest->n && !cv_is_space(rest->p[n]) && rest->p[n] != ',' && rest->p[n] != '|')
        n++;
    *ret_tag = cv_str_head(*rest, n);
    *rest = cv_str_from(*rest, n);
    if (ret_tag->n && ret_tag->p[0] == '@')
        *ret_tag = cv_str_from(*ret_tag, 1);
    return n > 0;
}

bool cv_chat_is_tagged(cv_str tags, cv_str who)
{
    cv_str rest = tags, tag;
    bool any = false;
    while (cv_chat_next_tag(&rest, &tag)) {
        any = true;
        if (cv_str_eq(tag, CV_STR("All")) || cv_str_eq(tag, who) || cv_chat_has_role(who, tag))
            return true;
    }
    return !any;
}

bool cv_chat_is_for(cv_str from, cv_str tags, cv_str who)
{
    return !cv_str_eq(from, who) && cv_chat_is_tagged(tags, who);
}

/* ---- heads ------------------------------------------------------------------------------------------------------- */

bool cv_chat_number_parse(cv_str id, int64_t *ret_number)
{
    if (id.n < 5 || id.n > 16 || id.p[0] != 'M' || (id.n > 5 && id.p[1] == '0'))
        return false;
    *ret_number = read_number(cv_str_from(id, 1));
    return *ret_number > 0;
}

cv_str cv_chat_number_print(cv_arena *a, int64_t number)
{
    return cv_arena_printf(a, "M%04lld", (long long)number);
}

/* The value of the next field between bars, when it is called `key`. */
static bool field(cv_str *rest, cv_str key, cv_str *ret_value)
{
    size_t bar = cv_str_find_char(*rest, '|');
    cv_str one = cv_str_trim(cv_str_head(*rest, bar == SIZE_MAX ? rest->n : bar));
    if (!cv_str_starts(one, key))
        return false;
    *rest = bar == SIZE_MAX ? (cv_str){cv_str_end(*rest), 0} : cv_str_from(*rest, bar + 1);
    *ret_value = cv_str_trim(cv_str_from(one, key.n));
    return true;
}

/* What may follow the flag, in any order; a field that begins with '@' goes on with the tags. */
static void read_extras(cv_str rest, cv_chat_message *m)
{
    while (rest.n) {
        cv_str value, begin = cv_str_trim_left(rest);
        if (field(&rest, CV_STR("TAG:"), &value))
            m->tags = m->tags.p ? m->tags : value;
        else if (field(&rest, CV_STR("AT:"), &value))
            m->at = m->at.p ? m->at : value;
        else if (field(&rest, CV_STR("RE:"), &value))
            m->re = m->re.p ? m->re : value;
        else if (field(&rest, CV_STR("ON_BEHALF_OF:"), &value))
            m->behalf = m->behalf.p ? m->behalf : value;
        else if (field(&rest, CV_STR("@"), &value) && m->tags.p && m->tags.n)
            m->tags = cv_str_trim(cv_str_range(m->tags.p, begin.p + 1 + value.n));
        else
            field(&rest, CV_STR(""), &value);
    }
}

bool cv_chat_head_parse(cv_str line, cv_chat_message *ret)
{
    size_t close = line.n > 6 && line.p[0] == '[' ? cv_str_find_char(cv_str_head(line, 20), ']') : SIZE_MAX;
    *ret = (cv_chat_message){.head = cv_str_trim_right(line)};
    if (close == SIZE_MAX || !cv_chat_number_parse(cv_str_range(line.p + 1, line.p + close), &ret->number))
        return false;
    cv_str rest = cv_str_from(ret->head, close + 1);
    if (!rest.n || !cv_is_blank(rest.p[0]) || !field(&rest, CV_STR("FROM:"), &ret->from) ||
        !field(&rest, CV_STR("TYPE:"), &ret->type) || !field(&rest, CV_STR("FLAG:"), &ret->flag))
        return false;
    read_extras(rest, ret);
    return cv_chat_person_valid(ret->from) && ret->type.n > 0 &&
           (cv_str_eq(ret->flag, CV_STR("UNREAD")) || cv_str_eq(ret->flag, CV_STR("READ")));
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void finish(cv_chat_messages *all, cv_str text, size_t body, size_t end)
{
    if (all->all.count == 0)
        return;
    cv_chat_message *m = &all->all.items[all->all.count - 1];
    m->end = end;
    m->body = cv_str_trim_right(cv_str_range(text.p + body, text.p + end));
    if (m->body.n == 0)
        m->body = (cv_str){text.p + body, 0};
}

/* "[M", and a digit: a person would take it for a head. */
static bool looks_like_head(cv_str line)
{
    return line.n > 3 && line.p[0] == '[' && line.p[1] == 'M' && cv_is_digit(line.p[2]);
}

void cv_chat_messages_parse(cv_arena *a, cv_str text, int64_t last, cv_chat_known known, void *ctx,
                            cv_chat_messages *ret)
{
    cv_str rest = text, line;
    size_t body = 0;
    int64_t at = 0;
    *ret = (cv_chat_messages){0};
    while (next_line(&rest, &line)) {
        cv_chat_message m;
        at++;
        if (!looks_like_head(line))
            continue;
        size_t start = (size_t)(line.p - text.p);
        bool grammar = cv_chat_head_parse(line, &m);
        if (grammar && (m.number == last + 1 || (m.number > last && known && known(ctx, m.number, m.head)))) {
            finish(ret, text, body, start);
            m.start = start;
            m.line = at;
            last = m.number;
            body = (size_t)(rest.p - text.p);
            *CV_PUSH(a, &ret->all) = m;
        } else {
            *CV_PUSH(a, &ret->odd) = (cv_chat_odd){line, m.number, last + 1, grammar};
        }
    }
    finish(ret, text, body, text.n);
    ret->lines = cv_chat_line_count(text);
}

/* Line breaks of any kind count alike: an editor that changes all of them has changed nothing that was said. */
static void add_lf(cv_buf *out, cv_str text)
{
    for (const char *cr; text.n && (cr = memchr(text.p, '\r', text.n));) {
        size_t n = (size_t)(cr - text.p);
        cv_buf_add(out, cv_str_head(text, n));
        if (n + 1 >= text.n || text.p[n + 1] != '\n')
            cv_buf_add_char(out, '\r');
        text = cv_str_from(text, n + 1);
    }
    cv_buf_add(out, text);
}

cv_str cv_chat_lasting(cv_arena *a, const cv_chat_message *m)
{
    cv_buf out = {0};
    cv_buf_add(&out, cv_str_range(m->head.p, m->flag.p));
    cv_buf_add(&out, cv_str_range(m->flag.p + m->flag.n, cv_str_end(m->head)));
    cv_buf_add_char(&out, '\n');
    add_lf(&out, m->body);
    return cv_buf_take(&out, a);
}
