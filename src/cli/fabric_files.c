/* fabric_files.c - the options of `ripstop fabric` that take files about the fabric: each is opened, printed, and added
 * to the JSON object in the same order. */
#include "cli/fabric_files.h"

#include "fabric/content.h"
#include "fabric/ib.h"

/* ------------------------------------------------------------------ shared by all answers */

const ripstop_ib_dump *fabric_files_dump(const ripstop_fabric *fabric, const char *option, ripstop_error *err) {
  if (ripstop_ib_of(fabric)) return ripstop_ib_of(fabric)->dump;
  ripstop_fail(err, "fabric: --%s needs a dump of an InfiniBand fabric, and %s is none", option, fabric->spec);
  return NULL;
}

int fabric_files_read(ripstop_arena *arena, const char *path, const char **text, size_t *length, ripstop_error *err) {
  char *data;
  if (ripstop_read_file(arena, path, RIPSTOP_CONTENT_LIMIT, &data, length, err)) return -1;
  *text = data;
  return ripstop_content_unpack(arena, path, text, length, err);
}

const char *fabric_files_place(ripstop_arena *arena, const ripstop_ib_dump *dump, ib_place place) {
  return ripstop_ib_end_words(arena, dump, place.node, place.number);
}

const char *fabric_files_end(ripstop_arena *arena, const ripstop_ib_dump *dump, uint32_t port) {
  return ripstop_ib_end_words(arena, dump, dump->port[port].node, dump->port[port].number);
}

/* ------------------------------------------------------------------ all of them */

int fabric_files_take(fabric_files *f, const char *const *argument, unsigned count, ripstop_error *err) {
  ripstop_cli_values *now = &f->counter_files;
  if (count > 1 && now->count == 0)
    return ripstop_fail(err, "fabric: one argument too many, '%.100s'; usage: ripstop fabric [flags] SPEC",
                        argument[1]);
  if (count > 1 && f->earlier_files.count > 0)
    return ripstop_fail(
        err, "fabric: '%.100s' may be a file of --counters or of --counters-before; give the flag again", argument[1]);
  for (unsigned i = 1; i < count; i++) {
    if (now->count == RIPSTOP_CLI_VALUES)
      return ripstop_fail(err, "fabric: --counters: more than %d files", RIPSTOP_CLI_VALUES);
    now->value[now->count++] = argument[i];
  }
  return 0;
}

int fabric_files_open(fabric_files *f, ripstop_arena *arena, const ripstop_fabric *fabric,
                      const ripstop_recognised *recognised, ripstop_error *err) {
  if (f->counter_files.count &&
      fabric_counters_open(&f->counters, arena, fabric, &f->counter_files, &f->earlier_files, err))
    return ripstop_fail_at(err, "fabric");
  if (f->design_file && fabric_design_open(&f->design, arena, fabric, recognised, f->design_file, err)) return -1;
  f->slurm.block = f->slurm_kind == 1;
  return f->is_slurm ? fabric_slurm_open(&f->slurm, arena, fabric, recognised, f->adapters, err) : 0;
}

bool fabric_files_print_alone(const fabric_files *f) {
  if (f->is_slurm) fabric_slurm_print(&f->slurm);
  return f->is_slurm;
}

void fabric_files_print(const fabric_files *f) {
  if (f->counter_files.count) fabric_counters_print(&f->counters);
  if (f->design_file) fabric_design_print(&f->design);
}

void fabric_files_json(const fabric_files *f, json_t *all) {
  if (f->counter_files.count) fabric_counters_json(&f->counters, all);
  if (f->design_file) fabric_design_json(&f->design, all);
  if (f->is_slurm) fabric_slurm_json(&f->slurm, all);
}
