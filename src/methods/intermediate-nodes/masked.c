/* masked.c - folds a table by destination into masked entries.
 *
 * For one order of the digits, the destinations are the leaves of a tree that branches by the first digit of the order,
 * then by the second, and so on. A node can get an entry, which holds for all leaves below it without a nearer one.
 * Upwards, each node collects the values that most of its children could have without an entry of their own. Downwards,
 * a node keeps the value that it inherits if it is among them, and gets an entry otherwise. */
#include "methods/intermediate-nodes/masked.h"

#include <string.h>

enum { ALL_ORDERS = 4, ORDERS_MAX = 24 /* 4! */, COUNT_MAX = 16 };

/* The values that suit a node, by number, in `pool`; none: any suits. */
typedef struct suitable {
  uint32_t first, count;
  bool same; /* all leaves below have one value, or any suits them */
} suitable;

struct ripstop_masked_folder {
  uint32_t radix, count, leaves, orders;
  uint8_t order[ORDERS_MAX][COUNT_MAX]; /* digits, in the order of branching */
  uint32_t level[COUNT_MAX + 1];        /* a level's first node; the root is node 0 */
  uint32_t weight[COUNT_MAX];           /* radix^i */
  uint32_t *value;                      /* [leaves]: by destination, as a number below `names`; RIPSTOP_NONE: any */
  uint64_t *name;                       /* [leaves + 1]: values by number; number 0 is value 0 */
  uint32_t names, *slot, slots;         /* numbers by hash of the value; slots is a power of 2 */
  suitable *node;
  uint32_t *pool, used;
  uint32_t *votes; /* [leaves + 1]: by number */
  ripstop_masked_entry *entry;
  ripstop_masked table;
};

/* ------------------------------------------------------------------ preparation */

static void add_order(ripstop_masked_folder *f, const uint8_t *order) {
  memcpy(f->order[f->orders++], order, f->count);
}

static void permute(ripstop_masked_folder *f, uint8_t *order, uint32_t fixed) {
  if (fixed == f->count) add_order(f, order);
  for (uint32_t i = fixed; i < f->count; i++) {
    uint8_t chosen = order[i], displaced = order[fixed];
    order[fixed] = chosen, order[i] = displaced;
    permute(f, order, fixed + 1);
    order[fixed] = displaced, order[i] = chosen;
  }
}

static void list_orders(ripstop_masked_folder *f) {
  uint8_t up[COUNT_MAX], down[COUNT_MAX];
  for (uint32_t i = 0; i < f->count; i++) up[i] = down[f->count - 1 - i] = (uint8_t)i;
  if (f->count <= ALL_ORDERS) {
    permute(f, up, 0);
  } else {
    add_order(f, up);
    add_order(f, down);
  }
}

ripstop_masked_folder *ripstop_masked_folder_new(ripstop_arena *arena, uint32_t radix, uint32_t count) {
  ripstop_masked_folder *f = RIPSTOP_NEW(arena, ripstop_masked_folder);
  uint32_t nodes = 0, leaves = 1;
  *f = (ripstop_masked_folder){.radix = radix, .count = count, .table = {.radix = radix, .count = count}};
  for (uint32_t i = 0; i <= count; i++, leaves *= radix) {
    f->level[i] = nodes;
    if (i < count) f->weight[i] = leaves;
    nodes += leaves;
    f->leaves = leaves;
  }
  for (f->slots = 2; f->slots < 2 * f->leaves; f->slots *= 2) {
  }
  f->value = RIPSTOP_ARRAY(arena, f->leaves, uint32_t);
  f->name = RIPSTOP_ARRAY(arena, f->leaves + 1, uint64_t);
  f->slot = RIPSTOP_ARRAY(arena, f->slots, uint32_t);
  f->node = RIPSTOP_ARRAY(arena, nodes, suitable);
  f->pool = RIPSTOP_ARRAY(arena, (size_t)f->leaves * (count + 1) + 1, uint32_t);
  f->votes = RIPSTOP_ARRAY(arena, f->leaves + 1, uint32_t);
  f->entry = RIPSTOP_ARRAY(arena, nodes + 1, ripstop_masked_entry);
  f->table.entry = f->entry;
  list_orders(f);
  return f;
}

/* ------------------------------------------------------------------ numbers for values */

static uint32_t number_of(ripstop_masked_folder *f, uint64_t value) {
  if (value == 0) return 0;
  uint64_t hash = value * UINT64_C(0x9E3779B97F4A7C15);
  for (uint32_t at = (uint32_t)(hash >> 40);; at++) {
    uint32_t *slot = &f->slot[at & (f->slots - 1)];
    if (*slot == 0) {
      f->name[f->names] = value;
      return *slot = f->names++;
    }
    if (f->name[*slot] == value) return *slot;
  }
}

/* False: all values are 0. */
static bool number_values(ripstop_masked_folder *f, const uint64_t *value, uint32_t own) {
  memset(f->slot, 0, f->slots * sizeof *f->slot);
  f->names = 1;
  for (uint32_t i = 0; i < f->leaves; i++) f->value[i] = i == own ? RIPSTOP_NONE : number_of(f, value[i]);
  return f->names > 1;
}

/* ------------------------------------------------------------------ upwards */

/* The values that most of `radix` children can have. Children that any value suits do not vote. */
static suitable elect(ripstop_masked_folder *f, const suitable *child) {
  suitable out = {.first = f->used, .same = true};
  uint32_t most = 0, voted = f->used;
  for (uint32_t c = 0; c < f->radix; c++) {
    out.same &= child[c].same;
    for (uint32_t i = 0; i < child[c].count; i++) {
      uint32_t number = f->pool[child[c].first + i];
      if (f->votes[number]++ == 0) f->pool[voted++] = number;
      if (f->votes[number] > most) most = f->votes[number];
    }
  }
  for (uint32_t i = out.first; i < voted; i++) {
    uint32_t number = f->pool[i];
    if (f->votes[number] == most) f->pool[f->used++] = number;
    f->votes[number] = 0;
  }
  out.count = f->used - out.first;
  out.same &= voted - out.first <= 1;
  return out;
}

/* `at` is the destination of the node's first leaf, `depth` its level. */
static void collect(ripstop_masked_folder *f, const uint8_t *order, uint32_t depth, uint32_t place, uint32_t at) {
  suitable *node = &f->node[f->level[depth] + place];
  if (depth == f->count) {
    *node = (suitable){.first = f->used, .count = f->value[at] != RIPSTOP_NONE, .same = true};
    if (node->count) f->pool[f->used++] = f->value[at];
    return;
  }
  for (uint32_t c = 0; c < f->radix; c++)
    collect(f, order, depth + 1, place * f->radix + c, at + c * f->weight[order[depth]]);
  *node = elect(f, &f->node[f->level[depth + 1] + place * f->radix]);
}

/* ------------------------------------------------------------------ downwards */

static bool suits(const ripstop_masked_folder *f, const suitable *node, uint32_t number) {
  for (uint32_t i = 0; i < node->count; i++)
    if (f->pool[node->first + i] == number) return true;
  return node->count == 0;
}

/* Adds the entries of a subtree, deeper ones first. */
static void emit(ripstop_masked_folder *f, const uint8_t *order, uint32_t depth, uint32_t place, uint32_t at,
                 uint32_t mask, uint32_t inherited) {
  const suitable *node = &f->node[f->level[depth] + place];
  uint32_t number = suits(f, node, inherited) ? inherited : f->pool[node->first];
  for (uint32_t c = 0; c < f->radix && depth < f->count && !node->same; c++)
    emit(f, order, depth + 1, place * f->radix + c, at + c * f->weight[order[depth]], mask | 1u << order[depth],
         number);
  if (number != inherited)
    f->entry[f->table.entries++] = (ripstop_masked_entry){.id = at, .mask = mask, .value = f->name[number]};
}

/* Fills the table for one order, behind `kept` entries that it begins with. */
static uint32_t fold(ripstop_masked_folder *f, uint32_t order, uint32_t kept) {
  f->used = 0;
  f->table.entries = kept;
  collect(f, f->order[order], 0, 0, 0);
  emit(f, f->order[order], 0, 0, 0, 0, 0);
  return f->table.entries;
}

/* ------------------------------------------------------------------ slabs
 *
 * Destinations that share a digit with the owner often have one value, because they do not need what the others need.
 * One entry in front settles them, and the others may ignore them. */

static bool in_slab(const ripstop_masked_folder *f, uint32_t digit, uint32_t own, uint32_t destination) {
  return destination / f->weight[digit] % f->radix == own / f->weight[digit] % f->radix;
}

/* The only value in the slab, by number; RIPSTOP_NONE: there are several. */
static uint32_t value_of_slab(const ripstop_masked_folder *f, uint32_t digit, uint32_t own) {
  uint32_t found = RIPSTOP_NONE;
  for (uint32_t i = 0; i < f->leaves; i++) {
    if (i == own || !in_slab(f, digit, own, i)) continue;
    if (found != RIPSTOP_NONE && f->value[i] != found) return RIPSTOP_NONE;
    found = f->value[i];
  }
  return found;
}

static void set_slab(ripstop_masked_folder *f, uint32_t digit, uint32_t own, uint32_t number) {
  for (uint32_t i = 0; i < f->leaves; i++)
    if (i != own && in_slab(f, digit, own, i)) f->value[i] = number;
}

/* ------------------------------------------------------------------ the whole table */

/* The state while a table is made. */
typedef struct plan_of_table {
  uint32_t order, slab, entries; /* slab: a digit, or RIPSTOP_NONE */
} plan_of_table;

/* Tries all orders with a slab, or without; *best gets a smaller table. */
static void try_orders(ripstop_masked_folder *f, uint32_t own, uint32_t slab, plan_of_table *best) {
  uint32_t number = slab == RIPSTOP_NONE ? RIPSTOP_NONE : value_of_slab(f, slab, own);
  if (slab != RIPSTOP_NONE && number == RIPSTOP_NONE) return;
  if (slab != RIPSTOP_NONE) set_slab(f, slab, own, RIPSTOP_NONE);
  for (uint32_t order = 0; order < f->orders; order++) {
    uint32_t entries = fold(f, order, slab != RIPSTOP_NONE);
    if (entries < best->entries) *best = (plan_of_table){.order = order, .slab = slab, .entries = entries};
  }
  if (slab != RIPSTOP_NONE) set_slab(f, slab, own, number);
}

static void make(ripstop_masked_folder *f, uint32_t own, const plan_of_table *best) {
  if (best->slab != RIPSTOP_NONE) {
    uint32_t number = value_of_slab(f, best->slab, own);
    f->entry[0] = (ripstop_masked_entry){.id = own, .mask = 1u << best->slab, .value = f->name[number]};
    set_slab(f, best->slab, own, RIPSTOP_NONE);
  }
  fold(f, best->order, best->slab != RIPSTOP_NONE);
}

const ripstop_masked *ripstop_masked_fold(ripstop_masked_folder *f, const uint64_t *value, uint32_t own) {
  plan_of_table best = {.entries = RIPSTOP_NONE};
  f->table.entries = 0;
  if (!number_values(f, value, own)) return &f->table;
  try_orders(f, own, RIPSTOP_NONE, &best);
  for (uint32_t digit = 0; digit < f->count && own != RIPSTOP_NONE && best.entries > 1; digit++)
    try_orders(f, own, digit, &best);
  make(f, own, &best);
  return &f->table;
}

/* ------------------------------------------------------------------ lookup */

static bool fits(const ripstop_masked *t, const ripstop_masked_entry *e, uint32_t destination) {
  uint32_t id = e->id;
  for (uint32_t i = 0; i < t->count; i++, id /= t->radix, destination /= t->radix)
    if ((e->mask >> i & 1) && id % t->radix != destination % t->radix) return false;
  return true;
}

uint64_t ripstop_masked_find(const ripstop_masked *t, uint32_t destination) {
  for (uint32_t i = 0; i < t->entries; i++)
    if (fits(t, &t->entry[i], destination)) return t->entry[i].value;
  return 0;
}
