/* example_walk.c - example walks through the states of the present destination, as one line of text each. */
#include <stdlib.h>
#include <string.h>

#include "prove/prover.h"
#include "ripstop/plugin/method.h"

static void print_place(const ripstop_prover *p, ripstop_text *out, const state *s) {
  char name[RIPSTOP_NAME_MAX];
  uint32_t node =
      s->place >= p->lanes ? s->place - p->lanes : p->fabric->port_node[p->fabric->peer[s->place / p->channels]];
  ripstop_node_name(p->fabric, node, name);
  ripstop_text_add(out, "%s", name);
  if (s->header) ripstop_text_add(out, "[%llx]", (unsigned long long)s->header);
}

static const char *finish(ripstop_prover *p, ripstop_text *text) {
  const char *kept = ripstop_arena_text(p->arena, text->data);
  ripstop_text_free(text);
  return kept;
}

static void begin(ripstop_prover *p, ripstop_text *text, uint32_t start, uint32_t destination) {
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(p->fabric, destination, name);
  ripstop_text_add(text, "to %s", name);
  if (p->plan->classes > 1) ripstop_text_add(text, ", class %u", p->class_);
  ripstop_text_add(text, ": ");
  print_place(p, text, &p->state[start]);
}

static const char *loss(const ripstop_prover *p, const state *s, uint32_t destination) {
  if (p->mixing.versions) return transients_loss(p, s, destination);
  ripstop_head head = prover_head(p, s->place, s->header, p->source, destination);
  return p->plan->method->losses[-ripstop_route(p->plan, &head, p->candidate) - 1];
}

static bool is_lost(const ripstop_prover *p, const state *s, uint32_t destination) {
  if (!(s->outlook.fate & FATE_LOST)) return false;
  return s->first == s[1].first || (p->mixing.for_ever && transients_loss(p, s, destination));
}

/* A shortest walk from `start` to a state without candidates; `fate` is FATE_LOST. */
const char *walk_to(ripstop_prover *p, uint32_t start, uint8_t fate, uint32_t destination) {
  uint32_t *before = ripstop_realloc(NULL, p->states, sizeof *before),
           *queue = ripstop_realloc(NULL, p->states, sizeof *queue);
  uint32_t head = 0, tail = 0, at = start;
  memset(before, 0xff, p->states * sizeof *before);
  queue[tail++] = start;
  before[start] = start;
  while (head < tail) {
    at = queue[head++];
    if (fate == FATE_LOST && is_lost(p, &p->state[at], destination)) break;
    for (uint32_t k = p->state[at].first; k < p->state[at + 1].first; k++)
      if (before[p->edge[k]] == RIPSTOP_NONE) {
        before[p->edge[k]] = at;
        queue[tail++] = p->edge[k];
      }
  }
  uint32_t length = 0;
  for (uint32_t i = at; i != start; i = before[i]) queue[length++] = i;
  ripstop_text text = {0};
  begin(p, &text, start, destination);
  while (length > 0) {
    ripstop_text_add(&text, " > ");
    print_place(p, &text, &p->state[queue[--length]]);
  }
  if (is_lost(p, &p->state[at], destination)) ripstop_text_add(&text, ": %s", loss(p, &p->state[at], destination));
  ripstop_free(before);
  ripstop_free(queue);
  return finish(p, &text);
}

/* From `start` into a cycle of states and once around it. */
const char *walk_round(ripstop_prover *p, uint32_t start, uint32_t destination) {
  uint8_t *seen = ripstop_realloc(NULL, p->states, 1);
  memset(seen, 0, p->states);
  ripstop_text text = {0};
  begin(p, &text, start, destination);
  for (uint32_t at = start; !seen[at];) {
    seen[at] = 1;
    uint32_t k = p->state[at].first;
    while (!(p->state[p->edge[k]].outlook.fate & FATE_CYCLE)) k++; /* at least one successor is not passed */
    at = p->edge[k];
    ripstop_text_add(&text, " > ");
    print_place(p, &text, &p->state[at]);
    if (seen[at]) ripstop_text_add(&text, " (again)");
  }
  ripstop_free(seen);
  return finish(p, &text);
}
