/* json_get.c - members of a tree of JSON, and numbers as the machine has them; see json.h. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

const cv_json *cv_json_get(const cv_json *object, cv_str key)
{
    if (!object || object->type != CV_JSON_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < object->count; i++)
        if (cv_str_eq(object->members[i].key, key))
            return &object->members[i].value;
    return NULL;
}

cv_str cv_json_get_text(const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    return value && value->type == CV_JSON_STRING ? value->text : (cv_str){NULL, 0};
}

int64_t cv_json_get_int(const cv_json *object, const char *key, int64_t otherwise)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    int64_t number;
    return value && cv_json_to_int(value, &number) ? number : otherwise;
}

bool cv_json_get_true(const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    return value && value->type == CV_JSON_TRUE;
}

cv_str cv_json_get_json(cv_arena *a, const cv_json *object, const char *key)
{
    const cv_json *value = cv_json_get(object, cv_str_of(key));
    cv_buf text = {0};
    if (!value || value->type == CV_JSON_NULL)
        return (cv_str){NULL, 0};
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    return cv_buf_take(&text, a);
}

bool cv_json_to_int(const cv_json *value, int64_t *ret_value)
{
    const int64_t most = INT64_C(1) << 53;
    if (value->type != CV_JSON_NUMBER)
        return false;
    bool minus = value->text.p[0] == '-';
    int64_t sum = 0;
    for (size_t i = minus; i < value->text.n; i++) {
        if (!cv_is_digit(value->text.p[i]))
            return false;
        sum = sum * 10 + (value->text.p[i] - '0');
        if (sum > most)
            return false;
    }
    *ret_value = minus ? -sum : sum;
    return true;
}

/* The nearest double; numbers too large for one are refused. Relies on the C locale's decimal point, which the
 * program never changes. */
bool cv_json_to_double(const cv_json *value, double *ret_value)
{
    if (value->type != CV_JSON_NUMBER)
        return false;
    char small[64];
    size_t n = value->text.n;
    char *z = n < sizeof small ? small : malloc(n + 1);
    if (!z)
        cv_out_of_memory(n + 1);
    memcpy(z, value->text.p, n);
    z[n] = 0;
    double number = strtod(z, NULL);
    if (z != small)
        free(z);
    if (!isfinite(number))
        return false;
    *ret_value = number;
    return true;
}

cv_str cv_json_type_word(cv_json_type type)
{
    static const cv_str words[] = {
        [CV_JSON_NULL] = CV_STR_INIT("null"),     [CV_JSON_FALSE] = CV_STR_INIT("boolean"),
        [CV_JSON_TRUE] = CV_STR_INIT("boolean"),  [CV_JSON_NUMBER] = CV_STR_INIT("number"),
        [CV_JSON_STRING] = CV_STR_INIT("string"), [CV_JSON_ARRAY] = CV_STR_INIT("array"),
        [CV_JSON_OBJECT] = CV_STR_INIT("object"),
    };
    _Static_assert(CV_COUNT(words) == CV_JSON_OBJECT + 1, "a word per type");
    assert((size_t)type < CV_COUNT(words));
    return words[type];
}
