/* report.h - a dialogue as one page that opens anywhere: the views of the dashboard and what they show, in one file.
 *
 *     <meta … Content-Security-Policy: nothing is loaded; of scripts and styles only those with these digests>
 *     <style>…</style>
 *     <script type="application/json" id="report">{"dialogue_id": …, "answers": {"dialogue/export": …}}</script>
 *     <script type="module">the dashboard, which finds its answers there</script>
 *
 * What people and agents have said is data in it, never markup: no byte of it can end the element that it is in.
 */
#ifndef CV_DIALOGUE_EXPORT_REPORT_H
#define CV_DIALOGUE_EXPORT_REPORT_H

#include "base/buf.h"
#include "base/err.h"

/* Can this program make reports? It has no pages when it was built without npm. */
bool cv_report_possible(cv_err *err);

/* `document` is the dialogue's export: JSON. */
void cv_report_print(cv_arena *a, cv_str dialogue_id, cv_str title, cv_str document, cv_buf *out);

bool cv_report_is_one(cv_str bytes); /* a file that begins so is a report of ours */

#endif
