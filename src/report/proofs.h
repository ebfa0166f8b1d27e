/* proofs.h - how paths are told in JSON, of one set and of many. */
#ifndef REPORT_PROOFS_H
#define REPORT_PROOFS_H

#include <jansson.h>

#include "ripstop/kit/report.h"

json_t *ripstop_paths_json(const ripstop_paths *paths); /* null for no pairs */

#endif
