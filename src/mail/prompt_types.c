/* prompt_types.c - the tables of prompts, the governance log, reports and states; see prompt_types.h. */
#include "mail/prompt_types.h"

static bool search_entry(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_mail_entry *e = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("event"),
                            .id = e->event_id,
                            .ids = e->event_id,
                            .title = e->event_type,
                            .body = e->details.p ? e->details : CV_STR("")};
    return true;
}

static bool search_paper(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_mail_paper *p = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("report"),
                            .id = p->path,
                            .ids = p->path,
                            .title = p->title.p ? p->title : p->path,
                            .body = p->text.p ? p->text : CV_STR("")};
    return true;
}

static const cv_index prompt_indexes[] = {
    CV_INDEX("current", SCOPE, CV_AT(cv_mail_prompt, current)),
    CV_INDEX("turn", SCOPE, CV_AT(cv_mail_prompt, turn)),
    CV_INDEX("number", SCOPE, CV_AT(cv_mail_prompt, number)),
    CV_INDEX("source", SCOPE, CV_AT(cv_mail_prompt, source)),
};
static const cv_index entry_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_mail_entry, rev))};
static const cv_index paper_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_mail_paper, rev)),
    CV_INDEX("kind", SCOPE, CV_AT(cv_mail_paper, kind)),
};
const cv_index *const cv_prompts_current = &prompt_indexes[0];
const cv_index *const cv_prompts_by_turn = &prompt_indexes[1];
const cv_index *const cv_prompts_by_number = &prompt_indexes[2];
const cv_index *const cv_prompts_by_source = &prompt_indexes[3];
const cv_index *const cv_papers_by_kind = &paper_indexes[1];

#define CV_THIS_TYPE cv_mail_prompt
CV_TYPE_TABLE(cv_mail_prompt, "prompt", "mail_prompts", CV_MAIL_PROMPT_FIELDS, REPLACED, NULL,
              CV_INDEXES(prompt_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_entry
CV_TYPE_TABLE(cv_mail_entry, "entry", "mail_log", CV_MAIL_ENTRY_FIELDS, ADDED, search_entry, CV_INDEXES(entry_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_paper
CV_TYPE_TABLE(cv_mail_paper, "paper", "mail_papers", CV_MAIL_PAPER_FIELDS, REPLACED, search_paper,
              CV_INDEXES(paper_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_value
CV_TYPE_TABLE(cv_mail_value, "value", "mail_values", CV_MAIL_VALUE_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
