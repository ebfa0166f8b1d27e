/* fuzz_yaml.c - any bytes as an experiment's file, with and without its quick variant.
 *
 * What is refused must be refused with one line that names the place; what is read must expand, where its fabrics are
 * small and it opens no files, to runs with different names or be refused in the same manner. */
#include <stdlib.h>
#include <string.h>

#include "ripstop/kit/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUNS_TRIED = 2000 };

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_message(const ripstop_error *err) {
  demand(!strncmp(err->text, "x.yaml:", 7) && strchr(err->text, '\n') == NULL);
}

/* Fabrics that cost nothing, no files, a small product, and no switch that is all memory. */
static bool is_cheap(const ripstop_spec *spec) {
  static const char *const cheap[] = {"kary-ntree:k=2,n=2", "torus:3x3", "torus:2x2"};
  const ripstop_axis *fabric = ripstop_spec_axis(spec, "fabric"),
                     *schedule = ripstop_spec_axis(spec, "faults.schedule");
  double product = spec->samples == RIPSTOP_SAMPLES_ALL ? 100 : (double)spec->samples;
  for (size_t i = 0; i < spec->axes; i++) {
    product *= spec->axis[i].count ? (double)spec->axis[i].count : 1;
    bool queue = strstr(spec->axis[i].key, "queue") || !strcmp(spec->axis[i].key, "measure.window") ||
                 !strcmp(spec->axis[i].key, "measure.batches");
    for (size_t s = 0; queue && s < spec->axis[i].count; s++)
      if (strlen(spec->axis[i].setting[s].text) > 2) return false;
  }
  for (size_t i = 0; i < schedule->count; i++)
    if (*schedule->setting[i].written && !strchr(schedule->setting[i].written, '@')) return false;
  for (size_t i = 0; i < fabric->count; i++) {
    size_t c = 0;
    while (c < 3 && strcmp(cheap[c], fabric->setting[i].written)) c++;
    if (c == 3) return false;
  }
  return !spec->faults_files && product <= RUNS_TRIED;
}

static void try_runs(ripstop_spec *spec) {
  ripstop_error err = {0};
  ripstop_runs *runs = ripstop_expand(spec, &err);
  if (!runs) {
    demand_message(&err);
    return;
  }
  for (size_t i = 0; i < runs->count; i++) {
    demand(strlen(runs->run[i].id) == RIPSTOP_RUN_ID - 1);
    demand(ripstop_run_key(&runs->run[i], "traffic.load") != NULL);
  }
  ripstop_runs_free(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (int quick = 0; quick < 2; quick++) {
    ripstop_error err = {0};
    ripstop_spec *spec =
        ripstop_spec_read_memory("x.yaml", (const char *)data, size, &(ripstop_variant){.quick = quick}, &err);
    if (!spec)
      demand_message(&err);
    else if (is_cheap(spec))
      try_runs(spec);
    ripstop_spec_free(spec);
  }
  return 0;
}
