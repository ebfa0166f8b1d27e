/* diameter.c - recognises slim flies and PolarFly: graphs in which any two switches are joined or have a common
 * neighbour, by far the most for their few cables.
 *
 * The number of switches says which of the two it would be: 2 q^2 or q^2 + q + 1, with q the power of a prime. A lost
 * cable between two switches leaves most neighbours of the one without any common neighbour with the other. So a cable
 * is missing between two such switches that both have too few cables. The fabric is recognised if with these cables
 * nearly all pairs are near each other again. No other known fabric of this size has so many near pairs with so few
 * cables. Cost: for each switch and each neighbour of it, that one's cables. */
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "fabric/field.h"
#include "recognise/recognised_graph.h"

enum { SWITCHES_MAX = 1 << 13, JOINED = 255 }; /* a byte for each pair */

typedef struct near_net {
  const recognised_graph *net;
  uint32_t degree; /* that most switches have */
  uint32_t lost;   /* most that a switch may lack */
  uint8_t *common; /* [switches * switches]: common neighbours, at most 254; JOINED */
  uint32_t *lacks; /* [switches] */
} near_net;

static uint8_t *pair(const near_net *n, uint32_t a, uint32_t b) { return &n->common[(size_t)a * n->net->switches + b]; }

static void count_common(near_net *n) {
  const recognised_graph *net = n->net;
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      for (uint32_t u = net->near[i].node, j = net->first[u]; j < net->first[u + 1]; j++) {
        uint8_t *common = pair(n, v, net->near[j].node);
        if (*common < JOINED - 1) ++*common;
      }
  for (uint32_t v = 0; v < net->switches; v++)
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++) *pair(n, v, net->near[i].node) = JOINED;
}

/* Neighbours of b that are far from a. */
static uint32_t far_from(const near_net *n, uint32_t a, uint32_t b) {
  uint32_t far = 0;
  for (uint32_t i = n->net->first[b]; i < n->net->first[b + 1]; i++)
    far += n->net->near[i].node != a && *pair(n, a, n->net->near[i].node) == 0;
  return far;
}

typedef struct guess {
  uint32_t a, b, share; /* thousandths of the neighbours of both that are far from the other */
} guess;

static int by_share(const void *x_, const void *y_) {
  const guess *x = x_, *y = y_;
  if (x->share != y->share) return x->share > y->share ? -1 : 1;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return (x->b > y->b) - (x->b < y->b);
}

enum { LEAST_SHARE = 100 };

/* The pairs of switches with too few cables: a cable may be missing between them. */
static guess *find_guesses(const near_net *n, uint32_t *count) {
  const recognised_graph *net = n->net;
  guess *list = NULL;
  uint32_t room = 0;
  *count = 0;
  for (uint32_t a = 0; a < net->switches; a++)
    for (uint32_t b = a + 1; b < net->switches && n->lacks[a] > 0; b++) {
      if (n->lacks[b] == 0 || *pair(n, a, b) == JOINED) continue;
      uint64_t signs = far_from(n, a, b) + far_from(n, b, a);
      uint32_t of = recognised_degree(net, a) + recognised_degree(net, b);
      if (of == 0 || 1000 * signs < (uint64_t)LEAST_SHARE * of) continue;
      RIPSTOP_GROW_IN(net->arena, list, *count, room);
      list[(*count)++] = (guess){a, b, (uint32_t)(1000 * signs / of)};
    }
  if (*count > 0) qsort(list, *count, sizeof *list, by_share);
  return list;
}

/* Ports have no habits here: every end has a role of its own. */
static void want(const near_net *n, ripstop_model *m, uint32_t a, uint32_t b) {
  const uint64_t role = 2 * (uint64_t)m->wants;
  ripstop_model_want(m, n->net->arena, a, b, role, role + 1);
}

/* The cables that are there, and those that are missing by the clearest signs, as many as there would be. */
static void want_all(near_net *n, ripstop_model *m, uint32_t cables) {
  const recognised_graph *net = n->net;
  uint32_t count;
  const guess *list = find_guesses(n, &count);
  for (uint32_t v = 0; v < net->switches; v++) /* these families have no parallel cables */
    for (uint32_t i = net->first[v]; i < net->first[v + 1]; i++)
      if (v < net->near[i].node) want(n, m, v, net->near[i].node);
  for (uint32_t i = 0; i < count && m->wants < cables; i++) {
    if (n->lacks[list[i].a] == 0 || n->lacks[list[i].b] == 0) continue;
    want(n, m, list[i].a, list[i].b);
    n->lacks[list[i].a]--, n->lacks[list[i].b]--;
  }
}

/* True if at most one pair of twenty is still far apart when the missing cables are there. */
static bool is_near(near_net *n, const ripstop_model *m) {
  uint64_t far = 0, all = (uint64_t)n->net->switches * (n->net->switches - 1);
  for (uint32_t i = n->net->first[n->net->switches] / 2; i < m->wants; i++)
    for (unsigned side = 0; side < 2; side++) {
      uint32_t a = side ? m->want[i].b : m->want[i].a, b = side ? m->want[i].a : m->want[i].b;
      *pair(n, a, b) = JOINED;
      for (uint32_t k = n->net->first[b]; k < n->net->first[b + 1]; k++) {
        uint32_t c = n->net->near[k].node;
        if (*pair(n, a, c) == 0) *pair(n, a, c) = *pair(n, c, a) = 1;
      }
    }
  for (uint32_t a = 0; a < n->net->switches; a++)
    for (uint32_t b = 0; b < n->net->switches; b++) far += a != b && *pair(n, a, b) == 0;
  return 20 * far <= all;
}

/* q of a size; 0: it is none. */
static uint32_t slim_of(uint32_t switches) {
  for (uint32_t q = 3; 2 * q * q <= switches; q++)
    if (2 * q * q == switches && ripstop_field_exists(q)) return q;
  return 0;
}

static uint32_t polar_of(uint32_t switches) {
  for (uint32_t q = 2; q * q + q + 1 <= switches; q++)
    if (q * q + q + 1 == switches && ripstop_field_exists(q)) return q;
  return 0;
}

/* Hosts at every switch, when all have as many. */
static uint32_t hosts_of(const recognised_graph *net) {
  for (uint32_t v = 1; v < net->switches; v++)
    if (net->hosts[v] != net->hosts[0]) return 0;
  return net->hosts[0];
}

/* `short_`: switches that have a cable less by definition. */
static bool try_size(const recognised_graph *net, ripstop_model *m, uint32_t degree, uint32_t short_) {
  near_net n = {.net = net, .degree = degree, .lacks = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t)};
  uint32_t cables = (uint32_t)(((uint64_t)net->switches * degree - short_) / 2);
  const uint32_t joined = net->first[net->switches] / 2; /* pairs */
  if (joined > cables || 10 * (uint64_t)joined < 7 * (uint64_t)cables) return false;
  for (uint32_t v = 0; v < net->switches; v++) {
    if (recognised_degree(net, v) > degree) return false;
    n.lacks[v] = degree - recognised_degree(net, v);
  }
  n.common = RIPSTOP_ARRAY(net->arena, (size_t)net->switches * net->switches, uint8_t);
  count_common(&n);
  want_all(&n, m, cables);
  if (!is_near(&n, m)) return false;
  m->loose = true; /* has all cables that are there */
  m->dims = 0;
  m->place = RIPSTOP_ARRAY(net->arena, 1, uint16_t);
  return true;
}

static void name(const recognised_graph *net, ripstop_model *m, const char *family, uint32_t q, uint32_t degree) {
  uint32_t hosts = hosts_of(net);
  m->family = family;
  m->shape = ripstop_arena_printf(net->arena, "q = %u: %u switches, %u neighbours", q, net->switches, degree);
  if (hosts > 0) m->spec = ripstop_arena_printf(net->arena, "%s:q=%u,p=%u", family, q, hosts);
}

bool ripstop_model_diameter(const recognised_graph *net, ripstop_model *m) {
  if (net->switches > SWITCHES_MAX) return false;
  uint32_t slim = slim_of(net->switches), polar = polar_of(net->switches);
  uint32_t degree = slim % 4 == 3 ? (3 * slim + 1) / 2 : (3 * slim - slim % 4) / 2;
  if (slim && try_size(net, m, degree, 0)) {
    name(net, m, "slimfly", slim, degree);
    return true;
  }
  *m = (ripstop_model){0};
  if (!polar || !try_size(net, m, polar + 1, polar + 1)) return false;
  name(net, m, "polarfly", polar, polar + 1);
  return true;
}
