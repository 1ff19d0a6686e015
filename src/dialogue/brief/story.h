/* story.h - what became of an expert's contributions, in sentences.
 *
 *     In round 0 you raised T0001 (Growth vs income), which is open. Donut addressed it with R0001 (Options collar).
 *
 * Composed from the record alone: the same record gives the same sentences. Told are the expert's items of its latest
 * round, its tensions that are still open, and what others answered in the last round; the rest is in the prior
 * rounds. The judge may put other words in their place.
 */
#ifndef CV_DIALOGUE_BRIEF_STORY_H
#define CV_DIALOGUE_BRIEF_STORY_H

#include "dialogue/brief/view.h"

/* Empty for those who are new. */
cv_str cv_story_context(const cv_view *v, const cv_view_member *member);

/* "Your task this round: …", from the same facts. Never empty. */
cv_str cv_story_task(const cv_view *v, const cv_view_member *member);

/* "P0101 (Options viability confirmed)". */
void cv_story_item(const cv_view *v, const cv_view_item *item, cv_buf *out);

/* "Muffin, Cupcake and you"; `self` may be empty. */
void cv_story_names(const cv_view *v, const cv_people *people, cv_str self, cv_buf *out);

/* What an expert has to do with a tension: "originator, addressed it (R0001)", or a dash. */
cv_str cv_story_involvement(const cv_view *v, uint32_t tension, cv_str slug);

#endif
