/* facts.c - the state of a dialogue; see facts.h. */
#include "run/facts.h"

void cv_facts_ask(const cv_call *call, cv_arena *a, const char *verb, cv_str dialogue_id, cv_str members,
                  cv_reply *ret_reply)
{
    cv_call own = *call;
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    own.arena = a;
    own.most = 0; /* it is for us, not for the caller */
    own.follower = (cv_follower){0};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", dialogue_id);
    if (members.n)
        cv_buf_printf(&input, ",%.*s", CV_FMT(members));
    cv_json_end_object(&w);
    cv_invoke(&own, CV_STR("dialogue"), cv_str_of(verb), cv_buf_take(&input, a), ret_reply);
}

static bool ask(const cv_call *call, cv_arena *a, const char *verb, cv_str id, cv_json *ret, cv_errs *errs)
{
    cv_reply reply;
    cv_facts_ask(call, a, verb, id, CV_STR(""), &reply);
    for (size_t i = 0; i < reply.errs.count; i++)
        cv_errs_keep(errs, call->arena, &reply.errs.items[i]);
    *ret = reply.json;
    return reply.done;
}

static cv_words words_of(cv_arena *a, const cv_json *list)
{
    cv_str *items = CV_NEW_ARRAY(a, list ? list->count : 0, cv_str);
    for (uint32_t i = 0; list && i < list->count; i++)
        items[i] = list->items[i].text;
    return (cv_words){items, list ? list->count : 0};
}

static void read_progress(cv_arena *a, const cv_json *progress, cv_facts *f)
{
    const cv_json *convergence = cv_json_get(progress, CV_STR("convergence"));
    const cv_json *blockers = cv_json_get(convergence, CV_STR("blockers"));
    f->title = cv_json_get_text(progress, "title");
    f->status = cv_json_get_text(progress, "dialogue_status");
    f->next_round = cv_json_get_int(progress, "next_round", cv_json_get_int(progress, "current_round", -1) + 1);
    f->converged = cv_json_get_true(convergence, "converged");
    f->percentage = cv_json_get_int(convergence, "percentage", 0);
    f->decided = cv_str_eq(f->status, CV_STR("converged"));
    f->abandoned = cv_str_eq(f->status, CV_STR("abandoned"));
    f->blockers = f->converged ? CV_STR("") : cv_json_get_json(a, convergence, "blockers");
    f->undecided = words_of(a, cv_json_get(blockers, CV_STR("dissent_not_registered")));
}

static const cv_json *expert_of(const cv_json *get, const char *list, const char *key, cv_str slug)
{
    const cv_json *all = cv_json_get(get, cv_str_of(list));
    for (uint32_t i = 0; all && i < all->count; i++)
        if (cv_str_eq(cv_json_get_text(&all->items[i], key), slug))
            return &all->items[i];
    return NULL;
}

static cv_words names_of(cv_arena *a, const cv_json *experts)
{
    size_t count = experts ? experts->count : 0;
    cv_str *names = CV_NEW_ARRAY(a, 2 * count, cv_str);
    for (uint32_t i = 0; i < count; i++) {
        names[2 * i] = cv_json_get_text(&experts->items[i], "expert_slug");
        names[2 * i + 1] = cv_json_get_text(&experts->items[i], "role");
    }
    return (cv_words){names, 2 * count};
}

static void read_seats(cv_arena *a, const cv_json *get, const cv_json *verify, cv_facts *f)
{
    const cv_json *experts = cv_json_get(verify, CV_STR("experts"));
    f->seats = CV_NEW_ARRAY(a, experts ? experts->count : 0, cv_fact_seat);
    for (uint32_t i = 0; experts && i < experts->count; i++) {
        const cv_json *one = &experts->items[i];
        cv_str slug = cv_json_get_text(one, "expert");
        const cv_json *row = expert_of(get, "experts", "expert_slug", slug),
                      *seat = expert_of(get, "panel", "slug", slug);
        if (!cv_json_get_true(one, "seated"))
            continue;
        f->seats[f->seat_count++] =
            (cv_fact_seat){.slug = slug,
                           .name = seat ? cv_json_get_text(seat, "name") : slug,
                           .role = cv_json_get_text(row, "role"),
                           .tier = cv_json_get_text(row, "tier"),
                           .responded = !cv_str_eq(cv_json_get_text(one, "state"), CV_STR("missing"))};
    }
}

/* The final verdict has replaced an interim one; the others are kept beside it. */
static void read_dissents(cv_arena *a, const cv_json *others, cv_facts *f)
{
    f->dissents = CV_NEW_ARRAY(a, others ? others->count : 0, cv_fact_dissent);
    for (uint32_t i = 0; others && i < others->count; i++) {
        const cv_json *one = &others->items[i];
        if (!cv_str_eq(cv_json_get_text(one, "verdict_type"), CV_STR("interim")))
            f->dissents[f->dissent_count++] =
                (cv_fact_dissent){.type = cv_json_get_text(one, "verdict_type"),
                                  .expert = cv_json_get_text(one, "author_expert"),
                                  .recommendation = cv_json_get_text(one, "recommendation")};
    }
}

static bool read_decision(const cv_call *call, cv_arena *a, cv_facts *f, cv_errs *errs)
{
    cv_json show;
    if (!ask(call, a, "show", f->dialogue_id, &show, errs))
        return false;
    const cv_json *decision = cv_json_get(&show, CV_STR("decision"));
    f->verdict = cv_json_get_text(decision, "recommendation");
    f->reasons = cv_json_get_text(decision, "description");
    f->vote = cv_json_get_text(decision, "vote");
    f->confidence = cv_json_get_text(decision, "confidence");
    f->conditions = cv_json_get_json(a, decision, "conditions");
    read_dissents(a, cv_json_get(&show, CV_STR("verdicts")), f);
    return true;
}

bool cv_facts_read(const cv_call *call, cv_arena *a, cv_str dialogue_id, cv_facts *ret, cv_errs *errs)
{
    cv_json get, progress, verify;
    *ret = (cv_facts){.dialogue_id = dialogue_id};
    if (!ask(call, a, "progress", dialogue_id, &progress, errs) || !ask(call, a, "get", dialogue_id, &get, errs))
        return false;
    read_progress(a, &progress, ret);
    const cv_json *dialogue = cv_json_get(&get, CV_STR("dialogue"));
    ret->question = cv_json_get_text(dialogue, "question");
    if (ret->decided)
        return read_decision(call, a, ret, errs);
    if (ret->abandoned)
        return true;
    if (!ask(call, a, "round-verify", dialogue_id, &verify, errs))
        return false;
    ret->names = names_of(a, cv_json_get(&get, CV_STR("experts")));
    read_seats(a, &get, &verify, ret);
    return true;
}
