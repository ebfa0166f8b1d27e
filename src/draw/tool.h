/* tool.h - runs gnuplot and Graphviz. */
#ifndef DRAW_TOOL_H
#define DRAW_TOOL_H

#include "ripstop/plugin/base.h"

enum { TOOL_MISSING = 1 };
/* Hands the script to a program's standard input and adds what it writes to its standard output. `argument`: its name
 * first, NULL last; `package`: of Debian, that has it. 0; TOOL_MISSING: there is no such program, as `err` says; -1. */
int tool_run(char *const *argument, const char *package, const ripstop_text *script, ripstop_text *out,
             ripstop_error *err);

#endif
