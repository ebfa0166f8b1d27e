/* tables_folder.c - writes tables as OpenSM loads them. */
#include "cli/tables_folder.h"

#include <string.h>
#include <sys/stat.h>

static bool is_table(const void *context, const char *name) {
  static const char *const names[] = {"lfts.dump", "sl.dump", "sl2vl.dump", "lfts.step1.dump", "summary.json"};
  (void)context;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name)) return true;
  return false;
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

static int write_file(const cli_tables_folder *f, const char *name, const ripstop_forwarding *tables,
                      int (*print)(const ripstop_forwarding *, FILE *, ripstop_error *), ripstop_error *err) {
  char path[PATH_MAX];
  ripstop_output file;
  if (cli_tables_path(f, name, path, err) || ripstop_output_begin(&file, path, f->kind, err)) return -1;
  int status = print(tables, file.stream, err);
  if (status) ripstop_output_drop(&file);
  return status ? status : ripstop_output_end(&file, err);
}

/* One that an earlier update left would be taken for this one's. */
static int remove_first_step(const cli_tables_folder *f, ripstop_error *err) {
  char path[PATH_MAX];
  return cli_tables_path(f, "lfts.step1.dump", path, err) ? -1 : ripstop_output_remove(path, f->kind, err);
}

int cli_tables_write(const cli_tables_folder *f, const ripstop_forwarding *tables, const ripstop_forwarding *first,
                     ripstop_error *err) {
  if (write_file(f, "lfts.dump", tables, ripstop_forwarding_print, err) ||
      write_file(f, "sl.dump", tables, ripstop_forwarding_print_levels, err) ||
      write_file(f, "sl2vl.dump", tables, ripstop_forwarding_print_lanes, err))
    return -1;
  return first ? write_file(f, "lfts.step1.dump", first, ripstop_forwarding_print, err) : remove_first_step(f, err);
}
