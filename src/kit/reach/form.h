/* form.h - the forms that are read in more places than one operation: from the schemas of the program. */
#ifndef CV_KIT_REACH_FORM_H
#define CV_KIT_REACH_FORM_H

#include "base/json.h"

/* An agent in a list: an item of `agent import`. */
const cv_json *cv_form_of_agent(cv_arena *a);

/* The input of `agent add`. */
const cv_json *cv_form_of_adding(cv_arena *a);

#endif
