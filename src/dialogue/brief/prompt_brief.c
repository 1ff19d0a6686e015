/* prompt_brief.c - the brief of an expert who is new, in the six parts that the specification asks for; see prompt.h.
 *
 *     1 the question          4 the mandate
 *     2 the background        5 relevant prior work, quoted in full
 *     3 why you are here      6 how far the dialogue has come
 */
#include "dialogue/brief/prompt.h"

#include "base/utf8.h"
#include "dialogue/brief/story.h"
#include "dialogue/text/doc.h"
#include "kit/frame.h"

enum {
    MOST_QUOTED = 12,   /* items in full; the rest by id: all of it is in the prior rounds */
    MOST_SUMMARY = 400, /* bytes of a synthesis in the list of rounds; it is in full below */
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Lines behind '>' are quotation to people; what looks like a mark in them is quoted, too. */
static void quotation(const cv_prompt *p, cv_str text)
{
    cv_str rest = cv_text_tidy(p->v->a, text), line;
    if (rest.n == 0)
        cv_buf_add_z(p->out, "> (no text)\n");
    while (cv_str_split(&rest, '\n', &line)) {
        cv_buf_add_z(p->out, line.n ? "> " : ">");
        cv_buf_add(p->out, cv_line_quote(p->v->a, line));
        cv_buf_add_char(p->out, '\n');
    }
    cv_buf_add_char(p->out, '\n');
}

static void list_items(const cv_prompt *p, const uint32_t *items, size_t from, size_t end, bool labels)
{
    for (size_t i = from; i < end; i++) {
        cv_buf_add_z(p->out, i == from ? "" : i + 1 == end ? " and " : ", ");
        if (labels)
            cv_story_item(p->v, &p->v->items.items[items[i]], p->out);
        else
            cv_buf_add(p->out, p->v->items.items[items[i]].id);
    }
}

static size_t open_subjects(const cv_prompt *p, const cv_relevance *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->subjects.count; i++) {
        const cv_view_item *item = &p->v->items.items[r->subjects.items[i]];
        count += item->kind == CV_KIND_TENSION && cv_view_is_open(item);
    }
    return count;
}

static size_t at_most(size_t count)
{
    return count < MOST_QUOTED ? count : MOST_QUOTED;
}

/* ---- 1 to 4 ------------------------------------------------------------------------------------------------------ */

static void write_question(const cv_prompt *p)
{
    cv_str question = cv_text_tidy(p->v->a, p->v->s.dialogue.question);
    cv_buf_add_z(p->out, "### The Dialogue Question\n\n");
    if (question.n == 0)
        cv_buf_printf(p->out, "No question was written down; the dialogue is about its title.\n\n");
    else if (cv_str_find_char(question, '\n') != SIZE_MAX)
        quotation(p, question);
    else
        cv_buf_printf(p->out, "**%.*s**\n\n", CV_FMT(cv_prompt_line(p->v->a, question)));
}

static void write_why(const cv_prompt *p, const cv_relevance *r)
{
    static const char *const about[] = {
        [CV_RELEVANT_NAMED] = "It is about ",
        [CV_RELEVANT_BY_WORDS] = "Nearest to your field among what was said: ",
        [CV_RELEVANT_OPEN] = "These tensions wait for an answer: ",
    };
    _Static_assert(CV_COUNT(about) == CV_RELEVANT_OPEN + 1, "a beginning for every reason");
    const cv_view_member *m = p->member;
    cv_buf_add_z(p->out, "### Why You're Here\n\n");
    if (p->words.framing.n) {
        cv_buf_add(p->out, cv_fence_closed(p->v->a, cv_text_tidy(p->v->a, p->words.framing)));
        cv_buf_add_z(p->out, "\n\n");
    }
    cv_buf_add_z(p->out, m->source == CV_SOURCE_CREATED ? "You were created for this dialogue as "
                                                        : "You were drawn from the pool of experts as ");
    cv_buf_add(p->out, cv_prompt_line(p->v->a, m->expert->role));
    cv_buf_printf(p->out, " and join in round %lld.", (long long)p->v->round);
    if (m->expert->creation_reason.n) {
        cv_buf_add_z(p->out, " The reason:\n\n");
        quotation(p, m->expert->creation_reason);
    } else {
        cv_buf_add_z(p->out, "\n\n");
    }
    if (r->subjects.count == 0)
        return;
    cv_buf_add_z(p->out, about[r->why]);
    list_items(p, r->subjects.items, 0, at_most(r->subjects.count), true);
    cv_buf_add_z(p->out, r->subjects.count > MOST_QUOTED ? " and others.\n\n" : ".\n\n");
}

static void write_mandate(const cv_prompt *p, const cv_relevance *r)
{
    cv_str field = p->member->focus.n ? p->member->focus : p->member->expert->role;
    size_t open = open_subjects(p, r);
    int number = 1;
    cv_buf_add_z(p->out, "### Your Mandate\n\n");
    if (p->words.mandate.n) {
        cv_buf_add(p->out, cv_fence_closed(p->v->a, cv_text_tidy(p->v->a, p->words.mandate)));
        cv_buf_add_z(p->out, "\n\n");
        return;
    }
    cv_buf_printf(p->out, "%d. Say what the question looks like from your field: ", number++);
    cv_buf_add(p->out, cv_prompt_line(p->v->a, field));
    cv_buf_add_z(p->out, ".\n");
    for (size_t i = 0; i < r->subjects.count && number <= MOST_QUOTED; i++) {
        const cv_view_item *item = &p->v->items.items[r->subjects.items[i]];
        if (open && (item->kind != CV_KIND_TENSION || !cv_view_is_open(item)))
            continue;
        cv_buf_printf(p->out, "%d. %s ", number++, open ? "Settle, or say what would settle," : "Take a stand on");
        cv_story_item(p->v, item, p->out);
        cv_buf_add_z(p->out, ".\n");
    }
    if (r->related.count) {
        cv_buf_printf(p->out, "%d. Support, oppose, refine or question what was said about it: ", number++);
        list_items(p, r->related.items, 0, at_most(r->related.count), false);
        cv_buf_add_z(p->out, ".\n");
    }
    cv_buf_printf(p->out, "%d. Recommend what to do, or say what makes it impossible.\n\n", number);
}

/* ---- 5 and 6 ----------------------------------------------------------------------------------------------------- */

static void quote_item(const cv_prompt *p, uint32_t i)
{
    const cv_view *v = p->v;
    const cv_view_item *item = &v->items.items[i];
    cv_buf_printf(p->out, "**%.*s: ", CV_FMT(item->id));
    cv_buf_add(p->out, cv_prompt_line(v->a, item->row->label));
    cv_buf_add_z(p->out, "** (");
    cv_story_names(v, item->by, (cv_str){NULL, 0}, p->out);
    const cv_rec_expert *alone =
        item->by->count == 1 && !v->anonymous ? cv_state_expert(&v->s, item->by->items[0]) : NULL;
    if (alone) {
        cv_buf_add_z(p->out, ", ");
        cv_buf_add(p->out, cv_prompt_line(v->a, alone->role));
    }
    cv_buf_printf(p->out, ", Round %lld, %.*s):\n", (long long)item->row->round, CV_FMT(item->status));
    quotation(p, item->row->content);
}

static void write_prior_work(const cv_prompt *p, const cv_relevance *r)
{
    size_t first = at_most(r->subjects.count), room = MOST_QUOTED - first;
    size_t second = r->related.count < room ? r->related.count : room;
    cv_buf_add_z(p->out, "### Relevant Prior Work\n\n");
    size_t frame = first + second ? cv_frame_begin(p->out) : 0;
    for (size_t i = 0; i < first; i++)
        quote_item(p, r->subjects.items[i]);
    for (size_t i = 0; i < second; i++)
        quote_item(p, r->related.items[i]);
    if (frame) {
        cv_frame_end(p->out, frame);
        cv_buf_add_char(p->out, '\n');
    }
    if (first == 0)
        cv_buf_add_z(p->out, "Nothing that was said so far concerns you more than the rest of it.\n\n");
    if (first < r->subjects.count || second < r->related.count) {
        cv_buf_add_z(p->out, "More of it, in the prior rounds below: ");
        list_items(p, r->subjects.items, first, r->subjects.count, false);
        cv_buf_add_z(p->out, first < r->subjects.count && second < r->related.count ? ", " : "");
        list_items(p, r->related.items, second, r->related.count, false);
        cv_buf_add_z(p->out, ".\n\n");
    }
}

static void write_progress(const cv_prompt *p)
{
    const cv_view *v = p->v;
    int64_t fresh = 0;
    cv_buf_add_z(p->out, "### Dialogue Progress\n\n");
    for (size_t i = 0; i < v->rounds.count; i++) {
        const cv_rec_round *row = v->rounds.items[i].row;
        cv_str summary = cv_line_quote(v->a, cv_utf8_excerpt(v->a, cv_squeeze(v->a, row->summary), MOST_SUMMARY));
        cv_buf_printf(p->out, "- **Round %lld (Score: %lld):** ", (long long)row->round,
                      (long long)(row->score == CV_ABSENT ? 0 : row->score));
        cv_buf_add(p->out, summary.n ? summary : CV_STR("no synthesis was written."));
        cv_buf_add_char(p->out, '\n');
    }
    for (size_t i = 0; i < v->items.count; i++)
        fresh += v->items.items[i].kind == CV_KIND_PERSPECTIVE && v->items.items[i].row->round == v->round - 1;
    cv_buf_printf(p->out,
                  "- **Current ALIGNMENT:** %lld; **velocity:** %lld (%zu open tension%s, %lld perspective%s new in "
                  "the last round)\n",
                  (long long)v->total, (long long)v->open_tensions + (long long)fresh, v->open_tensions,
                  CV_PLURAL(v->open_tensions), (long long)fresh, CV_PLURAL(fresh));
}

void cv_prompt_brief(const cv_prompt *p)
{
    cv_relevance r;
    cv_relevance_find(p->v, p->member, &r);
    cv_buf_printf(p->out, "## Context Brief (You are joining in Round %lld)\n\n", (long long)p->v->round);
    write_question(p);
    cv_prompt_background(p, "### Background");
    write_why(p, &r);
    write_mandate(p, &r);
    write_prior_work(p, &r);
    write_progress(p);
}
