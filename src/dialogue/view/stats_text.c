/* stats_text.c - all dialogues of a project, as a page for people; see stats.h. */
#include "dialogue/view/chart.h"
#include "dialogue/view/stats.h"

enum { NAME = 17, NUMBER = 7, DATE = 10 };

/* ", 3 open": what is none is not told. */
static void say_word(cv_chart *c, int64_t count, cv_str word, bool *any)
{
    if (count == 0)
        return;
    cv_chart_say(c, "%s%lld %.*s", *any ? ", " : "", (long long)count, CV_FMT(word));
    *any = true;
}

static void say_words(cv_chart *c, cv_words words, const int64_t *counters)
{
    bool any = false;
    for (size_t i = 0; i < words.count; i++)
        say_word(c, counters[i], words.items[i], &any);
}

static void say_row(cv_chart *c, cv_str name, int64_t total)
{
    cv_chart_cell(c, name, NAME, CV_CHART_LEFT);
    cv_chart_int(c, total, NUMBER);
    cv_chart_say(c, "  ");
}

static void say_average(cv_chart *c, const char *name, int64_t sum, int64_t count)
{
    say_row(c, cv_str_of(name), sum);
    cv_chart_say(c, "%.1f in a dialogue that has any", (double)sum / (double)count);
    cv_chart_line(c);
}

static void say_counts(cv_chart *c, const cv_stats *s)
{
    int64_t verdicts = 0;
    say_row(c, CV_STR("dialogues"), s->total);
    say_words(c, cv_dialogue_words, s->dialogues);
    cv_chart_line(c);
    if (s->total == 0)
        return;
    if (s->begun > 0) {
        say_average(c, "rounds", s->rounds, s->begun);
        say_average(c, "alignment", s->score, s->begun);
    }
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        bool any = false;
        say_row(c, cv_kinds[kind].plural, cv_stats_of_kind(s, (cv_kind)kind));
        for (int status = 0; status < CV_STATUS_COUNT; status++)
            if (cv_statuses[status].kind == (cv_kind)kind)
                say_word(c, s->entities[status], cv_statuses[status].word, &any);
        cv_chart_line(c);
    }
    for (size_t i = 0; i < CV_VERDICT_COUNT; i++)
        verdicts += s->verdicts[i];
    say_row(c, CV_STR("verdicts"), verdicts);
    say_words(c, cv_verdict_words, s->verdicts);
    cv_chart_line(c);
    say_row(c, CV_STR("… with confidence"), verdicts - s->no_confidence);
    say_words(c, cv_confidence_words, s->confidence);
    cv_chart_line(c);
}

static void say_experts(cv_chart *c, const cv_stats *s)
{
    if (s->experts.count == 0)
        return;
    cv_chart_line(c);
    cv_chart_head(c, "rank  expert            dialogues   score");
    for (size_t i = 0; i < s->experts.count; i++) {
        const cv_stats_expert *e = &s->experts.items[i];
        cv_chart_int(c, (int64_t)i + 1, 4);
        cv_chart_say(c, "  ");
        cv_chart_cell(c, e->slug, NAME, CV_CHART_LEFT);
        cv_chart_int(c, e->dialogues, 10);
        cv_chart_int(c, e->score, 8);
        cv_chart_line(c);
    }
}

static void say_recent(cv_chart *c, const cv_stats *s)
{
    if (s->recent.count == 0)
        return;
    cv_chart_line(c);
    cv_chart_head(c, "created     status      rounds  alignment  dialogue");
    for (size_t i = 0; i < s->recent.count; i++) {
        const cv_stats_dialogue *d = &s->recent.items[i];
        cv_chart_cell(c, cv_str_head(d->row.created_at, DATE), DATE, CV_CHART_LEFT);
        cv_chart_say(c, "  ");
        cv_chart_status(c, d->row.status, 10);
        cv_chart_int(c, d->row.total_rounds, 8);
        cv_chart_int(c, d->row.total_alignment, 11);
        cv_chart_say(c, "  ");
        cv_chart_text(c, d->id, cv_chart_width(c) - 43);
        cv_chart_line(c);
    }
}

cv_str cv_stats_text(cv_chart c, const cv_stats *s)
{
    say_counts(&c, s);
    say_experts(&c, s);
    say_recent(&c, s);
    return cv_chart_take(&c);
}
