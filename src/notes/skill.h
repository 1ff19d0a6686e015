/* skill.h - what agents and people are taught about notes. */
#ifndef CV_NOTES_SKILL_H
#define CV_NOTES_SKILL_H

#include "base/buf.h"

void cv_notes_print_skill(cv_buf *out); /* skills/conclave-notes/SKILL.md */
void cv_notes_print_topic(cv_buf *out); /* the format alone: conclave help dialogs */

#endif
