/* people.h - who did something: a list of slugs and its canonical JSON.
 *
 *     "by": "Donut"            -> donut           ["donut"]
 *     "by": ["donut", "Donut"] -> donut           ["donut"]
 *
 * The JSON is made once and stored as it is (contributors, actors). Slugs have no characters that JSON escapes, so
 * whether somebody is on a stored list is a search in its text.
 */
#ifndef CV_DIALOGUE_PEOPLE_H
#define CV_DIALOGUE_PEOPLE_H

#include "base/json.h"
#include "dialogue/words/words.h"

typedef struct {
    cv_str *items; /* in lower case, each once */
    size_t count;
    cv_str json; /* ["muffin","cupcake"] */
} cv_people;

extern const cv_str cv_judge_slug; /* the judge takes part, but is not an expert */
extern const cv_people cv_judge_alone;

/* The slugs of a string, a list of strings, or of nothing (NULL, null). */
cv_people cv_people_read(cv_arena *a, const cv_json *value);
cv_people cv_people_of(cv_arena *a, const cv_str *slugs, size_t count);

/* Is the slug on a stored list? */
bool cv_people_json_has(cv_str json, cv_str slug);

/* The slugs of a stored list with commas between them: "muffin, cupcake". */
cv_str cv_people_list(cv_arena *a, cv_str json);

/* ["T0001","T0002"]: texts as a JSON list. */
cv_str cv_json_texts(cv_arena *a, const cv_str *items, size_t count);

/* … and back: the texts of a stored list; none when it is absent or no list. */
cv_words cv_json_list(cv_arena *a, cv_str json);

#endif
