/* room.c - the dialogue room's descriptor; see kit/room.h. */
#include "dialogue/room.h"

const cv_room cv_room_dialogue = {
    .name = "dialogue",
    .summary = "a judge and a panel of experts deliberate in rounds until they converge",
    .details =
        "A dialogue has a question, a panel and rounds. The judge registers what each round brought: perspectives,\n"
        "recommendations, tensions, evidence, claims, moves and scores; at the end verdicts. Everything is checked "
        "when it\n"
        "arrives and kept as a history that nobody can rewrite unseen ('conclave verify').\n",
    .ops = cv_dialogue_ops,
};
