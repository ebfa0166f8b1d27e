/* each_guarantees.c - what every method in the registry guarantees, held against the prover on small fabrics: for all
 * fault sets of the sizes that it says it tolerates, not a sample of them. It names no method, and takes every
 * combination of flags and words among a method's options; where there are more than MOST_COMBINATIONS, an even part of
 * them.
 *
 *   - tolerates: each pair is delivered for each candidate chosen, without livelock, for every set of at most so many
 * links, one set of each orbit where the method guarantees symmetry. Of sets of several links a combination of options
 *     takes a third, the next one another third;
 *   - deadlock_free: no queues can wait for each other forever, for the same sets;
 *   - minimal: no walk is longer than the fault-free minimum, for the same sets and those with one link more;
 *   - symmetric: every set of one or two links has the verdict of its orbit's representative.
 *
 * A set to which the method says it does not apply is one that it does not tolerate. Methods with a protocol know of
 * faults by messages, which a plan alone does not see. It is held to its guarantees where its switches know all faults
 * from the start (ripstop_proto.settled), each combination on one fabric in PROTOCOL_FABRICS, for its packets have many
 * states; where they do not, it must have a test of its own, tests/proto/test_NAME.c. */
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "prove/proof.h"
#include "prove/symmetry.h"
#include "ripstop/kit/proofs.h"
#include "share.h"
#include "stand.h"

static const char *const fabric_specs[] = {"kary-ntree:k=2,n=2",
                                           "kary-ntree:k=2,n=3",
                                           "kary-ntree:k=2,n=4",
                                           "kary-ntree:k=3,n=2",
                                           "kary-ntree:k=3,n=3",
                                           "kary-ntree:k=4,n=2",
                                           "mport-ntree:m=4,n=2",
                                           "mport-ntree:m=4,n=3",
                                           "torus:5",
                                           "torus:3x3",
                                           "torus:4x4",
                                           "torus:2x3x2",
                                           "torus:3x2,p=2",
                                           "kns:k=3,n=2",
                                           "kns:k=2,n=3",
                                           "kns:k=4,n=2,s=2",
                                           "dragonfly:a=2,p=1,h=1",
                                           "dragonfly:a=3,p=1,h=1,g=4",
                                           "graph:" RIPSTOP_SOURCE_DIR "/tests/data/petersen.edges",
                                           "hyperx:3x2,k=2",
                                           "ib:" RIPSTOP_SOURCE_DIR "/tests/data/ib/ring.ibnetdiscover",
                                           "kns:k=4,n=2,s=2,line=ruft"};

enum { WORK_MAX = 1200000 };      /* sets x pairs of one size: beyond, a method is not held to its word */
enum { MOST_COMBINATIONS = 32 };  /* combinations of a method's flags and words */
enum { PROTOCOL_FABRICS = 4 };    /* one in so many */
enum { PARTS = 3 };               /* parts of the sets of several links, among combinations */
enum { SYMMETRY_SETS_MAX = 300 }; /* sets of one size that are each compared with their representative */

/* ------------------------------------------------------------------ one method on one fabric */

typedef struct subject {
  const ripstop_fabric *fabric;
  const char *spec; /* spec of the method */
  ripstop_view *view;
  ripstop_plan *plan;
  ripstop_prover *prover;
  ripstop_guarantees guarantees;
  uint32_t part, parts; /* its part of the sets of several links, and the number of parts */
  uint64_t proofs;
} subject;

static void fail_at(const subject *s, const uint32_t *link, uint32_t count, const char *what) {
  ripstop_text text = {0};
  ripstop_faults faults = {.links = count, .link = link};
  ripstop_faults_print(&text, s->fabric, &faults);
  fail_msg("%s on %s, failed links '%s': %s", s->spec, s->fabric->spec, text.data, what);
}

/* False: it does not apply to this set. */
static bool prove_set(subject *s, const uint32_t *link, uint32_t count, ripstop_proof *out) {
  ripstop_error err;
  for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(s->view, link[i], false);
  ripstop_answer answer = stand_update(s->plan, &err);
  int status = answer == RIPSTOP_APPLIES ? ripstop_prover_prove(s->prover, s->plan, out, &err) : 0;
  for (uint32_t i = 0; i < count; i++) ripstop_view_set_link(s->view, link[i], true);
  if (status || answer == RIPSTOP_ERROR) fail_at(s, link, count, err.text);
  s->proofs++;
  return answer == RIPSTOP_APPLIES;
}

static void hold_to_guarantees(subject *s, const uint32_t *link, uint32_t count) {
  ripstop_proof proof;
  bool applies = prove_set(s, link, count, &proof), within = count <= s->guarantees.tolerates;
  if (!applies && within) fail_at(s, link, count, "it does not apply, but guarantees to tolerate that");
  if (!applies) return;
  if (s->guarantees.minimal && proof.paths.max_extra_longest > 0) fail_at(s, link, count, "a walk is not minimal");
  if (!within) return;
  if (!proof.tolerated) fail_at(s, link, count, proof.never_walk ? proof.never_walk : proof.lost_walk);
  if (!proof.livelock_free) fail_at(s, link, count, proof.livelock_walk);
  if (s->guarantees.deadlock_free && !proof.deadlock_free) fail_at(s, link, count, "deadlock");
}

/* True if all sets of this size were checked: one of each orbit. */
static bool hold_size(subject *s, const ripstop_symmetry *symmetry, uint32_t count) {
  ripstop_error err;
  ripstop_orbits orbits;
  uint64_t pairs = (uint64_t)s->fabric->ends * (s->fabric->ends - 1), most = WORK_MAX / pairs;
  if (count > s->fabric->links - s->fabric->link_ends) return true; /* there are no such sets */
  if (ripstop_orbits_first(&orbits, symmetry, count, &err)) return false;
  uint32_t parts = count > 1 ? s->parts : 1, share = share_of_cases() * parts;
  uint32_t turn = s->part + parts * share_first(share_of_cases());
  bool always = s->part == 0; /* there may be few orbits: the first is in every share */
  do {
    if (most-- == 0) return false;
    if (turn++ % share == 0 || always) hold_to_guarantees(s, orbits.link, count);
    always = false;
  } while (ripstop_orbits_next(&orbits));
  return share_of_cases() == 1;
}

static bool same(const ripstop_proof *a, const ripstop_proof *b) {
  return a->disconnected_pairs == b->disconnected_pairs && a->lost_pairs_some_choice == b->lost_pairs_some_choice &&
         a->lost_pairs_every_choice == b->lost_pairs_every_choice && a->livelock_free == b->livelock_free &&
         a->deadlock_free == b->deadlock_free && a->queues == b->queues && a->states == b->states &&
         a->max_hops == b->max_hops;
}

static void hold_to_symmetry(subject *s, const ripstop_symmetry *symmetry, uint32_t count) {
  uint32_t links = s->fabric->links - s->fabric->link_ends;
  uint32_t share = share_of_cases(), turn = share_first(share);
  if (count > links || ripstop_combinations_total(links, count) > SYMMETRY_SETS_MAX) return;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_combinations c;
  ripstop_combinations_first(arena, links, count, &c);
  do {
    if (turn++ % share) continue;
    uint32_t set[2], of[2];
    ripstop_proof own = {0}, representative = {0};
    for (uint32_t i = 0; i < count; i++) set[i] = s->fabric->link_ends + c.part[i];
    ripstop_symmetry_canonical(symmetry, set, count, of);
    if (prove_set(s, set, count, &own) != prove_set(s, of, count, &representative) || !same(&own, &representative))
      fail_at(s, set, count, "fares otherwise than the set that it is like");
  } while (ripstop_combinations_next(&c));
  ripstop_arena_free(arena);
}

typedef struct summary {
  uint32_t applied, unchecked;
  uint64_t proofs;
} summary;

static void hold_subject(const ripstop_fabric *fabric, const char *spec, uint32_t part, uint32_t parts, summary *sum) {
  ripstop_error err;
  ripstop_answer answer;
  subject s = {.fabric = fabric, .spec = spec, .view = ripstop_view_new(fabric, NULL), .part = part, .parts = parts};
  s.plan = stand_plan(s.view, spec, &answer, &err);
  if (s.plan) {
    s.plan->method->guarantees(fabric, s.plan->config, &s.guarantees);
    s.prover = ripstop_prover_new(fabric);
    ripstop_prover_paths(s.prover, true);
    ripstop_symmetry *symmetry = ripstop_symmetry_for(s.plan);
    bool all = true;
    for (uint32_t count = 0; count <= s.guarantees.tolerates; count++) all &= hold_size(&s, symmetry, count);
    if (s.guarantees.minimal) hold_size(&s, symmetry, s.guarantees.tolerates + 1);
    for (uint32_t count = 1; count <= 2 && ripstop_symmetry_useful(symmetry); count++)
      hold_to_symmetry(&s, symmetry, count);
    sum->applied++;
    sum->unchecked += !all;
    sum->proofs += s.proofs;
    ripstop_symmetry_free(symmetry);
    ripstop_prover_free(s.prover);
  }
  ripstop_plan_free(s.plan);
  ripstop_view_free(s.view);
}

/* ------------------------------------------------------------------ all of them */

static size_t values_of(const ripstop_option *o) {
  size_t count = o->type == RIPSTOP_OPTION_FLAG ? 2 : 0;
  if (o->type == RIPSTOP_OPTION_WORD)
    while (o->words[count]) count++;
  return count;
}

static size_t combinations(const ripstop_method *method) {
  size_t product = 1;
  for (const ripstop_option *o = method->options; o->name; o++)
    if (values_of(o)) product *= values_of(o);
  return product;
}

/* From one combination to the next that is tried; with no common factor with their number, so that each option takes
 * each of its values. */
static size_t step_through(size_t all) {
  size_t step = 1;
  for (;; step++) {
    size_t a = all, b = step;
    while (b != 0) {
      size_t rest = a % b;
      a = b, b = rest;
    }
    if (a == 1 && all / step <= MOST_COMBINATIONS) return step;
  }
}

/* The combination of flags and words with this number, as a spec; NULL behind the last one. */
static const char *combination(ripstop_arena *arena, const ripstop_method *method, size_t number) {
  static const char *const flags[] = {"off", "on"};
  const char *spec = method->name;
  for (const ripstop_option *o = method->options; o->name; o++) {
    size_t count = values_of(o);
    if (!count) continue;
    spec = ripstop_arena_printf(arena, "%s%c%s=%s", spec, strchr(spec, ':') ? ',' : ':', o->name,
                                (o->type == RIPSTOP_OPTION_FLAG ? flags : o->words)[number % count]);
    number /= count;
  }
  return number ? NULL : spec;
}

/* For a method whose plan alone promises nothing. */
static void expect_test_of_protocol(const ripstop_method *method) {
  char path[256];
  snprintf(path, sizeof path, RIPSTOP_SOURCE_DIR "/tests/proto/test_%s.c", method->name);
  for (char *c = strstr(path, "/proto/"); *c; c++)
    if (*c == '-') *c = '_';
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("%s has a protocol whose switches start with nothing, and no test %s", method->name, path);
  fclose(file);
  print_message("%s: the plan alone promises nothing; its protocol is held to its word by %s\n", method->name, path);
}

static void method_keeps_its_guarantees(void **state) {
  const ripstop_method *method = *state;
  summary sum = {0};
  if (method->proto && !method->proto->settled) {
    expect_test_of_protocol(method);
    return;
  }
  for (size_t i = 0; i < sizeof fabric_specs / sizeof *fabric_specs; i++) {
    ripstop_error err;
    ripstop_arena *arena = ripstop_arena_new();
    ripstop_fabric *fabric = ripstop_fabric_open(fabric_specs[i], &err);
    if (!fabric) fail_msg("%s", err.text);
    const char *spec;
    size_t all = combinations(method), step = step_through(all);
    uint32_t part = 0, parts = all / step < PARTS ? 1 : PARTS;
    for (size_t number = 0; (spec = combination(arena, method, number)); number += step)
      if (!method->proto || (number + i) % PROTOCOL_FABRICS == 0) hold_subject(fabric, spec, part++, parts, &sum);
    ripstop_fabric_free(fabric);
    ripstop_arena_free(arena);
  }
  print_message("%s: %u times on a fabric, %llu proofs; %u too large to be exhaustive\n", method->name, sum.applied,
                (unsigned long long)sum.proofs, sum.unchecked);
  assert_true((sum.applied > 0 && sum.proofs > 0) || method->load); /* tables of a file are not the method's promise */
}

int main(int argc, char **argv) {
  return each_method("guarantees", method_keeps_its_guarantees, argc, argv, NULL, NULL);
}
