/* template.h - panels that can be begun with: pools of experts under a name.
 *
 *     panels/architecture-review.json         part of the program
 *     .conclave/panels/our-review.json        a project's own; one with the same name takes the place of ours
 *
 * Each file is a pool as `create` takes it (expert_pool), checked by the same schema.
 */
#ifndef CV_DIALOGUE_PANEL_TEMPLATE_H
#define CV_DIALOGUE_PANEL_TEMPLATE_H

#include "base/embedded.h"
#include "base/json.h"
#include "dialogue/state.h"

/* panels/NAME.json, sorted by name. */
extern const cv_embedded cv_panel_files[];
extern const size_t cv_panel_files_count;

#define CV_PANELS_FOLDER ".conclave/panels"

typedef struct {
    cv_str name, source; /* "program", or the path of a project's own */
    cv_str text;         /* the file */
    const cv_err *fault; /* why it cannot be read; NULL: it can */
} cv_panel_template;

typedef CV_STATE_LIST(cv_panel_template) cv_panel_templates;

/* The pool of one; NULL: there is no such template, or it is not sound, and the call has the faults. */
const cv_json *cv_template_pool(cv_call *call, cv_str name, const char *field, cv_panel_template *ret);

#endif
