/* both_ends.c - see both_ends.h. */
#include "formats/infiniband/both_ends.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/growing.h"
#include "formats/infiniband/lines.h"

const char *ib_node_id(ripstop_ib_dump *dump, ripstop_ib_kind kind, piece guid) {
  static const char letters[] = "SHR";
  uint64_t number;
  if (!piece_take(&guid, "0x")) (void)piece_take(&guid, "0X");
  if (guid.at == guid.end || piece_length(guid) > RIPSTOP_IB_ID_LIMIT - 2) return NULL;
  if (ripstop_ib_read_hex(guid, &number))
    return ripstop_arena_printf(dump->arena, "%c-%016" PRIx64, letters[kind], number);
  return ripstop_arena_printf(dump->arena, "%c-%s", letters[kind], ripstop_ib_keep(dump, guid));
}

static bool same_key(const void *nodes, uint32_t i, const char *text, size_t length) {
  const char *key = ((const ib_nodes *)nodes)->key[i];
  return strlen(key) == length && memcmp(key, text, length) == 0;
}

uint32_t ib_find_node(const ib_nodes *nodes, const char *key) {
  return ripstop_text_table_find(&nodes->keys, key, strlen(key), same_key, nodes);
}

uint32_t ib_put_node(ib_nodes *nodes, const char *key, const ripstop_ib_node *node) {
  const uint32_t at = nodes->dump->nodes;
  RIPSTOP_GROW_IN(nodes->dump->arena, nodes->key, at, nodes->room);
  nodes->key[at] = key;
  nodes->keys.arena = nodes->dump->arena;
  ripstop_text_table_add(&nodes->keys, key, strlen(key), at);
  *ripstop_ib_add_node(nodes->dump) = *node;
  return at;
}

ripstop_ib_port *ib_put_port(ripstop_ib_dump *dump, const ib_end *own, const ib_end *peer, uint32_t line) {
  ripstop_ib_node *node = &dump->node[own->node];
  const ripstop_ib_node *far = &dump->node[peer->node];
  const bool is_switch = node->kind == RIPSTOP_IB_SWITCH;
  if (own->number > node->wide) node->wide = own->number;
  ripstop_ib_port *port = ripstop_ib_add_port(dump);
  *port = (ripstop_ib_port){.node = own->node,
                            .number = own->number,
                            .peer_id = far->id,
                            .peer_number = peer->number,
                            .mate = RIPSTOP_NONE,
                            .guid = is_switch ? 0 : own->guid,
                            .lid = is_switch ? RIPSTOP_NONE : own->lid,
                            .lmc = is_switch ? 0 : own->lmc,
                            .peer_text = far->text,
                            .peer_lid = far->kind == RIPSTOP_IB_SWITCH ? far->lid : peer->lid,
                            .peer_guid = far->kind == RIPSTOP_IB_SWITCH ? 0 : peer->guid,
                            .width = own->width,
                            .speed = own->speed,
                            .line = line};
  return port;
}

void ib_put_cable(ripstop_ib_dump *dump, const ib_end end[2], uint32_t line) {
  ib_put_port(dump, &end[0], &end[1], line);
  ib_put_port(dump, &end[1], &end[0], line);
}

static int by_node(const void *a_, const void *b_) {
  const ripstop_ib_port *a = a_, *b = b_;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return (a->line > b->line) - (a->line < b->line);
}

void ib_end_cables(ripstop_ib_dump *dump) {
  if (dump->ports > 0) qsort(dump->port, dump->ports, sizeof *dump->port, by_node);
}
