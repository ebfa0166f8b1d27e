/* chakra_trace.c - reads a Chakra trace in any of its forms, sorts its nodes by id, and resolves dependencies.
 *
 * Tools that read such traces take a lot in silence: a file that is cut off, an id that stands twice, dependencies on
 * nodes that do not exist. All of that is refused here. */
#include "formats/traces/chakra_trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/growing.h"
#include "formats/ethernet/json_tokens.h"
#include "formats/traces/chakra_reader.h"
#include "formats/traces/trace_format.h"

/* ------------------------------------------------------------------ nodes and attributes */

void chakra_set_number(chakra_node *node, piece name, uint64_t value) {
  const struct {
    const char *name;
    uint64_t *out;
    bool *has;
  } known[] = {{"comm_size", &node->bytes, &node->has_bytes},
               {"comm_src", &node->source, &node->has_source},
               {"comm_dst", &node->destination, &node->has_destination},
               {"comm_tag", &node->tag, NULL},
               {"comm_type", &node->collective, NULL},
               {"tensor_size", &node->tensor, NULL}};
  if (piece_is(name, "is_cpu_op")) node->is_host = value != 0;
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    if (!piece_is(name, known[i].name)) continue;
    *known[i].out = value;
    if (known[i].has) *known[i].has = true;
  }
}

void chakra_set_text(chakra_node *node, piece name, piece value) {
  if (piece_is(name, "pg_name")) node->group = value;
}

void chakra_add_number(chakra_reader *r, chakra_list *list, uint64_t number) {
  chakra_trace *t = r->out;
  RIPSTOP_GROW_IN(r->arena, t->number, t->numbers, t->number_room);
  if (list->count == 0) list->first = t->numbers;
  t->number[t->numbers++] = number;
  list->count++;
}

void chakra_add_node(chakra_reader *r, const chakra_node *node) {
  chakra_trace *t = r->out;
  RIPSTOP_GROW_IN(r->arena, t->node, t->nodes, t->node_room);
  t->node[t->nodes++] = *node;
}

const char *ripstop_chakra_collective(uint64_t number) {
  static const char *const names[] = {
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

/* ------------------------------------------------------------------ process groups */

/* The text between the next two quotes of one kind; false: there is none. */
static bool take_quoted(piece *p, piece *out) {
  while (p->at < p->end && *p->at != '"' && *p->at != '\'') p->at++;
  if (p->at == p->end) return false;
  const char quote = *p->at++;
  const char *end = memchr(p->at, quote, piece_length(*p));
  if (!end) return false;
  *out = (piece){p->at, end};
  p->at = end + 1;
  return true;
}

/* "[0, 1, 2]" */
static bool take_ranks(chakra_reader *r, piece *p, chakra_list *out) {
  *out = (chakra_list){0};
  const char *open = memchr(p->at, '[', piece_length(*p));
  if (!open) return false;
  for (p->at = open + 1; p->at < p->end && *p->at != ']';) {
    uint64_t rank;
    if (piece_number(p, 10, &rank))
      chakra_add_number(r, out, rank);
    else
      p->at++;
  }
  return true;
}

/* PyTorch writes lists of dictionaries here, as JSON or as Python prints them: the two keys that count are found by
 * their names. */
void chakra_add_groups(chakra_reader *r, piece values) {
  chakra_trace *t = r->out;
  chakra_group group;
  for (const char *at; (at = piece_find(values, "pg_name")) != NULL;) {
    values.at = at + strlen("pg_name") + 1;
    if (values.at >= values.end || !take_quoted(&values, &group.name)) return;
    const char *ranks = piece_find(values, "ranks");
    if (!ranks) return;
    values.at = ranks;
    if (!take_ranks(r, &values, &group.ranks)) return;
    RIPSTOP_GROW_IN(r->arena, t->group, t->groups, t->group_room);
    t->group[t->groups++] = group;
  }
}

int ripstop_chakra_groups(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                          ripstop_error *err) {
  jt_doc doc = {.name = name};
  chakra_reader r = {.out = out, .arena = arena, .name = name, .err = err};
  *out = (chakra_trace){0};
  if (jt_read(&doc, arena, name, text, length, err)) return ripstop_fail_at(err, "groups");
  if (doc.count == 0 || jt_kind_of(&doc, 0) != JT_OBJECT)
    return ripstop_fail(err, "groups: %s: an object {\"1\": [0, 1], ...} must stand here", name);
  for (jt_walk walk = jt_walk_of(&doc, 0); jt_next(&walk);) {
    chakra_group group = {.name = walk.key};
    if (jt_kind_of(&doc, walk.value) != JT_ARRAY)
      return ripstop_fail(err, "groups: %s:%u: a list of ranks must stand here", name, jt_line(&doc, walk.value));
    for (jt_walk item = jt_walk_of(&doc, walk.value); jt_next(&item);) {
      piece word = jt_piece(&doc, item.value);
      uint64_t rank;
      if (!piece_number(&word, 10, &rank) || word.at < word.end)
        return ripstop_fail(err, "groups: %s:%u: the number of a rank must stand here", name,
                            jt_line(&doc, item.value));
      chakra_add_number(&r, &group.ranks, rank);
    }
    RIPSTOP_GROW_IN(arena, out->group, out->groups, out->group_room);
    out->group[out->groups++] = group;
  }
  return 0;
}

/* ------------------------------------------------------------------ order */

static int by_id(const void *a, const void *b) {
  const chakra_node *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static uint32_t find(const chakra_trace *t, uint64_t id) {
  const chakra_node key = {.id = id};
  const chakra_node *found = t->nodes ? bsearch(&key, t->node, t->nodes, sizeof key, by_id) : NULL;
  return found ? (uint32_t)(found - t->node) : RIPSTOP_NONE;
}

static int resolve(const chakra_reader *r, const chakra_node *node, chakra_list list) {
  for (uint32_t i = 0; i < list.count; i++) {
    uint64_t *number = &r->out->number[list.first + i];
    const uint32_t index = find(r->out, *number);
    if (index == RIPSTOP_NONE)
      return ripstop_fail(r->err, "node %" PRIu64 " depends on node %" PRIu64 ", which does not exist", node->id,
                          *number);
    *number = index;
  }
  return 0;
}

static int order(const chakra_reader *r) {
  const chakra_trace *t = r->out;
  if (t->nodes) qsort(t->node, t->nodes, sizeof *t->node, by_id);
  for (uint32_t i = 1; i < t->nodes; i++)
    if (t->node[i].id == t->node[i - 1].id)
      return ripstop_fail(r->err, "node %" PRIu64 " stands twice in the file", t->node[i].id);
  for (uint32_t i = 0; i < t->nodes; i++)
    if (resolve(r, &t->node[i], t->node[i].control) || resolve(r, &t->node[i], t->node[i].data)) return -1;
  return 0;
}

int ripstop_chakra_read(chakra_trace *out, ripstop_arena *arena, const char *name, const char *text, size_t length,
                        ripstop_error *err) {
  chakra_reader r = {.out = out, .arena = arena, .name = name, .text = {text, text + length}, .err = err};
  *out = (chakra_trace){0};
  if ((chakra_is_json(r.text) ? chakra_read_json : chakra_read_wire)(&r) || order(&r))
    return ripstop_fail_at(err, "%s: %s", trace_chakra.name, name);
  return 0;
}
