# What src/base/banned.h and src/base/no_heap.h ban does not compile; the same names as variables and members do.
set -eu

compiles() { # compiles HEADER STATEMENT
  printf '#include <string.h>\n#include "%s"\nint main(void) { char b[9] = ""; (void)b; %s; return 0; }\n' "$1" "$2" >x.c
  cc -std=c11 -D_POSIX_C_SOURCE=200809L -I"$RIPSTOP_SOURCE/src" -I"$RIPSTOP_SOURCE/include" -fsyntax-only x.c 2>err
}
refused() {
  if compiles "$1" "$2"; then echo "$1 lets pass: $2"; exit 1; fi
  grep -q "_is_banned_" err || { echo "$1 does not say that it is banned: $2"; cat err; exit 1; }
}
accepted() { compiles "$1" "$2" || { echo "$1 refuses: $2"; cat err; exit 1; }; }

refused base/banned.h 'strcpy(b, "x")'
refused base/banned.h 'strcat(b, "x")'
refused base/banned.h 'sprintf(b, "x")'
refused base/banned.h 'strtok(b, "x")'
refused base/banned.h 'rand()'
refused base/banned.h 'srand(1)'
refused base/banned.h 'time(NULL)'
refused base/banned.h '(void)malloc(1)'
refused base/banned.h '(void)calloc(1, 1)'
refused base/banned.h '(void)realloc(b, 1)'
refused base/banned.h 'free(b)'
refused base/banned.h '(void)strdup(b)'
refused base/banned.h '(void)strndup(b, 1)'
refused base/banned.h 'exit(1)'
refused base/banned.h 'abort()'
refused base/no_heap.h 'malloc(1)'
refused base/no_heap.h 'calloc(1, 1)'
refused base/no_heap.h 'realloc(b, 1)'
refused base/no_heap.h 'free(b)'
refused base/no_heap.h 'ripstop_realloc(b, 1, 1)'
refused base/no_heap.h 'ripstop_arena_array(0, 1, 1)'
refused base/no_heap.h 'RIPSTOP_NEW(0, int)'
refused base/no_heap.h 'RIPSTOP_ARRAY(0, 1, int)'
accepted base/banned.h 'int time = 1, random = 2; (void)(time + random); (void)memcpy(b, "x", 2)'
accepted base/no_heap.h 'struct { int free; } queue = {1}; (void)queue.free'
