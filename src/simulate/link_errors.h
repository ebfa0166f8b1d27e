/* link_errors.h - links that corrupt flits (switch.flit_errors; docs/model.md, "Errors of links"). */
#ifndef SIMULATE_LINK_ERRORS_H
#define SIMULATE_LINK_ERRORS_H

#include "simulate/state.h"

/* Takes the hook of packets that take a link, if a link of the run has errors. Call it after control_open. -1: the
 * option's text names no link, or no probability. */
int link_errors_open(run *r, ripstop_error *err);
bool link_errors_are(const run *r); /* true if a link has errors */

#endif
