/* spelling.c - the heads of marks, read leniently; see spelling.h. */
#include "dialogue/intake/spelling.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "dialogue/words/limits.h"

/* ---- letters ----------------------------------------------------------------------------------------------------- */

/* The head in capitals without marks on its letters, each with its place in the text. */
typedef struct {
    char c[CV_MAX_HEAD + 4];
    uint16_t at[CV_MAX_HEAD + 4];
    size_t n;
    size_t end; /* bytes of the text that were read */
    bool wide;  /* some of them are beyond ASCII */
} letters;

typedef struct {
    uint32_t code;
    const char *plain, *long_form; /* as it is written without its mark, and as Germans and Danes do */
} spelt;

static const spelt spelt_letters[] = {
    {0xc4, "A", "AE"},   {0xe4, "A", "AE"},  {0xd6, "O", "OE"},    {0xf6, "O", "OE"},  {0xdc, "U", "UE"},
    {0xfc, "U", "UE"},   {0xdf, "SS", "SS"}, {0x1e9e, "SS", "SS"}, {0xc6, "AE", "AE"}, {0xe6, "AE", "AE"},
    {0xd8, "O", "OE"},   {0xf8, "O", "OE"},  {0xc5, "A", "AA"},    {0xe5, "A", "AA"},  {0x152, "OE", "OE"},
    {0x153, "OE", "OE"}, {0x141, "L", "L"},  {0x142, "L", "L"},    {0x110, "D", "DJ"}, {0x111, "D", "DJ"},
    {0x131, "I", "I"},   {0xde, "TH", "TH"}, {0xfe, "TH", "TH"},   {0xd0, "D", "DH"},  {0xf0, "D", "DH"},
};

/* Letters of other scripts that look like Latin ones. */
static const struct {
    uint32_t code;
    char like;
} lookalikes[] = {
    {0x410, 'A'}, {0x412, 'B'}, {0x415, 'E'}, {0x41a, 'K'}, {0x41c, 'M'}, {0x41d, 'H'}, {0x41e, 'O'}, {0x420, 'P'},
    {0x421, 'C'}, {0x422, 'T'}, {0x423, 'Y'}, {0x425, 'X'}, {0x406, 'I'}, {0x430, 'A'}, {0x435, 'E'}, {0x43e, 'O'},
    {0x440, 'P'}, {0x441, 'C'}, {0x443, 'Y'}, {0x445, 'X'}, {0x456, 'I'}, {0x391, 'A'}, {0x392, 'B'}, {0x395, 'E'},
    {0x396, 'Z'}, {0x397, 'H'}, {0x399, 'I'}, {0x39a, 'K'}, {0x39c, 'M'}, {0x39d, 'N'}, {0x39f, 'O'}, {0x3a1, 'P'},
    {0x3a4, 'T'}, {0x3a5, 'Y'}, {0x3a7, 'X'}, {0x3bf, 'O'},
};

static bool is_wide_blank(uint32_t code)
{
    return code == 0xa0 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f || code == 0x3000;
}

static bool is_nothing(uint32_t code)
{
    return code == 0xad || (code >= 0x200b && code <= 0x200f) || code == 0x2060 || code == 0xfeff ||
           (code >= 0x2066 && code <= 0x2069) || (code >= 0xfe00 && code <= 0xfe0f) || code == '*' || code == '`';
}

static bool is_dash(uint32_t code)
{
    return (code >= 0x2010 && code <= 0x2015) || code == 0x2212 || code == 0xfe58 || code == 0xfe63;
}

/* How letters beyond ASCII are read, one way after the other. */
typedef enum { LONG_FORMS, PLAIN_FORMS, LOOKALIKES, WAY_COUNT } way;

/* One character as what it stands for in a head; "\1" for what no head has. */
static const char *letters_of(uint32_t code, way how, char room[2])
{
    room[1] = '\0';
    if (code >= 0xff01 && code <= 0xff5e)
        code -= 0xfee0;
    if (code < 0x80) {
        room[0] = code == '\t' ? ' ' : cv_upper((char)code);
        return is_nothing(code) ? "" : room;
    }
    if (is_nothing(code))
        return "";
    if (is_wide_blank(code))
        return " ";
    if (is_dash(code))
        return "-";
    if (code == 0x2236 || code == 0xa789 || code == 0xfe30)
        return ":";
    if (code == 0x2018 || code == 0x2019)
        return "'";
    if (code >= 0x2190 && code <= 0x21ff)
        return ">"; /* arrows */
    for (size_t i = 0; i < CV_COUNT(spelt_letters); i++)
        if (spelt_letters[i].code == code)
            return how == LONG_FORMS ? spelt_letters[i].long_form : spelt_letters[i].plain;
    for (size_t i = 0; how == LOOKALIKES && i < CV_COUNT(lookalikes); i++)
        if (lookalikes[i].code == code) {
            room[0] = lookalikes[i].like;
            return room;
        }
    utf8proc_int32_t parts[8];
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, parts, CV_COUNT(parts),
                                                 UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_STABLE, NULL);
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code);
    if (category == UTF8PROC_CATEGORY_MN)
        return ""; /* a mark that is behind its letter */
    room[0] = n > 0 && n <= (utf8proc_ssize_t)CV_COUNT(parts) && parts[0] < 0x80 ? cv_upper((char)parts[0]) : '\1';
    return room;
}

/* "\\_", "\\-": how markdown keeps a sign from meaning something. */
static bool is_escape(uint32_t code, cv_str behind)
{
    return code == '\\' && behind.n && strchr("-_:.#*", behind.p[0]);
}

static void read_letters(cv_str s, way how, letters *ret)
{
    cv_str rest = s;
    uint32_t code;
    ret->n = 0;
    ret->wide = false;
    while (rest.n && ret->n < CV_MAX_HEAD) {
        size_t at = (size_t)(rest.p - s.p);
        char room[2];
        if (!cv_utf8_next(&rest, &code) || code == '\n' || at >= CV_MAX_HEAD)
            break;
        ret->wide = ret->wide || code >= 0x80;
        /* ü as u and a mark of its own */
        uint32_t next;
        cv_str behind = rest;
        if (how == LONG_FORMS && cv_utf8_next(&behind, &next) && next == 0x308 &&
            strchr("AOUaou", (int)(code < 0x80 ? code : 'x'))) {
            ret->c[ret->n] = cv_upper((char)code);
            ret->at[ret->n++] = (uint16_t)at;
            ret->c[ret->n] = 'E';
            ret->at[ret->n++] = (uint16_t)at;
            rest = behind;
            continue;
        }
        const char *c = is_escape(code, rest) ? "" : letters_of(code, how, room);
        if (ret->n == 0 && *c == '\1' && cv_utf8_is_emoji(code))
            continue;
        for (; *c; c++) {
            ret->c[ret->n] = *c;
            ret->at[ret->n++] = (uint16_t)at;
        }
        if (code == '[')
            break; /* no head goes on behind another mark: a line of nothing but brackets is walked once */
    }
    ret->end = (size_t)(rest.p - s.p);
}

/* ---- a walk over them -------------------------------------------------------------------------------------------- */

typedef struct {
    const cv_speaker *who;
    const letters *l;
    size_t at;
} walk;

static cv_str left(const walk *w)
{
    return (cv_str){w->l->c + w->at, w->l->n - w->at};
}

static char peek(const walk *w)
{
    return w->at < w->l->n ? w->l->c[w->at] : '\0';
}

static void skip_blanks(walk *w)
{
    while (peek(w) == ' ')
        w->at++;
}

/* What may be between the parts of a head: at most one sign, and blanks around it. */
static bool skip_joint(walk *w, const char *signs)
{
    size_t from = w->at;
    skip_blanks(w);
    if (peek(w) && strchr(signs, peek(w))) {
        w->at++;
        skip_blanks(w);
    }
    return w->at > from;
}

static cv_str take_word(walk *w)
{
    size_t from = w->at;
    while (cv_is_upper(peek(w)))
        w->at++;
    return (cv_str){w->l->c + from, w->at - from};
}

static size_t count_digits(const walk *w)
{
    size_t n = 0;
    while (w->at + n < w->l->n && cv_is_digit(w->l->c[w->at + n]))
        n++;
    return n;
}

static bool ends_here(const walk *w)
{
    char c = peek(w);
    return !cv_is_alnum(c) && c != '_' && c != '\1';
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* An expert of the dialogue by name: MUFFIN, Dr-Kim, JUERGEN. The longest that fits. */
static cv_str take_expert(walk *w)
{
    cv_str best = {NULL, 0}, here = left(w);
    size_t length = 0;
    const cv_state *s = w->who->s;
    for (size_t i = 0; i <= s->experts.count; i++) {
        cv_str slug = i < s->experts.count ? s->experts.items[i].expert_slug : w->who->expert;
        size_t k = 0, at = 0;
        for (; k < slug.n && at < here.n; k++) {
            if (slug.p[k] != '-') {
                if (here.p[at++] != cv_upper(slug.p[k]))
                    break;
                continue;
            }
            size_t from = at;
            while (at < here.n && here.p[at] && strchr("- _.", here.p[at]))
                at++;
            if (at == from)
                break;
        }
        bool ends = at == here.n || !cv_is_alnum(here.p[at]);
        if (slug.n && k == slug.n && ends && slug.n > best.n) {
            best = slug;
            length = at;
        }
    }
    w->at += length;
    return best;
}

/* Donut's R0001 */
static void skip_possessive(walk *w)
{
    if (cv_str_starts(left(w), CV_STR("'S ")))
        w->at += 2;
}

/* P0101, P-1, #2, PERSPECTIVE 1, PERSPECTIVE-P01: which kind, and the digits. */
typedef struct {
    int kind; /* a cv_kind, or -1: only a number */
    cv_str digits;
    bool by_word;
} number_of;

/* A letter or two are wrong, but not the first one: UNRESOLVED is not RESOLVED. */
static bool is_nearly(cv_str word, cv_str known, size_t most)
{
    return word.n && cv_upper(word.p[0]) == cv_upper(known.p[0]) && cv_str_distance(word, known, most) <= most;
}

static int kind_by_word(cv_str word)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        if (cv_str_eq_nocase(word, cv_kinds[kind].word) || cv_str_eq_nocase(word, cv_kinds[kind].plural) ||
            (word.n > 6 && is_nearly(word, cv_kinds[kind].word, 2)) ||
            (word.n > 5 && cv_str_starts_nocase(cv_kinds[kind].word, word)))
            return kind;
    return cv_str_eq(word, CV_STR("PROPOSAL")) ? CV_KIND_RECOMMENDATION : -1;
}

/* Two more digits behind a dash, and then the end of the id. */
static bool joins_number(const walk *w)
{
    walk next = {w->who, w->l, w->at + 1};
    bool two = count_digits(&next) == 2;
    next.at += 2;
    return two && (peek(&next) == ':' || peek(&next) == ']');
}

static bool take_digits(walk *w, number_of *ret)
{
    size_t from = w->at;
    if (peek(w) == '-' || peek(w) == '#' || peek(w) == ' ' || peek(w) == '_' || peek(w) == '.')
        skip_joint(w, "-#_.");
    if (peek(w) == '#')
        w->at++;
    size_t n = count_digits(w);
    ret->digits = (cv_str){w->l->c + w->at, n};
    w->at += n;
    if (n == 2 && peek(w) == '-' && joins_number(w)) { /* P01-01 */
        char *joined = cv_arena_alloc(w->who->a, 4);
        memcpy(joined, ret->digits.p, 2);
        memcpy(joined + 2, w->l->c + w->at + 1, 2);
        ret->digits = (cv_str){joined, n = 4};
        w->at += 3;
    }
    if (n > 0 && n <= 4 && ends_here(w))
        return true;
    w->at = from;
    ret->digits = (cv_str){NULL, 0};
    return false;
}

/* P1.1, P01-02 behind a name: the round and the number in it. */
static bool take_joined(walk *w, number_of *ret)
{
    walk next = *w;
    int part[2];
    *ret = (number_of){.kind = cv_kind_of_letter(peek(w))};
    for (size_t i = 0; i < 2; i++, next.at++) {
        next.at += i == 0; /* behind the letter */
        size_t n = count_digits(&next);
        if (ret->kind < 0 || n == 0 || n > 2 || !cv_str_to_int((cv_str){w->l->c + next.at, n}, &part[i]))
            return false;
        next.at += n;
        if (i == 0 && peek(&next) != '.' && peek(&next) != '-')
            return false;
    }
    next.at--;
    if (peek(&next) != ':' && peek(&next) != ']')
        return false;
    ret->digits = cv_arena_printf(w->who->a, "%02d%02d", part[0], part[1]);
    w->at = next.at;
    return true;
}

static bool take_number(walk *w, number_of *ret)
{
    size_t from = w->at;
    *ret = (number_of){.kind = cv_kind_of_letter(peek(w))};
    if (ret->kind >= 0) {
        w->at++;
        if (take_digits(w, ret))
            return true;
        w->at = from;
    }
    cv_str word = take_word(w);
    ret->kind = word.n > 1 ? kind_by_word(word) : -1;
    if (ret->kind < 0 || !ends_here(w)) {
        w->at = from;
        return false;
    }
    ret->by_word = true;
    size_t behind = w->at;
    skip_joint(w, "-#_.:]");
    if (cv_kind_of_letter(peek(w)) == ret->kind) {
        w->at++;
        if (take_digits(w, ret))
            return true;
    }
    w->at = behind;
    take_digits(w, ret);
    return true;
}

/* The id in its one spelling: two digits are a number of this round. */
static cv_str print_id(const walk *w, cv_str expert, const number_of *n)
{
    int number;
    if (n->kind < 0 || n->digits.n == 0 || !cv_str_to_int(n->digits, &number))
        return (cv_str){NULL, 0};
    cv_id id = {.form = CV_ID_LOCAL, .kind = (cv_kind)n->kind, .expert = expert};
    id.round = n->digits.n < 3 ? w->who->round : number / 100;
    id.number = number % 100;
    if (expert.n)
        return cv_id_print(w->who->a, &id);
    return cv_arena_printf(w->who->a, "%c%.*s%.*s", cv_kinds[n->kind].letter, n->digits.n == 1 ? 1 : 0, "0",
                           CV_FMT(n->digits));
}

/* @muffin, MUFFIN-P0101, P0001, T1: a target, in its one spelling. */
static cv_str take_target(walk *w)
{
    size_t from = w->at;
    number_of number;
    if (peek(w) == '@') {
        w->at++;
        cv_str expert = take_expert(w);
        size_t behind = w->at;
        skip_possessive(w);
        if (expert.n && w->at > behind && skip_joint(w, "") && take_number(w, &number) && number.digits.n)
            return print_id(w, expert, &number);
        w->at = behind;
        if (expert.n && ends_here(w))
            return cv_arena_join(w->who->a, CV_STR("@"), expert);
    } else {
        cv_str expert = take_expert(w);
        skip_possessive(w);
        if (expert.n && !skip_joint(w, "-_:/."))
            expert.n = 0;
        if (expert.n && take_number(w, &number) && number.digits.n)
            return print_id(w, expert, &number);
        w->at = from;
        expert = take_expert(w);
        if (expert.n && (peek(w) == ']' || peek(w) == ',' || peek(w) == ':' || peek(w) == '\0'))
            return cv_arena_join(w->who->a, CV_STR("@"), expert);
        w->at = from;
        if (take_number(w, &number) && number.digits.n && !number.by_word)
            return print_id(w, (cv_str){NULL, 0}, &number);
    }
    w->at = from;
    return (cv_str){NULL, 0};
}

/* The kind of what is named next: "perspective P0001". */
static bool skip_kind(walk *w)
{
    size_t from = w->at;
    cv_str word = take_word(w);
    if (word.n > 4 && peek(w) == ' ' && kind_by_word(word) >= 0)
        return true;
    w->at = from;
    return false;
}

static void skip_between(walk *w)
{
    static const cv_str words[] = {CV_STR_INIT("AND "),     CV_STR_INIT("VS. "), CV_STR_INIT("VS "),
                                   CV_STR_INIT("WITH "),    CV_STR_INIT("TO "),  CV_STR_INIT("AGAINST "),
                                   CV_STR_INIT("ON "),      CV_STR_INIT("OF "),  CV_STR_INIT("VERSUS "),
                                   CV_STR_INIT("BETWEEN "), CV_STR_INIT("X "),   CV_STR_INIT("BOTH ")};
    for (;;) {
        while (peek(w) && strchr(" ,;/&+|<>-=(#)", peek(w)))
            w->at++;
        if (skip_kind(w))
            continue;
        size_t i = 0;
        while (i < CV_COUNT(words) && !cv_str_starts(left(w), words[i]))
            i++;
        if (i == CV_COUNT(words))
            return;
        w->at += words[i].n;
    }
}

/* P0001 ("Mandate"), R0001 (Collar): a list goes on behind what is said of each in parentheses, which stays text. */
static bool skip_remark(walk *w)
{
    walk next = *w;
    skip_blanks(&next);
    if (peek(&next) != '(')
        return false;
    while (peek(&next) && peek(&next) != ')' && peek(&next) != ']')
        next.at++;
    bool closed = peek(&next) == ')';
    next.at++;
    skip_blanks(&next);
    if (!closed || !peek(&next) || !strchr(",;&+/", peek(&next)))
        return false;
    *w = next;
    return true;
}

/* All ids from here on: "P0001, T0002". Stops behind the last one that only signs separate. `signs`: what may be
 * before the first. */
static cv_str take_targets(walk *w, const char *signs, size_t *ret_count)
{
    cv_buf list = {0};
    size_t behind = w->at;
    bool remarked = false;
    for (*ret_count = 0;; ++*ret_count) {
        skip_between(w);
        if (*ret_count == 0 && peek(w) && strchr(signs, peek(w))) {
            skip_joint(w, signs);
            skip_joint(w, ":");
            skip_between(w);
        }
        cv_str target = take_target(w);
        if (!target.n)
            break;
        cv_buf_printf(&list, "%s%.*s", *ret_count ? ", " : "", CV_FMT(target));
        behind = remarked ? behind : w->at;
        remarked = skip_remark(w) || remarked;
    }
    w->at = behind;
    return cv_buf_take(&list, w->who->a);
}

/* ---- heads ------------------------------------------------------------------------------------------------------- */

/* The word of a vocabulary, also as SUPPORTS, OPPOSED, CHALLENGING; -1: none. */
static int find_form(cv_words words, cv_str word)
{
    for (size_t i = 0; i < words.count; i++) {
        cv_str known = words.items[i];
        size_t stem = known.n - (known.p[known.n - 1] == 'e');
        if (word.n < stem || !cv_str_eq_nocase(cv_str_head(word, stem), cv_str_head(known, stem)))
            continue;
        cv_str tail = cv_str_from(word, stem);
        static const cv_str tails[] = {CV_STR_INIT(""),   CV_STR_INIT("S"),   CV_STR_INIT("E"), CV_STR_INIT("ES"),
                                       CV_STR_INIT("ED"), CV_STR_INIT("ING"), CV_STR_INIT("D")};
        for (size_t k = stem < known.n; k < CV_COUNT(tails); k++)
            if (cv_str_eq(tail, tails[k]))
                return (int)i;
    }
    return -1;
}

/* … or with a letter wrong, unless it is another word: DEFEND is not DEPEND. */
static int find_inflected(cv_words words, cv_str word)
{
    int found = find_form(words, word);
    if (found >= 0 || word.n < 6 || find_form(cv_ref_words, word) >= 0 || find_form(cv_move_words, word) >= 0)
        return found;
    for (size_t i = 0; i < words.count; i++)
        if (is_nearly(word, words.items[i], 1))
            return (int)i;
    return -1;
}

static cv_str upper_of(cv_arena *a, cv_str word)
{
    char *copy = cv_arena_copy_z(a, word);
    for (size_t i = 0; i < word.n; i++)
        copy[i] = cv_upper(copy[i]);
    return (cv_str){copy, word.n};
}

/* The rest behind ids: a label, after a colon or a dash. */
static void end_head(walk *w, cv_head *h)
{
    skip_blanks(w);
    char c = peek(w);
    h->colon = c == '\0' || strchr(":-;|/=,]\1", c);
    while (peek(w) && strchr(":-;|/=,)", peek(w)))
        w->at++;
    skip_blanks(w);
    h->rest = w->at < w->l->n ? w->l->at[w->at] : w->l->end;
}

/* "RE:SUPPORT P0001, T0002". [RE:SUPPORT] P0001: the bracket closes too early. */
static bool finish_targets(walk *w, const char *prefix, cv_str word, cv_head *h)
{
    cv_arena *a = w->who->a;
    bool wants_id = !cv_str_eq(word, cv_move_words.items[CV_MOVE_CONVERGE]);
    cv_str targets = take_targets(w, wants_id ? ":]" : ":", &h->targets);
    h->head =
        cv_arena_printf(a, "%s%.*s%s%.*s", prefix, CV_FMT(upper_of(a, word)), targets.n ? " " : "", CV_FMT(targets));
    end_head(w, h);
    return true;
}

static bool is_reference_word(cv_str word)
{
    return cv_str_eq(word, CV_STR("RE")) || cv_str_eq(word, CV_STR("REF")) || cv_str_eq(word, CV_STR("REFERENCE"));
}

/* [RE:SUPPORT P0001], RE-SUPPORT, REF SUPPORT; [SUPPORT P0001] with a target. */
static bool read_reference(walk *w, cv_head *h)
{
    cv_str word = take_word(w);
    bool named = is_reference_word(word);
    if (named) {
        if (!skip_joint(w, ":-_./=|>]"))
            return false;
        word = take_word(w);
    }
    int type = word.n > 2 && ends_here(w) ? find_inflected(cv_ref_words, word) : -1;
    if (type < 0 || (!named && cv_str_eq(word, CV_STR("RESOLVED"))))
        return false;
    skip_joint(w, ":");
    h->type = CV_MARK_REFERENCE;
    return finish_targets(w, "RE:", cv_ref_words.items[type], h) && (named || h->targets);
}

static bool read_move(walk *w, cv_head *h)
{
    cv_str word = take_word(w);
    bool named = cv_str_eq(word, CV_STR("MOVE")) || cv_str_eq(word, CV_STR("MOVES"));
    if (named) {
        if (!skip_joint(w, ":-_./=|>]"))
            return false;
        word = take_word(w);
    }
    int type = word.n > 3 && ends_here(w) ? find_inflected(cv_move_words, word) : -1;
    if (type < 0 || (!named && (cv_str_eq(word, CV_STR("CONCEDED")) || cv_str_eq(word, CV_STR("REQUEST")))))
        return false;
    h->type = CV_MARK_MOVE;
    if (type == CV_MOVE_REQUEST) {
        h->head = CV_STR("MOVE:REQUEST");
        end_head(w, h);
        return true;
    }
    finish_targets(w, "MOVE:", cv_move_words.items[type], h);
    return named || h->targets || (type == CV_MOVE_CONVERGE && (h->colon || peek(w) == '\0'));
}

/* R1- of MUFFIN-R1-P01: the round, or -1. */
static int take_round(walk *w)
{
    size_t from = w->at;
    int round;
    number_of unused;
    if (peek(w) == 'R') {
        w->at++;
        size_t n = count_digits(w);
        cv_str digits = {w->l->c + w->at, n};
        w->at += n;
        if (n && n <= 2 && skip_joint(w, "-_/.") && cv_str_to_int(digits, &round)) {
            size_t behind = w->at;
            if (cv_kind_of_letter(peek(w)) >= 0 && take_number(w, &unused)) {
                w->at = behind;
                return round;
            }
        }
    }
    w->at = from;
    return -1;
}

/* An id of the expert's own, or of another one, in full. */
static void set_local(const walk *w, cv_str id, cv_str expert, cv_head *h)
{
    cv_id parts;
    h->head = h->id = id;
    h->own = cv_str_eq(expert, w->who->expert) && cv_id_parse(id, &parts) && parts.round == w->who->round;
}

/* PERSPECTIVE (MUFFIN-P0101): the kind in a word before the id. */
static void take_named_id(walk *w, number_of *number, cv_str *ret_expert)
{
    walk next = *w;
    number_of found;
    while (peek(&next) && strchr(" (:-]", peek(&next)))
        next.at++;
    cv_str expert = take_expert(&next);
    if (!expert.n || !skip_joint(&next, "-_:/.") || !take_number(&next, &found) || !found.digits.n ||
        found.kind != number->kind)
        return;
    if (peek(&next) == ')')
        next.at++;
    w->at = next.at;
    *number = found;
    *ret_expert = expert;
}

/* P0101 (muffin), P0101 by muffin, P0101 | muffin: whose it is, when that is who writes. */
static void skip_owner(walk *w)
{
    walk next = *w;
    skip_blanks(&next);
    if (peek(&next) && strchr("(|", peek(&next)))
        next.at++;
    else if (cv_str_starts(left(&next), CV_STR("BY ")))
        next.at += 3;
    else
        return;
    skip_blanks(&next);
    if (!cv_str_eq(take_expert(&next), w->who->expert))
        return;
    skip_joint(&next, ")");
    w->at = next.at;
}

/* The id in full, or the kind as a word, with or without a number. */
static void set_entity(const walk *w, cv_str expert, const number_of *number, int round, cv_head *h)
{
    cv_speaker then = *w->who;
    if (round >= 0 && number->digits.n < 3)
        then.round = round;
    cv_str id = print_id(&(walk){&then, w->l, w->at}, expert, number), word = cv_marks_table[number->kind].word;
    h->type = (cv_mark_type)number->kind;
    h->numbered = number->digits.n > 0;
    if (expert.n) {
        set_local(w, id, expert, h);
    } else if (number->digits.n == 4) {
        cv_id parts;
        h->head = id; /* P0001: as prompts print it */
        h->own = cv_id_parse(id, &parts) && parts.round == w->who->round && !cv_state_entity(w->who->s, id);
    } else {
        h->head = cv_arena_printf(w->who->a, "%.*s%s%.*s", CV_FMT(word), id.n ? " " : "", CV_FMT(id));
    }
}

/* MUFFIN-P0101, MUFFIN PERSPECTIVE 1, PERSPECTIVE #1, NEW PERSPECTIVE, P01. */
static bool read_entity(walk *w, cv_head *h)
{
    number_of number;
    bool is_new = cv_str_starts(left(w), CV_STR("NEW ")) || cv_str_starts(left(w), CV_STR("MY "));
    while (is_new && peek(w) != ' ')
        w->at++;
    skip_joint(w, "@");
    size_t from = w->at;
    cv_str expert = take_expert(w);
    skip_possessive(w);
    if (expert.n && !skip_joint(w, "-_:/.,#]")) {
        expert = (cv_str){NULL, 0};
        w->at = from;
    }
    int round = expert.n ? take_round(w) : -1;
    if (!(expert.n && take_joined(w, &number)) && (!take_number(w, &number) || (is_new && !number.by_word) ||
                                                   (expert.n && number.digits.n == 0 && !number.by_word)))
        return false;
    if (expert.n && number.digits.n == 0) { /* KIM-PERSPECTIVE: the next number */
        if (!cv_str_eq(expert, w->who->expert))
            return false;
        expert = (cv_str){NULL, 0};
    }
    if (!expert.n && number.by_word && number.digits.n == 0)
        take_named_id(w, &number, &expert);
    set_entity(w, expert, &number, round, h);
    skip_owner(w);
    end_head(w, h);
    return true;
}

/* Is it something that is registered? */
static bool is_registered(const walk *w, cv_str id, bool *ret_tension)
{
    cv_id parts;
    bool parsed = cv_id_parse(id, &parts) && parts.form != CV_ID_EXPERT;
    *ret_tension = parsed && parts.kind == CV_KIND_TENSION;
    return parsed && (cv_state_entity(w->who->s, id) || cv_state_origin(w->who->s, id));
}

/* T0001 RESOLVED, P0001: SUPPORT, RE P0001: the words the other way round. Only of what is registered: something new
 * may have such a label. */
static bool read_reversed(walk *w, cv_head *h)
{
    bool tension;
    if (cv_str_starts(left(w), CV_STR("RE ")))
        w->at += 3;
    cv_str target = take_target(w), resolved = cv_marks_table[CV_MARK_RESOLVED].word;
    if (!target.n || !is_registered(w, target, &tension))
        return false;
    skip_joint(w, ":-=>(");
    skip_joint(w, ">");
    if (cv_str_starts(left(w), CV_STR("IS ")))
        w->at += 3;
    cv_str word = take_word(w);
    int ref = cv_words_find(cv_ref_words, word);
    bool is_resolved = tension && cv_str_eq(word, resolved);
    skip_joint(w, ")");
    if ((ref < 0 && !is_resolved) || (peek(w) && !strchr("]:-;,", peek(w)) && !cv_str_starts(left(w), CV_STR("BY "))))
        return false;
    h->type = is_resolved ? CV_MARK_RESOLVED : CV_MARK_REFERENCE;
    h->targets = 1;
    h->reversed = true;
    h->head = cv_arena_printf(w->who->a, "%s%.*s %.*s",
                              is_resolved ? "" : "RE:", CV_FMT(is_resolved ? resolved : upper_of(w->who->a, word)),
                              CV_FMT(target));
    end_head(w, h);
    return true;
}

/* Зоя-P0101, ゾエ-T0101, ZOE SMITH-P0101: a name in another script, or more of a name than the slug. An expert who writes
 * an id that is of nobody means one of their own. */
static bool read_stranger(walk *w, cv_head *h)
{
    enum { LONGEST = 64 };
    size_t from = w->at;
    cv_str first = take_expert(w);
    if (first.n ? !cv_str_eq(first, w->who->expert) : peek(w) != '\1')
        return false;
    for (; w->at - from < LONGEST && (cv_is_upper(peek(w)) || (peek(w) && strchr("\1 .'-_", peek(w)))); w->at++) {
        walk behind = {w->who, w->l, w->at + 1};
        number_of number;
        if (peek(w) == ' ' && take_expert(&behind).n)
            return false; /* somebody else's name */
        behind.at = w->at + 1;
        if (peek(w) != '-' || w->at == from || !take_number(&behind, &number) || number.digits.n < 2 ||
            number.by_word || (peek(&behind) != ':' && peek(&behind) != ']'))
            continue;
        h->type = (cv_mark_type)number.kind;
        h->numbered = true;
        set_local(w, print_id(w, w->who->expert, &number), w->who->expert, h);
        end_head(&behind, h);
        return true;
    }
    return false;
}

/* FINAL VERDICT, DISSENTING OPINION, MINORITY REPORT: verdicts by other names. */
static bool read_verdict(walk *w, cv_head *h)
{
    static const struct {
        cv_str written;
        cv_mark_type type;
        cv_str head;
    } names[] = {{CV_STR_INIT("FINAL VERDICT"), CV_MARK_VERDICT, CV_STR_INIT("VERDICT:FINAL")},
                 {CV_STR_INIT("INTERIM VERDICT"), CV_MARK_VERDICT, CV_STR_INIT("VERDICT:INTERIM")},
                 {CV_STR_INIT("DISSENTING OPINION"), CV_MARK_DISSENT, CV_STR_INIT("DISSENT")},
                 {CV_STR_INIT("DISSENTING VIEW"), CV_MARK_DISSENT, CV_STR_INIT("DISSENT")},
                 {CV_STR_INIT("FORMAL DISSENT"), CV_MARK_DISSENT, CV_STR_INIT("DISSENT")},
                 {CV_STR_INIT("STRONG DISSENT"), CV_MARK_DISSENT, CV_STR_INIT("DISSENT")},
                 {CV_STR_INIT("MINORITY OPINION"), CV_MARK_MINORITY_VERDICT, CV_STR_INIT("MINORITY VERDICT")},
                 {CV_STR_INIT("MINORITY REPORT"), CV_MARK_MINORITY_VERDICT, CV_STR_INIT("MINORITY VERDICT")},
                 {CV_STR_INIT("MINORITY VIEW"), CV_MARK_MINORITY_VERDICT, CV_STR_INIT("MINORITY VERDICT")}};
    for (size_t i = 0; i < CV_COUNT(names); i++) {
        if (!cv_str_starts(left(w), names[i].written))
            continue;
        w->at += names[i].written.n;
        h->type = names[i].type;
        h->head = names[i].head;
        bool ends = ends_here(w);
        end_head(w, h);
        return ends && h->colon;
    }
    return false;
}

/* RESOLVED, MINORITY_VERDICT, Refinment: the other words of marks. */
static bool read_word(walk *w, cv_head *h)
{
    size_t from = w->at;
    for (int type = CV_KIND_COUNT; type < CV_MARK_COUNT; type++) {
        cv_str word = cv_marks_table[type].word;
        cv_mark_shape shape = cv_marks_table[type].shape;
        if (shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE || word.n < 5)
            continue;
        size_t k = 0;
        w->at = from;
        while (k < word.n && (peek(w) == word.p[k] || (word.p[k] == ' ' && peek(w) && strchr("-_", peek(w))) ||
                              (word.p[k] == '-' && peek(w) && strchr(" _", peek(w))))) {
            k++;
            w->at++;
        }
        if (k < word.n) {
            w->at = from;
            cv_str written = take_word(w);
            bool is_part = cv_str_eq(written, CV_STR("MINORITY")) && type == CV_MARK_MINORITY_VERDICT;
            if (!is_part && (written.n < 6 || cv_marks_table[type].purpose.n == 0 || !is_nearly(written, word, 2)))
                continue;
        }
        if (!ends_here(w))
            continue;
        h->type = (cv_mark_type)type;
        if (shape == CV_SHAPE_TARGETS)
            return finish_targets(w, "", word, h) && (h->targets || (h->colon && cv_marks_table[type].purpose.n));
        h->head = word;
        if (shape == CV_SHAPE_VERDICT && skip_joint(w, ":-_ (")) {
            size_t behind = w->at;
            int verdict = cv_words_find(cv_verdict_words, take_word(w));
            if (verdict >= 0) {
                h->head = cv_arena_printf(w->who->a, "VERDICT:%.*s",
                                          CV_FMT(upper_of(w->who->a, cv_verdict_words.items[verdict])));
                skip_joint(w, ")");
            } else {
                w->at = behind;
            }
        }
        end_head(w, h);
        return true;
    }
    return false;
}

/* TENSION RESOLVED T0001: the kind is before the word. */
static bool read_settled(walk *w, cv_head *h)
{
    static const cv_str kinds[] = {CV_STR_INIT("TENSION "), CV_STR_INIT("TENSIONS ")};
    size_t i = 0;
    while (i < CV_COUNT(kinds) && !cv_str_starts(left(w), kinds[i]))
        i++;
    if (i == CV_COUNT(kinds))
        return false;
    w->at += kinds[i].n;
    return cv_str_starts(left(w), cv_marks_table[CV_MARK_RESOLVED].word) && read_word(w, h) &&
           h->type == CV_MARK_RESOLVED && h->targets;
}

bool cv_head_read(const cv_speaker *who, cv_str s, cv_head *ret_head)
{
    static bool (*const readers[])(walk *, cv_head *) = {read_reversed, read_settled, read_entity, read_reference,
                                                         read_move,     read_verdict, read_word,   read_stranger};
    letters l;
    for (way how = LONG_FORMS; how < WAY_COUNT && (how == LONG_FORMS || l.wide); how++) {
        read_letters(s, how, &l);
        for (size_t i = 0; i < CV_COUNT(readers); i++) {
            walk w = {who, &l, 0};
            *ret_head = (cv_head){0};
            skip_blanks(&w);
            if (peek(&w) && readers[i](&w, ret_head))
                return true;
        }
    }
    return false;
}
