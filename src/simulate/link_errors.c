/* link_errors.c - each flit that a link carries is corrupted with the link's probability, independently of all others.
 * A packet with a corrupted flit counts as lost when it takes the link, and the rest of it is truncated: the next node
 * discards it, as it does with packets of failed links.
 *
 * A link direction does not draw a number for each flit but the number of good flits until the next corrupted one,
 * which is geometric. So a packet costs a comparison. The numbers depend on (seed, link, direction, how many errors
 * before), and the order of packets on a link on nothing but the run: rows are the same on any number of threads. */
#include "simulate/link_errors.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/locale.h"
#include "faults/fault_syntax.h"
#include "simulate/core.h"
#include "simulate/run_result.h"

typedef struct direction { /* one direction of a link */
  uint64_t good;           /* flits until the next corrupted one */
  uint32_t errors;         /* corrupted flits so far: no more than cycles */
  double log_good;         /* logarithm of the probability that a flit is good; 0: it has no errors */
} direction;

struct link_errors {
  direction *of;                                     /* [2 * links] */
  void (*before)(part *t, uint32_t port, packet *p); /* the hook of another feature; NULL: none */
};

/* ------------------------------------------------------------------ the run */

/* Good flits before the next corrupted one: at least n with probability q^n. */
static uint64_t good_flits(uint64_t seed, uint32_t number, const direction *d) {
  static const double most = 9007199254740992, step = 1 / 9007199254740992.0; /* 2^53 */
  uint32_t word[4];
  ripstop_random_block(seed, RIPSTOP_RANDOM_ERRORS, number, d->errors, word);
  const double uniform = ((double)((uint64_t)word[0] << 21 | word[1] >> 11) + 1) * step; /* above 0, at most 1 */
  const double flits = floor(log(uniform) / d->log_good);
  return flits < most ? (uint64_t)flits : (uint64_t)most;
}

/* Takes a packet's flits off a direction. True: one of them is corrupted. */
static bool corrupts(uint64_t seed, uint32_t number, direction *d, uint64_t flits) {
  const bool any = d->good < flits;
  while (d->good < flits) {
    flits -= d->good + 1;
    d->errors++;
    d->good = good_flits(seed, number, d);
  }
  d->good -= flits;
  return any;
}

static uint32_t direction_of(const ripstop_fabric *f, uint32_t port) {
  const uint32_t link = f->port_link[port];
  return 2 * link + (f->link_port[2 * (size_t)link] != port);
}

static void sending(part *t, uint32_t port, packet *p) {
  const struct link_errors *all = t->run->link_errors;
  const uint32_t number = direction_of(t->shape.fabric, port);
  if (all->before) all->before(t, port, p);
  if (is_control(p) || p->truncated || all->of[number].log_good == 0) return;
  if (corrupts(t->shape.seed, number, &all->of[number], p->flits))
    lose(t, p, t->shape.output[port].node, RIPSTOP_LOST_ERRORS);
}

/* ------------------------------------------------------------------ the option's text */

typedef struct links { /* that a word gives a probability */
  struct link_errors *errors;
  double log_good;
  bool switches;
} links;

static void set_link(void *to, uint32_t id, bool is_switch) {
  links *all = to;
  all->switches |= is_switch;
  for (uint32_t side = 0; side < 2 && !is_switch; side++) all->errors->of[2 * id + side].log_good = all->log_good;
}

static int read_probability(const char *text, double *log_good, ripstop_error *err) {
  double share;
  if (ripstop_parse_real(text, &share, err)) return -1;
  if (!(share >= 0 && share <= 1)) return ripstop_fail(err, "%s is no probability from 0 to 1", text);
  *log_good = log1p(-share); /* minus infinity for 1: no flit is good */
  return 0;
}

/* A probability, for all links, or LINK~PROBABILITY. */
static int read_word(run *r, const ripstop_names *names, const char *text, size_t length, ripstop_error *err) {
  const char *mark = ripstop_word_mark(text, length, '~'), *number = mark ? mark + 1 : text;
  links found = {.errors = r->link_errors};
  uint16_t rate;
  const char *copy = ripstop_arena_printf(r->arena, "%.*s", (int)(text + length - number), number);
  if (read_probability(copy, &found.log_good, err)) return -1;
  for (uint32_t link = 0; !mark && link < r->fabric->links; link++) set_link(&found, link, false);
  if (!mark) return 0;
  if (ripstop_part_find_all(names, text, (size_t)(mark - text), set_link, &found, &rate, err)) return -1;
  return found.switches ? ripstop_fail(err, "'%.*s': only links have errors", ripstop_word_shown(length), text) : 0;
}

static int read_words(run *r, const ripstop_names *names, const char *text, ripstop_error *err) {
  ripstop_words words = {.at = text, .end = text + strlen(text)};
  const char *word;
  size_t length;
  while (ripstop_words_next(&words, &word, &length))
    if (read_word(r, names, word, length, err)) return ripstop_fail_at(err, "switch.flit_errors");
  return 0;
}

/* ------------------------------------------------------------------ opening */

bool link_errors_are(const run *r) { return r->link_errors; }

static bool is_any(const run *r) {
  for (uint32_t i = 0; i < 2 * r->fabric->links; i++)
    if (r->link_errors->of[i].log_good < 0) return true;
  return false;
}

int link_errors_open(run *r, ripstop_error *err) {
  const char *text = r->config->switch_.flit_errors;
  if (!text || !strcmp(text, "0")) return 0;
  r->link_errors = RIPSTOP_NEW(r->arena, struct link_errors);
  r->link_errors->of = RIPSTOP_ARRAY(r->arena, 2 * (size_t)r->fabric->links, direction);
  ripstop_names *names = ripstop_names_new(r->fabric);
  const int status = read_words(r, names, text, err);
  ripstop_names_free(names);
  if (status) return -1;
  if (!is_any(r)) {
    r->link_errors = NULL;
    return 0;
  }
  for (uint32_t i = 0; i < 2 * r->fabric->links; i++)
    if (r->link_errors->of[i].log_good < 0)
      r->link_errors->of[i].good = good_flits(r->shape->seed, i, &r->link_errors->of[i]);
  r->link_errors->before = r->part->hook.sending;
  r->part->hook.sending = sending;
  return 0;
}
