/* fuzz_scale.c - any text as a quantity: what is taken is a finite number, rounded as its measure says, and the same
 * when it is read again; what is refused has a message of one line. The first byte picks the measure and the scale. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/units.h"
#include "ripstop/scale.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(err->text[0] != '\0' && strchr(err->text, '\n') == NULL);
}

static void try_quantity(const ripstop_scale *scale, ripstop_measure measure, const char *text) {
  ripstop_error err = {0};
  double number, exact, again;
  if (ripstop_scale_read(scale, measure, text, &number, &exact, &err)) {
    demand_message(&err);
    return;
  }
  demand(isfinite(number) && number >= 0 && isfinite(exact));
  if (measure == RIPSTOP_MEASURE_TIME || measure == RIPSTOP_MEASURE_LOAD) {
    demand(number == exact);
  } else {
    demand(number == floor(number) && fabs(number - exact) < 1);
    demand(measure == RIPSTOP_MEASURE_SPACE ? number <= exact * (1 + 1e-9) + 1e-9
                                            : number >= exact * (1 - 1e-9) - 1e-9);
  }
  demand(!ripstop_scale_read(scale, measure, text, &again, NULL, &err) && again == number);
}

/* Without a quantity, the texts stay as they are. */
static void try_texts(const ripstop_scale *scale, const char *text) {
  ripstop_arena *arena = ripstop_arena_new();
  const char *notes = "";
  const units u = {arena, scale, &notes};
  ripstop_error err = {0};
  const char *const out[] = {units_jobs(&u, text, &err), units_schedule(&u, text, &err),
                             units_option(&u, "traffic", "packet", text, &err),
                             units_option(&u, "switch", "link", text, &err)};
  for (size_t i = 0; i < sizeof out / sizeof *out; i++)
    if (out[i] && !strpbrk(text, "bBs")) demand(strcmp(out[i], text) == 0);
  ripstop_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const ripstop_scale scales[] = {{400e9, 64}, {1, 1}, {0, 64}, {1.6e12, 0}};
  char text[256];
  if (size < 1 || size > sizeof text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  const ripstop_scale *scale = &scales[data[0] % 4];
  const ripstop_measure measure = (ripstop_measure)(RIPSTOP_MEASURE_CYCLES + data[0] / 4 % 6);
  if (ripstop_scale_has_unit(text)) try_quantity(scale, measure, text);
  try_texts(scale, text);
  return 0;
}
