/* kns_lines.c - recognises k-ary n-direct s-indirect networks: routers with hosts, joined by lines, and each line is
 * the switches without hosts that cables join. Routers are a product of cliques if each line counts as one (product.c).
 * The line of a place is the one on which most of its routers hang. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "recognise/product.h"

/* Lines are what joins switches without hosts; RIPSTOP_NONE for routers. */
static uint32_t find_lines(const recognised_graph *net, uint32_t *line) {
  uint32_t *parent = ripstop_forest(net->arena, net->switches), count = 0;
  for (uint32_t i = 0; i < net->cables; i++) {
    const recognised_cable *c = &net->cable[i];
    if (net->hosts[c->a] == 0 && net->hosts[c->b] == 0) ripstop_join(parent, c->a, c->b);
  }
  for (uint32_t v = 0; v < net->switches; v++) {
    line[v] = RIPSTOP_NONE;
    if (net->hosts[v] == 0) line[v] = parent[v] == v ? count++ : line[ripstop_root(parent, v)];
  }
  return count;
}

/* The routers of every line, each once, as a list sorted by line: line << 32 | point. */
static uint64_t *find_members(const recognised_graph *net, const uint32_t *line, const uint32_t *point_of,
                              uint32_t *count) {
  uint64_t *list = RIPSTOP_ARRAY(net->arena, net->cables + 1, uint64_t);
  *count = 0;
  for (uint32_t i = 0; i < net->cables; i++) {
    const recognised_cable *c = &net->cable[i];
    bool turn = line[c->a] != RIPSTOP_NONE;
    uint32_t router = turn ? c->b : c->a, at = turn ? c->a : c->b;
    if (line[router] == RIPSTOP_NONE && line[at] != RIPSTOP_NONE)
      list[(*count)++] = (uint64_t)line[at] << 32 | point_of[router];
  }
  qsort(list, *count, sizeof *list, ripstop_by_u64);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; i++)
    if (i == 0 || list[i] != list[i - 1]) list[kept++] = list[i];
  *count = kept;
  return list;
}

/* Edges between all routers of a line. False when lines share many routers, which are no lines then. */
static bool add_line_edges(ripstop_product *p, const uint64_t *member, uint32_t members) {
  uint64_t work = 0;
  for (uint32_t i = 0, j; i < members; i = j) {
    for (j = i; j < members && member[j] >> 32 == member[i] >> 32;) j++;
    work += (uint64_t)(j - i) * (j - i);
  }
  if (work > 16 * (uint64_t)p->points * 64 + (1 << 20)) return false;
  for (uint32_t i = 0; i < members; i++)
    for (uint32_t j = i + 1; j < members && member[j] >> 32 == member[i] >> 32; j++)
      ripstop_product_edge(p, (uint32_t)member[i], (uint32_t)member[j], (uint32_t)(member[i] >> 32));
  ripstop_product_arcs(p);
  uint32_t twice = 0;
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t i = p->first[v] + 1; i < p->first[v + 1]; i++) twice += p->arc[i].to == p->arc[i - 1].to;
  return 20 * twice <= 2 * p->edges;
}

/* The line of dimension d through a place, by the votes of its routers: place without d -> line. */
typedef struct ballot {
  uint64_t cell; /* the place with coordinate d as 0, and the dimension */
  uint32_t line;
} ballot;

static int by_cell(const void *a_, const void *b_) {
  const ballot *a = a_, *b = b_;
  if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

static uint64_t cell_of(const ripstop_product *p, uint32_t v, uint32_t without) {
  uint64_t cell = without;
  for (uint32_t d = 0; d < p->dims; d++)
    cell = cell * (uint64_t)(p->size[d] + 1) + (uint64_t)(d == without ? 0 : p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d]);
  return cell;
}

/* In which dimension a line lies: that of its edges. */
static uint8_t *line_dims(const ripstop_product *p, uint32_t lines) {
  uint8_t *dim = memset(RIPSTOP_ARRAY(p->arena, lines + 1, uint8_t), RIPSTOP_PLACE_DIMS, lines + 1);
  for (uint32_t e = 0; e < p->edges; e++) dim[p->edge[e].line] = p->dim[e];
  return dim;
}

static ballot *count_votes(const ripstop_product *p, const uint64_t *member, uint32_t members, const uint8_t *dim,
                           uint32_t *count) {
  ballot *votes = RIPSTOP_ARRAY(p->arena, members + 1, ballot);
  *count = 0;
  for (uint32_t i = 0; i < members; i++) {
    uint32_t line = (uint32_t)(member[i] >> 32);
    if (dim[line] < RIPSTOP_PLACE_DIMS) votes[(*count)++] = (ballot){cell_of(p, (uint32_t)member[i], dim[line]), line};
  }
  qsort(votes, *count, sizeof *votes, by_cell);
  return votes;
}

/* The line with most votes for a cell; RIPSTOP_NONE: it has no vote. */
static uint32_t winner(const ballot *votes, uint32_t count, uint64_t cell) {
  uint32_t low = 0, high = count, best = RIPSTOP_NONE, most = 0;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (votes[middle].cell < cell)
      low = middle + 1;
    else
      high = middle;
  }
  for (uint32_t i = low, j; i < count && votes[i].cell == cell; i = j) {
    for (j = i; j < count && votes[j].cell == cell && votes[j].line == votes[i].line;) j++;
    if (j - i > most) best = votes[i].line, most = j - i;
  }
  return best;
}

/* The number of cables that most routers have into a line: 1, or 2 for a RUFT, which they enter and leave by different
 * switches.
 */
static uint32_t cables_each(const recognised_graph *net, const uint32_t *line, uint32_t members) {
  uint64_t cables = 0;
  for (uint32_t i = 0; i < net->cables; i++)
    cables += (line[net->cable[i].a] == RIPSTOP_NONE) != (line[net->cable[i].b] == RIPSTOP_NONE);
  return 2 * cables > 3 * (uint64_t)members ? 2 : 1;
}

/* The cables of a router into one of its lines. If one is missing, only in a line of one switch is its end known. */
static void want_line(const ripstop_product *p, ripstop_model *m, const uint32_t *line, uint32_t v, uint32_t d,
                      uint32_t at, uint32_t each, uint32_t single) {
  const int32_t c = p->at[(size_t)v * RIPSTOP_PLACE_DIMS + d];
  uint32_t found = 0;
  for (uint32_t i = p->net->first[p->point[v]]; i < p->net->first[p->point[v] + 1] && found < each; i++)
    if (line[p->net->near[i].node] == at)
      ripstop_model_want(m, p->arena, p->point[v], p->net->near[i].node, ripstop_product_role(d, 0, (int32_t)found++),
                         ripstop_product_role(d, 1, c));
  if (found == 0 && single != RIPSTOP_NONE)
    ripstop_model_want(m, p->arena, p->point[v], single, ripstop_product_role(d, 0, (int32_t)found++),
                       ripstop_product_role(d, 1, c));
  m->unplaced += each - found;
}

/* The switch of each line that has only one; RIPSTOP_NONE: it has several. */
static uint32_t *find_singles(const ripstop_product *p, const uint32_t *line, uint32_t lines) {
  uint32_t *single = RIPSTOP_ARRAY(p->arena, lines, uint32_t), *size = RIPSTOP_ARRAY(p->arena, lines, uint32_t);
  for (uint32_t v = 0; v < p->net->switches; v++)
    if (line[v] != RIPSTOP_NONE) single[line[v]] = size[line[v]]++ == 0 ? v : RIPSTOP_NONE;
  return single;
}

/* The cables of every router into each of its lines. Inside of lines everything is as it is. */
static void want_lines(const ripstop_product *p, ripstop_model *m, const uint32_t *line, const ballot *votes,
                       uint32_t count, uint32_t lines, uint32_t each) {
  const uint32_t *single = find_singles(p, line, lines);
  for (uint32_t v = 0; v < p->points; v++)
    for (uint32_t d = 0; d < p->dims; d++) {
      const uint32_t at = winner(votes, count, cell_of(p, v, d));
      if (at != RIPSTOP_NONE && p->at[(size_t)v * RIPSTOP_PLACE_DIMS] != RIPSTOP_HOMELESS)
        want_line(p, m, line, v, d, at, each, single[at]);
    }
  for (uint32_t i = 0; i < p->net->cables; i++) {
    const recognised_cable *c = &p->net->cable[i];
    if (line[c->a] != RIPSTOP_NONE && line[c->a] == line[c->b])
      ripstop_model_want(m, p->arena, c->a, c->b, (uint64_t)1 << 62 | i, (uint64_t)1 << 62 | i);
  }
}

/* Lines of all dimensions when every place is taken. */
static uint64_t count_lines(const ripstop_product *p, uint64_t cells) {
  uint64_t lines = 0;
  for (uint32_t d = 0; d < p->dims; d++) lines += cells / (uint64_t)p->size[d];
  return lines;
}

static void name_kns(const ripstop_product *p, ripstop_model *m, uint64_t cells, bool crossbars, uint32_t each) {
  bool even = true;
  for (uint32_t d = 1; d < p->dims; d++) even &= p->size[d] == p->size[0];
  uint32_t hosts = p->net->hosts[p->point[0]];
  m->family = "kns";
  m->loose = !crossbars || cells != p->points; /* the model has no rule for the inside of other lines */
  m->shape = ripstop_product_sizes(p, p->arena);
  if (each > 1) m->shape = ripstop_arena_printf(p->arena, "%s, %u cables of a router to each line", m->shape, each);
  if (even && crossbars && each == 1 && cells == p->points)
    m->spec = ripstop_arena_printf(p->arena, "kns:k=%d,n=%u%s", p->size[0], p->dims,
                                   hosts != 1 ? ripstop_arena_printf(p->arena, ",c=%u", hosts) : "");
}

bool ripstop_model_kns(const recognised_graph *net, ripstop_model *m) {
  uint32_t *line = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t), members, votes_cast;
  uint32_t *point_of = RIPSTOP_ARRAY(net->arena, net->switches, uint32_t);
  uint32_t lines = find_lines(net, line), lines_switches = 0;
  ripstop_product p = {.net = net, .arena = net->arena};
  p.point = RIPSTOP_ARRAY(p.arena, net->switches, uint32_t);
  for (uint32_t v = 0; v < net->switches; v++)
    if (line[v] == RIPSTOP_NONE) point_of[v] = p.points, p.point[p.points++] = v;
  lines_switches = net->switches - p.points;
  const uint64_t *member = find_members(net, line, point_of, &members);
  uint32_t *grid;
  uint64_t cells;
  bool settled = lines >= 2 && add_line_edges(&p, member, members) && ripstop_product_settle(&p);
  m->too_large = p.too_large;
  if (!settled || p.dims < 2) return false;
  for (uint32_t d = 0; d < p.dims; d++)
    if (!p.clique[d]) p.clique[d] = true, ripstop_product_layers(&p, d);
  ripstop_product_order(&p);
  if (!ripstop_product_grid(&p, &grid, &cells)) return false;
  const ballot *votes = count_votes(&p, member, members, line_dims(&p, lines), &votes_cast);
  const uint32_t each = cables_each(net, line, members);
  want_lines(&p, m, line, votes, votes_cast, lines, each);
  ripstop_product_set_places(&p, m);
  m->partial = lines < count_lines(&p, cells);
  name_kns(&p, m, cells, lines == lines_switches, each);
  return true;
}
