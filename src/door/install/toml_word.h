/* toml_word.h - the values of TOML that are one word: true, -1_000, 0xff, 6.6e-34, inf, 2026-07-28T09:30:00Z. */
#ifndef CV_DOOR_INSTALL_TOML_WORD_H
#define CV_DOOR_INSTALL_TOML_WORD_H

#include "base/str.h"

bool cv_toml_is_word(cv_str word);
bool cv_toml_is_date(cv_str word); /* 2026-07-28, nothing more */
bool cv_toml_is_digit(char c, int base);

#endif
