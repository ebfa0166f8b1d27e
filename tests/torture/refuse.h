/* refuse.h - a C library that refuses one call on request. */
#ifndef TESTS_TORTURE_REFUSE_H
#define TESTS_TORTURE_REFUSE_H

#include <stdbool.h>

/* The calls that are counted, and may be refused. */
typedef enum refuse_kind {
  REFUSE_MEMORY, /* the heap and maps, for all callers: ripstop, SQLite, libyaml, jansson, the C library itself */
  REFUSE_FILES   /* opening, reading, writing, syncing, closing, renaming, ... of files; and threads */
} refuse_kind;

/* From now on calls of the kind are counted in this process, and the one of that number (1 is the first; 0: none) is
 * refused; with `for_ever` all later ones too. Standard output is counted among the files, standard error is not. */
void refuse_begin(refuse_kind kind, long number, bool for_ever);

/* The counts of this process; they are in memory shared with the process that called refuse_open. */
enum { REFUSE_NUMBERS = 8 };

typedef struct refuse_report {
  long calls;
  char name[24];              /* name of the first that was refused */
  int number[REFUSE_NUMBERS]; /* errno of the refused calls, each once, that of the first first; 0: no more */
} refuse_report;

refuse_report *refuse_open(void);

#endif
