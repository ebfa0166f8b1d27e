/* recognised_graph.h - the graph that the recogniser works on: the switches of a fabric and the cables between them;
 * and the model of a regular fabric: where each switch would be, and which cables it would have. */
#ifndef RIPSTOP_RECOGNISED_GRAPH_H
#define RIPSTOP_RECOGNISED_GRAPH_H

#include "base/forest.h"
#include "recognise/recognise.h"

/* Switches are numbered from 0: node of the fabric less its end nodes, or fewer of them (`origin`). A cable is between
 * two of them, a < b. Half links are cables here: no further cable is missing there. */
typedef struct recognised_cable {
  uint32_t a, b, port_a, port_b;
  bool half;
} recognised_cable;

typedef struct ripstop_near {
  uint32_t node, cables;
} ripstop_near;

typedef struct recognised_graph {
  const ripstop_fabric *fabric;
  ripstop_arena *arena; /* scratch */
  uint32_t switches, cables;
  uint32_t named;          /* switches that the fabric has: all but those that absent.c adds */
  const uint32_t *origin;  /* [named]: the fabric's switch, from 0; NULL: the same number */
  uint32_t *hosts;         /* [switches]: end nodes there, but for aggregation nodes */
  recognised_cable *cable; /* [cables], sorted by a, b, port_a */
  uint32_t *first;         /* [switches + 1]: neighbours in near, sorted by node */
  ripstop_near *near;
} recognised_graph;

void recognised_make(recognised_graph *net, const ripstop_fabric *fabric, ripstop_arena *scratch);
/* The same without some of its cables: `out` is marked ([cables]). */
void recognised_without(recognised_graph *net, const recognised_graph *whole, const bool *out, ripstop_arena *scratch);
/* The same without some switches and their cables: `out` is marked ([switches]). */
void recognised_rest(recognised_graph *net, const recognised_graph *whole, const bool *out, ripstop_arena *scratch);
/* A switch's number in the fabric, from 0. */
static inline uint32_t recognised_switch(const recognised_graph *net, uint32_t v) {
  return net->origin != NULL ? net->origin[v] : v;
}
/* Sorts the cables and lists the neighbours of each switch; all other members are set. */
void recognised_index(recognised_graph *net);
/* One cable of a pair goes, one comes, or both: then a cable changes one end. RIPSTOP_NONE: none does. */
typedef struct ripstop_repair {
  uint32_t lose_a, lose_b, gain_a, gain_b;
} ripstop_repair;
void recognised_repaired(recognised_graph *net, const recognised_graph *whole, const ripstop_repair *repair,
                         ripstop_arena *scratch);
/* Cables between two switches. */
uint32_t recognised_between(const recognised_graph *net, uint32_t a, uint32_t b);
static inline uint32_t recognised_degree(const recognised_graph *net, uint32_t v) {
  return net->first[v + 1] - net->first[v];
}
/* Cables of a switch to others, parallel ones each. */
static inline uint32_t recognised_cables(const recognised_graph *net, uint32_t v) {
  uint32_t cables = 0;
  for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) cables += net->near[i].cables;
  return cables;
}
/* Switches alike by their cables, and if `hosted` by whether they have hosts; RIPSTOP_NONE: too many cables. */
enum { RECOGNISED_CABLES_MAX = 255, RECOGNISED_KEYS = 2 * (RECOGNISED_CABLES_MAX + 2) };
static inline uint32_t recognised_key(const recognised_graph *net, uint32_t v, bool hosted) {
  const uint32_t cables = recognised_cables(net, v);
  return cables <= RECOGNISED_CABLES_MAX ? 2 * cables + (hosted && net->hosts[v] > 0) : RIPSTOP_NONE;
}
/* True if no line of the dump, and no link of any other fabric, uses the local port. */
bool recognised_port_is_free(const recognised_graph *net, uint32_t node, uint32_t port);
/* True if an end node is a host: everything but aggregation nodes. */
bool recognised_is_host(const recognised_graph *net, uint32_t end);
/* An end of a cable as text, `name[port]`, without a port that is RIPSTOP_NONE. */
const char *recognised_end(const recognised_graph *net, uint32_t node, uint32_t port);
/* A switch's description, or its name where it has none. */
const char *recognised_called(const recognised_graph *net, uint32_t node);

/* A cable of the regular fabric. Ends with the same role use the same port on all switches, so those that are
 * there show which port a missing one should have. */
typedef struct ripstop_want {
  uint32_t a, b;
  uint64_t role_a, role_b;
  bool there;
} ripstop_want;

typedef struct ripstop_model {
  const char *family, *shape, *spec;
  uint32_t dims;
  uint16_t *place;
  uint32_t wants, room;
  ripstop_want *want;
  uint32_t there;    /* cables that are both wanted and there */
  uint32_t unplaced; /* that are missing too, but between which switches is not known; part of the score alone */
  bool tree;
  bool partial;          /* parts of the regular fabric are not there, and have no cables in the model */
  bool loose;            /* other wirings that are not regular have a model without any difference too */
  uint32_t explanations; /* single mistakes that explain the cables; 0: not searched, or no single one does */
  const char *others;    /* all explanations but that of the model, in words; NULL: there are none */
  const char *instead;   /* another explanation, in words; NULL: there is none */
  bool too_large;        /* not proposed: so many cables would take too long */
  uint32_t hosts_leaf, up_leaf;
  uint64_t empty;            /* places of a grid that have no switch */
  uint32_t homeless;         /* switches without a place in the grid */
  const bool *beside_absent; /* [switches]: neighbours of a switch that is not there; NULL: none is missing */
  uint32_t foreign;          /* a switch that is no part of the regular fabric, plus one; 0: there is none */
} ripstop_model;

void ripstop_model_want(ripstop_model *model, ripstop_arena *arena, uint32_t a, uint32_t b, uint64_t role_a,
                        uint64_t role_b);
/* Sorts the wants and finds those that are there. */
void ripstop_model_compare(ripstop_model *model, const recognised_graph *net);
/* Score up to which nothing is recognised. */
#define RIPSTOP_LEAST_SCORE 0.6
/* The model's kind that agrees best with `whole`, made from a part of its cables; its score to *score, which a better
 * one must exceed. */
ripstop_model ripstop_model_best(const recognised_graph *part, const recognised_graph *whole, double *score);
/* The same, where wrong cables are left out one after the other while the model agrees better with all of them. */
ripstop_model ripstop_model_doubted(const recognised_graph *net, double *score);
/* The model of which the fabric differs by one cable that is missing, extra or at a wrong switch, or not at all, with
 * the number of such explanations; or a model without a family, if the first fits only since it fits anything. False:
 * the first model fits without doubt, or there is no such model. */
bool ripstop_model_explained(const recognised_graph *net, const ripstop_model *first, ripstop_model *out,
                             double *score);
/* True if one switch alone has no hosts: a foreign one, rather than the first of a row that a grid has gaps in. */
bool recognised_one_without_hosts(const recognised_graph *net);
/* The model that has all cables but those of one switch, which is foreign. False: there is no such switch, or several
 * are possible; or the switch may as well be a part of the first model, and then out->foreign says which it is. */
bool ripstop_model_foreign(const recognised_graph *net, const ripstop_model *first, ripstop_model *out, double *score);
/* The model without one switch and all its cables, which are not there. False: there is no such switch, or several are
 * possible. */
bool ripstop_model_absent(const recognised_graph *net, ripstop_model *out);
/* The model of a net that is regular as it is. */
bool ripstop_model_exact(const recognised_graph *net, ripstop_model *out);
/* A torus, mesh or HyperX without some of its switches, in which every cable fits. False: there is none, or the search
 * was given up. */
bool ripstop_model_holes(const recognised_graph *net, ripstop_model *out);
/* The same for meshes of two dimensions in which one rectangle is empty. *bent: it is more than a row, so the mesh has
 * a corner. */
bool ripstop_model_rectangle(const recognised_graph *net, ripstop_model *out, bool *bent);
/* The share of all cables, wanted or there, that is both. */
double ripstop_model_score(const ripstop_model *model, const recognised_graph *net);

/* Adds the differences to the oddities. */
void ripstop_model_report(const ripstop_model *model, const recognised_graph *net, ripstop_odds *odds);
/* Slow cables, ports of edge lists whose name several cables have, and adapters on the wrong leaf. Only dumps and files
 * of graphs show them. `level` of a tree's switches ([switches], RECOGNISED_NO_LEVEL: it is no part of the tree); NULL:
 * no tree. Returns the rails. */
enum { RECOGNISED_NO_LEVEL = UINT8_MAX };
void recognised_report_slow(const recognised_graph *net, const uint8_t *level, ripstop_odds *odds);
void recognised_report_ports(const recognised_graph *net, ripstop_odds *odds);
uint32_t recognised_report_rails(const recognised_graph *net, const ripstop_model *tree, ripstop_odds *odds);
/* Marks the switches of small parts ([switches]): they hang on a fat tree and are no part of it. False: there are none.
 */
bool recognised_find_small_parts(const recognised_graph *net, bool *small);
/* Lists the parts of marked switches. */
void recognised_list_small_parts(const recognised_graph *net, const bool *small, ripstop_arena *arena,
                                 ripstop_recognised *out);
/* Lists leaves and spines of a tree that are not there. */
void recognised_find_absent(const recognised_graph *net, const recognised_graph *whole, const ripstop_model *model,
                            ripstop_arena *arena, ripstop_recognised *out);
/* True for the description that an adapter or switch leaves the factory with: it names no rail, leaf or host. */
bool recognised_is_factory_text(const char *text);

/* Each proposes a model, or returns false when the fabric cannot be one. */
typedef bool ripstop_propose(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_tree(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_product(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_kns(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_dragonfly(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_dragonfly_plus(const recognised_graph *net, ripstop_model *model);
bool ripstop_model_diameter(const recognised_graph *net, ripstop_model *model);

#endif
