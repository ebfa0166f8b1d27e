/* dry.c - `ripstop run --dry-run`: prints what the runs that are missing would cost. */
#include <string.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/json.h"
#include "ripstop/kit/campaign.h"

/* Presets and selection functions always, other values that methods name for themselves where some method does. */
static bool is_worth_words(const ripstop_spec *spec, const char *key, ripstop_text *used) {
  const bool other = ripstop_spec_own(spec, key, used);
  return other || (used->length && strcmp(key, "switch.escape") != 0);
}

static void print_own(const ripstop_spec *spec) {
  RIPSTOP_LOCAL_TEXT(used);
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    if (is_worth_words(spec, *key, &used)) ripstop_cli_say(stdout, "%s: %s\n", *key, used.data);
}

/* No sum is printed where no run has a guess: 0 seconds would look like one. */
static void print_seconds(const ripstop_campaign_cost *cost) {
  static const char *const words[RIPSTOP_GUESSES] = {[RIPSTOP_GUESS_SETTINGS] = "by stored runs of the same settings",
                                                     [RIPSTOP_GUESS_METHOD] =
                                                         "by stored runs of the same fabric and method",
                                                     [RIPSTOP_GUESS_ALL] = "by all stored runs"};
  const size_t assumed = cost->by[RIPSTOP_GUESS_ASSUMED], unknown = cost->by[RIPSTOP_GUESS_NONE];
  const double least = cost->seconds[0], most = cost->seconds[1];
  const unsigned workers = cost->workers;
  if (unknown == cost->to_do) {
    printf("cost: unknown: none of the %zu runs is like one that is stored, or has a length of its own\nend: not "
           "known\n",
           unknown);
    return;
  }
  printf("cost: %.2f ", least);
  if (most > least) printf("to %.2f ", most);
  printf("s of a processor");
  for (int by = RIPSTOP_GUESS_SETTINGS; by >= RIPSTOP_GUESS_ALL; by--)
    if (cost->by[by]) printf(", %zu runs %s", cost->by[by], words[by]);
  if (assumed)
    printf(", %zu runs at an assumed %d end nodes x cycles a second on preset plain", assumed, RIPSTOP_ASSUMED_SPEED);
  if (unknown) printf(", and %zu runs of unknown cost", unknown);
  printf("\nend: in %.2f ", least / workers);
  if (most > least) printf("to %.2f ", most / workers);
  printf("s with %u worker%s%s\n", workers, workers == 1 ? "" : "s", unknown ? ", or later" : "");
}

static void print_memory(const ripstop_campaign_cost *cost) {
  const double megabytes = cost->engine_bytes / 1e6;
  if (megabytes > 0)
    printf("memory: %.2f MB for the engine of the largest run, %.2f MB for %u at a time\n", megabytes,
           megabytes * cost->workers, cost->workers);
  else
    printf("memory: not known before they begin\n");
}

static void print_text(const ripstop_campaign *c, const ripstop_campaign_cost *cost) {
  const ripstop_spec *spec = ripstop_campaign_runs(c)->spec;
  ripstop_cli_say(stdout, "%s: %zu runs, %zu of them in %s already, %zu to do\n", spec->file, cost->runs, cost->stored,
                  ripstop_campaign_store_path(c), cost->to_do);
  if (!cost->to_do) return;
  if (cost->simulations[1] > (double)cost->to_do)
    printf("simulations: %.0f to %.0f, until measure.precision is reached or a searched load found\n",
           cost->simulations[0], cost->simulations[1]);
  if (cost->slow && cost->slow_queue)
    printf("slow links: in %zu runs; switch.slow_queue is %s%s\n", cost->slow, cost->slow_queue,
           ripstop_spec_axis(spec, "switch.slow_queue")->count > 1 ? " in the first" : "");
  print_seconds(cost);
  print_memory(cost);
  print_own(spec);
  printf("disk: %.2f MB more, %.0f bytes a run %s\n", cost->run_bytes * (double)cost->to_do / 1e6, cost->run_bytes,
         cost->run_bytes_known ? "as in the store" : "assumed");
}

/* At least and at most; null where `known` is not set. */
static json_t *json_span(const double span[2], double over, bool known) {
  return known ? json_pack("[f, f]", span[0] / over, span[1] / over) : json_null();
}

static void add_own(const ripstop_spec *spec, json_t *out) {
  RIPSTOP_LOCAL_TEXT(used);
  for (const char *const *key = ripstop_keys_of_method; *key; key++)
    if (is_worth_words(spec, *key, &used)) json_object_set_new(out, *key, ripstop_json_text(used.data));
}

static void add_cost(const ripstop_campaign_cost *cost, json_t *out) {
  const size_t unknown = cost->by[RIPSTOP_GUESS_NONE];
  const bool known = unknown < cost->to_do;
  json_object_update_new(
      out, json_pack("{s:i, s:o, s:o, s:o, s:I, s:I, s:o, s:f}", "workers", (int)cost->workers, "simulations",
                     json_span(cost->simulations, 1, true), "processor_seconds", json_span(cost->seconds, 1, known),
                     "clock_seconds", json_span(cost->seconds, cost->workers, known), "assumed_runs",
                     (json_int_t)cost->by[RIPSTOP_GUESS_ASSUMED], "unknown_runs", (json_int_t)unknown, "engine_bytes",
                     cost->engine_bytes > 0 ? json_real(cost->engine_bytes) : json_null(), "disk_bytes",
                     cost->run_bytes * (double)cost->to_do));
}

static void print_json(const ripstop_campaign *c, const ripstop_campaign_cost *cost) {
  const ripstop_spec *spec = ripstop_campaign_runs(c)->spec;
  json_t *out = json_pack("{s:s, s:o, s:o, s:I, s:I, s:I}", "event", "dry-run", "file", ripstop_json_text(spec->file),
                          "store", ripstop_json_text(ripstop_campaign_store_path(c)), "runs", (json_int_t)cost->runs,
                          "stored", (json_int_t)cost->stored, "to_do", (json_int_t)cost->to_do);
  if (cost->to_do) add_cost(cost, out), add_own(spec, out);
  if (cost->slow && cost->slow_queue)
    json_object_update_new(
        out, json_pack("{s:I, s:s}", "slow_link_runs", (json_int_t)cost->slow, "slow_queue", cost->slow_queue));
  ripstop_cli_json_print(out);
}

int cli_print_cost(ripstop_campaign *c, bool json, ripstop_error *err) {
  ripstop_campaign_cost cost;
  if (ripstop_campaign_estimate(c, &cost, err)) return ripstop_cli_fail(err);
  (json ? print_json : print_text)(c, &cost);
  return RIPSTOP_EXIT_OK;
}
