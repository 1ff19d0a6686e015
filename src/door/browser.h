/* browser.h - shows an address to the person at this machine.
 *
 * $BROWSER is asked first, then the desktop (xdg-open), where there is one. Nothing waits for either.
 */
#ifndef CV_DOOR_BROWSER_H
#define CV_DOOR_BROWSER_H

#include "base/str.h"

bool cv_browser_open(cv_str url); /* false: there is nobody to show it to */

#endif
