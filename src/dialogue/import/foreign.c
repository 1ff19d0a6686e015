/* foreign.c - JSON that is no file of a dialogue; see foreign.h. */
#include "dialogue/import/foreign.h"

#define REQUEST(verb)                                                                                                  \
    CV_STR_INIT("a request for 'conclave dialogue " verb "', no file of a dialogue: that command takes it with "       \
                "--data")

/* What has all of these members is this; the first row that fits counts. */
static const struct {
    const char *members[2];
    cv_str why;
} known[] = {
    {{"experts", NULL}, CV_STR_INIT("an expert pool without a dialogue")},
    {{"expert_pool", NULL}, REQUEST("create")},
    {{"verdict_id", "verdict_type"}, REQUEST("verdict-register")},
    {{"round", "score"}, REQUEST("round-register")},
    {{"score", "expert_scores"}, REQUEST("round-register")},
    {{"expert_slug", "role"}, REQUEST("expert-create")},
    {{"role", "tier"}, REQUEST("expert-create")},
    {{"updates", NULL}, REQUEST("update")},
    {{"panel", NULL}, REQUEST("evolve-panel")},
    {{"title", "question"}, REQUEST("create")},
};

static bool has(const cv_json *document, const char *member)
{
    return !member || cv_json_get(document, cv_str_of(member));
}

cv_str cv_foreign_why(const cv_json *document)
{
    for (size_t i = 0; i < CV_COUNT(known); i++)
        if (has(document, known[i].members[0]) && has(document, known[i].members[1]))
            return known[i].why;
    return CV_STR("JSON of another kind");
}
