/* table_case.h - what commands about forwarding tables share: a fabric, what is dead in it, and the tables, from files
 * or from a method. */
#ifndef RIPSTOP_CLI_TABLE_CASE_H
#define RIPSTOP_CLI_TABLE_CASE_H

#include "cli/cli.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"

#define RIPSTOP_TABLE_ENTRIES_MAX \
  UINT64_C(400000000) /* of a method's tables: about 16 GB at most while they are made */

/* As written on the command line; NULL: not given. */
typedef struct ripstop_table_words {
  const char *command; /* for messages */
  const char *fabric, *method, *dead;
  const char *asker; /* the option that names the method, for messages; NULL: they do not tell */
  ripstop_cli_values tables;
  uint32_t
      entry_bytes; /* that the command takes at least for each end node and switch; more than there are is an error */
  bool any;        /* where neither tables nor method are given, shortest ways do */
} ripstop_table_words;

/* The command's arguments: the fabric, and behind `--tables FILE` more files. Returns RIPSTOP_CLI_GO_ON or an exit
 * code. */
int ripstop_table_words_take(ripstop_table_words *words, const char *const *argument, unsigned count);

typedef struct ripstop_table_case {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_plan *plan; /* of the method; NULL: the tables are from files */
  bool whole;         /* the tables name the virtual channels of the plan, if there is one */
  ripstop_arena *arena;
} ripstop_table_case;

/* Notes about what was passed over go to standard error. -1: `out` is to be closed all the same. */
int ripstop_table_case_open(const ripstop_table_words *words, ripstop_table_case *out, ripstop_error *err);
void ripstop_table_case_close(ripstop_table_case *c);
/* One set of tables: from files, which belong together as one, from a folder with a set as `route -o` or OpenSM writes
 * it, or from the file of OpenSM's plug-in (mend/snapshot.h). *levels (may be NULL): whether service levels
 * were told; else 0 is taken for all. NULL on error. */
ripstop_forwarding *ripstop_tables_read(const ripstop_fabric *fabric, const ripstop_view *view,
                                        const ripstop_cli_values *given, bool *levels, ripstop_error *err);

/* The verdict on deadlock of the case's tables, or of its method, from what ripstop_judge found. */
int ripstop_table_case_deadlock(const ripstop_table_case *c, const ripstop_table_verdict *judged,
                                ripstop_plan_waits *out, ripstop_error *err);

/* [nodes]: how each node of a dump describes itself; empty: not at all, or it is no dump. */
const char *const *ripstop_cli_describe(ripstop_arena *arena, const ripstop_fabric *fabric);
/* How parts of a dump describe themselves, as `fabric` and `diff` write it: "'spine-1' - 'leaf-02', 'spine-2'", links
 * first; empty where nobody says anything. */
const char *ripstop_cli_told(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_faults *parts);

#endif
