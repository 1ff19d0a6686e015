/* full_json.c - dialogue.json as the specification prints it, in both of its shapes; see full_dialogue.h.
 *
 *     "rounds_data": [{"round", "score", "experts": {"muffin": {"score", "actions"}}}]                  items: "origin"
 *     "rounds": [{"round", "title", "score", "experts": {"muffin": {"score", "raw", "mapping"}}}]       items: "round"
 *
 * A position, the reason of a reference and that a text was corrected are taken where they are.
 *
 * Neither carries a record: what they say is registered again. Names of members are taken in both spellings
 * (tensionsResolved, tensions_resolved). The report lists what they name and do not hold.
 */
#include "dialogue/import/dates.h"
#include "dialogue/import/full_dialogue.h"

static bool is_list(const cv_json *value)
{
    return value && value->type == CV_JSON_ARRAY;
}

static bool is_object(const cv_json *value)
{
    return value && value->type == CV_JSON_OBJECT;
}

/* A member by its name, or by the same in the other spelling. */
static const cv_json *member(cv_arena *a, const cv_json *object, const char *name)
{
    const cv_json *found = cv_json_get(object, cv_str_of(name));
    char *camel = cv_arena_copy_z(a, cv_str_of(name));
    size_t n = 0;
    for (size_t i = 0; name[i]; i++)
        camel[n++] = name[i] == '_' && name[i + 1] ? cv_upper(name[++i]) : name[i];
    return found ? found : cv_json_get(object, (cv_str){camel, n});
}

static cv_str text_of(cv_arena *a, const cv_json *object, const char *name)
{
    const cv_json *value = member(a, object, name);
    return value && value->type == CV_JSON_STRING ? value->text : (cv_str){NULL, 0};
}

static int64_t number_of(cv_arena *a, const cv_json *object, const char *name)
{
    const cv_json *value = member(a, object, name);
    int64_t number;
    return value && cv_json_to_int(value, &number) ? number : CV_ABSENT;
}

static cv_str json_of(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    return cv_buf_take(&text, a);
}

bool cv_full_is_json(const cv_json *document)
{
    bool items = false;
    for (int kind = 0; is_object(document) && kind < CV_KIND_COUNT; kind++)
        items |= is_list(cv_json_get(document, cv_kinds[kind].plural));
    return items && !cv_json_get(document, CV_STR("record")) && is_list(cv_json_get(document, CV_STR("experts"))) &&
           (is_list(cv_json_get(document, CV_STR("rounds"))) ||
            is_list(cv_json_get(document, CV_STR("rounds_data")))) &&
           cv_json_get(document, CV_STR("title"));
}

/* ---- people and rounds ------------------------------------------------------------------------------------------- */

static void add_score(cv_full_dialogue *t, int round, cv_str expert, int64_t score)
{
    static const cv_points none = {CV_ABSENT, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}};
    if (score == CV_ABSENT)
        return;
    for (size_t i = 0; i < t->scores.count; i++)
        if (t->scores.items[i].round == round && cv_str_eq(t->scores.items[i].expert, expert)) {
            if (t->scores.items[i].points.total != score)
                cv_script_state(t->s, CV_SAYS_SCORE, expert, round, score, t->sheet, 0);
            return;
        }
    cv_full_score *s = CV_PUSH(t->s->arena, &t->scores);
    *s = (cv_full_score){round, expert, none};
    s->points.total = score;
}

static void read_experts(cv_full_dialogue *t, const cv_json *list)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; i < list->count; i++) {
        const cv_json *from = &list->items[i], *scores = member(a, from, "scores"),
                      *relevance = member(a, from, "relevance");
        cv_str slug = text_of(a, from, "slug");
        slug = cv_arena_lower(a, slug.n ? slug : text_of(a, from, "expert_slug"));
        cv_full_expert *e = cv_full_expert_at(t, slug);
        if (!e)
            continue;
        e->role = text_of(a, from, "role");
        e->tier = text_of(a, from, "tier");
        e->relevance = relevance && relevance->type == CV_JSON_NUMBER ? relevance->text : (cv_str){NULL, 0};
        e->source = text_of(a, from, "source");
        e->focus = text_of(a, from, "focus");
        e->color = text_of(a, from, "color");
        e->reason = text_of(a, from, "creation_reason");
        for (uint32_t k = 0; is_object(scores) && k < scores->count; k++) {
            int round;
            int64_t score;
            if (cv_str_to_int(scores->members[k].key, &round) && cv_json_to_int(&scores->members[k].value, &score) &&
                cv_full_round_at(t, round, 0)) {
                add_score(t, round, slug, score);
                e->sits[round] = e->sits_somewhere = true;
            }
        }
        cv_script_state(t->s, CV_SAYS_SCORE, slug, -1, number_of(a, from, "total"), t->sheet, 0);
    }
}

/* "MUFFIN-P0001": "P0001": which of their own ids the items had. */
static void read_mapping(cv_arena *a, const cv_json *mapping, cv_map *locals)
{
    for (uint32_t i = 0; is_object(mapping) && i < mapping->count; i++) {
        cv_id id;
        cv_str *local = CV_NEW(a, cv_str);
        *local = mapping->members[i].key;
        if (mapping->members[i].value.type == CV_JSON_STRING && cv_id_parse(*local, &id) && id.form == CV_ID_LOCAL)
            *cv_map_put(locals, a, mapping->members[i].value.text, NULL) = (uintptr_t)local;
    }
}

static void read_part(cv_full_dialogue *t, int number, cv_full_round *round, cv_str name, const cv_json *part,
                      cv_map *locals)
{
    cv_arena *a = t->s->arena;
    cv_str slug = cv_arena_lower(a, name), raw = text_of(a, part, "raw"), position = text_of(a, part, "position");
    cv_full_expert *e = cv_full_expert_at(t, slug);
    if (!e)
        return;
    e->sits[number] = e->sits_somewhere = true;
    add_score(t, number, slug, number_of(a, part, "score"));
    read_mapping(a, member(a, part, "mapping"), locals);
    if (raw.n)
        *CV_PUSH(a, &round->responses) = (cv_full_speech){slug, raw};
    if (position.n)
        *CV_PUSH(a, &round->positions) = (cv_full_speech){slug, position};
    t->positions |= position.n > 0;
}

static void read_rounds(cv_full_dialogue *t, const cv_json *list, cv_map *locals)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        const cv_json *from = &list->items[i], *experts = member(a, from, "experts");
        int64_t number = number_of(a, from, "round"), score = number_of(a, from, "score");
        cv_full_round *round = cv_full_round_at(t, number == CV_ABSENT ? (int64_t)i : number, 0);
        if (!round)
            continue;
        round->title = round->title.n ? round->title : text_of(a, from, "title");
        round->summary = round->summary.n ? round->summary : text_of(a, from, "summary");
        round->points.total = round->points.total != CV_ABSENT ? round->points.total : score;
        for (uint32_t k = 0; is_object(experts) && k < experts->count; k++)
            read_part(t, (int)(round - t->rounds), round, experts->members[k].key, &experts->members[k].value, locals);
    }
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* Lists that the first shape has in the place of references. */
static const struct {
    const char *name;
    cv_ref type;
} lists[] = {{"addresses_tensions", CV_REF_ADDRESS},
             {"builds_on", CV_REF_DEPEND},
             {"supports", CV_REF_SUPPORT},
             {"depends_on", CV_REF_DEPEND},
             {"related_perspectives", CV_REF_DEPEND}};

static void add_ref(cv_full_dialogue *t, cv_full_item *item, cv_ref type, cv_str target, cv_str reason)
{
    for (size_t i = 0; i < item->refs.count; i++)
        if (item->refs.items[i].type == type && cv_str_eq(item->refs.items[i].target, target))
            return;
    *CV_PUSH(t->s->arena, &item->refs) = (cv_full_ref){type, target, reason};
}

static void read_references(cv_full_dialogue *t, cv_full_item *item, const cv_json *from)
{
    cv_arena *a = t->s->arena;
    const cv_json *refs = member(a, from, "references");
    for (uint32_t i = 0; is_list(refs) && i < refs->count; i++) {
        int type = cv_words_find(cv_ref_words, text_of(a, &refs->items[i], "type"));
        cv_str target = text_of(a, &refs->items[i], "target");
        if (type >= 0 && target.n)
            add_ref(t, item, (cv_ref)type, target, text_of(a, &refs->items[i], "reason"));
        else
            cv_script_misunderstand(t->s, t->sheet, 0, target, "%.*s: a reference without a known type",
                                    CV_FMT(item->id));
    }
    for (size_t i = 0; i < CV_COUNT(lists); i++) {
        const cv_json *list = member(a, from, lists[i].name);
        for (uint32_t k = 0; is_list(list) && k < list->count; k++)
            if (list->items[k].type == CV_JSON_STRING)
                add_ref(t, item, lists[i].type, list->items[k].text, (cv_str){NULL, 0});
    }
}

/* "final", "verdict-final": as the record refers to a verdict of the file; empty: the file has none of this name. */
static cv_str named_verdict(const cv_full_dialogue *t, cv_str name)
{
    static const cv_str before = CV_STR_INIT("verdict-");
    cv_str id = cv_str_starts(name, before) ? cv_str_from(name, before.n) : name;
    for (size_t i = 0; id.n && i < t->verdicts.count; i++)
        if (cv_str_eq(t->verdicts.items[i].row.verdict_id, id))
            return cv_arena_join(t->s->arena, before, id);
    return (cv_str){NULL, 0};
}

static void read_events(cv_full_dialogue *t, cv_full_item *item, const cv_json *from)
{
    cv_arena *a = t->s->arena;
    const cv_json *events = member(a, from, "events");
    for (uint32_t i = 0; is_list(events) && i < events->count; i++) {
        const cv_json *event = &events->items[i];
        int status = cv_status_find(item->kind, text_of(a, event, "type"));
        int64_t round = number_of(a, event, "round");
        cv_full_turn turn = {.by = cv_people_read(a, member(a, event, "by")),
                             .via = text_of(a, event, "reference"),
                             .result = text_of(a, event, "result"),
                             .reason = text_of(a, event, "reason")};
        if (status < 0 || status == (int)cv_status_first(item->kind) || round < 0 || !cv_full_round_at(t, round, 0))
            continue;
        turn.round = (int)round;
        turn.status = (cv_status)status;
        if (turn.by.count == 0)
            turn.by = cv_judge_alone;
        /* "P0101 refines P0001" is a reference of P0101, which may not be written there. */
        cv_full_item *result = cv_full_find(t, turn.result);
        if (result && result->kind == item->kind &&
            cv_ref_joins(CV_REF_REFINE, cv_kinds[item->kind].letter, cv_kinds[item->kind].letter))
            add_ref(t, result, CV_REF_REFINE, item->id, (cv_str){NULL, 0});
        if (!result)
            turn.result = (cv_str){NULL, 0};
        if (!cv_full_find(t, turn.via))
            turn.via = named_verdict(t, turn.via);
        cv_full_turn_add(t, item, &turn);
    }
}

static void read_item(cv_full_dialogue *t, cv_kind kind, const cv_json *from, const cv_map *locals)
{
    cv_arena *a = t->s->arena;
    const cv_json *origin = member(a, from, "origin"), *parameters = member(a, from, "parameters"),
                  *by = member(a, from, "contributors"), *correction = member(a, from, "correction");
    cv_str name = text_of(a, from, "id"), content = text_of(a, from, "content");
    int64_t round = number_of(a, from, "round");
    const uintptr_t *local = cv_map_get(locals, name);
    cv_id id;
    bool is_new;
    if (!cv_id_parse(name, &id) || id.form != CV_ID_DISPLAY || id.kind != kind) {
        cv_script_misunderstand(t->s, t->sheet, 0, name, "not the id of a %.*s", CV_FMT(cv_kinds[kind].word));
        return;
    }
    uintptr_t *at = cv_map_put(&t->item_at, a, name, &is_new);
    round = round != CV_ABSENT ? round : is_object(origin) ? number_of(a, origin, "round") : CV_ABSENT;
    if (!is_new || !cv_full_round_at(t, round == CV_ABSENT ? id.round : round, 0)) {
        cv_script_misunderstand(t->s, t->sheet, 0, name, "it is there twice, or its round does not exist");
        return;
    }
    cv_full_item *item = CV_PUSH(a, &t->items);
    *item = (cv_full_item){
        .id = name,
        .kind = kind,
        .round = round == CV_ABSENT ? id.round : (int)round,
        .number = id.number,
        .label = cv_squeeze(a, text_of(a, from, "label")),
        .content = content.n ? content : text_of(a, from, "description"),
        .by = cv_people_read(a, is_list(by) || !is_object(origin) ? by : member(a, origin, "contributors")),
        .status = cv_status_find(kind, text_of(a, from, "status"))};
    cv_id own;
    if (local && cv_id_parse(*(const cv_str *)*local, &own) && own.round == item->round)
        item->local_id = *(const cv_str *)*local;
    if (is_object(parameters))
        item->parameters = json_of(a, parameters);
    if (is_object(correction))
        item->correction = (cv_full_correction){true, cv_people_read(a, member(a, correction, "by")),
                                                cv_squeeze(a, text_of(a, correction, "reason"))};
    if (!item->label.n)
        item->label = item->id;
    *at = t->items.count;
}

static void read_items(cv_full_dialogue *t, const cv_json *document, const cv_map *locals)
{
    for (int pass = 0; pass < 2; pass++)
        for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
            const cv_json *list = cv_json_get(document, cv_kinds[kind].plural);
            if (!is_list(list) && kind == CV_KIND_RECOMMENDATION)
                list = cv_json_get(document, CV_STR("proposals"));
            for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
                cv_full_item *item = pass ? cv_full_find(t, text_of(t->s->arena, &list->items[i], "id")) : NULL;
                if (!pass)
                    read_item(t, (cv_kind)kind, &list->items[i], locals);
                else if (item && (int)item->kind == kind) {
                    read_references(t, item, &list->items[i]);
                    read_events(t, item, &list->items[i]);
                }
            }
        }
}

/* References of experts: {"source": "@muffin", "round", "type", "target", "reason"}. */
static void read_links(cv_full_dialogue *t, const cv_json *list)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        const cv_json *from = &list->items[i];
        int type = cv_words_find(cv_ref_words, text_of(a, from, "type"));
        int64_t round = number_of(a, from, "round");
        cv_str source = cv_arena_lower(a, text_of(a, from, "source")), target = text_of(a, from, "target");
        bool of_expert = source.n > 1 && source.p[0] == '@' && cv_full_expert_at(t, cv_str_from(source, 1));
        if (type < 0 || !target.n || !of_expert || round < 0 || !cv_full_round_at(t, round, 0)) {
            cv_script_misunderstand(t->s, t->sheet, 0, target, "a reference without a known type, expert or round");
            continue;
        }
        *CV_PUSH(a, &t->links) =
            (cv_full_link){(int)round, cv_str_from(source, 1), {(cv_ref)type, target, text_of(a, from, "reason")}, 0};
    }
}

/* ---- moves and verdicts ------------------------------------------------------------------------------------------ */

static void read_moves(cv_full_dialogue *t, const cv_json *list)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        const cv_json *from = &list->items[i], *targets = member(a, from, "targets");
        int type = cv_words_find(cv_move_words, text_of(a, from, "type"));
        int64_t round = number_of(a, from, "round");
        cv_str expert = cv_arena_lower(a, text_of(a, from, "expert"));
        cv_full_expert *e = cv_full_expert_at(t, expert);
        if (type < 0 || !e || round < 0 || !cv_full_round_at(t, round, 0)) {
            cv_script_misunderstand(t->s, t->sheet, 0, text_of(a, from, "context"),
                                    "a move without a known type, expert or round");
            continue;
        }
        e->sits[round] = e->sits_somewhere = true;
        cv_full_move *move = CV_PUSH(a, &t->moves);
        *move = (cv_full_move){
            .round = (int)round, .expert = expert, .context = text_of(a, from, "context"), .type = (cv_move)type};
        for (uint32_t k = 0; is_list(targets) && k < targets->count; k++)
            if (targets->items[k].type == CV_JSON_STRING)
                *CV_PUSH(a, &move->targets) = targets->items[k].text;
    }
}

static cv_str list_of(cv_arena *a, const cv_json *from, const char *name)
{
    const cv_json *list = member(a, from, name);
    return is_list(list) ? json_of(a, list) : (cv_str){NULL, 0};
}

static void read_verdicts(cv_full_dialogue *t, const cv_json *list)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        const cv_json *from = &list->items[i], *ethos = member(a, from, "ethos_compliance");
        cv_str id = text_of(a, from, "id"), type = text_of(a, from, "type"), author = text_of(a, from, "author");
        cv_rec_verdict row = {.verdict_id = id.n ? id : text_of(a, from, "verdict_id"),
                              .verdict_type = type.n ? type : text_of(a, from, "verdict_type"),
                              .round = number_of(a, from, "round"),
                              .author_expert = author.n ? author : text_of(a, from, "author_expert"),
                              .recommendation = text_of(a, from, "recommendation"),
                              .description = text_of(a, from, "description"),
                              .conditions = list_of(a, from, "conditions"),
                              .vote = text_of(a, from, "vote"),
                              .confidence = text_of(a, from, "confidence"),
                              .tensions_resolved = list_of(a, from, "tensions_resolved"),
                              .tensions_accepted = list_of(a, from, "tensions_accepted"),
                              .recommendations_adopted = list_of(a, from, "recommendations_adopted"),
                              .key_evidence = list_of(a, from, "key_evidence"),
                              .key_claims = list_of(a, from, "key_claims"),
                              .supporting_experts = list_of(a, from, "supporting_experts"),
                              .ethos_compliance = is_object(ethos) ? json_of(a, ethos) : (cv_str){NULL, 0},
                              .warning = text_of(a, from, "warning")};
        if (row.round != CV_ABSENT && !cv_full_round_at(t, row.round, 0))
            continue;
        *CV_PUSH(a, &t->verdicts) = (cv_full_verdict){.row = row};
    }
}

/* ---- what is named and not told ---------------------------------------------------------------------------------- */

static void name_item(cv_full_dialogue *t, cv_str expert, const cv_json *name)
{
    cv_id id;
    if (name && name->type == CV_JSON_STRING && cv_id_parse(name->text, &id) && id.form == CV_ID_DISPLAY &&
        !cv_full_find(t, name->text))
        cv_script_misunderstand(t->s, t->sheet, 0, name->text,
                                "an item of %.*s that the file names, but whose text it does not have", CV_FMT(expert));
}

/* Items that only "mapping" or "actions" of a round speak of. */
static void name_missing(cv_full_dialogue *t, const cv_json *rounds)
{
    cv_arena *a = t->s->arena;
    for (uint32_t i = 0; is_list(rounds) && i < rounds->count; i++) {
        const cv_json *experts = member(a, &rounds->items[i], "experts");
        for (uint32_t k = 0; is_object(experts) && k < experts->count; k++) {
            cv_str expert = experts->members[k].key;
            const cv_json *mapping = member(a, &experts->members[k].value, "mapping"),
                          *actions = member(a, &experts->members[k].value, "actions");
            for (uint32_t n = 0; is_object(mapping) && n < mapping->count; n++)
                name_item(t, expert, &mapping->members[n].value);
            for (uint32_t n = 0; is_list(actions) && n < actions->count; n++)
                name_item(t, expert, member(a, &actions->items[n], "id"));
        }
    }
}

/* Calibration is a matter of the project's: it is kept as background where there is none. */
static void keep_calibration(cv_full_dialogue *t, const cv_json *calibration)
{
    cv_str json = is_object(calibration) && calibration->count ? json_of(t->s->arena, calibration) : (cv_str){NULL, 0};
    if (!json.n)
        return;
    if (!t->background.n)
        t->background = cv_arena_printf(t->s->arena, "{\"calibration\":%.*s}", CV_FMT(json));
    cv_script_misunderstand(
        t->s, t->sheet, 0, json, "the calibration of the dialogue is not registered%s",
        is_object(calibration) && cv_str_find(t->background, json) != SIZE_MAX ? ": it is kept as background" : "");
}

/* ---- the document ------------------------------------------------------------------------------------------------ */

void cv_full_read_json(cv_full_dialogue *t, const cv_json *document)
{
    cv_script *s = t->s;
    cv_arena *a = s->arena;
    const cv_json *pool = member(a, document, "expert_pool"), *background = member(a, document, "background");
    const cv_json *rounds = cv_json_get(document, CV_STR("rounds"));
    cv_map locals = {0};
    s->title = text_of(a, document, "title");
    s->question = text_of(a, document, "question");
    s->status = text_of(a, document, "status");
    s->date_ms = cv_date_find(a, text_of(a, document, "date"));
    t->id = text_of(a, document, "id");
    if (is_object(pool))
        cv_script_read_pool(s, t->sheet, pool);
    if (is_object(background))
        t->background = json_of(a, background);
    read_experts(t, cv_json_get(document, CV_STR("experts")));
    read_rounds(t, rounds, &locals);
    read_rounds(t, cv_json_get(document, CV_STR("rounds_data")), &locals);
    read_verdicts(t, member(a, document, "verdicts"));
    read_items(t, document, &locals);
    read_links(t, cv_json_get(document, CV_STR("references")));
    read_moves(t, member(a, document, "moves"));
    name_missing(t, rounds);
    name_missing(t, cv_json_get(document, CV_STR("rounds_data")));
    keep_calibration(t, member(a, document, "calibration"));
    cv_script_state(s, CV_SAYS_SCORE, (cv_str){NULL, 0}, -1, number_of(a, document, "total_alignment"), t->sheet, 0);
    cv_script_state(s, CV_SAYS_ROUNDS, (cv_str){NULL, 0}, -1, number_of(a, document, "total_rounds"), t->sheet, 0);
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_full_item *item = &t->items.items[i];
        for (size_t k = 0; k < item->by.count; k++) {
            cv_full_expert *e =
                cv_str_eq(item->by.items[k], cv_judge_slug) ? NULL : cv_full_expert_at(t, item->by.items[k]);
            if (e)
                e->sits[item->round] = e->sits_somewhere = true;
        }
    }
}
