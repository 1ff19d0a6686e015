/* skill.c - what an expert must know to answer, as a skill; see skill.h. */
#include "dialogue/text/skill.h"

#include "dialogue/text/spec.h"

void cv_skill_print_expert(cv_buf *out)
{
    cv_buf_add_z(
        out,
        "---\n"
        "name: alignment-expert\n"
        "description: Answer as an expert in an ALIGNMENT dialogue - the markers for perspectives, recommendations, "
        "tensions, evidence, claims, references, moves and dissent, and the rules of a response. Use when a prompt "
        "makes you an expert of a dialogue.\n"
        "---\n\n"
        "# Alignment Expert\n\n"
        "You are an expert in an ALIGNMENT dialogue. Your prompt says who you are, what has been said and what is "
        "open. Structure\nyour response with these markers.\n\n");
    cv_spec_print_marks(out);
    cv_buf_add_z(
        out,
        "\n## Output Rules\n\n"
        "1. Write your response to the file that your prompt names, or return it as your answer; nothing else around "
        "it.\n"
        "2. Begin with a heading: your name, your role, the round. Then markers, each with two to four sentences below "
        "it.\n"
        "3. Use global ids for what is registered and local ids for what is new in this round. Never invent an id.\n"
        "4. Say what has changed since the last round, which tension you can close, and what would change your mind.\n"
        "5. If you have nothing to add, say so: no contribution is better than a repeated one.\n"
        "6. Signal `[MOVE:CONVERGE]` only when nothing that you raised is open any more.\n"
        "7. One sharp insight beats ten paragraphs: you are scored on PRECISION, not volume.\n");
}
