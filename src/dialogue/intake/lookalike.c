/* lookalike.c - lines that look like marks and are none; see lookalike.h. */
#include "dialogue/intake/lookalike.h"

#include "base/utf8.h"
#include "dialogue/intake/opening.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

/* No id is longer; what goes on for ever is none. */
enum { LONGEST_ID = CV_MAX_SLUG + 16 };

typedef struct {
    cv_arena *a;
    const cv_parsed_response *response;
    cv_line line;
    cv_str text;   /* the line behind its list dash, heading and bold marks */
    cv_str inside; /* what is between the brackets that it begins with; absent: none */
    cv_map unmade; /* ids that were told of */
    cv_lookalikes *found;
} looking;

static bool tell(looking *l, cv_str type, cv_str message, cv_str suggestion)
{
    *CV_PUSH(l->a, l->found) = (cv_lookalike){type, message, suggestion, CV_DIAGNOSIS_LOST,
                                              cv_plain_line(&l->response->plain, l->line.number)};
    return true;
}

static bool tell_note(looking *l, cv_str type, cv_str message, cv_str suggestion)
{
    tell(l, type, message, suggestion);
    l->found->items[l->found->count - 1].severity = CV_DIAGNOSIS_NOTE;
    return true;
}

static cv_str upper(cv_arena *a, cv_str s)
{
    char *copy = cv_arena_copy_z(a, s);
    for (size_t i = 0; i < s.n; i++)
        copy[i] = copy[i] >= 'a' && copy[i] <= 'z' ? (char)(copy[i] - 'a' + 'A') : copy[i];
    return (cv_str){copy, s.n};
}

/* ---- the forms: each says whether it was this one -----------------------------------------------------------------
 */

/* An id of the expert's own that no mark of the response makes: one that is made may be spoken of in any way. */
static bool is_unmade_id(const looking *l, cv_str text, cv_str *ret_id)
{
    cv_id id;
    if (!cv_id_parse(cv_str_trim(text), &id) || id.form != CV_ID_LOCAL ||
        !cv_str_eq_nocase(id.expert, l->response->expert))
        return false;
    *ret_id = cv_id_print(l->a, &id);
    return !cv_map_get(&l->response->ids, *ret_id);
}

static bool closed_too_early(looking *l)
{
    cv_str id;
    return l->inside.p && is_unmade_id(l, l->inside, &id) &&
           tell(l, CV_STR("closed_too_early"),
                cv_arena_printf(l->a, "the bracket closes after %.*s: it has no label, and is not a mark", CV_FMT(id)),
                cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(id)));
}

static bool move_without_word(looking *l)
{
    cv_str rest = cv_str_trim(l->inside), word = {NULL, 0};
    if (!l->inside.p || !cv_str_split(&rest, ' ', &word))
        return false;
    int move = cv_words_find(cv_move_words, cv_arena_lower(l->a, word));
    if (move < 0)
        return false;
    cv_str name = upper(l->a, word);
    return tell(l, CV_STR("move_without_word"), cv_arena_printf(l->a, "[%.*s] looks like a move", CV_FMT(name)),
                cv_arena_printf(l->a, "write [MOVE:%.*s%s]", CV_FMT(name), rest.n ? " …" : ""));
}

static bool lower_case(looking *l)
{
    cv_mark m;
    if (!l->inside.p)
        return false;
    cv_str raised = upper(l->a, (cv_str){l->text.p, l->inside.n + 2});
    if (cv_str_eq(raised, (cv_str){l->text.p, raised.n}) || !cv_mark_at(raised, true, &m) || m.type == CV_MARK_OTHER ||
        m.unclosed)
        return false;
    return tell(l, CV_STR("lower_case"), CV_STR("marks are written in capitals"),
                cv_arena_printf(l->a, "write %.*s", CV_FMT(cv_excerpt(l->a, raised))));
}

static bool short_id(looking *l)
{
    cv_str rest = l->inside, head;
    cv_id id;
    if (!rest.p || cv_str_find_char(rest, ':') == SIZE_MAX || !cv_str_split(&rest, ':', &head) ||
        !cv_id_parse(cv_str_trim(head), &id) || id.form != CV_ID_SHORT)
        return false;
    cv_str written = cv_id_print(l->a, &id);
    return tell(
        l, CV_STR("short_id"), cv_arena_printf(l->a, "[%.*s: …] is not a mark", CV_FMT(written)),
        cv_arena_printf(l->a, "write [%.*s %.*s: label]", CV_FMT(cv_marks_table[id.kind].word), CV_FMT(written)));
}

static bool no_brackets(looking *l)
{
    cv_str rest = l->text, head, id;
    size_t colon = cv_str_find_char(rest, ':');
    if (l->inside.p || colon == SIZE_MAX)
        return false;
    head = cv_str_head(rest, colon);
    return is_unmade_id(l, head, &id) &&
           tell(l, CV_STR("no_brackets"), cv_arena_printf(l->a, "%.*s has no brackets: it is not a mark", CV_FMT(id)),
                cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(id)));
}

/* P01: Cheap, as in a list: nothing makes it, and nothing says that it is meant. */
static bool bare_number(looking *l)
{
    cv_id id;
    size_t length;
    if (l->inside.p || !cv_id_at(cv_str_head(l->text, LONGEST_ID), &id, &length) || id.form != CV_ID_SHORT ||
        length >= l->text.n || l->text.p[length] != ':')
        return false;
    cv_id own = {CV_ID_LOCAL, id.kind, l->response->round, id.number, l->response->expert, {NULL, 0}};
    return !cv_map_get(&l->response->ids, cv_id_print(l->a, &own)) &&
           !cv_map_get(&l->response->ids, cv_id_print(l->a, &id)) &&
           tell_note(
               l, CV_STR("no_brackets"),
               cv_arena_printf(l->a, "%.*s has no brackets: the line is text", CV_FMT(cv_str_head(l->text, length))),
               cv_arena_printf(l->a, "write [%.*s %.*s: label] if it is new", CV_FMT(cv_marks_table[id.kind].word),
                               CV_FMT(cv_str_head(l->text, length))));
}

/* Does it have an id of the dialogue? */
static bool names_id(cv_str s)
{
    cv_id id;
    size_t length;
    for (size_t i = 0; i < s.n; i++)
        if ((i == 0 || !cv_is_alnum(s.p[i - 1])) && cv_id_at(cv_str_head(cv_str_from(s, i), LONGEST_ID), &id, &length))
            return true;
    return false;
}

/* "Muffin Смит-P0101: …": a name that cannot be read, and the number of an id. */
static bool ends_in_number(cv_str inside)
{
    cv_str head = cv_str_head(inside, cv_str_find_char(inside, ':'));
    cv_id id;
    size_t dash = head.n;
    while (dash > 0 && head.p[dash - 1] != '-')
        dash--;
    return head.n < inside.n && dash > 1 && cv_id_parse(cv_str_trim(cv_str_from(head, dash)), &id) &&
           id.form != CV_ID_LOCAL;
}

/* [КОНФЛИКТ T01: …]: a word with letters beyond ASCII, and an id. */
static bool is_foreign_word(cv_str inside)
{
    size_t n = 0;
    bool beyond = false;
    for (; n < inside.n && (cv_is_alpha(inside.p[n]) || (unsigned char)inside.p[n] >= 0x80); n++)
        beyond = beyond || (unsigned char)inside.p[n] >= 0x80;
    return beyond && names_id(cv_str_from(inside, n));
}

/* **Dissent:** I do not agree. ## Minority verdict */
static bool named_verdict(looking *l)
{
    static const cv_str names[] = {CV_STR_INIT("dissent"),          CV_STR_INIT("my dissent"),
                                   CV_STR_INIT("dissenting view"),  CV_STR_INIT("dissenting opinion"),
                                   CV_STR_INIT("minority verdict"), CV_STR_INIT("minority opinion"),
                                   CV_STR_INIT("minority view")};
    cv_str name = cv_str_head(l->text, cv_str_find_char(cv_str_head(l->text, 32), ':'));
    bool set_off = l->text.p > l->line.trimmed.p || name.n < l->text.n;
    while (name.n && strchr("*_ .", name.p[name.n - 1]))
        name.n--;
    for (size_t i = 0; set_off && !l->inside.p && i < CV_COUNT(names); i++)
        if (cv_str_eq_nocase(name, names[i]))
            return tell(l, CV_STR("no_brackets"), CV_STR("this looks like a dissent, and is not a mark"),
                        CV_STR("write [DISSENT: label] or [MINORITY VERDICT: label], and the text below it"));
    return false;
}

/* **Tension:** price, ### Perspective: rye; Moves: defend P0001. */
static bool named_kind(looking *l)
{
    static const cv_str moves[] = {CV_STR_INIT("Moves"), CV_STR_INIT("Move")};
    size_t colon = cv_str_find_char(cv_str_head(l->text, 24), ':');
    if (l->inside.p || colon == SIZE_MAX)
        return false;
    cv_str name = cv_str_trim(cv_str_head(l->text, colon)), rest = cv_str_from(l->text, colon + 1);
    while (name.n && strchr("* _", name.p[name.n - 1]))
        name.n--;
    while (rest.n && strchr("* _", rest.p[0]))
        rest = cv_str_from(rest, 1);
    size_t n = 0;
    while (n < rest.n && cv_is_alpha(rest.p[n]))
        n++;
    bool set_off =
        l->text.p > l->line.trimmed.p && strchr("#*_", l->text.p[-1] == ' ' ? l->line.trimmed.p[0] : l->text.p[-1]);
    for (int kind = 0; set_off && rest.n && kind < CV_KIND_COUNT; kind++)
        if (cv_str_eq_nocase(name, cv_kinds[kind].word))
            return tell(
                l, CV_STR("no_brackets"),
                cv_arena_printf(l->a, "this looks like a %.*s, and is not a mark", CV_FMT(cv_kinds[kind].word)),
                cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(cv_marks_table[kind].word)));
    for (size_t i = 0; i < CV_COUNT(moves); i++)
        if (cv_str_eq_nocase(name, moves[i]) && cv_words_find(cv_move_words, cv_str_head(rest, n)) >= 0)
            return tell(l, CV_STR("no_brackets"), CV_STR("the moves have no brackets: they are not markers"),
                        CV_STR("write each as [MOVE:DEFEND …] on a line of its own"));
    return false;
}

/* The number of an id, whatever its letter is: "Мафин-П0101: …", "视角 P01：…". */
static bool has_number(cv_str inside)
{
    for (size_t i = 1; i < inside.n; i++) {
        size_t n = 0;
        while (i + n < inside.n && n < 5 && cv_is_digit(inside.p[i + n]))
            n++;
        bool letter = cv_is_upper(inside.p[i - 1]) || (unsigned char)inside.p[i - 1] >= 0x80;
        cv_str rest = cv_str_trim_left(cv_str_from(inside, i + n));
        if (n > 1 && n < 5 && letter && (!rest.n || rest.p[0] == ':' || cv_str_starts(rest, CV_STR("："))))
            return true;
        i += n;
    }
    return false;
}

/* How much of it is words in capitals: "NO DISSENT", "CONVERGE?", "!PERSPECTIVE P01". */
static size_t count_capitals(cv_str inside)
{
    size_t n = 0, capitals = 0;
    if (inside.n && inside.p[0] == '!' && !names_id(inside))
        return 0; /* > [!NOTE] */
    for (; n < inside.n && (cv_is_upper(inside.p[n]) || cv_is_digit(inside.p[n]) || strchr(" -_?!", inside.p[n])); n++)
        capitals += cv_is_upper(inside.p[n]);
    return n == inside.n || strchr(":/=.,", inside.p[n]) ? capitals : 0;
}

static bool unknown_mark(looking *l)
{
    enum { SHORTEST = 3 };
    size_t n = count_capitals(l->inside);
    bool named = cv_str_starts_nocase(l->inside, l->response->expert) && l->inside.n > l->response->expert.n &&
                 !cv_is_lower(l->inside.p[l->response->expert.n]) && l->inside.p[l->response->expert.n] != ':';
    named = named || ends_in_number(l->inside) || is_foreign_word(l->inside) || has_number(l->inside);
    size_t word = 0;
    while (word < l->inside.n && (cv_is_upper(l->inside.p[word]) || (word && strchr("-_", l->inside.p[word]))))
        word++;
    bool goes_on = word == l->inside.n || strchr(": /=.,", l->inside.p[word]);
    bool is_kind = word == 1 && l->inside.p[word] == ':' && cv_kind_of_letter(l->inside.p[0]) >= 0;
    goes_on = (goes_on && word >= SHORTEST) || n >= SHORTEST || is_kind;
    cv_id id;
    size_t length;
    if (l->inside.p && cv_id_at(l->inside, &id, &length)) { /* [T0001 SETTLED]; otherwise an id that is spoken of */
        cv_str rest = cv_str_trim(cv_str_from(l->inside, length));
        for (n = 0; n < rest.n && cv_is_upper(rest.p[n]);)
            n++;
        if (n < SHORTEST && cv_str_find_char(rest, ':') == SIZE_MAX)
            return false;
    } else if (!l->inside.p || (!named && !goes_on)) {
        return false;
    }
    cv_str message = cv_arena_printf(l->a, "[%.*s] is not a mark of the format: it is read as text",
                                     CV_FMT(cv_excerpt(l->a, l->inside)));
    static const cv_str suggestion = CV_STR_INIT("use a mark of 'conclave spec' (conclave://spec)");
    return named || is_kind || names_id(l->inside) ? tell(l, CV_STR("unknown_mark"), message, suggestion)
                                                   : tell_note(l, CV_STR("unknown_mark"), message, suggestion);
}

/* A line that is nothing but a word of the vocabulary, in capitals, or with a colon behind it. */
static bool only_word(looking *l)
{
    cv_str word = cv_str_head(l->text, cv_str_find_char(l->text, ':'));
    while (word.n && strchr("/\\", word.p[0]))
        word = cv_str_from(word, 1);
    if (cv_str_starts(word, CV_STR("MOVE ")))
        word = cv_str_from(word, 5);
    while (word.n && strchr("*_.!? ", word.p[word.n - 1]))
        word.n--;
    for (size_t i = 0; i < word.n; i++)
        if (!cv_is_upper(word.p[i]))
            return false;
    int move = word.n ? cv_words_find(cv_move_words, word) : -1;
    return move >= 0 && tell(l, CV_STR("only_word"), cv_arena_printf(l->a, "%.*s alone is not a mark", CV_FMT(word)),
                             cv_arena_printf(l->a, "write [MOVE:%.*s]", CV_FMT(word)));
}

static bool as_text(looking *l)
{
    cv_str s = l->text;
    while (s.n && strchr("`\\", s.p[0]))
        s = cv_str_from(s, 1);
    return s.p > l->text.p && s.n && s.p[0] == '[' && cv_mark_begins(s) &&
           tell_note(l, CV_STR("as_text"), CV_STR("the mark is in backticks or after a backslash: it is text"),
                     CV_STR("write it without them if it should count"));
}

/* MOVE:CONVERGE in the middle of a sentence. */
static bool unbracketed(looking *l)
{
    static const struct {
        cv_str word;
        const cv_words *subs;
    } forms[] = {{CV_STR_INIT("MOVE:"), &cv_move_words}, {CV_STR_INIT("RE:"), &cv_ref_words}};
    for (size_t i = 0; i < CV_COUNT(forms); i++) {
        size_t at = cv_str_find(l->text, forms[i].word), n = 0;
        if (at == SIZE_MAX || (at && (cv_is_alnum(l->text.p[at - 1]) || strchr("[`\\", l->text.p[at - 1]))))
            continue;
        cv_str rest = cv_str_trim_left(cv_str_from(l->text, at + forms[i].word.n));
        while (n < rest.n && cv_is_alpha(rest.p[n]))
            n++;
        if (cv_words_find(*forms[i].subs, cv_str_head(rest, n)) >= 0)
            return tell(l, CV_STR("no_brackets"),
                        cv_arena_printf(l->a, "%.*s%.*s has no brackets, so it is not a mark", CV_FMT(forms[i].word),
                                        CV_FMT(cv_str_head(rest, n))),
                        CV_STR("write it in brackets, on a line of its own"));
    }
    return false;
}

static bool is_tension(cv_str s, size_t *ret_length)
{
    cv_id id;
    return cv_id_at(cv_str_head(s, LONGEST_ID), &id, ret_length) && id.form != CV_ID_EXPERT &&
           id.kind == CV_KIND_TENSION;
}

static bool has_word(cv_str s, cv_str word)
{
    bool alone;
    for (cv_str one; cv_utf8_next_word(&s, &one, &alone);)
        if (cv_str_eq_nocase(one, word))
            return true;
    return false;
}

/* Has the response a mark of this move? Then a table may repeat it. */
static bool is_moved(const looking *l, int move)
{
    for (size_t i = 0; i < l->response->count; i++)
        if (l->response->items[i].mark->type == CV_MARK_MOVE && l->response->items[i].mark->sub == move)
            return true;
    return false;
}

/* | T0001 | RESOLVED |, | CONVERGE | |: a row that says what a mark would say. */
static bool row_of_words(looking *l)
{
    bool tension = false, resolved = false;
    size_t length;
    if (!l->line.trimmed.n || l->line.trimmed.p[0] != '|')
        return false;
    cv_str rest = cv_row_inside(l->line.trimmed), cell;
    while (cv_cell_next(&rest, &cell)) {
        while (cell.n && strchr("*_ `", cell.p[0]))
            cell = cv_str_from(cell, 1);
        while (cell.n && strchr("*_ `", cell.p[cell.n - 1]))
            cell.n--;
        tension = tension || is_tension(cell, &length);
        resolved = resolved || cv_str_starts_nocase(cell, cv_marks_table[CV_MARK_RESOLVED].word);
        for (int kind = 0; kind < CV_KIND_COUNT; kind++)
            if (cv_str_eq_nocase(cell, cv_kinds[kind].word) || cv_str_eq_nocase(cell, cv_kinds[kind].plural))
                return tell_note(l, CV_STR("in_words"), CV_STR("a table mentions items: its rows are text"),
                                 CV_STR("write each as a mark, and the text below it"));
        int move = cell.n && cv_is_upper(cell.p[cell.n - 1]) ? cv_words_find(cv_move_words, cell) : -1;
        if (move >= 0 && !is_moved(l, move))
            return tell(l, CV_STR("only_word"), cv_arena_printf(l->a, "%.*s in a table is not a mark", CV_FMT(cell)),
                        cv_arena_printf(l->a, "write [MOVE:%.*s] on a line of its own", CV_FMT(cell)));
    }
    return tension && resolved &&
           tell_note(l, CV_STR("no_brackets"), CV_STR("the row says that a tension is resolved, but it is not a mark"),
                     CV_STR("write [RESOLVED T0001: how] on a line of its own"));
}

/* "resolves T0001", "Support P0001 as it is" */
static bool says_reference(looking *l, cv_str s)
{
    static const cv_str who[] = {CV_STR_INIT("I also "), CV_STR_INIT("I "), CV_STR_INIT("We ")};
    cv_head head;
    for (size_t i = 0; i < CV_COUNT(who); i++)
        if (cv_str_starts(s, who[i]))
            s = cv_str_from(s, who[i].n);
    if (!s.n || !cv_is_alpha(s.p[0]) || !cv_head_read(&l->response->who, s, &head) || !head.targets ||
        (head.type != CV_MARK_REFERENCE && head.type != CV_MARK_MOVE))
        return false;
    return tell_note(l, CV_STR("in_words"), CV_STR("this looks like a mark, but it is text"),
                     cv_arena_printf(l->a, "write [%.*s] if it should count", CV_FMT(head.head)));
}

/* [MUFFIN-R0101: Collar] (resolves T0001) */
static void look_behind(looking *l, const cv_mark *m)
{
    size_t open = cv_str_find_char(l->line.trimmed, '['), close, length;
    if (m->type >= (cv_mark_type)CV_KIND_COUNT || open == SIZE_MAX ||
        !cv_bracket_at(cv_str_from(l->line.trimmed, open), &close, &length) || close == SIZE_MAX)
        return;
    cv_str s = cv_str_from(l->line.trimmed, open + close + length);
    while (s.n && strchr(" ({*_-", s.p[0]))
        s = cv_str_from(s, 1);
    for (size_t n; s.n && cv_sign_at(s, &n);)
        s = cv_str_trim_left(cv_str_from(s, n));
    says_reference(l, s);
}

/* **T0001 (Growth)**: Resolved. Support P0001 as it is: what a mark would say, as a sentence. */
static bool in_words(looking *l)
{
    size_t length;
    if (is_tension(l->text, &length))
        return has_word(l->text, cv_marks_table[CV_MARK_RESOLVED].word) &&
               tell_note(l, CV_STR("in_words"), CV_STR("this looks like a resolution, but it is not a mark"),
                         cv_arena_printf(l->a, "write [RESOLVED %.*s: how]", CV_FMT(cv_str_head(l->text, length))));
    return says_reference(l, l->text);
}

/* Ids of the expert's own that no mark makes, anywhere in a text of this line. */
static void tell_unmade(looking *l, cv_str s, size_t line)
{
    for (size_t i = 0; i < s.n; i++) {
        cv_id id;
        size_t length;
        bool is_new;
        if (!cv_is_alpha(s.p[i]) || (i && (cv_is_alnum(s.p[i - 1]) || s.p[i - 1] == '-')))
            continue;
        if (!cv_id_at(cv_str_head(cv_str_from(s, i), LONGEST_ID), &id, &length)) {
            while (i + 1 < s.n && (cv_is_alnum(s.p[i + 1]) || s.p[i + 1] == '-'))
                i++;
            continue;
        }
        cv_str written = id.form == CV_ID_LOCAL ? cv_id_print(l->a, &id) : (cv_str){NULL, 0};
        if (written.n && id.round == l->response->round && cv_str_eq_nocase(id.expert, l->response->expert) &&
            !cv_map_get(&l->response->ids, written)) {
            cv_map_put(&l->unmade, l->a, written, &is_new);
            if (is_new)
                *CV_PUSH(l->a, l->found) = (cv_lookalike){
                    CV_STR("unmade_id"), cv_arena_printf(l->a, "no mark of this response makes %.*s", CV_FMT(written)),
                    cv_arena_printf(l->a, "write [%.*s: label], and the text below it", CV_FMT(written)),
                    CV_DIAGNOSIS_LOST, line};
        }
        i += length - 1;
    }
}

static void unmade_ids(looking *l)
{
    tell_unmade(l, l->line.trimmed, cv_plain_line(&l->response->plain, l->line.number));
}

/* [RE:SUPPORT P0001 OPPOSE R0001], [RE:SUPPORT P0001 to P0003]: a word with an id, where the label is. */
static void look_for_second(looking *l, const cv_parsed_mark *item)
{
    static const cv_str ranges[] = {CV_STR_INIT("through"), CV_STR_INIT("thru"), CV_STR_INIT("to"),
                                    CV_STR_INIT("until"),   CV_STR_INIT("-"),    CV_STR_INIT("–"),
                                    CV_STR_INIT("…"),       CV_STR_INIT("...")};
    cv_mark_shape shape = cv_marks_table[item->mark->type].shape;
    cv_str rest = item->mark->label, word = {NULL, 0};
    if ((shape != CV_SHAPE_REF && shape != CV_SHAPE_MOVE) || !cv_str_split(&rest, ' ', &word) || !names_id(rest))
        return;
    bool range = cv_words_find((cv_words){ranges, CV_COUNT(ranges)}, word) >= 0 && names_id(cv_str_head(rest, 6));
    if (!range && cv_words_find(cv_ref_words, word) < 0 && cv_words_find(cv_move_words, word) < 0)
        return;
    *CV_PUSH(l->a, l->found) = (cv_lookalike){
        CV_STR("mark_in_label"),
        cv_arena_printf(l->a, "a mark says two things: %.*s", CV_FMT(cv_excerpt(l->a, item->mark->label))),
        CV_STR("write each mark on a line of its own"), CV_DIAGNOSIS_LOST, item->mark->line};
}

/* An item that is made in the middle of a line has no text but its label. */
static void look_at_place(looking *l, const cv_parsed_mark *item)
{
    if (item->makes && item->first && item->mark->inlined && !cv_has_word(item->mark->body))
        *CV_PUSH(l->a, l->found) = (cv_lookalike){
            CV_STR("in_line"),
            cv_arena_printf(l->a, "%.*s is in the middle of a line: its label is its whole text; the line is kept",
                            CV_FMT(item->local_id)),
            CV_STR("begin a line with the mark, and write the text below it"), CV_DIAGNOSIS_NOTE, item->mark->line};
}

/* Marks inside the label of another one, and ids that it should make. */
static void look_at_labels(looking *l)
{
    for (size_t i = 0; i < l->response->count; i++) {
        const cv_parsed_mark *item = &l->response->items[i];
        tell_unmade(l, item->mark->label, item->mark->line);
        look_at_place(l, item);
        cv_str text = cv_str_head(item->text, cv_str_find_char(item->text, '\n'));
        size_t close = SIZE_MAX, length;
        if (!item->mark->inlined && text.n && text.p[0] == '[')
            cv_bracket_at(text, &close, &length);
        for (size_t k = 1; close != SIZE_MAX && k < close; k++) {
            if (text.p[k] == '\\')
                k++;
            else if (text.p[k] == '[' && cv_mark_begins(cv_str_from(text, k)))
                *CV_PUSH(l->a, l->found) =
                    (cv_lookalike){CV_STR("mark_in_label"),
                                   cv_arena_printf(l->a, "a mark is inside the brackets of another one: %.*s",
                                                   CV_FMT(cv_excerpt(l->a, cv_str_range(text.p + k, text.p + close)))),
                                   CV_STR("write each mark on a line of its own"), CV_DIAGNOSIS_LOST, item->mark->line};
        }
        look_for_second(l, item);
    }
}

/* ---- the walk -----------------------------------------------------------------------------------------------------
 */

static void look_at_line(looking *l)
{
    static bool (*const forms[])(looking *) = {
        row_of_words, closed_too_early, move_without_word, short_id,  lower_case, no_brackets, bare_number,
        unknown_mark, named_verdict,    named_kind,        only_word, as_text,    unbracketed, in_words};
    bool heading;
    if (cv_str_starts(l->line.trimmed, CV_STR("\\**"))) /* a key in bold that is text (plain.h) */
        l->line.trimmed = cv_str_from(l->line.trimmed, 1);
    l->text = cv_str_from(l->line.trimmed, cv_lead_of(l->line.trimmed, &heading));
    size_t close = l->text.n && l->text.p[0] == '[' ? cv_str_find_char(l->text, ']') : SIZE_MAX, open = 1, length;
    bool link = close != SIZE_MAX && close + 1 < l->text.n && l->text.p[close + 1] == '(';
    if (l->text.n && (unsigned char)l->text.p[0] >= 0x80 && !(open = cv_bracket_at(l->text, &close, &length)))
        close = SIZE_MAX;
    l->inside = close == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(cv_str_head(l->text, close), open);
    size_t before = l->found->count;
    if (link)
        return;
    for (size_t i = 0; l->found->count == before && i < CV_COUNT(forms); i++)
        forms[i](l);
    if (l->found->count == before || l->found->items[before].severity == CV_DIAGNOSIS_NOTE)
        unmade_ids(l);
}

/* From the first line that is not blank to the last: one fence. */
static void look_at_fence(looking *l, size_t first, size_t fenced, size_t lines)
{
    l->line.number = first;
    if (fenced && fenced == lines)
        tell(l, CV_STR("in_code_block"), CV_STR("everything is in a code block: nothing in it counts"),
             CV_STR("send the response without the fence around it"));
}

void cv_lookalikes_find(cv_arena *a, const cv_parsed_response *response, cv_lookalikes *ret_found)
{
    looking l = {.a = a, .response = response, .found = ret_found};
    cv_lines lines = {.text = response->plain.text};
    size_t next = 0, first = 0, fenced = 0, count = 0;
    *ret_found = (cv_lookalikes){0};
    while (cv_lines_next(&lines, &l.line)) {
        size_t number = cv_plain_line(&response->plain, l.line.number);
        if (l.line.trimmed.n) {
            first = first ? first : l.line.number;
            fenced += l.line.fenced;
            count++;
        }
        while (next < response->count && response->items[next].mark->line < number)
            next++;
        bool marked = next < response->count && response->items[next].mark->line == number;
        if (marked && !l.line.fenced)
            look_behind(&l, response->items[next].mark);
        else if (!l.line.fenced)
            look_at_line(&l);
        else if (l.line.fenced)
            unmade_ids(&l);
    }
    look_at_fence(&l, first, fenced, count);
    look_at_labels(&l);
}
