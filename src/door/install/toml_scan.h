/* toml_scan.h - the statements of a TOML file, one after the other.
 *
 *     [a."b c"]            a table
 *     [[a.list]]           a table of a list
 *     key.more = [         an entry; its value may take several lines
 *       1, "x",
 *     ]
 *     # or nothing         blank, or a comment
 *
 * What is no TOML is an error with its place: a file that is half understood must not be changed. Values are checked by
 * their form (TOML 1.1); that no key is given twice is left to who reads the file.
 */
#ifndef CV_DOOR_INSTALL_TOML_SCAN_H
#define CV_DOOR_INSTALL_TOML_SCAN_H

#include "base/err.h"

typedef struct {
    cv_str text;
    size_t at;
    cv_err *err;
} cv_toml_scanner;

/* a."b c".d; what is deeper than any configuration is refused. */
enum { CV_TOML_MAX_PARTS = 32 };
typedef struct {
    cv_str parts[CV_TOML_MAX_PARTS];
    size_t count;
} cv_toml_path;

typedef enum { CV_TOML_NOTHING, CV_TOML_TABLE, CV_TOML_LIST, CV_TOML_ENTRY } cv_toml_kind;

/* One line, or the lines of one value. */
typedef struct {
    cv_toml_kind kind;
    size_t start, end;       /* its line break included */
    size_t value, value_end; /* of an entry */
    cv_toml_path path;
} cv_toml_statement;

bool cv_toml_read(cv_toml_scanner *s, cv_toml_statement *ret);
bool cv_toml_read_path(cv_toml_scanner *s, cv_toml_path *ret);

/* An error where the scanner stands. Always false. */
bool cv_toml_bad(const cv_toml_scanner *s, const char *what);

#endif
