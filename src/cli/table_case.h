/* table_case.h - the input of commands about forwarding tables: a fabric, its failed parts, and the tables, from files
 * or from a method. */
#ifndef RIPSTOP_CLI_TABLE_CASE_H
#define RIPSTOP_CLI_TABLE_CASE_H

#include "cli/cli.h"
#include "ripstop/kit/judge.h"
#include "ripstop/kit/proofs.h"

#define RIPSTOP_TABLE_ENTRIES_MAX \
  UINT64_C(400000000) /* in a method's tables: about 16 GB at most while they are made */

/* The words of the command line; NULL: not given. */
typedef struct ripstop_table_words {
  const char *command; /* for messages */
  const char *fabric, *method, *dead;
  const char *asker; /* the option that names the method, for messages; NULL: they do not name it */
  ripstop_cli_values tables;
  uint32_t
      entry_bytes; /* that the command takes at least for each end node and switch; more than there are is an error */
  bool any;        /* shortest paths are used if neither tables nor method are given */
} ripstop_table_words;

/* The command's arguments: the fabric, and behind `--tables FILE` more files. Returns RIPSTOP_CLI_GO_ON or an exit
 * code. */
int ripstop_table_words_take(ripstop_table_words *words, const char *const *argument, unsigned count);

typedef struct ripstop_table_case {
  ripstop_fabric *fabric;
  ripstop_view *view;
  ripstop_forwarding *tables;
  ripstop_plan *plan; /* its method made the tables; NULL: they are from files */
  bool whole;         /* the tables name the virtual channels of the plan, if there is one */
  ripstop_arena *arena;
} ripstop_table_case;

/* Prints notes about parts of files that were left out. -1: `out` must be closed, too. */
int ripstop_table_case_open(const ripstop_table_words *words, ripstop_table_case *out, ripstop_error *err);
void ripstop_table_case_close(ripstop_table_case *c);
/* ripstop_table_files_read (mend/table_files.h); prints its notes. */
ripstop_forwarding *cli_read_tables(const ripstop_fabric *fabric, const ripstop_view *view,
                                    const ripstop_cli_values *given, bool *levels, ripstop_error *err);

#endif
