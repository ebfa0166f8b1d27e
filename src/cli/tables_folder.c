/* tables_folder.c - writes tables as OpenSM loads them. */
#include "cli/tables_folder.h"

#include <string.h>
#include <sys/stat.h>

#include "tables/infiniband/table_folder.h"

static bool is_table(const void *context, const char *name) {
  (void)context;
  return strcmp(name, "summary.json") == 0 || ripstop_table_folder_has(name);
}

int cli_tables_check(const cli_tables_folder *f, ripstop_error *err) {
  struct stat about;
  if (stat(f->path, &about) == 0 && !S_ISDIR(about.st_mode))
    return ripstop_fail(err, "%s: %s %s: is no folder, and tables are several files", f->command, f->flag, f->path);
  return ripstop_output_check_folder(f->path, f->kind, is_table, NULL, err);
}

int cli_tables_path(const cli_tables_folder *f, const char *name, char path[PATH_MAX], ripstop_error *err) {
  if (snprintf(path, PATH_MAX, "%s/%s", f->path, name) < PATH_MAX) return 0;
  return ripstop_fail(err, "%s: the path %s is too long", f->command, name);
}

int cli_tables_write(const cli_tables_folder *f, const ripstop_forwarding *tables, const ripstop_forwarding *first,
                     ripstop_error *err) {
  if (ripstop_table_folder_write(f->path, f->kind, tables, err) ||
      ripstop_table_folder_between(f->path, f->kind, first, err))
    return ripstop_fail_at(err, "%s", f->command);
  return 0;
}
