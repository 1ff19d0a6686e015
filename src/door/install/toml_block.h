/* toml_block.h - our lines in somebody else's TOML file, between two comments, without touching another byte of it.
 *
 *     # >>> conclave
 *     [mcp_servers.conclave]
 *     command = "conclave"
 *     args = ["mcp"]
 *     # <<< conclave
 *
 * Set puts the block at the end of the file or other lines into the one that is there; remove takes it out, and the
 * file is what it was. Both refuse, with the place: a table of our name outside of the block, in whatever form (a
 * second one would break the file); entries behind the block that would belong to our table; a comment without its
 * other half, or there twice; and a file whose statements cannot be told apart. What values mean is left to who reads
 * the file.
 */
#ifndef CV_DOOR_INSTALL_TOML_BLOCK_H
#define CV_DOOR_INSTALL_TOML_BLOCK_H

#include "door/install/edit.h"

typedef struct {
    cv_str name;  /* in the comments */
    cv_str table; /* whose place is ours: mcp_servers.conclave */
    cv_str todo;  /* what to do about one outside of the block: said when it is refused */
} cv_toml_block;

/* The lines between the comments, their line breaks included; false with an error: refused. */
bool cv_toml_block_find(cv_arena *a, const cv_toml_block *block, cv_str text, bool *ret_found, cv_str *ret_lines,
                        cv_err *err);

/* `lines` end with a line break of any kind; they are written with those of the text. */
bool cv_toml_block_set(cv_arena *a, const cv_toml_block *block, cv_str text, cv_str lines, cv_str *ret_text,
                       cv_err *err);
bool cv_toml_block_remove(cv_arena *a, const cv_toml_block *block, cv_str text, cv_str *ret_text, cv_err *err);

/* The lines as set writes them into this text. */
cv_str cv_toml_block_lines(cv_arena *a, cv_str text, cv_str lines);

#endif
