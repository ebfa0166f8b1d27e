/* banned.h - calls that no file of ripstop makes; the build puts this header before every source in src/.
 *
 * strcpy and similar functions write past their buffers: use ripstop_text, ripstop_arena_printf, snprintf or memcpy.
 * strtok, rand and random keep hidden state: use ripstop_stream. time would make results depend on when they were
 * computed: clock_gettime serves speed figures and progress lines. strtod and vsnprintf take a decimal comma from the
 * program's locale: base/locale.h does not. malloc and similar functions return NULL, which callers would have to
 * check: use arenas or ripstop_realloc and ripstop_free, whose blocks are not the C library's (memory.h). exit and
 * abort are up to the program. The system headers come first, since they declare the banned functions; function-like
 * macros do not affect variables and members of these names. */
#ifndef RIPSTOP_BASE_BANNED_H
#define RIPSTOP_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef strndup
#undef exit
#undef abort
#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strtok
#undef gets
#undef rand
#undef srand
#undef random
#undef time
#undef strtod
#undef vsnprintf
#define strcpy(...)    strcpy_is_banned_see_base_banned_h
#define strcat(...)    strcat_is_banned_see_base_banned_h
#define sprintf(...)   sprintf_is_banned_see_base_banned_h
#define vsprintf(...)  vsprintf_is_banned_see_base_banned_h
#define strtok(...)    strtok_is_banned_see_base_banned_h
#define gets(...)      gets_is_banned_see_base_banned_h
#define rand(...)      rand_is_banned_see_base_banned_h
#define srand(...)     srand_is_banned_see_base_banned_h
#define random(...)    random_is_banned_see_base_banned_h
#define time(...)      time_is_banned_see_base_banned_h
#define strtod(...)    strtod_is_banned_see_base_banned_h
#define vsnprintf(...) vsnprintf_is_banned_see_base_banned_h
#define malloc(...)    malloc_is_banned_see_base_banned_h
#define calloc(...)    calloc_is_banned_see_base_banned_h
#define realloc(...)   realloc_is_banned_see_base_banned_h
#define free(...)      free_is_banned_see_base_banned_h
#define strdup(...)    strdup_is_banned_see_base_banned_h
#define strndup(...)   strndup_is_banned_see_base_banned_h
#define exit(...)      exit_is_banned_see_base_banned_h
#define abort(...)     abort_is_banned_see_base_banned_h

#endif
