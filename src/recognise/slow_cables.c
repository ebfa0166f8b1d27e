/* slow_cables.c - reports cables that are slower than their like.
 *
 * Hosts' cables are compared with hosts' cables: with the fastest speed that a tenth of them run at. Where hosts are
 * few it is the usual speed of all cables, if that is faster. Hosts that are slow by design are one row: all of a leaf,
 * or more than half of all. Without a host that is faster nothing shows a design. In a dump a cable between switches is
 * compared with those between the same two levels of the tree, or with all others in a fabric without levels. In an
 * edge list rates are part of the fabric, so its like are the cables at its own two switches. */
#include <stdlib.h>
#include <string.h>

#include "base/local.h"
#include "fabric/graph.h"
#include "fabric/ib.h"
#include "formats/infiniband/lines.h"
#include "recognise/recognised_graph.h"

typedef struct cables {
  const recognised_graph *net;
  const ripstop_fabric *fabric;
  const ripstop_ib_dump *dump; /* NULL: an edge list */
  ripstop_odds *odds;
} cables;

/* Mb/s of a dump's cable, 0: unknown; the rate of an edge list's. */
static uint32_t speed_of(const cables *c, uint32_t link) {
  if (c->dump == NULL) return ripstop_fabric_rate(c->fabric, link);
  return ripstop_ib_cable_speed(c->dump, ripstop_ib_dump_port(c->fabric, c->fabric->link_port[2 * (size_t)link]));
}

/* ------------------------------------------------------------------ how fast the like of a cable are */

enum { SPEEDS_MAX = 64 }; /* more than there are widths times speeds */

typedef struct tally {
  uint32_t speed, times, link; /* link: one that runs so */
} tally;

typedef struct speeds {
  tally list[SPEEDS_MAX];
  uint32_t count, all;
} speeds;

static void count_speed(speeds *s, uint32_t speed, uint32_t link) {
  uint32_t i = 0;
  if (speed == 0) return;
  while (i < s->count && s->list[i].speed != speed) i++;
  if (i == SPEEDS_MAX) return;
  if (i == s->count) s->list[s->count++] = (tally){.speed = speed, .link = link};
  s->list[i].times++;
  s->all++;
}

/* The most common speed, of two as common the faster one. */
static tally usual_of(const speeds *s) {
  tally best = {0};
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].times > best.times || (s->list[i].times == best.times && s->list[i].speed > best.speed))
      best = s->list[i];
  return best;
}

/* The fastest speed that is usual or that a tenth of the cables run at. */
static tally fast_of(const speeds *s) {
  tally best = usual_of(s);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->list[i].speed > best.speed && 10 * (uint64_t)s->list[i].times >= s->all) best = s->list[i];
  return best;
}

/* ------------------------------------------------------------------ sentences */

/* "4xHDR" of a dump; the share of the full rate of an edge list. */
static const char *speed_words(const cables *c, uint32_t link) {
  if (c->dump == NULL)
    return ripstop_arena_printf(c->net->arena, "%g", (double)ripstop_fabric_rate(c->fabric, link) / RIPSTOP_RATE_FULL);
  const ripstop_ib_port *p = &c->dump->port[ripstop_ib_dump_port(c->fabric, c->fabric->link_port[2 * (size_t)link])];
  if (ripstop_ib_port_speed(p) != ripstop_ib_cable_speed(c->dump, p->mate)) p = &c->dump->port[p->mate];
  return ripstop_arena_printf(c->net->arena, "%ux%s", p->width, p->speed);
}

static const char *end_called(const cables *c, uint32_t node) {
  char name[RIPSTOP_NAME_MAX];
  if (!ripstop_is_end(c->fabric, node)) return recognised_called(c->net, node - c->fabric->ends);
  if (c->dump != NULL && ripstop_ib_description(c->fabric, node)[0] != '\0')
    return ripstop_ib_description(c->fabric, node);
  ripstop_node_name(c->fabric, node, name);
  return ripstop_arena_text(c->net->arena, name);
}

static uint32_t width_of(const cables *c, uint32_t link) {
  return c->dump->port[ripstop_ib_dump_port(c->fabric, c->fabric->link_port[2 * (size_t)link])].width;
}

/* True if another oddity says that the ends disagree, or that both are able to more. */
static bool is_reported(const cables *c, uint32_t link) {
  if (c->dump == NULL) return false;
  const uint32_t port = ripstop_ib_dump_port(c->fabric, c->fabric->link_port[2 * (size_t)link]);
  const ripstop_ib_port *a = &c->dump->port[port], *b = &c->dump->port[a->mate];
  return a->width != b->width || strcmp(a->speed, b->speed) != 0 || ripstop_ib_could(c->dump, port) != RIPSTOP_NONE;
}

/* `like` is a cable that runs as its like do. */
static void report_cable(const cables *c, uint32_t link, uint32_t like) {
  if (is_reported(c, link)) return;
  char name[RIPSTOP_NAME_MAX];
  const bool narrow = c->dump != NULL && width_of(c, link) < width_of(c, like);
  const uint32_t line =
      c->dump ? c->dump->port[ripstop_ib_dump_port(c->fabric, c->fabric->link_port[2 * (size_t)link])].line : 0;
  ripstop_link_name(c->fabric, link, name);
  ripstop_odds_add(c->odds, narrow ? "narrow cable" : "slow cable", line, RIPSTOP_AT(name),
                   "'%s' - '%s' runs at %s%s; most run at %s", end_called(c, ripstop_link_node(c->fabric, link, 0)),
                   end_called(c, ripstop_link_node(c->fabric, link, 1)), speed_words(c, link),
                   c->dump ? "" : " of the full rate", speed_words(c, like));
}

/* ------------------------------------------------------------------ hosts */

/* The hosts' cables of one leaf. */
typedef struct leaf {
  uint32_t hosts, slow;
  uint32_t fastest; /* Mb/s of its fastest slow host */
} leaf;

typedef struct host_cables {
  const cables *c;
  tally usual, fast;
  uint32_t slow, all;
  leaf *leaf; /* [switches] */
} host_cables;

static bool is_slow(const host_cables *h, uint32_t speed) { return speed != 0 && speed < h->fast.speed; }

static leaf *leaf_of(const host_cables *h, uint32_t end) {
  return &h->leaf[ripstop_end_switch(h->c->fabric, end) - h->c->fabric->ends];
}

/* The usual speed of a dump's cables if it is faster than another one. */
static tally usual_of_all(const cables *c, tally other) {
  if (c->dump == NULL || c->dump->usual <= other.speed) return other;
  for (uint32_t link = 0; link < c->fabric->links; link++)
    if (speed_of(c, link) == c->dump->usual) return (tally){.speed = c->dump->usual, .link = link};
  return other;
}

static void count_hosts(host_cables *h) {
  enum { HOSTS_LEAST = 10 };
  const ripstop_fabric *f = h->c->fabric;
  speeds seen = {0};
  for (uint32_t end = 0; end < f->ends; end++)
    if (recognised_is_host(h->c->net, end)) count_speed(&seen, speed_of(h->c, end), end);
  h->usual = usual_of(&seen);
  h->fast = seen.all < HOSTS_LEAST ? usual_of_all(h->c, fast_of(&seen)) : fast_of(&seen);
  for (uint32_t end = 0; end < f->ends; end++) {
    if (!recognised_is_host(h->c->net, end)) continue;
    const uint32_t speed = speed_of(h->c, end);
    leaf *at = leaf_of(h, end);
    h->all++, at->hosts++;
    if (!is_slow(h, speed)) continue;
    h->slow++, at->slow++;
    if (speed > at->fastest) at->fastest = speed;
  }
}

/* True if all hosts of the leaf, or more than half of all hosts, but not all of them, are slow, and this one no slower
 * than those are. A leaf with one host has no like. */
static bool is_by_design(const host_cables *h, uint32_t end, uint32_t speed) {
  const leaf *at = leaf_of(h, end);
  if (h->slow == h->all) return false;
  if (at->hosts >= 2 && at->slow == at->hosts && speed >= at->fastest) return true;
  return 2 * (uint64_t)h->slow > h->all && speed >= h->usual.speed;
}

static void report_hosts(const cables *c) {
  host_cables h = {.c = c, .leaf = RIPSTOP_ARRAY(c->net->arena, c->net->switches, leaf)};
  ripstop_odd *row = NULL;
  speeds seen = {0};
  count_hosts(&h);
  for (uint32_t end = 0; h.slow > 0 && end < c->fabric->ends; end++) {
    const uint32_t speed = speed_of(c, end);
    char name[RIPSTOP_NAME_MAX];
    if (!recognised_is_host(c->net, end) || !is_slow(&h, speed) || !is_by_design(&h, end, speed)) continue;
    if (is_reported(c, end)) continue;
    ripstop_link_name(c->fabric, end, name);
    count_speed(&seen, speed, end);
    if (row == NULL)
      row = ripstop_odds_add(c->odds, "slow hosts", 0, RIPSTOP_AT(name), "slow by design");
    else
      ripstop_odd_place(c->odds, row, name);
  }
  if (row != NULL) {
    row->count = seen.all;
    row->text = ripstop_arena_printf(c->odds->arena,
                                     "%u hosts run at %s%s, others at %s: by design, as all hosts of a "
                                     "leaf do, or more than half of all",
                                     seen.all, speed_words(c, usual_of(&seen).link),
                                     seen.count > 1 ? " or otherwise slowly" : "", speed_words(c, h.fast.link));
  }
  for (uint32_t end = 0; h.slow > 0 && end < c->fabric->ends; end++) {
    const uint32_t speed = speed_of(c, end);
    if (recognised_is_host(c->net, end) && is_slow(&h, speed) && !is_by_design(&h, end, speed))
      report_cable(c, end, h.fast.link);
  }
}

/* ------------------------------------------------------------------ between switches of a dump */

enum { LEVELS = 8, ROLES = LEVELS * LEVELS + 1 };

/* Cables between the same two levels have one role, and those that are not between two levels another one. */
static uint32_t role_of(const cables *c, const uint8_t *level, uint32_t link) {
  const uint32_t a = ripstop_link_node(c->fabric, link, 0) - c->fabric->ends;
  const uint32_t b = ripstop_link_node(c->fabric, link, 1) - c->fabric->ends;
  if (level == NULL || level[a] >= LEVELS || level[b] >= LEVELS) return ROLES - 1;
  return level[a] < level[b] ? level[a] * LEVELS + level[b] : level[b] * LEVELS + level[a];
}

static void report_switches(const cables *c, const uint8_t *level) {
  const ripstop_fabric *f = c->fabric;
  speeds *seen = RIPSTOP_ARRAY(c->net->arena, ROLES, speeds);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    count_speed(&seen[role_of(c, level, link)], speed_of(c, link), link);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const tally like = usual_of(&seen[role_of(c, level, link)]);
    const uint32_t speed = speed_of(c, link);
    if (speed != 0 && speed < like.speed) report_cable(c, link, like.link);
  }
}

/* ------------------------------------------------------------------ between switches of an edge list */

/* The rate of most cables at one switch, of two with as many the higher one. */
typedef struct habit {
  uint32_t rate, times, all, link; /* link: one that has it */
} habit;

typedef struct seen_rate {
  uint64_t at; /* switch << 32 | rate */
  uint32_t link;
} seen_rate;

static int by_switch(const void *a_, const void *b_) {
  const seen_rate *a = a_, *b = b_;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  return a->link < b->link ? -1 : a->link > b->link;
}

static const habit *find_habits(const cables *c) {
  const ripstop_fabric *f = c->fabric;
  habit *at = RIPSTOP_ARRAY(c->net->arena, c->net->switches, habit);
  seen_rate *seen = RIPSTOP_ARRAY(c->net->arena, 2 * (size_t)f->links + 1, seen_rate);
  size_t count = 0;
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      const uint32_t where = ripstop_link_node(f, link, side) - f->ends;
      seen[count++] = (seen_rate){(uint64_t)where << 32 | ripstop_fabric_rate(f, link), link};
    }
  qsort(seen, count, sizeof *seen, by_switch);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && seen[next].at == seen[i].at;) next++;
    habit *h = &at[seen[i].at >> 32];
    h->all += (uint32_t)(next - i);
    if (next - i >= h->times) h->rate = (uint32_t)seen[i].at, h->times = (uint32_t)(next - i), h->link = seen[i].link;
  }
  return at;
}

/* True if more than half of the other cables of a switch run at one higher rate. */
static bool is_below(const habit *h, uint32_t rate) { return rate < h->rate && 2 * (uint64_t)h->times > h->all - 1; }

/* Levels may differ, so a cable has its like at its own switches alone. */
static void report_list(const cables *c) {
  const ripstop_fabric *f = c->fabric;
  const habit *at = find_habits(c);
  for (uint32_t link = f->link_ends; link < f->links; link++) {
    const habit *a = &at[ripstop_link_node(f, link, 0) - f->ends], *b = &at[ripstop_link_node(f, link, 1) - f->ends];
    const uint32_t rate = ripstop_fabric_rate(f, link);
    if (a->rate == b->rate && is_below(a, rate) && is_below(b, rate)) report_cable(c, link, a->link);
  }
}

void recognised_report_slow(const recognised_graph *net, const uint8_t *level, ripstop_odds *odds) {
  const ripstop_ib_fabric *ib = ripstop_ib_of(net->fabric);
  const cables c = {.net = net, .fabric = net->fabric, .dump = ib ? ib->dump : NULL, .odds = odds};
  if (ib == NULL && net->fabric->rate == NULL) return;
  if (ib != NULL)
    report_switches(&c, level);
  else
    report_list(&c);
  report_hosts(&c);
}
