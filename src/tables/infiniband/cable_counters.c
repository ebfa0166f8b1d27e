/* cable_counters.c - see cable_counters.h. Cost: that of the tables of shortest paths, where no load is given. */
#include "tables/infiniband/cable_counters.h"

#include <string.h>

#include "fabric/content.h"
#include "fabric/ib.h"
#include "formats/infiniband/dump_history.h"

/* ------------------------------------------------------------------ files */

/* `date` is that of the first file; empty: it has none. */
static int read_files(ib_counters *out, const char *const *path, unsigned count, char date[IB_HISTORY_DATE],
                      ripstop_error *err) {
  date[0] = '\0';
  for (unsigned i = 0; i < count; i++) {
    char *data;
    const char *text;
    size_t length;
    if (ripstop_read_file(out->arena, path[i], RIPSTOP_CONTENT_LIMIT, &data, &length, err)) return -1;
    text = data;
    if (ripstop_content_unpack(out->arena, path[i], &text, &length, err) ||
        ib_counters_read(out, path[i], text, length, err))
      return -1;
    const char *slash = strrchr(path[i], '/');
    if (i == 0 && !ib_history_date(slash ? slash + 1 : path[i], text, length, date)) date[0] = '\0';
  }
  return 0;
}

static int join(ripstop_arena *arena, const ripstop_ib_dump *dump, const ib_counter_files *files,
                ib_cable_counters *out, ripstop_error *err) {
  ib_counters present = {.arena = arena}, then = {.arena = arena};
  char date[IB_HISTORY_DATE], earlier[IB_HISTORY_DATE];
  if (read_files(&present, files->now, files->nows, date, err)) return ripstop_fail_at(err, "--counters");
  if (read_files(&then, files->before, files->befores, earlier, err)) return ripstop_fail_at(err, "--counters-before");
  out->differences = files->befores > 0;
  if (date[0] && earlier[0] && ib_history_hours(earlier, date) > 0) out->hours = ib_history_hours(earlier, date);
  ib_join_counters(&out->found, arena, dump, &present, out->differences ? &then : NULL);
  return 0;
}

/* ------------------------------------------------------------------ the burden of a cable */

typedef struct burdens {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  const ripstop_ib_dump *dump;
  const uint64_t *load;
  ripstop_leaf *leaf;
  uint32_t leaves;
} burdens;

static int load_shortest(ripstop_arena *arena, const ripstop_view *view, const uint64_t **load, ripstop_error *err) {
  ripstop_table_verdict verdict;
  ripstop_forwarding *tables = ripstop_forwarding_shortest(view, err);
  const int status = tables ? ripstop_judge(arena, view, tables, NULL, &verdict, err) : -1;
  if (!status) *load = verdict.load;
  ripstop_forwarding_free(tables);
  return status;
}

/* The port of the fabric that is a port of the dump. RIPSTOP_NONE: not a switch's. */
static uint32_t switch_port(const burdens *b, uint32_t port) {
  const uint32_t node = ripstop_ib_of(b->fabric)->node_of[b->dump->port[port].node];
  return node == RIPSTOP_NONE ? RIPSTOP_NONE : b->fabric->port_base[node] + b->dump->port[port].number;
}

static const ripstop_leaf *leaf_of(const burdens *b, uint32_t node) {
  for (uint32_t i = 0; i < b->leaves; i++)
    if (b->leaf[i].node == node) return &b->leaf[i];
  return NULL;
}

static const char *leaf_name(const burdens *b, const ripstop_leaf *leaf) {
  char name[RIPSTOP_NAME_MAX];
  const char *text = ripstop_ib_description(b->fabric, leaf->node);
  if (text[0]) return text;
  ripstop_node_name(b->fabric, leaf->node, name);
  return ripstop_arena_text(b->arena, name);
}

static const char *end_words(const burdens *b, uint32_t port) {
  return ripstop_ib_end_words(b->arena, b->dump, b->dump->port[port].node, b->dump->port[port].number);
}

static ib_counted_cable describe(const burdens *b, const ib_cable_errors *row) {
  const uint32_t mate = b->dump->port[row->port].mate;
  const uint32_t one = switch_port(b, row->port), other = switch_port(b, mate);
  char name[RIPSTOP_NAME_MAX];
  ripstop_ib_cable_name(b->dump, row->port, name);
  ib_counted_cable out = {.errors = row,
                          .name = ripstop_arena_text(b->arena, name),
                          .ends =
                              ripstop_arena_printf(b->arena, "%s - %s", end_words(b, row->port), end_words(b, mate)),
                          .between = one != RIPSTOP_NONE && other != RIPSTOP_NONE};
  if (!out.between || b->fabric->port_node[one] == b->fabric->port_node[other]) return out;
  out.paths = b->load[one] + b->load[other];
  out.leaf = leaf_of(b, b->fabric->port_node[one]);
  if (!out.leaf) out.leaf = leaf_of(b, b->fabric->port_node[other]);
  if (out.leaf) out.leaf_name = leaf_name(b, out.leaf);
  return out;
}

int ib_cable_counters_read(ripstop_arena *arena, const ripstop_view *view, const uint64_t *load,
                           const ib_counter_files *files, ib_cable_counters *out, ripstop_error *err) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(view->fabric);
  *out = (ib_cable_counters){0};
  if (!ib)
    return ripstop_fail(err, "--counters needs a dump of an InfiniBand fabric, and %s is none", view->fabric->spec);
  out->dump = ib->dump;
  burdens b = {.arena = arena, .fabric = view->fabric, .dump = ib->dump, .load = load};
  if (join(arena, b.dump, files, out, err)) return -1;
  if (out->found.count == 0) return 0;
  if (!load && load_shortest(arena, view, &b.load, err)) return -1;
  if (ripstop_judge_leaves(arena, view, &b.leaf, &b.leaves, err)) return -1;
  ib_counted_cable *cable = RIPSTOP_ARRAY(arena, out->found.count, ib_counted_cable);
  for (uint32_t i = 0; i < out->found.count; i++) cable[i] = describe(&b, &out->found.list[i]);
  out->cable = cable;
  return 0;
}
