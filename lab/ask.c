/* ask.c - proofs that need no simulation: whether the method carries all packets over the parts that are up at a cycle,
 * and the fewest failed links that defeat it. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "lab/scene.h"
#include "prove/proof.h"
#include "route/plan_steps.h"

static void clear_marks(const lab_scene *s) {
  memset(s->array[LAB_LIT_PORT], 0, s->fabric->ports);
  memset(s->array[LAB_LIT_LINK], 0, s->fabric->links);
}

/* ------------------------------------------------------------------ a proof */

static void print_walk(ripstop_text *out, const char *what, const char *walk) {
  if (walk) ripstop_text_add(out, "%s: %s\n", what, walk);
}

static void print_delivery(ripstop_text *out, const ripstop_proof *p) {
  if (p->tolerated)
    ripstop_text_add(out, "Every packet is delivered, for every selection: %" PRIu64 " pairs of end nodes.\n",
                     p->pairs);
  else
    ripstop_text_add(out, "%" PRIu64 " of %" PRIu64 " pairs of end nodes can lose packets.\n",
                     p->lost_pairs_some_choice, p->pairs);
  if (p->disconnected_pairs) ripstop_text_add(out, "%" PRIu64 " pairs have no path at all.\n", p->disconnected_pairs);
  print_walk(out, "For example", p->lost_walk);
}

static void print_cycles(ripstop_text *out, const ripstop_proof *p) {
  ripstop_text_add(out, "%s\n",
                   p->livelock_free ? "No packet is forwarded forever." : "A packet can be forwarded forever.");
  print_walk(out, "For example", p->livelock_walk);
  ripstop_text_add(out, "Deadlock: %s.\n", ripstop_deadlock_words[p->deadlock]);
  if (!p->deadlock_free)
    ripstop_text_add(out, "%u queues can wait for each other alone. They are highlighted.\n", p->queues);
  ripstop_text_add(out, "%" PRIu64 " states were visited, all that a packet can reach.", p->states);
}

static int prove(const lab_scene *s, ripstop_plan *plan, ripstop_error *err) {
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(s->fabric);
  int status =
      ripstop_plan_tables(plan, err) != RIPSTOP_APPLIES || ripstop_prover_prove(prover, plan, &proof, err) ? -1 : 0;
  if (!status) {
    ripstop_text *out = lab_say();
    print_delivery(out, &proof);
    print_cycles(out, &proof);
    uint8_t *lit = s->array[LAB_LIT_PORT];
    for (uint32_t i = 0; !proof.deadlock_free && i < proof.queues; i++) lit[proof.queue[i].port] = true;
  }
  ripstop_prover_free(prover);
  return status;
}

static int prove_at(const lab_scene *s, uint64_t cycle, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_view *view = ripstop_view_copy(s->view);
  for (size_t i = 0; i < s->changes && s->change[i].cycle <= cycle; i++) ripstop_view_apply(view, &s->change[i]);
  clear_marks(s);
  ripstop_plan *plan = ripstop_plan_for(s->plan, view, NULL, err);
  int status = plan ? prove(s, plan, err) : -1;
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return status;
}

int lab_prove(double cycle) {
  ripstop_error err = {0};
  return prove_at(&lab, lab_count(cycle), &err) ? lab_fail(&err) : 0;
}

/* ------------------------------------------------------------------ the smallest defeating set of links */

static int defeat(const lab_scene *s, uint64_t sets, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_defeat found;
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_defeat_limits limits = {.budget = sets, .search = sets / 10, .seed = s->settings.seed};
  clear_marks(s);
  int status =
      ripstop_smallest_defeat(arena, s->fabric, s->settings.method, &limits, &found, err) == RIPSTOP_APPLIES ? 0 : -1;
  if (!status) {
    ripstop_defeat_print(lab_say(), s->fabric, s->settings.method, &found);
    uint8_t *lit = s->array[LAB_LIT_LINK];
    for (uint32_t i = 0; found.size != RIPSTOP_NONE && i < found.size; i++) lit[found.link[i]] = true;
  }
  ripstop_arena_free(arena);
  return status;
}

int lab_defeat(double sets) {
  ripstop_error err = {0};
  return defeat(&lab, lab_count(sets), &err) ? lab_fail(&err) : 0;
}
