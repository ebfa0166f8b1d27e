/* fuzz_certificate.c - any bytes as a certificate, of small fabrics that need no files.
 *
 * What is refused must be refused with one line that names the place; what is read gets a verdict in one line, and a
 * deadlock that is confirmed must stand still in the engine, invented or not. */
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/proofs.h"
#include "ripstop/kit/simulation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CYCLES = 100 };

static void demand(bool holds) {
  if (!holds) abort();
}

/* True if each line that may name a fabric names one that costs nothing. */
static bool is_cheap(const char *text, size_t size) {
  static const char *const cheap[] = {"torus:4", "torus:5", "torus:3x3", "kary-ntree:k=2,n=2", "kns:k=2,n=2"};
  static const char key[] = "fabric";
  for (size_t at = 0; at + sizeof key <= size; at++) {
    if (memcmp(text + at, key, sizeof key - 1) != 0) continue;
    const char *rest = text + at + sizeof key - 1, *end = memchr(rest, '\n', (size_t)(text + size - rest));
    if (end == NULL) end = text + size;
    while (rest < end && (*rest == ' ' || *rest == '\t')) rest++;
    size_t i = 0, count = sizeof cheap / sizeof *cheap;
    while (i < count && (strlen(cheap[i]) != (size_t)(end - rest) || memcmp(cheap[i], rest, strlen(cheap[i])) != 0))
      i++;
    if (i == count) return false;
  }
  return true;
}

static void demand_standstill(const ripstop_certificate *c, const ripstop_plan *plan) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_simulate_settings simulation = {0};
  ripstop_options_defaults(arena, ripstop_switch_options, &simulation.switch_);
  ripstop_options_defaults(arena, ripstop_traffic_options, &simulation.traffic);
  ripstop_options_defaults(arena, ripstop_measure_options, &simulation.measure);
  ripstop_standstill out;
  ripstop_error err = {0};
  demand(ripstop_simulate_deadlocked(plan, &simulation, c->queue, c->queues, CYCLES, &out, &err) == 0);
  demand(out.events == 0 && out.exact);
  ripstop_arena_free(arena);
}

static void check(const ripstop_certificate *c) {
  ripstop_error err = {0};
  ripstop_text verdict = {0};
  ripstop_view *view = ripstop_view_new(c->fabric, &c->faults);
  ripstop_plan *plan = ripstop_plan_compile(view, c->method, NULL, &err);
  ripstop_check result = plan ? ripstop_certificate_check(c, plan, &verdict, NULL, &err) : RIPSTOP_UNCHECKABLE;
  const char *told = result == RIPSTOP_UNCHECKABLE ? err.text : verdict.data;
  demand(told != NULL && told[0] != '\0' && strchr(told, '\n') == NULL);
  if (result == RIPSTOP_CONFIRMED && c->deadlock) demand_standstill(c, plan);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_text_free(&verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  ripstop_error err = {0};
  if (!is_cheap(text, size)) return 0;
  ripstop_certificate *c = ripstop_certificate_parse("x", text, size, &err);
  if (c == NULL)
    demand(!strncmp(err.text, "x:", 2) && strchr(err.text, '\n') == NULL);
  else
    check(c);
  ripstop_certificate_free(c);
  return 0;
}
