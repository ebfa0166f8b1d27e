/* fabric_slurm.c - `ripstop fabric F --slurm tree|block`: topology.conf for Slurm. */
#include "base/local.h"
#include "cli/fabric_files.h"
#include "report/json_values.h"

const char *const fabric_slurm_kinds[] = {"tree", "block", NULL};

int fabric_slurm_open(fabric_slurm *s, ripstop_arena *arena, const ripstop_fabric *fabric,
                      const ripstop_recognised *recognised, const char *adapters, ripstop_error *err) {
  return ripstop_slurm_topology(&s->topology, arena, fabric, recognised, adapters, err)
             ? ripstop_fail_at(err, "fabric: --slurm")
             : 0;
}

void fabric_slurm_print(const fabric_slurm *s) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_slurm_add_file(&text, &s->topology, s->block);
  fwrite(text.data, 1, text.length, stdout);
}

static json_t *json_entry(const slurm_entry *e) {
  json_t *parts = json_array();
  for (uint32_t i = 0; i < e->parts; i++) json_array_append_new(parts, ripstop_json_text(e->part[i]));
  return json_pack("{s:o, s:o}", "name", ripstop_json_text(e->name), e->is_leaf ? "nodes" : "switches", parts);
}

void fabric_slurm_json(const fabric_slurm *s, json_t *all) {
  const slurm_topology *t = &s->topology;
  json_t *list = json_array(), *notes = json_array();
  for (uint32_t i = 0; i < (s->block ? t->leaves : t->count); i++) json_array_append_new(list, json_entry(&t->list[i]));
  for (uint32_t i = 0; i < t->notes; i++) json_array_append_new(notes, ripstop_json_text(t->note[i]));
  json_t *out = json_pack("{s:s, s:o, s:o}", "kind", fabric_slurm_kinds[s->block], s->block ? "blocks" : "switches",
                          list, "notes", notes);
  if (s->block) json_object_set_new(out, "block_sizes", json_pack("[i]", (int)t->smallest));
  json_object_set_new(all, "slurm", out);
}
