/* no_files.c - in place of the core's files that need a library to read files by (fabric/unpack.c, graph/graphml.c,
 * graph/cable_plan.c, traces/chakra_*.c, tables/infiniband/lfts_files.c): a page has no files, so nothing comes here
 * that could be read. */
#include "fabric/content.h"
#include "fabric/graph.h"
#include "formats/traces/chakra_trace.h"
#include "tables/infiniband/lfts.h"

static int refuse(ripstop_error *err, const char *what) {
  return ripstop_fail(err, "%s: the lab reads no files", what);
}

int ripstop_content_unpack(ripstop_arena *arena, const char *name, const char **text, size_t *length,
                           ripstop_error *err) {
  (void)arena, (void)name, (void)text, (void)length, (void)err;
  return 0; /* as of a text that is not packed */
}

bool ripstop_graph_is_xml(const char *text, size_t length) {
  (void)text, (void)length;
  return false;
}

int ripstop_graph_read_xml(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  (void)text, (void)length;
  return refuse(err, g->file);
}

bool ripstop_graph_is_plan(const char *text, size_t length) {
  (void)text, (void)length;
  return false;
}

int ripstop_graph_read_plan(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  (void)text, (void)length;
  return refuse(err, g->file);
}

int ripstop_chakra_read(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                        ripstop_error *err) {
  (void)out, (void)arena, (void)text, (void)length;
  return refuse(err, name);
}

int ripstop_chakra_groups(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                          ripstop_error *err) {
  (void)out, (void)arena, (void)text, (void)length;
  return refuse(err, name);
}

const char *ripstop_chakra_collective(uint64_t number) {
  (void)number;
  return NULL;
}

int ripstop_lfts_hash(const char *const *path, unsigned count, char *hash, ripstop_error *err) {
  (void)count, (void)hash;
  return refuse(err, *path);
}

ripstop_forwarding *ripstop_lfts_read(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_view *view,
                                      const char *const *path, unsigned count, ripstop_lfts_notes *notes, char *hash,
                                      ripstop_error *err) {
  (void)arena, (void)fabric, (void)view, (void)count, (void)notes, (void)hash;
  refuse(err, *path);
  return NULL;
}
