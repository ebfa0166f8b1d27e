/* proof_json.h - how paths are written as JSON, of one set and of many; and how JSON becomes text. */
#ifndef REPORT_PROOF_JSON_H
#define REPORT_PROOF_JSON_H

#include <jansson.h>

#include "ripstop/kit/report.h"

json_t *ripstop_paths_json(const ripstop_paths *paths); /* null for no pairs */
/* Adds what jansson writes to a ripstop_text: for json_dump_callback. */
int ripstop_json_add(const char *bytes, size_t length, void *text);

#endif
