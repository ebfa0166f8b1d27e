#!/bin/bash
# The names that src/base/banned.h and src/base/no_heap.h ban do not compile; as variables and members they do.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"

compiles() { # compiles HEADER STATEMENT
  printf '#include <string.h>\n#include "%s"\nint main(void) { char b[9] = ""; (void)b; %s; return 0; }\n' "$1" "$2" >x.c
  cc -std=c11 -D_POSIX_C_SOURCE=200809L -I"$RIPSTOP_SOURCE/src" -I"$RIPSTOP_SOURCE/include" -fsyntax-only x.c 2>err
}
banned() {
  compiles "$1" "$2" && complain "$1 lets pass: $2"
  grep -q "_is_banned_" err || complain "$1 does not say that it is banned: $2: $(cat err)"
}
allowed() { compiles "$1" "$2" || complain "$1 refuses: $2: $(cat err)"; }

banned base/banned.h 'strcpy(b, "x")'
banned base/banned.h 'strcat(b, "x")'
banned base/banned.h 'sprintf(b, "x")'
banned base/banned.h 'strtok(b, "x")'
banned base/banned.h 'rand()'
banned base/banned.h 'srand(1)'
banned base/banned.h 'time(NULL)'
banned base/banned.h '(void)strtod(b, NULL)'
banned base/banned.h '(void)malloc(1)'
banned base/banned.h '(void)calloc(1, 1)'
banned base/banned.h '(void)realloc(b, 1)'
banned base/banned.h 'free(b)'
banned base/banned.h '(void)strdup(b)'
banned base/banned.h '(void)strndup(b, 1)'
banned base/banned.h 'exit(1)'
banned base/banned.h 'abort()'
banned base/no_heap.h 'malloc(1)'
banned base/no_heap.h 'calloc(1, 1)'
banned base/no_heap.h 'realloc(b, 1)'
banned base/no_heap.h 'free(b)'
banned base/no_heap.h 'ripstop_realloc(b, 1, 1)'
banned base/no_heap.h 'ripstop_arena_array(0, 1, 1)'
banned base/no_heap.h 'RIPSTOP_NEW(0, int)'
banned base/no_heap.h 'RIPSTOP_ARRAY(0, 1, int)'
allowed base/banned.h 'int time = 1, random = 2; (void)(time + random); (void)memcpy(b, "x", 2)'
allowed base/no_heap.h 'struct { int free; } queue = {1}; (void)queue.free'
finish
