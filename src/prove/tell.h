/* tell.h - prints paths, of one set and of many. */
#ifndef PROVE_TELL_H
#define PROVE_TELL_H

#include "ripstop/prove.h"

void paths_print(ripstop_text *out, const ripstop_paths *paths);

#endif
