/* lfts_print.c - forwarding tables as OpenSM dumps and loads them (`opensm -R file -U`). */
#include <string.h>

#include "base/memory.h"
#include "fabric/ib_subnet.h"
#include "formats/infiniband/table_print.h"
#include "ripstop/plugin/forwarding.h"
#include "tables/infiniband/lids.h"

typedef struct printer {
  const ripstop_forwarding *tables;
  const ripstop_fabric *fabric;
  ripstop_lids lids;
  const char **line; /* [lids.count] */
  uint32_t *length;
  uint32_t first_port, highest;
  FILE *file;
} printer;

static int open_printer(printer *p, ripstop_arena *arena, const ripstop_forwarding *t, FILE *file, ripstop_error *err) {
  ib_subnet_node n;
  *p = (printer){.tables = t, .fabric = t->fabric, .first_port = ib_subnet_first_port(t->fabric), .file = file};
  if (ripstop_lids_of(t, arena, &p->lids, err)) return -1;
  p->line = RIPSTOP_ARRAY(arena, p->lids.count, const char *);
  p->length = RIPSTOP_ARRAY(arena, p->lids.count, uint32_t);
  for (uint32_t i = 0; i < p->lids.count; i++) {
    ib_subnet_node_of(t->fabric, t->node[p->lids.address[i]], &n);
    p->line[i] = ib_entry_line(arena, p->lids.lid[i], n.port == 0, n.port_guid, n.text);
    p->length[i] = (uint32_t)strlen(p->line[i]);
    if (p->lids.lid[i] > p->highest) p->highest = p->lids.lid[i];
  }
  return 0;
}

/* The port's number in the dump; RIPSTOP_NONE: no entry, and 0 of a switch for itself. */
static uint32_t number_of(const printer *p, uint32_t address, uint32_t node) {
  if (p->tables->node[address] == node) return 0;
  uint32_t local = ripstop_forwarding_port(p->tables, address, node);
  return local == RIPSTOP_NO_PORT ? RIPSTOP_NONE : local + p->first_port;
}

static void print_table(const printer *p, uint32_t node) {
  ib_subnet_node n;
  uint32_t count = 0;
  ib_subnet_node_of(p->fabric, node, &n);
  ib_print_table_begin(p->highest, p->lids.node[node], n.guid, n.text, p->file);
  for (uint32_t i = 0; i < p->lids.count; i++) {
    uint32_t port = number_of(p, p->lids.address[i], node);
    if (port == RIPSTOP_NONE) continue;
    ib_print_entry(p->line[i], p->length[i], port, p->file);
    count++;
  }
  ib_print_table_end(count, p->file);
}

int ripstop_forwarding_print(const ripstop_forwarding *tables, FILE *file, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_arena *scratch = ripstop_arena_new();
  printer p;
  int status = open_printer(&p, scratch, tables, file, err);
  for (uint32_t node = p.fabric->ends; !status && node < p.fabric->nodes; node++) print_table(&p, node);
  ripstop_arena_free(scratch);
  return status;
}
