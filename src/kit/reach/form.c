/* form.c - forms from the schemas of the program; see form.h. */
#include "kit/reach/form.h"

#include "base/embedded.h"

/* The input of an operation, from its schema. */
static const cv_json *input_of(cv_arena *a, const char *name)
{
    cv_err err = {.arena = a};
    cv_json *both = CV_NEW(a, cv_json);
    const cv_json *input = NULL;
    for (size_t i = 0; i < cv_schema_files_count && !input; i++)
        if (strcmp(cv_schema_files[i].name, name) == 0 && cv_json_parse(a, cv_schema_files[i].text, both, &err))
            input = cv_json_get(both, CV_STR("input"));
    assert(input);
    return input;
}

const cv_json *cv_form_of_agent(cv_arena *a)
{
    const cv_json *all = cv_json_get(input_of(a, "agent_import"), CV_STR("properties"));
    return cv_json_get(cv_json_get(all, CV_STR("agents")), CV_STR("items"));
}

const cv_json *cv_form_of_adding(cv_arena *a)
{
    return input_of(a, "agent_add");
}
