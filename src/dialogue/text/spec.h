/* spec.h - the format as instructions for agents, generated from the tables that parse, write and lint it. */
#ifndef CV_DIALOGUE_TEXT_SPEC_H
#define CV_DIALOGUE_TEXT_SPEC_H

#include "base/buf.h"

/* Everything: the document and the marks, as `conclave spec` prints it and judges embed it. */
void cv_spec_print(cv_buf *out);

/* Only the marks: what an expert needs to write a response. */
void cv_spec_print_marks(cv_buf *out);

/* skills/alignment-expert/SKILL.md: the marks and the rules of a response, as a skill that agents load. */
void cv_skill_print_expert(cv_buf *out);

#endif
