/* fabric_recognised.h - how `ripstop fabric` prints what was recognised and what is odd. */
#ifndef RIPSTOP_CLI_FABRIC_RECOGNISED_H
#define RIPSTOP_CLI_FABRIC_RECOGNISED_H

#include <jansson.h>

#include "recognise/recognise.h"

/* Lines for people: at least a few rows of each kind of oddity, and the number of those that are left out. */
void fabric_recognised_print(const ripstop_fabric *f, const ripstop_recognised *r);
/* Adds "recognised", "odd", "small_parts", "absent" and "notes", complete. */
void fabric_recognised_json(const ripstop_fabric *f, const ripstop_recognised *r, json_t *object);

#endif
