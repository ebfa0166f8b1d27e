/* tell.h - how paths are told, of one set and of many. */
#ifndef PROVE_TELL_H
#define PROVE_TELL_H

#include <jansson.h>

#include "ripstop/prove.h"

json_t *paths_json(const ripstop_paths *paths); /* null for no pairs */
void paths_print(ripstop_text *out, const ripstop_paths *paths);

#endif
