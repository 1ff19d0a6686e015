/* message.c - reading and writing messages; see message.h. */
#include "mail/text/message.h"

#include "mail/text/spelling.h"

typedef enum { TOP, DATA } place;

static const struct {
    cv_str mailbox, envelope;
    place place;
} fields[CV_MTEXT_FIELD_COUNT] = {
#define FIELD(id, mailbox, place, envelope) [CV_MTEXT_##id] = {CV_STR_INIT(mailbox), CV_STR_INIT(envelope), place},
#include "mail/text/fields.def"
};

static const struct {
    cv_mtext_field field;
    cv_str name;
    bool near; /* it may say something else beside another name */
} also[] = {
#define ALSO(id, name) {CV_MTEXT_##id, CV_STR_INIT(name), false},
#define NEAR(id, name) {CV_MTEXT_##id, CV_STR_INIT(name), true},
#include "mail/text/fields.def"
};

/* The order of an envelope: the specification's, then the rest. */
static const cv_mtext_field envelope_top[] = {CV_MTEXT_COMMAND, CV_MTEXT_SENDER, CV_MTEXT_TARGET};
static const cv_mtext_field envelope_data[] = {CV_MTEXT_CORRELATION, CV_MTEXT_TASK, CV_MTEXT_PARAMS};
static const cv_mtext_field envelope_more[] = {CV_MTEXT_MESSAGE_ID, CV_MTEXT_TIME,      CV_MTEXT_REPLY,
                                               CV_MTEXT_THREAD,     CV_MTEXT_PRIORITY,  CV_MTEXT_EXPIRES,
                                               CV_MTEXT_EXPIRES_IN, CV_MTEXT_SUPERSEDES};
_Static_assert(CV_COUNT(envelope_top) + CV_COUNT(envelope_data) + CV_COUNT(envelope_more) == CV_MTEXT_FIELD_COUNT,
               "every field has a place in an envelope");

static const cv_str data_word = CV_STR_INIT("data");

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* The key before the value at `value`, with its quotes. */
static cv_str key_before(const char *begin, const char *value)
{
    const char *end = value;
    while (end > begin && end[-1] != '"')
        end--;
    const char *p = end - 1;
    for (p--; p > begin; p--) {
        const char *slash = p;
        while (*p == '"' && slash > begin && slash[-1] == '\\')
            slash--;
        if (*p == '"' && (p - slash) % 2 == 0)
            break;
    }
    return cv_str_range(p, end);
}

void cv_mtext_members_of(cv_arena *a, cv_str text, const cv_json *object, cv_mtext_members *ret)
{
    *ret = (cv_mtext_members){0};
    for (uint32_t i = 0; i < object->count; i++) {
        const cv_json_member *m = &object->members[i];
        *CV_PUSH(a, ret) = (cv_mtext_member){
            .key = key_before(text.p, text.p + m->value.offset), .raw = cv_mtext_raw(text, &m->value), .name = m->key};
    }
}

static bool has(const cv_json *object, cv_str name)
{
    return cv_json_get(object, name) != NULL;
}

/* ---- names that mean something in one writing only --------------------------------------------------------------- */

static const cv_str prefixes[] = {
    [CV_MTEXT_ENVELOPE] = CV_STR_INIT("mailbox:"), [CV_MTEXT_MAILBOX] = CV_STR_INIT("envelope:")};

/* Does the name, without prefixes, mean something at the top of this writing? */
static bool is_taken(cv_mtext_writing writing, cv_str name)
{
    while (cv_str_starts(name, prefixes[writing]))
        name = cv_str_from(name, prefixes[writing].n);
    if (cv_str_eq(name, data_word))
        return true;
    for (size_t i = 0; i < CV_MTEXT_FIELD_COUNT; i++)
        if (writing == CV_MTEXT_MAILBOX ? cv_str_eq(name, fields[i].mailbox)
                                        : fields[i].place == TOP && cv_str_eq(name, fields[i].envelope))
            return true;
    return false;
}

/* A member that was read in this writing, under the name that it has by itself. */
static cv_mtext_member unprefixed(cv_arena *a, cv_mtext_writing writing, cv_mtext_member m)
{
    size_t n = prefixes[writing].n;
    if (!cv_str_starts(m.name, prefixes[writing]) || !is_taken(writing, m.name))
        return m;
    m.name = cv_str_from(m.name, n);
    cv_str inside = cv_str_from(m.key, 1);
    if (cv_str_starts(inside, prefixes[writing])) /* a key with escapes in the prefix is not ours: it keeps its bytes */
        m.key = cv_arena_printf(a, "\"%.*s", CV_FMT(cv_str_from(inside, n)));
    return m;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The members of `data` that are fields, and the others. */
static void read_data(cv_arena *a, cv_str text, const cv_json *data, cv_mtext_message *ret)
{
    cv_mtext_members members;
    cv_mtext_members_of(a, text, data, &members);
    for (size_t i = 0; i < members.count; i++) {
        cv_mtext_member *m = &members.items[i];
        bool is_field = false;
        for (size_t f = 0; f < CV_COUNT(envelope_data) && !is_field; f++)
            if (cv_str_eq(m->name, fields[envelope_data[f]].envelope) && !ret->fields[envelope_data[f]].p) {
                ret->fields[envelope_data[f]] = m->raw;
                is_field = true;
            }
        if (!is_field)
            *CV_PUSH(a, &ret->data) = *m;
    }
}

static bool is_field_name(cv_mtext_writing writing, cv_str name, size_t *ret_field)
{
    for (size_t f = 0; f < CV_MTEXT_FIELD_COUNT; f++)
        if (writing == CV_MTEXT_MAILBOX ? cv_str_eq(name, fields[f].mailbox)
                                        : fields[f].place == TOP && cv_str_eq(name, fields[f].envelope)) {
            *ret_field = f;
            return true;
        }
    return false;
}

/* May the `data` of a mailbox message be that of an envelope? It would come back the same. */
static bool is_envelope_data(const cv_json *message, const cv_json *data)
{
    for (size_t f = 0; f < CV_COUNT(envelope_data); f++)
        if (data->type == CV_JSON_OBJECT ? has(data, fields[envelope_data[f]].envelope)
                                         : has(message, fields[envelope_data[f]].mailbox))
            return false;
    return data->type != CV_JSON_OBJECT || data->count > 0;
}

static void read_strict(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_message *ret)
{
    cv_mtext_members members;
    cv_mtext_members_of(a, text, value, &members);
    for (size_t i = 0; i < members.count; i++) {
        const cv_json *v = &value->members[i].value;
        const cv_mtext_member *m = &members.items[i];
        size_t field;
        bool is_data =
            cv_str_eq(m->name, data_word) && (ret->writing == CV_MTEXT_ENVELOPE || is_envelope_data(value, v));
        if (is_data && ret->writing == CV_MTEXT_ENVELOPE)
            ret->data_whole = m->raw;
        if (is_field_name(ret->writing, m->name, &field)) {
            ret->fields[field] = m->raw;
            ret->called[field] = m->name;
        } else if (is_data && v->type == CV_JSON_OBJECT)
            read_data(a, text, v, ret);
        else if (is_data)
            ret->data_raw = m->raw;
        else
            *CV_PUSH(a, &ret->extra) = unprefixed(a, ret->writing, *m);
    }
}

bool cv_mtext_is_same_name(cv_str x, cv_str y)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < x.n && strchr("_- ", x.p[i]))
            i++;
        while (k < y.n && strchr("_- ", y.p[k]))
            k++;
        if (i == x.n || k == y.n || cv_lower(x.p[i]) != cv_lower(y.p[k]))
            return i == x.n && k == y.n;
        i++;
        k++;
    }
}

/* The field that a name of the wild means, and its rank: the lower the better. */
static size_t rank_of(cv_str name, cv_mtext_field *ret_field)
{
    for (size_t i = 0; i < CV_COUNT(also); i++)
        if (cv_mtext_is_same_name(name, also[i].name)) {
            *ret_field = also[i].field;
            return i;
        }
    return SIZE_MAX;
}

static bool is_own_name(cv_mtext_field field, cv_str name)
{
    return field < CV_MTEXT_FIELD_COUNT &&
           (cv_str_eq(name, fields[field].mailbox) || cv_str_eq(name, fields[field].envelope));
}

/* Params that were made a text once too often. */
static bool is_text_of_object(cv_arena *a, const cv_mtext_member *m, const cv_json *v)
{
    cv_json inside;
    cv_err ignored = {.arena = a};
    return v->type == CV_JSON_STRING &&
           (cv_mtext_is_same_name(m->name, CV_STR("params")) || cv_str_eq(m->name, data_word)) &&
           cv_json_parse(a, v->text, &inside, &ignored) && inside.type == CV_JSON_OBJECT;
}

static void set_body(cv_arena *a, const cv_json *v, const cv_mtext_member *m, cv_str text, cv_mtext_notes *notes,
                     cv_mtext_message *ret)
{
    bool in_envelope = cv_str_eq(m->name, data_word) && v->type == CV_JSON_OBJECT &&
                       (has(v, CV_STR("params")) || has(v, CV_STR("task_id")) || has(v, CV_STR("correlation_id")));
    if (in_envelope)
        read_data(a, text, v, ret);
    else if (v->type == CV_JSON_OBJECT)
        ret->fields[CV_MTEXT_PARAMS] = m->raw;
    else if (is_text_of_object(a, m, v))
        ret->fields[CV_MTEXT_PARAMS] = v->text;
    else
        ret->fields[CV_MTEXT_PARAMS] = cv_arena_printf(a, "{\"body\":%.*s}", CV_FMT(m->raw));
    if (v->type != CV_JSON_OBJECT && cv_str_eq(m->name, CV_STR("params")))
        cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SHAPE, v->offset, m->name);
}

/* Nothing, or an object without members. */
static bool is_empty(cv_str object)
{
    return cv_str_starts(cv_str_trim_left(cv_str_from(object, 1)), CV_STR("}")) || object.n == 0;
}

static void read_loose(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_notes *notes, cv_mtext_message *ret)
{
    cv_mtext_members members;
    size_t best[CV_MTEXT_FIELD_COUNT + 1], ranks[CV_MTEXT_FIELD_COUNT + 1];
    cv_mtext_members_of(a, text, value, &members);
    for (size_t f = 0; f <= CV_MTEXT_FIELD_COUNT; f++)
        best[f] = ranks[f] = SIZE_MAX;
    for (size_t i = 0; i < members.count; i++) {
        cv_mtext_field field = CV_MTEXT_BODY;
        size_t rank = rank_of(members.items[i].name, &field);
        if (rank < ranks[field] && value->members[i].value.type != CV_JSON_NULL) {
            ranks[field] = rank;
            best[field] = i;
        }
    }
    for (size_t i = 0; i < members.count; i++) {
        const cv_mtext_member *m = &members.items[i];
        const cv_json *v = &value->members[i].value;
        cv_mtext_field field = CV_MTEXT_BODY;
        if (rank_of(m->name, &field) == SIZE_MAX || best[field] != i) {
            *CV_PUSH(a, &ret->extra) = *m;
            continue;
        }
        if (!is_own_name(field, m->name) && !cv_str_eq(m->name, CV_STR("params")))
            cv_mtext_note_add(notes, a, CV_MTEXT_REPAIR_SYNONYM, v->offset, m->name);
        if (field == CV_MTEXT_BODY)
            set_body(a, v, m, text, notes, ret);
        else {
            ret->fields[field] = m->raw;
            ret->called[field] = m->name;
        }
    }
    if (!ret->fields[CV_MTEXT_COMMAND].p && !is_empty(ret->fields[CV_MTEXT_PARAMS]))
        ret->fields[CV_MTEXT_COMMAND] = CV_STR("\"message\"");
}

/* An envelope may leave out who sends it where its place says that; then no other name may say it. */
static bool is_envelope(const cv_json *value)
{
    const cv_json *data = cv_json_get(value, data_word);
    cv_mtext_field field;
    size_t own;
    if (!has(value, CV_STR("type")) || !data)
        return false;
    bool plain = has(value, CV_STR("target_id")) && data->type == CV_JSON_OBJECT;
    for (uint32_t i = 0; i < value->count && plain; i++)
        plain = rank_of(value->members[i].key, &field) == SIZE_MAX || cv_str_eq(value->members[i].key, data_word) ||
                is_field_name(CV_MTEXT_ENVELOPE, value->members[i].key, &own);
    return plain || has(value, CV_STR("source_id"));
}

static cv_mtext_writing writing_of(const cv_json *value)
{
    if (has(value, CV_STR("command")) && has(value, CV_STR("sender_agent_id")))
        return CV_MTEXT_MAILBOX;
    return is_envelope(value) ? CV_MTEXT_ENVELOPE : CV_MTEXT_LOOSE;
}

void cv_mtext_message_unwrap(cv_arena *a, cv_mtext *text)
{
    enum { LAYERS = 3 }; /* more is not an accident */
    cv_err ignored = {.arena = a};
    for (int i = 0; i < LAYERS; i++) {
        const cv_json *v = &text->value;
        cv_json inside;
        bool list = v->type == CV_JSON_ARRAY && v->count == 1;
        cv_str raw = list ? cv_mtext_raw(text->text, &v->items[0]) : v->text;
        if ((!list && v->type != CV_JSON_STRING) || !cv_json_parse(a, raw, &inside, &ignored) ||
            inside.type == CV_JSON_NUMBER)
            return;
        cv_mtext_note_add(&text->notes, a, CV_MTEXT_REPAIR_SHAPE, 0, list ? CV_STR("list") : CV_STR("string"));
        text->text = raw;
        text->value = inside;
        text->state = CV_MTEXT_REPAIRED;
    }
}

bool cv_mtext_message_read(cv_arena *a, cv_str text, const cv_json *value, cv_mtext_notes *notes, cv_mtext_message *ret,
                           cv_err *err)
{
    *ret = (cv_mtext_message){0};
    if (value->type != CV_JSON_OBJECT) {
        cv_str word = cv_json_type_word(value->type);
        cv_err_set(err, CV_ERR_INVALID_VALUE, "a message is one JSON object, this is %s %.*s",
                   value->type == CV_JSON_OBJECT || value->type == CV_JSON_ARRAY ? "an" : "a", CV_FMT(word));
        cv_err_suggest(err, CV_STR("write {\"type\": …, \"source_id\": …, \"target_id\": …, \"data\": {…}}"));
        return false;
    }
    ret->writing = writing_of(value);
    if (ret->writing == CV_MTEXT_LOOSE)
        read_loose(a, text, value, notes, ret);
    else
        read_strict(a, text, value, ret);
    if (ret->fields[CV_MTEXT_COMMAND].p)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "this object has neither a command (or type) nor a body");
    cv_err_suggest(err, CV_STR("name the request in \"type\" and the rest in \"data\""));
    return false;
}

/* ---- several names of one field ---------------------------------------------------------------------------------- */

/* Is nothing said: null, or an empty text? */
static bool is_nothing(const cv_json *v)
{
    return v->type == CV_JSON_NULL || (v->type == CV_JSON_STRING && cv_str_trim(v->text).n == 0);
}

static bool is_equal(cv_arena *a, cv_mtext_field field, const cv_json *x, const cv_json *y)
{
    int64_t one, other;
    bool exact, texts = x->type == CV_JSON_STRING && y->type == CV_JSON_STRING;
    if (field == CV_MTEXT_EXPIRES && cv_mtext_time_of(x->text, &one, &exact) &&
        cv_mtext_time_of(y->text, &other, &exact))
        return one == other;
    if (texts && (field == CV_MTEXT_SENDER || field == CV_MTEXT_TARGET))
        return cv_mtext_is_same_name(x->text, y->text);
    return cv_json_is_equal(a, x, y);
}

bool cv_mtext_message_settle(cv_arena *a, cv_mtext_message *message, cv_err *err)
{
    for (size_t i = 0; i < message->extra.count; i++) {
        const cv_mtext_member *m = &message->extra.items[i];
        cv_mtext_field field = CV_MTEXT_BODY;
        size_t rank = rank_of(m->name, &field);
        bool expires = field == CV_MTEXT_EXPIRES || field == CV_MTEXT_EXPIRES_IN;
        cv_json v, counts = {.type = CV_JSON_NULL};
        bool address = message->writing == CV_MTEXT_LOOSE && (field == CV_MTEXT_SENDER || field == CV_MTEXT_TARGET);
        if (rank == SIZE_MAX || also[rank].near || (!expires && !address))
            continue;
        cv_str *raw = &message->fields[field];
        if (!cv_json_parse(a, m->raw, &v, err) || (raw->p && !cv_json_parse(a, *raw, &counts, err)))
            return false;
        if (is_nothing(&v) || (!raw->p && !expires))
            continue;
        if (expires && is_nothing(&counts)) {
            *raw = m->raw;
            message->called[field] = m->name;
        } else if (!is_equal(a, field, &counts, &v)) {
            cv_err_set(err, CV_ERR_INVALID_VALUE, "'%.*s' and '%.*s' mean the same field, and say different things",
                       CV_FMT(message->called[field]), CV_FMT(m->name));
            cv_err_suggest(err, CV_STR("leave one of them out"));
            return false;
        }
    }
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_buf *out;
    int indent, depth;
    bool any;
} printer;

static void begin_line(printer *p)
{
    if (!p->indent)
        return;
    cv_buf_add_char(p->out, '\n');
    for (int i = 0; i < p->indent * p->depth; i++)
        cv_buf_add_char(p->out, ' ');
}

static void begin_member(printer *p)
{
    if (p->any)
        cv_buf_add_char(p->out, ',');
    p->any = true;
    begin_line(p);
}

static void end_key(printer *p)
{
    cv_buf_add_z(p->out, p->indent ? ": " : ":");
}

static void put_member(printer *p, cv_str key, cv_str raw)
{
    begin_member(p);
    cv_buf_add(p->out, key);
    end_key(p);
    cv_buf_add(p->out, raw);
}

static void put_field(printer *p, const cv_mtext_message *message, cv_mtext_field field, cv_str name)
{
    if (!message->fields[field].p)
        return;
    begin_member(p);
    cv_buf_add_char(p->out, '"');
    cv_buf_add(p->out, name);
    cv_buf_add_char(p->out, '"');
    end_key(p);
    cv_buf_add(p->out, message->fields[field]);
}

static void open_object(printer *p)
{
    cv_buf_add_char(p->out, '{');
    p->depth++;
    p->any = false;
}

static void close_object(printer *p)
{
    p->depth--;
    if (p->any)
        begin_line(p);
    cv_buf_add_char(p->out, '}');
    p->any = true;
}

static void put_fields(printer *p, const cv_mtext_message *message, const cv_mtext_field *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_field(p, message, list[i], fields[list[i]].envelope);
}

static void put_data(printer *p, const cv_mtext_message *message, bool all)
{
    if (!all && !message->data.count && !message->data_raw.p)
        return;
    begin_member(p);
    cv_buf_add_z(p->out, "\"data\"");
    end_key(p);
    if (message->data_raw.p) {
        cv_buf_add(p->out, message->data_raw);
        return;
    }
    open_object(p);
    if (all)
        put_fields(p, message, envelope_data, CV_COUNT(envelope_data));
    for (size_t i = 0; i < message->data.count; i++)
        put_member(p, message->data.items[i].key, message->data.items[i].raw);
    close_object(p);
}

static void put_extra(printer *p, const cv_mtext_message *message, cv_mtext_writing writing)
{
    for (size_t i = 0; i < message->extra.count; i++) {
        const cv_mtext_member *m = &message->extra.items[i];
        if (!is_taken(writing, m->name)) {
            put_member(p, m->key, m->raw);
            continue;
        }
        begin_member(p);
        cv_buf_add_char(p->out, '"');
        cv_buf_add(p->out, prefixes[writing]);
        cv_buf_add(p->out, cv_str_from(m->key, 1));
        end_key(p);
        cv_buf_add(p->out, m->raw);
    }
}

void cv_mtext_message_print(cv_buf *out, const cv_mtext_message *message, cv_mtext_writing writing, int indent)
{
    printer p = {.out = out, .indent = indent};
    assert(writing != CV_MTEXT_LOOSE);
    open_object(&p);
    if (writing == CV_MTEXT_ENVELOPE) {
        put_fields(&p, message, envelope_top, CV_COUNT(envelope_top));
        put_data(&p, message, true);
        put_fields(&p, message, envelope_more, CV_COUNT(envelope_more));
    } else {
        for (size_t f = 0; f < CV_MTEXT_FIELD_COUNT; f++)
            put_field(&p, message, (cv_mtext_field)f, fields[f].mailbox);
        put_data(&p, message, false);
    }
    put_extra(&p, message, writing);
    close_object(&p);
}

/* ---- one field, and other members ----------------------------------------------------------------------------- */

cv_str cv_mtext_field_text(cv_arena *a, const cv_mtext_message *message, cv_mtext_field field)
{
    cv_json value;
    cv_err err = {.arena = a};
    if (!message->fields[field].p || !cv_json_parse(a, message->fields[field], &value, &err))
        return (cv_str){0};
    return value.type == CV_JSON_STRING || value.type == CV_JSON_NUMBER ? value.text : (cv_str){0};
}

cv_str cv_mtext_one_line(cv_arena *a, cv_str json)
{
    cv_buf out = {0};
    if (cv_str_find_char(json, '\n') == SIZE_MAX && cv_str_find_char(json, '\r') == SIZE_MAX)
        return json;
    for (size_t i = 0, in_string = 0; i < json.n; i++) {
        char c = json.p[i];
        if (in_string && c == '\\') {
            cv_buf_add_char(&out, c);
            c = json.p[++i];
        } else if (c == '"') {
            in_string = !in_string;
        }
        if (in_string || !cv_is_space(c))
            cv_buf_add_char(&out, c);
    }
    return cv_buf_take(&out, a);
}

cv_str cv_mtext_extra_print(cv_arena *a, const cv_mtext_message *message)
{
    cv_buf out = {0};
    printer p = {.out = &out};
    if (!message->data.count && !message->data_raw.p && !message->extra.count)
        return (cv_str){0};
    open_object(&p);
    put_data(&p, message, false);
    put_extra(&p, message, CV_MTEXT_ENVELOPE);
    close_object(&p);
    return cv_mtext_one_line(a, cv_buf_take(&out, a));
}

bool cv_mtext_extra_read(cv_arena *a, cv_str json, cv_mtext_message *message, cv_err *err)
{
    cv_json value;
    cv_mtext_members members;
    if (!json.p)
        return true;
    if (!cv_json_parse(a, json, &value, err))
        return false;
    cv_mtext_members_of(a, json, &value, &members);
    for (size_t i = 0; i < members.count; i++) {
        const cv_json *v = &value.members[i].value;
        if (!cv_str_eq(members.items[i].name, data_word))
            *CV_PUSH(a, &message->extra) = unprefixed(a, CV_MTEXT_ENVELOPE, members.items[i]);
        else if (v->type == CV_JSON_OBJECT)
            cv_mtext_members_of(a, json, v, &message->data);
        else
            message->data_raw = members.items[i].raw;
    }
    return true;
}
