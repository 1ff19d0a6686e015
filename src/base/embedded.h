/* embedded.h - files that are part of the program: made into C by tools/embed-files when it is built. */
#ifndef CV_BASE_EMBEDDED_H
#define CV_BASE_EMBEDDED_H

#include "base/str.h"

typedef struct {
    const char *name;
    cv_str text;
    const char *digest; /* SHA-256, 64 hexadecimal digits */
} cv_embedded;

/* schemas/NAME.json: {"input": …, "output": …}, sorted by name. */
extern const cv_embedded cv_schema_files[];
extern const size_t cv_schema_files_count;

/* schemas/api/openapi.json: what the description of the API has beside the operations. */
extern const cv_embedded cv_api_files[];
extern const size_t cv_api_files_count;

/* skills/NAME/SKILL.md, those that are written by hand. */
extern const cv_embedded cv_skill_files[];
extern const size_t cv_skill_files_count;

/* pages/NAME.page: templates of what people read (door/page.h). */
extern const cv_embedded cv_page_files[];
extern const size_t cv_page_files_count;

/* The pages of the dashboard, and each of them compressed, as NAME.gz. */
extern const cv_embedded cv_web_files[];
extern const size_t cv_web_files_count;

/* The commit that the program was built from; "unknown" outside of a clone or a distributed archive. */
extern const char cv_built_from[];

#endif
