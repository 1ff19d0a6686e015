/* consult.c - the rules of the consultant overlay; see consult.h. */
#include "chat/consult.h"

#include "base/utf8.h"
#include "chat/words/errors.h"
#include "kit/fault.h"

static const cv_str consultant = CV_STR_INIT("Consultant"), override_type = CV_STR_INIT("USER_OVERRIDE");

/* ---- what was said ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_consult_state *state;
    int kind; /* -1: an override */
} taking;

static bool take(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    taking *t = ctx;
    cv_arena *a = t->state->arena;
    const cv_chat_message_row *copy = cv_row_copy(a, &cv_chat_message_row_type, row);
    (void)scope, (void)err;
    if (t->kind >= 0)
        *CV_PUSH(a, &t->state->kinds[t->kind]) = *copy;
    else
        *CV_PUSH(a, &t->state->overrides) = *copy;
    return true;
}

bool cv_consult_load(cv_call *call, const cv_chat_place *place, cv_consult_state *ret, cv_err *err)
{
    cv_chat_message_row likes[CV_CONSULT_COUNT + 1];
    taking takings[CV_CONSULT_COUNT + 1];
    cv_lookup lookups[CV_CONSULT_COUNT + 1];
    *ret = (cv_consult_state){.arena = call->arena};
    for (int i = 0; i <= CV_CONSULT_COUNT; i++) {
        likes[i] = (cv_chat_message_row){.type = i < CV_CONSULT_COUNT ? cv_consults[i].type : override_type};
        takings[i] = (taking){ret, i < CV_CONSULT_COUNT ? i : -1};
        lookups[i] = (cv_lookup){{.type = &cv_chat_message_row_type,
                                  .scope = place->scope,
                                  .index = cv_chat_messages_by_type,
                                  .like = &likes[i],
                                  .equal = 1},
                                 take,
                                 &takings[i]};
    }
    return call->record->calls->find_all(call->record, lookups, CV_COUNT(lookups), err);
}

static cv_str domain_of(cv_consult_kind kind, cv_str body)
{
    return cv_field_line(cv_consult_get(kind, body, "CONSULT_DOMAIN"));
}

static bool speaks_as_consultant(const cv_chat_message_row *m)
{
    return cv_chat_has_role(m->sender, consultant) || m->behalf.n;
}

/* Does the response answer this message? */
static bool answers(const cv_chat_message_row *response, cv_consult_kind kind, const cv_chat_message_row *m)
{
    cv_str domain = domain_of(kind, m->body), echoed = domain_of(CV_CONSULT_RESPONSE, response->body);
    if (response->number <= m->number || !speaks_as_consultant(response))
        return false;
    if (response->reply_to > 0 && response->reply_to != m->number)
        return false;
    return domain.n ? cv_str_eq_nocase(domain, echoed) : response->reply_to == m->number;
}

/* M1000 is not named by a text with M10000. */
static bool is_named(cv_str text, cv_str id)
{
    for (size_t at; (at = cv_str_find(text, id)) != SIZE_MAX; text = cv_str_from(text, at + id.n)) {
        bool begins = at == 0 || !cv_is_alnum(text.p[at - 1]);
        if (begins && (at + id.n == text.n || !cv_is_digit(text.p[at + id.n])))
            return true;
    }
    return false;
}

static bool is_overridden(const cv_consult_state *s, const cv_chat_message_row *m)
{
    for (size_t i = 0; i < s->overrides.count; i++) {
        const cv_chat_message_row *o = &s->overrides.items[i];
        if (o->number > m->number && cv_str_eq(o->standing, CV_STR("verified")) &&
            (o->reply_to == m->number || is_named(o->body, cv_chat_number_print(s->arena, m->number))))
            return true;
    }
    return false;
}

bool cv_consult_is_cleared(const cv_consult_state *s, cv_consult_kind kind, const cv_chat_message_row *m)
{
    bool ok = false;
    for (size_t i = 0; i < s->kinds[CV_CONSULT_RESPONSE].count; i++)
        if (answers(&s->kinds[CV_CONSULT_RESPONSE].items[i], kind, m))
            ok = cv_consult_answer_of(s->kinds[CV_CONSULT_RESPONSE].items[i].body) == CV_ANSWER_YES;
    return ok || is_overridden(s, m);
}

bool cv_consult_concerns(cv_consult_kind kind, const cv_chat_message_row *m, cv_str who)
{
    if (kind == CV_CONSULT_BLOCKER)
        return cv_chat_is_for(m->sender, m->tags, who);
    cv_str role = cv_field_line(cv_consult_get(kind, m->body, "requester_role"));
    role = cv_str_starts(role, CV_STR("@")) ? cv_str_from(role, 1) : role;
    return kind == CV_CONSULT_REQUEST && (cv_str_eq(m->sender, who) || (role.n && cv_chat_has_role(who, role)));
}

cv_str cv_consult_remedy(cv_arena *a, cv_consult_kind kind, const cv_chat_message_row *m)
{
    cv_str domain = domain_of(kind, m->body), id = cv_chat_number_print(a, m->number);
    return cv_arena_printf(a,
                           "a CONSULT_RESPONSE of %s%.*s with OK_TO_PROCEED: yes, or a verified person's USER_OVERRIDE "
                           "that names %.*s",
                           domain.n ? "CONSULT_DOMAIN " : "a Consultant that replies to ",
                           CV_FMT(domain.n ? domain : id), CV_FMT(id));
}

/* ---- domains ----------------------------------------------------------------------------------------------------- */

/* Is the domain a name, not a path? */
static bool is_domain_name(cv_str domain)
{
    return domain.n > 0 && domain.n <= 100 && domain.p[0] != '.' && !cv_str_has_control(domain) &&
           cv_str_find_char(domain, '/') == SIZE_MAX && cv_str_find_char(domain, '\\') == SIZE_MAX &&
           cv_utf8_valid(domain) == domain.n;
}

static bool has_profile(const cv_call *call, cv_str domain)
{
    const cv_where folder = {call->root, CV_CONSULTANTS};
    return is_domain_name(domain) &&
           cv_where_is_regular(cv_where_printf(call->arena, folder, "%.*s.md", CV_FMT(domain)));
}

/* ---- what a message needs ---------------------------------------------------------------------------------------- */

static bool is_none(cv_str domain)
{
    return cv_str_eq_nocase(domain, CV_STR("none"));
}

/* What is said once (i/n) is said to the end, there or later. */
static void lint_batches(const cv_consult_state *s, const cv_chat_message_row *m, cv_consult_tell tell, void *ctx)
{
    unsigned of = 0, more;
    uint64_t there = cv_consult_batch(m->body, &of), own = there;
    for (size_t i = 0; i < s->kinds[CV_CONSULT_RESPONSE].count; i++) {
        const cv_chat_message_row *other = &s->kinds[CV_CONSULT_RESPONSE].items[i];
        if (other->number > m->number && cv_str_eq(other->sender, m->sender)) {
            uint64_t later = cv_consult_batch(other->body, &more);
            there |= more == of ? later : 0;
        }
    }
    for (unsigned i = 0; i < of; i++)
        if (!(there >> i & 1) && !(own >> i)) /* what comes behind its own ones */
            tell(ctx, "question_missing", false,
                 cv_arena_printf(s->arena, "a batch of %u questions has no (%u/%u)", of, i + 1, of));
}

static void lint_domain(const cv_call *call, cv_consult_kind kind, const cv_chat_message_row *m, cv_consult_tell tell,
                        void *ctx)
{
    cv_arena *a = call->arena;
    cv_str domain = domain_of(kind, m->body);
    if (!domain.n)
        return;
    if (!is_domain_name(domain)) {
        tell(ctx, "consult_domain", true,
             cv_arena_printf(a,
                             "CONSULT_DOMAIN '%.*s' is not a name: no '/', no '\\', no '.' in front, at most 100 bytes",
                             CV_FMT(cv_excerpt(a, domain))));
        return;
    }
    if (kind == CV_CONSULT_RESPONSE && !is_none(domain) && !has_profile(call, domain) &&
        cv_str_find_nocase(m->body, CV_STR("fallback")) == SIZE_MAX)
        tell(ctx, "fallback_missing", false,
             cv_arena_printf(a,
                             "there is no profile " CV_CONSULTANTS
                             "/%.*s.md: the response must state its fallback, in a "
                             "line 'fallback: …'",
                             CV_FMT(domain)));
}

/* The fields that the table asks for; a missing domain of a request has an answer of its own. */
static void lint_fields(const cv_call *call, cv_consult_kind kind, const cv_chat_message_row *m, bool stored,
                        cv_consult_tell tell, void *ctx)
{
    for (size_t i = 0; i < cv_consult_field_count; i++) {
        const cv_consult_field *f = &cv_consult_fields[i];
        if (f->of != kind || cv_field_find(m->body, f->spellings).n)
            continue;
        bool ask = stored && kind == CV_CONSULT_REQUEST && cv_str_eq(f->name, CV_STR("CONSULT_DOMAIN"));
        tell(ctx, ask ? "consult_domain_missing" : "consult_field", f->required,
             ask ? CV_STR(
                       "CONSULT_DOMAIN is missing: the consultant asks for it (one question, '(1/1) …'), or infers it "
                       "and labels it as an inference with its risk")
                 : cv_arena_printf(call->arena, "%.*s is missing in a %.*s", CV_FMT(f->name),
                                   CV_FMT(cv_consults[kind].type)));
    }
    if (kind == CV_CONSULT_RESPONSE && cv_consult_answer_of(m->body) == CV_ANSWER_UNCLEAR)
        tell(ctx, "consult_field", true, CV_STR("OK_TO_PROCEED must be yes or no, and not both"));
}

/* The request that a response answers; NULL: none. */
static const cv_chat_message_row *request_of(const cv_consult_state *s, const cv_chat_message_row *response)
{
    const cv_chat_message_row *found = NULL;
    cv_str echoed = domain_of(CV_CONSULT_RESPONSE, response->body);
    for (int kind = 0; kind < CV_CONSULT_COUNT; kind++) {
        if (kind != CV_CONSULT_REQUEST && kind != CV_CONSULT_BLOCKER)
            continue;
        for (size_t i = 0; i < s->kinds[kind].count; i++) {
            const cv_chat_message_row *m = &s->kinds[kind].items[i];
            bool named = response->reply_to > 0 && response->reply_to == m->number;
            bool guessed = response->reply_to <= 0 && m->number < response->number &&
                           cv_str_eq_nocase(echoed, domain_of((cv_consult_kind)kind, m->body));
            if ((named || guessed) && (!found || m->number > found->number))
                found = m;
        }
    }
    return found;
}

static void lint_match(const cv_consult_state *s, const cv_chat_message_row *m, cv_consult_tell tell, void *ctx)
{
    const cv_chat_message_row *request = request_of(s, m);
    if (!request) {
        tell(ctx, "consult_unmatched", false, CV_STR("no CONSULT_REQUEST with this CONSULT_DOMAIN was found"));
        return;
    }
    cv_consult_kind kind = (cv_consult_kind)cv_consult_of(request->type);
    cv_str wanted = domain_of(kind, request->body), echoed = domain_of(CV_CONSULT_RESPONSE, m->body);
    if (wanted.n && echoed.n && !cv_str_eq_nocase(wanted, echoed))
        tell(ctx, "consult_domain", true,
             cv_arena_printf(
                 s->arena, "CONSULT_DOMAIN is '%.*s', but %.*s asks for '%.*s'", CV_FMT(cv_excerpt(s->arena, echoed)),
                 CV_FMT(cv_chat_number_print(s->arena, request->number)), CV_FMT(cv_excerpt(s->arena, wanted))));
}

/* Who may send it, and to whom. */
static void lint_roles(const cv_call *call, cv_consult_kind kind, const cv_chat_message_row *m, cv_consult_tell tell,
                       void *ctx)
{
    const cv_consult_row *row = &cv_consults[kind];
    cv_str rest = m->tags, tag;
    if (row->from.n && !cv_chat_has_role(m->sender, row->from) && !m->behalf.n)
        tell(ctx, "consult_role", true,
             cv_arena_printf(call->arena, "a %.*s is sent by a %.*s, or on behalf of one (on_behalf_of)",
                             CV_FMT(row->type), CV_FMT(row->from)));
    bool meant = !row->to.n;
    while (cv_chat_next_tag(&rest, &tag))
        meant = meant || cv_str_eq(cv_chat_role_of(tag), row->to) || cv_chat_has_role(tag, row->to) ||
                cv_str_eq(tag, CV_STR("All"));
    if (!meant && m->tags.n)
        tell(ctx, "consult_role", true,
             cv_arena_printf(call->arena, "a %.*s goes to a %.*s: tag @%.*s", CV_FMT(row->type), CV_FMT(row->to),
                             CV_FMT(row->to)));
}

static void lint(const cv_call *call, const cv_consult_state *s, cv_consult_kind kind, const cv_chat_message_row *m,
                 bool stored, cv_consult_tell tell, void *ctx)
{
    lint_roles(call, kind, m, tell, ctx);
    lint_fields(call, kind, m, stored, tell, ctx);
    lint_domain(call, kind, m, tell, ctx);
    if (kind == CV_CONSULT_RESPONSE)
        lint_match(s, m, tell, ctx);
    if (kind == CV_CONSULT_RESPONSE && stored)
        lint_batches(s, m, tell, ctx);
}

void cv_consult_lint(const cv_call *call, const cv_consult_state *s, cv_consult_kind kind, const cv_chat_message_row *m,
                     cv_consult_tell tell, void *ctx)
{
    lint(call, s, kind, m, true, tell, ctx);
}

/* ---- before it is sent ------------------------------------------------------------------------------------------- */

typedef struct {
    cv_call *call;
    cv_policy_measure measure;
    cv_notices *warnings;
} judging;

static void judge(void *ctx, const char *code, bool required, cv_str text)
{
    judging *j = ctx;
    bool role = strcmp(code, "consult_role") == 0;
    if (!role && j->measure == CV_POLICY_ACCEPT)
        return;
    if (role || (required && j->measure == CV_POLICY_REFUSE)) {
        cv_err *fault = cv_refuse(j->call, role ? CV_ERR_CONSULT_ROLE : CV_ERR_CONSULT_FIELD, CV_STR(""),
                                  role ? "from" : "body", CV_STR(""), "%.*s", CV_FMT(text));
        cv_err_suggest(fault, role ? CV_STR("send it as that role, or with another type")
                                   : CV_STR("add the line to the body; 'conclave help chat-consult' lists the fields"));
        return;
    }
    cv_notice_add(j->warnings, j->call->arena, CV_STR("consult"), "%.*s", CV_FMT(text))->field = CV_STR("body");
}

void cv_consult_check(cv_call *call, const cv_chat_place *place, const cv_chat_policy *policy, const cv_chat_draft *d,
                      cv_notices *warnings)
{
    int kind = cv_consult_of(d->type);
    cv_consult_state state;
    cv_err err = {.arena = call->arena};
    judging j = {call, policy->consult, warnings};
    if (kind < 0)
        return;
    if (!cv_consult_load(call, place, &state, &err)) {
        cv_call_fail(call, &err);
        return;
    }
    const cv_chat_message_row row = {.number = INT64_MAX,
                                     .sender = d->from,
                                     .type = d->type,
                                     .tags = d->tags,
                                     .behalf = d->behalf,
                                     .reply_to = d->re > 0 ? d->re : CV_ABSENT,
                                     .body = d->body};
    lint(call, &state, (cv_consult_kind)kind, &row, false, judge, &j);
}
