/* version.h - which program this is: its version, the commit it was built from, the libraries it runs with. */
#ifndef CV_DOOR_VERSION_H
#define CV_DOOR_VERSION_H

#include "base/buf.h"

#ifndef CV_VERSION
#define CV_VERSION "development"
#endif

/* As lines for people, the first of which is "conclave VERSION (COMMIT)"; or as one JSON object. */
void cv_version_print(cv_buf *out, bool json);

#endif
