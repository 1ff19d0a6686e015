/* skill.h - what an expert must know to answer, as a skill that agents load: the marks and the rules of a response. */
#ifndef CV_DIALOGUE_TEXT_SKILL_H
#define CV_DIALOGUE_TEXT_SKILL_H

#include "base/buf.h"

/* skills/alignment-expert/SKILL.md, made from the tables that read what experts write. */
void cv_skill_print_expert(cv_buf *out);

#endif
