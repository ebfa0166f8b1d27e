/* absent.c - recognises a regular fabric without one of its switches.
 *
 * The neighbours of the switch have one cable less than others of their kind, which have hosts or have none. So a
 * switch is added with a cable to all switches of one such number of cables, of two, or of all, and the whole must be
 * regular, cable by cable (foreign.c). The new switch must have as many cables as some other one of its kind. With one
 * addition that fits, the switch is certain; with several none is. Cost: a model for each addition that may fit. */
#include <string.h>

#include "recognise/recognised_graph.h"

enum { CABLES_MAX = RECOGNISED_CABLES_MAX, KEYS = 2 * (CABLES_MAX + 1), CLASSES_MAX = 5, SWITCHES_MAX = 1 << 11 };

typedef struct finder {
  const recognised_graph *net;
  uint32_t *key;                           /* [switches]: cables, and whether there are hosts */
  uint32_t times[KEYS];                    /* switches with a key */
  uint32_t usual;                          /* hosts of a switch that has some */
  uint32_t lacking[CLASSES_MAX], lackings; /* keys of switches that may lack one cable */
  bool *beside, *found;                    /* [switches]: neighbours of the new switch; of the one that fits */
  uint32_t hosts, fits;                    /* hosts: those of the one that fits; fits: how many fit */
} finder;

/* False: a switch has too many cables. */
static bool count_keys(finder *f) {
  const recognised_graph *net = f->net;
  f->key = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  for (uint32_t v = 0; v < net->switches; v++) {
    f->key[v] = recognised_key(net, v, true);
    if (f->key[v] >= 2 * CABLES_MAX) return false;
    f->times[f->key[v]]++;
    if (net->hosts[v] > 0) f->usual = net->hosts[v];
  }
  return true;
}

static void list_lacking(finder *f) {
  for (uint32_t key = 0; key + 2 < KEYS && f->lackings < CLASSES_MAX; key++)
    if (f->times[key] > 0 && f->times[key + 2] > 0) f->lacking[f->lackings++] = key;
}

/* The net with a switch more, the last one. */
static void add_switch(const finder *f, uint32_t hosts, recognised_graph *out, ripstop_arena *arena) {
  const recognised_graph *net = f->net;
  const uint32_t v = net->switches;
  *out = *net;
  out->arena = arena;
  out->switches++;
  out->hosts = RIPSTOP_ARRAY(arena, out->switches, uint32_t);
  memcpy(out->hosts, net->hosts, v * sizeof *out->hosts);
  out->hosts[v] = hosts;
  out->cable = RIPSTOP_ARRAY(arena, net->cables + net->switches, recognised_cable);
  memcpy(out->cable, net->cable, net->cables * sizeof *out->cable);
  for (uint32_t w = 0; w < v; w++)
    if (f->beside[w]) out->cable[out->cables++] = (recognised_cable){w, v, RIPSTOP_NONE, RIPSTOP_NONE, false};
  recognised_index(out);
}

/* The same switch with hosts and without them is one. */
static void keep(finder *f, uint32_t hosts) {
  const size_t size = f->net->switches * sizeof *f->found;
  if (f->fits > 0 && memcmp(f->found, f->beside, size) == 0) return;
  if (f->fits++ > 0) return;
  f->hosts = hosts;
  memcpy(f->found, f->beside, size);
}

static void try_hosts(finder *f, uint32_t cables, uint32_t hosts) {
  ripstop_arena *scratch = ripstop_arena_new();
  recognised_graph with;
  ripstop_model model;
  if (f->times[2 * cables + (hosts > 0)] > 0 && f->fits < 2) {
    add_switch(f, hosts, &with, scratch);
    if (ripstop_model_exact(&with, &model)) keep(f, hosts);
  }
  ripstop_arena_free(scratch);
}

/* The classes in a set, as bits. */
static void try_classes(finder *f, uint32_t set) {
  uint32_t cables = 0;
  for (uint32_t v = 0; v < f->net->switches; v++) {
    f->beside[v] = false;
    for (uint32_t i = 0; i < f->lackings; i++) f->beside[v] |= (set >> i & 1) && f->key[v] == f->lacking[i];
    cables += f->beside[v];
  }
  if (cables > CABLES_MAX) return;
  try_hosts(f, cables, 0);
  if (f->usual > 0) try_hosts(f, cables, f->usual);
}

static void try_all(finder *f) {
  const uint32_t sets = 1u << f->lackings;
  for (uint32_t set = 1; set < sets; set++) {
    uint32_t classes = 0;
    for (uint32_t i = 0; i < f->lackings; i++) classes += set >> i & 1;
    if (classes <= 2 || set + 1 == sets) try_classes(f, set);
  }
}

/* The model in the numbers of the net: the new switch is the last one, and so are its cables in the order of wants by
 * their greater end. */
static void narrow(const finder *f, ripstop_model *m) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->wants; i++)
    if (m->want[i].b != f->net->switches) m->want[kept++] = m->want[i];
  m->wants = kept;
  m->spec = NULL;
  m->loose = false;
  m->explanations = 0;
  m->others = NULL;
  m->beside_absent = f->found;
  m->shape = ripstop_arena_printf(f->net->arena, "%s; without one switch", m->shape);
  ripstop_model_compare(m, f->net);
}

bool ripstop_model_absent(const recognised_graph *net, ripstop_model *out) {
  finder f = {.net = net};
  recognised_graph with;
  if (net->switches < 4 || net->switches > SWITCHES_MAX || !count_keys(&f)) return false;
  f.beside = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  f.found = RIPSTOP_ARRAY(net->arena, net->switches, bool);
  list_lacking(&f);
  try_all(&f);
  if (f.fits != 1) return false;
  memcpy(f.beside, f.found, net->switches * sizeof *f.beside);
  add_switch(&f, f.hosts, &with, net->arena);
  if (!ripstop_model_exact(&with, out)) return false;
  narrow(&f, out);
  return true;
}
