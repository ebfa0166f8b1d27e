/* table_folder.c - writes the files of a set of forwarding tables, each whole or not at all. */
#include "tables/infiniband/table_folder.h"

#include <string.h>

typedef int printer(const ripstop_forwarding *tables, FILE *file, ripstop_error *err);

static const char between_name[] = "lfts.step1.dump";
static const struct {
  const char *name;
  printer *print;
} files[] = {{"lfts.dump", ripstop_forwarding_print},
             {"sl.dump", ripstop_forwarding_print_levels},
             {"sl2vl.dump", ripstop_forwarding_print_lanes}};
enum { FILES = sizeof files / sizeof *files };

bool ripstop_table_folder_has(const char *name) {
  bool has = strcmp(name, between_name) == 0;
  for (size_t i = 0; i < FILES && !has; i++) has = strcmp(name, files[i].name) == 0;
  return has;
}

static int name_file(const char *folder, const char *name, char path[PATH_MAX], ripstop_error *err) {
  if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX) return 0;
  return ripstop_fail(err, "the path %s is too long", folder);
}

static int write_file(const char *folder, const char *name, ripstop_output_kind kind, const ripstop_forwarding *tables,
                      printer *print, ripstop_error *err) {
  char path[PATH_MAX];
  ripstop_output file;
  if (name_file(folder, name, path, err) || ripstop_output_begin(&file, path, kind, err)) return -1;
  if (print(tables, file.stream, err) == 0) return ripstop_output_end(&file, err);
  ripstop_output_drop(&file);
  return -1;
}

int ripstop_table_folder_write(const char *folder, ripstop_output_kind kind, const ripstop_forwarding *tables,
                               ripstop_error *err) {
  int status = 0;
  for (size_t i = 0; i < FILES && !status; i++)
    status = write_file(folder, files[i].name, kind, tables, files[i].print, err);
  return status;
}

int ripstop_table_folder_between(const char *folder, ripstop_output_kind kind, const ripstop_forwarding *between,
                                 ripstop_error *err) {
  char path[PATH_MAX];
  if (between) return write_file(folder, between_name, kind, between, ripstop_forwarding_print, err);
  return name_file(folder, between_name, path, err) ? -1 : ripstop_output_remove(path, kind, err);
}
