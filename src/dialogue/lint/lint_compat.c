/* lint_compat.c - profile compat: the twelve checks that dialogues were judged by before, quirks and all.
 *
 *     critical 3   rounds-present, markers-parseable
 *     major    2   convergence-gate, scoreboard-present, inventories-present, id-uniqueness, round-sequencing
 *     minor    1   header-completeness, scoreboard-math, round-numbering, emoji-consistency, expert-panel
 *
 * The score is the weight of what passes divided by the weight of all. The checks look at the text as a string: fences,
 * levels of headings and places do not matter ("### Round 1" is a round, P1 is not an id, an emoji before the name does
 * not count). They are kept as they are, so that old scores can be compared; the default profile is the one to trust.
 * Patterns are matched by hand; white space is any run of it, line ends included; letters are compared without regard
 * to case.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/utf8.h"
#include "dialogue/lint/linter.h"
#include "dialogue/words/words.h"

/* ---- what the checks want to know -------------------------------------------------------------------------------- */

typedef struct {
    int64_t *items;
    size_t count, capacity;
} numbers;

typedef struct {
    cv_arena *a;
    cv_str text;
    numbers rounds; /* ascending */
    bool draft, participants, has_status, scoreboard, perspectives, tensions_tracker, panel;
    cv_str status;
    cv_texts perspective_ids, tension_ids, resolved_ids;
    size_t emoji_agents;
    size_t score_rows;
    int64_t score_sum, claimed;
} facts;

/* ---- matching --------------------------------------------------------------------------------------------------- */

static bool eat(cv_str *s, cv_str word)
{
    if (!cv_str_starts_nocase(*s, word))
        return false;
    *s = (cv_str){s->p + word.n, s->n - word.n};
    return true;
}

static bool eat_space(cv_str *s) /* true when there was some */
{
    cv_str rest = cv_str_trim_left(*s);
    bool any = rest.n < s->n;
    *s = rest;
    return any;
}

static cv_str eat_digits(cv_str *s)
{
    size_t n = 0;
    while (n < s->n && cv_is_digit(s->p[n]))
        n++;
    cv_str digits = cv_str_head(*s, n);
    *s = cv_str_from(*s, n);
    return digits;
}

/* Letters, digits and the underscore of any script; near enough for names in tables and headings. */
static bool is_word(uint32_t code)
{
    if (code < 0x80)
        return cv_is_alnum((char)code) || code == '_';
    return code >= 0xC0 && code != 0xD7 && code != 0xF7 && !(code >= 0x2000 && code <= 0x2BFF) &&
           !(code >= 0x3000 && code <= 0x303F) && !cv_utf8_is_emoji(code);
}

static cv_str eat_word(cv_str *s)
{
    cv_str word = *s, rest = *s;
    for (uint32_t code; cv_utf8_next(&rest, &code) && is_word(code);)
        *s = rest;
    word.n -= s->n;
    return word;
}

static bool eat_emoji(cv_str *s)
{
    return eat(s, cv_expert_emoji) || eat(s, cv_judge_emoji);
}

/* At most nine digits, which is far beyond any round or score; -1 for more. */
static int64_t to_number(cv_str digits)
{
    int value;
    while (digits.n > 1 && digits.p[0] == '0')
        digits = cv_str_from(digits, 1);
    return cv_str_to_int(digits, &value) ? value : -1;
}

/* Moves `*s` to behind the next `start`; false when there is none. */
static bool next_after(cv_str *s, cv_str start)
{
    size_t at = cv_str_find(*s, start);
    if (at == SIZE_MAX)
        return false;
    at += start.n;
    *s = (cv_str){s->p + at, s->n - at};
    return true;
}

/* Two number signs, any space, and the words with space between, anywhere. */
static bool has_heading(cv_str text, const char *first, const char *second)
{
    for (cv_str s = text; next_after(&s, CV_STR("##"));) {
        cv_str t = s;
        eat_space(&t);
        if (eat(&t, cv_str_of(first)) && eat_space(&t) && eat(&t, cv_str_of(second)))
            return true;
        s = (cv_str){s.p - 1, s.n + 1}; /* the second sign may begin the next pair */
    }
    return false;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static int by_value(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return CV_ORDER(a, b);
}

static void read_rounds(facts *f)
{
    for (cv_str s = f->text; next_after(&s, CV_STR("##"));) {
        cv_str t = s;
        eat_space(&t);
        if (eat(&t, CV_STR("Round")) && eat_space(&t)) {
            cv_str digits = eat_digits(&t);
            if (digits.n > 0) {
                s = t;
                if (to_number(digits) >= 0)
                    *CV_PUSH(f->a, &f->rounds) = to_number(digits);
                continue;
            }
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
    if (f->rounds.count)
        qsort(f->rounds.items, f->rounds.count, sizeof *f->rounds.items, by_value);
}

static bool has_field(cv_str text, cv_str name, cv_str *ret_after)
{
    for (cv_str s = text; next_after(&s, CV_STR("**"));) {
        cv_str t = s;
        if (eat(&t, name) && eat(&t, CV_STR("**:"))) {
            *ret_after = t;
            return true;
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
    return false;
}

/* The value may be on a later line; at the very end of the text blanks are enough. */
static void read_status(facts *f)
{
    for (cv_str rest = f->text, after; has_field(rest, CV_STR("Status"), &after); rest = after) {
        cv_str value = cv_str_trim_left(after);
        if (value.n == 0 && (after.n == 0 || cv_str_ends(after, CV_STR("\n"))))
            continue;
        f->has_status = true;
        f->status = cv_str_trim(cv_str_head(value, cv_str_find_char(value, '\n')));
        return;
    }
}

/* [ WORD Xnn ids; `width` digits exactly, or any number when 0; a colon must follow when `colon`. */
static void read_ids(facts *f, cv_str word, char letter, size_t width, bool colon, cv_texts *ids)
{
    for (cv_str s = f->text; next_after(&s, CV_STR("["));) {
        cv_str t = s;
        eat_space(&t);
        if (!eat(&t, word) || !eat_space(&t) || !eat(&t, (cv_str){&letter, 1}))
            continue;
        cv_str digits = eat_digits(&t);
        eat_space(&t);
        if (digits.n == 0 || (width && digits.n != width) || (colon && !eat(&t, CV_STR(":"))))
            continue;
        *CV_PUSH(f->a, ids) = cv_arena_printf(f->a, "%c%.*s", letter, CV_FMT(digits));
    }
}

/* ### Name and an emoji behind it. */
static void read_emoji(facts *f)
{
    cv_map names = {0};
    for (cv_str s = f->text; next_after(&s, CV_STR("###"));) {
        cv_str t = s;
        eat_space(&t);
        cv_str name = eat_word(&t);
        eat_space(&t);
        if (name.n > 0 && eat_emoji(&t))
            cv_map_put(&names, f->a, name, NULL);
        else if (name.n == 0)
            s = (cv_str){s.p - 2, s.n + 2};
    }
    f->emoji_agents = names.count;
}

/* Behind a bar: name | n | n | n | n | **n** |, where an emoji may precede the name. */
static bool eat_row(cv_str *s, cv_str *ret_name, int64_t *ret_sum, int64_t *ret_total)
{
    *ret_sum = 0;
    eat_space(s);
    const char *start = s->p;
    eat_emoji(s);
    eat_space(s);
    if (eat_word(s).n == 0)
        return false;
    *ret_name = cv_str_range(start, s->p);
    eat_space(s);
    for (int i = 0; i < 4; i++) {
        if (!eat(s, CV_STR("|")))
            return false;
        eat_space(s);
        cv_str digits = eat_digits(s);
        if (digits.n == 0)
            return false;
        int64_t value = to_number(digits);
        *ret_sum += value < 0 ? 0 : value;
        eat_space(s);
    }
    if (!eat(s, CV_STR("|")))
        return false;
    eat_space(s);
    if (!eat(s, CV_STR("**")))
        return false;
    cv_str digits = eat_digits(s);
    *ret_total = digits.n && to_number(digits) > 0 ? to_number(digits) : 0;
    if (digits.n == 0 || !eat(s, CV_STR("**")))
        return false;
    eat_space(s);
    return eat(s, CV_STR("|"));
}

/* A name that comes again replaces its sum. Without a line about the total, the last row's is taken for it. */
static void read_scores(facts *f)
{
    cv_map sums = {0};
    for (cv_str s = f->text; next_after(&s, CV_STR("|"));) {
        cv_str t = s, name;
        int64_t sum, total;
        if (!eat_row(&t, &name, &sum, &total))
            continue;
        uintptr_t *last = cv_map_put(&sums, f->a, name, NULL);
        f->score_sum += sum - (int64_t)*last;
        *last = (uintptr_t)sum;
        f->claimed = total;
        s = t;
    }
    f->score_rows = sums.count;
    for (cv_str s = f->text; next_after(&s, CV_STR("**"));) {
        cv_str t = s;
        if (eat(&t, CV_STR("Total")) && eat_space(&t) && eat(&t, CV_STR("ALIGNMENT**:"))) {
            eat_space(&t);
            cv_str digits = eat_digits(&t);
            if (digits.n > 0) {
                f->claimed = to_number(digits) < 0 ? 0 : to_number(digits);
                return;
            }
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
}

static facts read_facts(cv_arena *a, cv_str text)
{
    facts f = {.a = a, .text = text};
    cv_str after;
    f.draft = has_field(text, CV_STR("Draft"), &after);
    f.participants = has_field(text, CV_STR("Participants"), &after);
    f.scoreboard = has_heading(text, "Alignment", "Scoreboard");
    f.perspectives = has_heading(text, "Perspectives", "Inventory");
    f.tensions_tracker = has_heading(text, "Tensions", "Tracker");
    f.panel = has_heading(text, "Expert", "Panel");
    read_status(&f);
    read_rounds(&f);
    read_ids(&f, CV_STR("PERSPECTIVE"), 'P', 2, true, &f.perspective_ids);
    read_ids(&f, CV_STR("TENSION"), 'T', 0, true, &f.tension_ids);
    read_ids(&f, CV_STR("RESOLVED"), 'T', 0, false, &f.resolved_ids);
    read_emoji(&f);
    read_scores(&f);
    return f;
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

typedef struct {
    bool pass;
    cv_str message, hint;
} verdict;

static verdict passed(cv_str message)
{
    return (verdict){true, message, {NULL, 0}};
}

static verdict failed(cv_str message, cv_str hint)
{
    return (verdict){false, message, hint};
}

static cv_str list_rounds(const facts *f)
{
    cv_texts words = {0};
    for (size_t i = 0; i < f->rounds.count; i++)
        *CV_PUSH(f->a, &words) = cv_arena_printf(f->a, "%lld", (long long)f->rounds.items[i]);
    return cv_arena_list(f->a, words.items, words.count);
}

static verdict rounds_present(const facts *f)
{
    return f->rounds.count
               ? passed(cv_arena_printf(f->a, "%zu round heading%s", f->rounds.count, CV_PLURAL(f->rounds.count)))
               : failed(CV_STR("There is no round"),
                        CV_STR("Add at least one '## Round N' section with agent responses"));
}

static bool is_cut(cv_str text, cv_str stem, char last)
{
    for (cv_str s = text; next_after(&s, stem);)
        if (s.n > 0 && s.p[0] != last)
            return true;
    return false;
}

static verdict markers_parseable(const facts *f)
{
    bool cut = is_cut(f->text, CV_STR("[PERSPECTIV"), 'E') || is_cut(f->text, CV_STR("[TENSIO"), 'N');
    return !cut ? passed(CV_STR("No marker is misspelt"))
                : failed(CV_STR("A marker is misspelt"),
                         CV_STR("Check spelling: [PERSPECTIVE Pnn: ...] and [TENSION Tn: ...]"));
}

static bool says_converge(cv_str status)
{
    for (size_t i = 0; i < status.n; i++)
        if (cv_str_starts_nocase(cv_str_from(status, i), CV_STR("converge")))
            return true;
    return false;
}

static verdict convergence_gate(const facts *f)
{
    cv_map resolved = {0}, seen = {0};
    cv_texts open = {0};
    if (!says_converge(f->status))
        return passed(CV_STR("The status does not say converged"));
    for (size_t i = 0; i < f->resolved_ids.count; i++)
        cv_map_put(&resolved, f->a, f->resolved_ids.items[i], NULL);
    for (size_t i = 0; i < f->tension_ids.count; i++) {
        bool is_new;
        cv_map_put(&seen, f->a, f->tension_ids.items[i], &is_new);
        if (is_new && !cv_map_get(&resolved, f->tension_ids.items[i]))
            *CV_PUSH(f->a, &open) = f->tension_ids.items[i];
    }
    if (open.count == 0)
        return passed(CV_STR("Every tension is resolved"));
    cv_str ids = cv_arena_list(f->a, open.items, open.count);
    return failed(cv_arena_join(f->a, CV_STR("Not resolved: "), ids),
                  cv_arena_join(f->a, cv_arena_join(f->a, CV_STR("Add [RESOLVED "), ids),
                                CV_STR("] markers for each unresolved tension")));
}

static verdict scoreboard_present(const facts *f)
{
    return f->scoreboard ? passed(CV_STR("There is a scoreboard"))
                         : failed(CV_STR("There is no section 'Alignment Scoreboard'"),
                                  CV_STR("Add '## Alignment Scoreboard' section with W/C/T/R columns"));
}

static verdict inventories_present(const facts *f)
{
    if (f->perspectives && f->tensions_tracker)
        return passed(CV_STR("Inventory and tracker are there"));
    const char *missing = f->perspectives       ? "Tensions Tracker"
                          : f->tensions_tracker ? "Perspectives Inventory"
                                                : "Perspectives Inventory, Tensions Tracker";
    return failed(cv_arena_printf(f->a, "Not there: %s", missing),
                  cv_arena_printf(f->a, "Add '## %s' section(s)", missing));
}

static void find_duplicates(const facts *f, const cv_texts *ids, cv_texts *twice)
{
    cv_map seen = {0};
    for (size_t i = 0; i < ids->count; i++) {
        bool is_new;
        cv_map_put(&seen, f->a, ids->items[i], &is_new);
        if (!is_new)
            *CV_PUSH(f->a, twice) = ids->items[i];
    }
}

static verdict id_uniqueness(const facts *f)
{
    cv_texts twice = {0};
    find_duplicates(f, &f->perspective_ids, &twice);
    find_duplicates(f, &f->tension_ids, &twice);
    return twice.count == 0
               ? passed(CV_STR("No id is used twice"))
               : failed(cv_arena_join(f->a, CV_STR("Used again: "), cv_arena_list(f->a, twice.items, twice.count)),
                        CV_STR("Renumber duplicate IDs to be unique"));
}

static verdict round_sequencing(const facts *f)
{
    if (f->rounds.count == 0)
        return failed(CV_STR("There is no round"), CV_STR("Add '## Round 0' section"));
    for (size_t i = 0; i < f->rounds.count; i++)
        if (f->rounds.items[i] != (int64_t)i)
            return failed(cv_arena_join(f->a, CV_STR("Not 0, 1, 2, ...: "), list_rounds(f)),
                          CV_STR("Renumber rounds sequentially starting from 0"));
    return passed(CV_STR("Rounds count 0, 1, 2, ..."));
}

static verdict header_completeness(const facts *f)
{
    cv_str between = CV_STR("**, **"), list = {NULL, 0};
    const struct {
        bool there;
        cv_str name;
    } fields[] = {
        {f->draft, CV_STR("Draft")}, {f->participants, CV_STR("Participants")}, {f->has_status, CV_STR("Status")}};
    for (size_t i = 0; i < CV_COUNT(fields); i++)
        if (!fields[i].there)
            list = cv_arena_printf(f->a, "%.*s%.*s%.*s", CV_FMT(list), CV_FMT(cv_str_head(between, list.n ? 6 : 0)),
                                   CV_FMT(fields[i].name));
    return list.n == 0 ? passed(CV_STR("The head is complete"))
                       : failed(cv_arena_printf(f->a, "Not in the head: **%.*s**", CV_FMT(list)),
                                cv_arena_printf(f->a, "Add **%.*s**: fields to header", CV_FMT(list)));
}

static verdict scoreboard_math(const facts *f)
{
    if (!f->scoreboard || f->score_rows == 0)
        return passed(CV_STR("There is nothing to add up"));
    int64_t apart = f->score_sum - f->claimed;
    if (apart >= -2 && apart <= 2)
        return passed(cv_arena_printf(f->a, "The total is %lld", (long long)f->claimed));
    return failed(cv_arena_printf(f->a, "The total is %lld, the rows add up to %lld", (long long)f->claimed,
                                  (long long)f->score_sum),
                  cv_arena_printf(f->a, "Update **Total ALIGNMENT**: %lld to match sum of agent scores",
                                  (long long)f->score_sum));
}

static verdict round_numbering(const facts *f)
{
    if (f->rounds.count == 0)
        return passed(CV_STR("There is no round"));
    return f->rounds.items[0] == 0
               ? passed(CV_STR("Rounds begin with 0"))
               : failed(cv_arena_printf(f->a, "Rounds begin with %lld", (long long)f->rounds.items[0]),
                        CV_STR("Start round numbering at 0"));
}

static verdict emoji_consistency(const facts *f)
{
    return f->emoji_agents
               ? passed(cv_arena_printf(f->a, "%zu name%s with an emoji", f->emoji_agents, CV_PLURAL(f->emoji_agents)))
               : failed(CV_STR("No name in a heading is followed by an emoji"),
                        CV_STR("Add emoji to agent headers: ### Muffin 🧁"));
}

static verdict expert_panel(const facts *f)
{
    if (cv_str_find(f->text, CV_STR("Alignment Scoreboard")) == SIZE_MAX)
        return passed(CV_STR("Without a scoreboard no panel is needed"));
    return f->panel ? passed(CV_STR("There is a panel"))
                    : failed(CV_STR("There is no section 'Expert Panel'"),
                             CV_STR("Add '## Expert Panel' table with Agent/Role/Emoji columns"));
}

static const struct {
    cv_str name;
    cv_compat_weight weight;
    verdict (*check)(const facts *f);
} checks[CV_COMPAT_CHECKS] = {
    {CV_STR_INIT("rounds-present"), CV_COMPAT_CRITICAL, rounds_present},
    {CV_STR_INIT("markers-parseable"), CV_COMPAT_CRITICAL, markers_parseable},
    {CV_STR_INIT("convergence-gate"), CV_COMPAT_MAJOR, convergence_gate},
    {CV_STR_INIT("scoreboard-present"), CV_COMPAT_MAJOR, scoreboard_present},
    {CV_STR_INIT("inventories-present"), CV_COMPAT_MAJOR, inventories_present},
    {CV_STR_INIT("id-uniqueness"), CV_COMPAT_MAJOR, id_uniqueness},
    {CV_STR_INIT("round-sequencing"), CV_COMPAT_MAJOR, round_sequencing},
    {CV_STR_INIT("header-completeness"), CV_COMPAT_MINOR, header_completeness},
    {CV_STR_INIT("scoreboard-math"), CV_COMPAT_MINOR, scoreboard_math},
    {CV_STR_INIT("round-numbering"), CV_COMPAT_MINOR, round_numbering},
    {CV_STR_INIT("emoji-consistency"), CV_COMPAT_MINOR, emoji_consistency},
    {CV_STR_INIT("expert-panel"), CV_COMPAT_MINOR, expert_panel},
};

/* ---- the answer ------------------------------------------------------------------------------------------------- */

static double score_of(const cv_compat *c)
{
    return (double)c->earned / (double)c->total;
}

static cv_str grade(double score)
{
    return score >= 0.9   ? CV_STR("passes")
           : score >= 0.7 ? CV_STR("needs attention")
           : score >= 0.3 ? CV_STR("significant issues")
                          : CV_STR("failing");
}

void cv_compat_check(cv_arena *a, cv_str text, cv_compat *ret_compat)
{
    facts f = read_facts(a, text);
    cv_compat *c = ret_compat;
    *c = (cv_compat){0};
    for (size_t i = 0; i < CV_COMPAT_CHECKS; i++) {
        verdict v = checks[i].check(&f);
        c->checks[i] = (cv_compat_check_result){checks[i].name, checks[i].weight, v.pass, v.message, v.hint};
        c->total += (int)checks[i].weight;
        c->earned += v.pass ? (int)checks[i].weight : 0;
        c->passed += v.pass;
        c->failed += !v.pass;
        c->critical += !v.pass && checks[i].weight == CV_COMPAT_CRITICAL;
    }
    c->message = cv_arena_printf(a, "Dialogue score %.1f%%: %.*s (%d of %d checks)", 100 * score_of(c),
                                 CV_FMT(grade(score_of(c))), c->passed, CV_COMPAT_CHECKS);
}

bool cv_compat_passes(const cv_compat *compat)
{
    return score_of(compat) >= 0.9 && compat->critical == 0;
}

cv_str cv_compat_severity(cv_compat_weight weight)
{
    return weight == CV_COMPAT_CRITICAL ? CV_STR("critical")
           : weight == CV_COMPAT_MAJOR  ? CV_STR("major")
                                        : CV_STR("minor");
}

/* The shortest text that reads back as the same number. */
static void print_score(double score, cv_json_writer *w)
{
    char text[32];
    int n = 0;
    for (int digits = 1; digits <= 17; digits++) {
        n = snprintf(text, sizeof text, "%.*g", digits, score);
        if (strtod(text, NULL) == score)
            break;
    }
    bool whole = !memchr(text, '.', (size_t)n);
    n += whole ? snprintf(text + n, sizeof text - (size_t)n, ".0") : 0;
    cv_json_raw(w, (cv_str){text, (size_t)n});
}

static void print_check(const cv_compat_check_result *r, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "name", r->name);
    cv_json_key_str(w, "severity", cv_compat_severity(r->weight));
    cv_json_key_bool(w, "pass", r->pass);
    cv_json_key_str(w, "message", r->message);
    cv_json_key(w, CV_STR("fix_hint"));
    if (r->pass)
        cv_json_null(w);
    else
        cv_json_str(w, r->hint);
    cv_json_end_object(w);
}

void cv_compat_print_json(const cv_compat *compat, cv_json_writer *w)
{
    cv_json_key_str(w, "status", CV_STR("success"));
    cv_json_key_str(w, "message", compat->message);
    cv_json_key(w, CV_STR("score"));
    print_score(score_of(compat), w);
    cv_json_key_int(w, "checks_passed", compat->passed);
    cv_json_key_int(w, "checks_failed", compat->failed);
    cv_json_key(w, CV_STR("details"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < CV_COMPAT_CHECKS; i++)
        print_check(&compat->checks[i], w);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("critical_failures"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < CV_COMPAT_CHECKS; i++)
        if (!compat->checks[i].pass && compat->checks[i].weight == CV_COMPAT_CRITICAL)
            cv_json_str(w, compat->checks[i].message);
    cv_json_end_array(w);
}
