/* tables_folder.h - a folder with the files of forwarding tables: lfts.dump, sl.dump and sl2vl.dump, and
 * lfts.step1.dump where a first write is needed. */
#ifndef RIPSTOP_CLI_TABLES_FOLDER_H
#define RIPSTOP_CLI_TABLES_FOLDER_H

#include <limits.h>

#include "base/output.h"
#include "ripstop/plugin/forwarding.h"

typedef struct cli_tables_folder {
  const char *path, *command, *flag; /* "route", "-o" */
  ripstop_output_kind kind;
} cli_tables_folder;

/* Before the work: the path is a folder or nothing, and each of its files may be written. */
int cli_tables_check(const cli_tables_folder *folder, ripstop_error *err);
/* The path of a file in it; one that is too long is an error. */
int cli_tables_path(const cli_tables_folder *folder, const char *name, char path[PATH_MAX], ripstop_error *err);
/* `first` NULL: one write is enough, and a first step that an earlier call left is removed. */
int cli_tables_write(const cli_tables_folder *folder, const ripstop_forwarding *tables, const ripstop_forwarding *first,
                     ripstop_error *err);

#endif
