/* policy.c - what a workflow has decided about its chats; see policy.h. */
#include "chat/policy.h"

#include <errno.h>

#include "base/file.h"
#include "base/utf8.h"
#include "chat/text/chat_file.h"
#include "chat/text/fields.h"
#include "chat/words/errors.h"
#include "kit/destination.h"
#include "kit/fault.h"

static const char *const policy_name = "chat_policy.json";

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool bad(cv_call *call, const char *path, const char *key, const char *wanted)
{
    cv_err *fault =
        cv_errs_add(call->errs, call->arena, CV_ERR_POLICY, "'%s' in the policy file must be %s", key, wanted);
    cv_err_file(fault, cv_str_of(path));
    cv_err_suggest(fault, CV_STR("correct the file; 'conclave help chat-policy' shows its form"));
    return false;
}

static bool read_words(cv_call *call, const char *path, const cv_json *file, const char *key, cv_words *ret,
                       bool *ret_has)
{
    const cv_json *list = cv_json_get(file, cv_str_of(key));
    if (!list)
        return true;
    if (list->type != CV_JSON_ARRAY)
        return bad(call, path, key, "a list of words");
    cv_str *words = CV_NEW_ARRAY(call->arena, list->count, cv_str);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].type != CV_JSON_STRING)
            return bad(call, path, key, "a list of words");
        words[i] = list->items[i].text;
    }
    *ret = (cv_words){words, list->count};
    *ret_has = true;
    return true;
}

static bool read_measure(cv_call *call, const char *path, const cv_json *file, const char *key, const char *off,
                         cv_policy_measure *ret)
{
    const cv_json *value = cv_json_get(file, cv_str_of(key));
    const cv_str words[] = {CV_STR("refuse"), CV_STR("warn"), cv_str_of(off)};
    for (size_t i = 0; value && value->type == CV_JSON_STRING && i < CV_COUNT(words); i++)
        if (cv_str_eq(value->text, words[i])) {
            *ret = (cv_policy_measure)i;
            return true;
        }
    return !value || bad(call, path, key, cv_arena_printf(call->arena, "refuse, warn or %s", off).p);
}

static bool read_policy(cv_call *call, const char *path, const cv_json *file, cv_chat_policy *p)
{
    const cv_json *archive = cv_json_get(file, CV_STR("archive"));
    static const cv_str keys[] = {CV_STR_INIT("types"),  CV_STR_INIT("other_types"),       CV_STR_INIT("roles"),
                                  CV_STR_INIT("combos"), CV_STR_INIT("disallowed_combos"), CV_STR_INIT("consult"),
                                  CV_STR_INIT("archive")};
    bool unused;
    if (file->type != CV_JSON_OBJECT)
        return bad(call, path, "the whole", "a JSON object");
    for (uint32_t i = 0; i < file->count; i++)
        if (cv_words_find((cv_words){keys, CV_COUNT(keys)}, file->members[i].key) < 0)
            return bad(call, path, cv_arena_copy_z(call->arena, cv_excerpt(call->arena, file->members[i].key)),
                       "left out: it is not a key of a policy");
    if (archive && archive->type != CV_JSON_TRUE && archive->type != CV_JSON_FALSE)
        return bad(call, path, "archive", "true or false");
    p->archive = !archive || archive->type == CV_JSON_TRUE;
    return read_words(call, path, file, "types", &p->types, &p->has_types) &&
           read_words(call, path, file, "roles", &p->roles, &p->has_roles) &&
           read_words(call, path, file, "combos", &p->combos, &p->has_combos) &&
           read_words(call, path, file, "disallowed_combos", &p->disallowed, &unused) &&
           read_measure(call, path, file, "other_types", "accept", &p->other_types) &&
           read_measure(call, path, file, "consult", "off", &p->consult);
}

bool cv_chat_policy_load(cv_call *call, const cv_chat_folder *folder, cv_chat_policy *ret)
{
    cv_arena *a = call->arena;
    const cv_where places[] = {
        cv_where_in(a, folder->where, policy_name),
        cv_where_in(a, (cv_where){call->root, cv_record_path(a, "", CV_CHAT_FOLDER)}, policy_name),
    };
    *ret = (cv_chat_policy){.archive = true};
    for (size_t i = 0; i < CV_COUNT(places); i++) {
        cv_err err = {.arena = a};
        struct stat st;
        cv_str text;
        cv_json *file = CV_NEW(a, cv_json);
        if (!cv_where_look(places[i], &st) && (errno == ENOENT || errno == ENOTDIR))
            continue;
        if (!cv_file_read_text_at(a, places[i], &text, &err) || !cv_json_parse(a, text, file, &err)) {
            cv_err_file(&err, cv_str_of(cv_where_path(a, places[i])));
            return cv_call_fail(call, &err);
        }
        return read_policy(call, cv_where_path(a, places[i]), file, ret);
    }
    return true;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static bool has_word(cv_words words, cv_str word)
{
    for (size_t i = 0; i < words.count; i++)
        if (cv_str_eq(words.items[i], word))
            return true;
    return false;
}

static bool is_of_protocol(cv_str type)
{
    static const cv_str own[] = {CV_STR_INIT("CLOSE_REQUEST"), CV_STR_INIT("CLOSE_ACK"), CV_STR_INIT("USER_OVERRIDE")};
    return has_word((cv_words){own, CV_COUNT(own)}, type) || cv_consult_of(type) >= 0;
}

/* Any word is a type, so a typo makes a new one: a word that is a letter away from a known type, written with other
 * letters, or only its first word (CONSULT), is taken and warned of. */
static bool is_near(cv_str type, cv_str word)
{
    bool first = type.n < word.n && word.p[type.n] == '_' && cv_str_eq_nocase(cv_str_head(word, type.n), type);
    return first || (word.n > 3 && type.n + 1 >= word.n && type.n <= word.n + 1 &&
                     (cv_str_eq_nocase(word, type) || cv_str_distance(type, word, 1) <= 1));
}

static void warn_typo(cv_call *call, const cv_chat_policy *p, cv_str type, cv_notices *warnings)
{
    static const cv_str usual[] = {
        CV_STR_INIT("QUESTION"),      CV_STR_INIT("ANSWER"),           CV_STR_INIT("CLOSE_REQUEST"),
        CV_STR_INIT("CLOSE_ACK"),     CV_STR_INIT("USER_OVERRIDE"),    CV_STR_INIT("CONSULT_REQUEST"),
        CV_STR_INIT("CONSULT_ALERT"), CV_STR_INIT("CONSULT_RESPONSE"), CV_STR_INIT("CONSULT_BLOCKER")};
    const cv_words known[] = {p->types, {usual, CV_COUNT(usual)}};
    for (size_t k = 0; k < CV_COUNT(known); k++)
        for (size_t i = 0; i < known[k].count; i++) {
            cv_str word = known[k].items[i];
            if (!is_near(type, word))
                continue;
            cv_notice_add(warnings, call->arena, CV_STR("like_type"), "'%.*s' is not known: did you mean '%.*s'?",
                          CV_FMT(type), CV_FMT(word))
                ->field = CV_STR("type");
            return;
        }
}

void cv_chat_policy_type(cv_call *call, const cv_chat_policy *p, cv_str type, cv_notices *warnings)
{
    bool known = has_word(p->types, type) || is_of_protocol(type) || cv_str_eq(type, CV_STR("QUESTION")) ||
                 cv_str_eq(type, CV_STR("ANSWER"));
    if (!known && (!p->has_types || p->other_types == CV_POLICY_ACCEPT))
        warn_typo(call, p, type, warnings);
    if (!p->has_types || p->other_types == CV_POLICY_ACCEPT || has_word(p->types, type) || is_of_protocol(type))
        return;
    if (p->other_types == CV_POLICY_WARN) {
        cv_notice_add(warnings, call->arena, CV_STR("other_type"), "'%.*s' is not a type of this workflow",
                      CV_FMT(type))
            ->field = CV_STR("type");
        return;
    }
    cv_err *fault =
        cv_refuse(call, CV_ERR_POLICY, CV_STR(""), "type", type, "'%.*s' is not a type of this workflow", CV_FMT(type));
    cv_refuse_words(fault, p->types.items, p->types.count);
}

/* The same roles in another order are the same combination. */
static bool is_combo(cv_words combos, cv_str role)
{
    for (size_t i = 0; i < combos.count; i++) {
        cv_str one = combos.items[i], rest = one, part;
        bool all = one.n == role.n;
        while (all && cv_str_split(&rest, '+', &part))
            all = cv_chat_has_role(role, part);
        if (all)
            return true;
    }
    return false;
}

void cv_chat_policy_role(cv_call *call, const cv_chat_policy *p, const char *field, cv_str who)
{
    cv_str role = cv_chat_role_of(who), rest = role, part;
    while (p->has_roles && cv_str_split(&rest, '+', &part))
        if (!has_word(p->roles, part))
            cv_refuse_words(cv_refuse(call, CV_ERR_POLICY, CV_STR(""), field, part,
                                      "'%.*s' is not a role of this workflow", CV_FMT(part)),
                            p->roles.items, p->roles.count);
    if (cv_str_find_char(role, '+') == SIZE_MAX)
        return;
    if (is_combo(p->disallowed, role) || (p->has_combos && !is_combo(p->combos, role))) {
        cv_err *fault = cv_refuse(call, CV_ERR_POLICY, CV_STR(""), field, role,
                                  "the workflow does not allow one participant to be %.*s", CV_FMT(role));
        cv_err_options(fault, p->combos.items, p->combos.count);
    }
}
