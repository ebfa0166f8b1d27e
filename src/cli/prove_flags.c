/* prove_flags.c - the flags of `ripstop prove`: their ranges, and which go with which. */
#include <string.h>

#include "cli/flags.h"
#include "cli/prove.h"

enum { ORDERS_MAX = 1000000 };
#define SAMPLES_MAX UINT32_MAX /* samples with different numbers */

static const char *const of_words[] = {"all", "connected", NULL};

typedef struct flag_list {
  ripstop_flag flag[CLI_FLAGS_MOST];
  unsigned count;
} flag_list;

static void add_flags(flag_list *out, const ripstop_flag *flags) {
  while (flags->name) out->flag[out->count++] = *flags++;
}

/* The method and the fault sets. */
static void add_set_flags(flag_list *out, prove_words *w) {
  const ripstop_flag flags[] = {
      CLI_TEXT("method", "M", &w->method, "Routing method with its options, e.g. misroute:uturn=any.",
               .required = "'ripstop methods' lists the methods"),
      CLI_TEXT("faults", "FILE", &w->faults, "Fault sets, one a line.", .excludes = "set count smallest-defeat"),
      CLI_TEXT("set", "LINE", &w->set, "One fault set, e.g. '0/2.1/3 switch:1/0.0'.",
               .excludes = "count smallest-defeat"),
      CLI_INTEGER("count", "F", &w->count, "Sets of F failed parts: random ones or, with --all, every one.",
                  .given = &w->counted, .most = UINT32_MAX - 1, .excludes = "smallest-defeat"),
      CLI_SWITCH("all", &w->all, "Every set of --count parts.", .needs = "count", .excludes = "samples"),
      CLI_INTEGER("samples", "N", &w->samples, "Draw N sets; with --width at most N (1000000).", .least = 1,
                  .most = SAMPLES_MAX, .needs = "count"),
      CLI_SHARE("width", "W", &w->width, "Draw until the interval is share +- W; default 0.01.", .open = true,
                .needs = "count", .excludes = "all", .because = "all sets have no interval"),
      CLI_SHARE("confidence", "C", &w->confidence, "Of the interval; default 0.99.", .open = true),
      CLI_WORD("interval", "KIND", &w->interval, ripstop_interval_words, "clopper-pearson (default) or wilson."),
      CLI_WORD("of", "SETS", &w->of, of_words, "Whose share counts: all sets (default), or connected ones."),
      CLI_TEXT("scope", "PARTS", &w->scope,
               "What may fail: switch-links (default), all-links, switches, a group as global or level-0, a pattern of "
               "names.",
               .needs = "count"),
      CLI_INTEGER("seed", "S", &w->seed, "Of the random sets; default 1. Experiments sample the same."),
      CLI_SWITCH("no-symmetry", &w->no_symmetry, "With --all: prove every set, not one for all that are alike.",
                 .needs = "all"),
      {0},
  };
  add_flags(out, flags);
}

/* The property that is proved of each set. */
static void add_proof_flags(flag_list *out, prove_words *w) {
  const ripstop_flag flags[] = {
      CLI_INTEGER("vcs", "V", &w->vcs, "Virtual channels per link, for methods that can have more or fewer.",
                  .least = 1, .most = RIPSTOP_CHANNELS_MAX),
      CLI_TEXTS("switch", "KEY=VALUE", &w->switch_,
                "A key of an experiment's switch: section; several times. queues= decides what a packet waits for.",
                .excludes = "tolerance transients",
                .because = "these decide delivery, or packets of input queues, alone"),
      CLI_SWITCH("tolerance", &w->tolerance,
                 "Decide delivery alone; much faster for methods that can count, as link-fault-messages.",
                 .excludes = "witness paths smallest-defeat"),
      CLI_SWITCH("paths", &w->paths, "Also report how far packets go, against the least without faults."),
      CLI_TEXT("subfunction", "NAME", &w->subfunction,
               "Also build the extended channel dependency graph of this routing subfunction of the method, or of all.",
               .excludes = "transients tolerance smallest-defeat rare destinations"),
      CLI_TEXT("graph", "FILE", &w->graph, "With --subfunction and one set: write the graph for Graphviz.",
               .output = RIPSTOP_FLAG_OUTPUT, .needs = "subfunction", .excludes = "count faults shard merge",
               .because = "the graph is that of one fault set: give --set, or no faults"),
      CLI_TEXT("witness", "PATH", &w->witness,
               "Write certificates for check-witness: a file, or for several sets a folder."),
      CLI_INTEGER("rare", "N", &w->rare,
                  "Prove every set of up to N parts, then draw sets of --count round those that are not tolerated.",
                  .least = 1, .most = RIPSTOP_RARE_CORE_MAX, .needs = "count",
                  .excludes = "all width of interval witness paths"),
      CLI_SWITCH("smallest-defeat", &w->smallest_defeat,
                 "Look for the smallest set that defeats the method, and that disconnects.",
                 .excludes = "witness paths json"),
      CLI_INTEGER("budget", "N", &w->budget, "With --smallest-defeat: look at N sets at most (1000000).", .least = 1,
                  .needs = "smallest-defeat"),
      CLI_INTEGER("destinations", "N", &w->destinations,
                  "Walk packets to N random destinations only, by the seed, and bound the others.", .least = 1,
                  .most = UINT32_MAX, .excludes = "count tolerance smallest-defeat witness",
                  .because = "packets to some destinations prove nothing of the others"),
      CLI_INTEGER("draws", "N", &w->random_headers,
                  "With --destinations, where packets draw a number (valiant, ugal): walk them with N of these alone.",
                  .least = 1, .most = UINT32_MAX, .needs = "destinations"),
      {0},
  };
  add_flags(out, flags);
}

/* Transient states: old and new tables together. */
static void add_transient_flags(flag_list *out, prove_words *w) {
  const ripstop_flag flags[] = {
      CLI_SWITCH(
          "transients", &w->transients,
          "Start with packets wherever transient states (old and new tables together) can leave them; do they drain?",
          .needs = "set faults count before",
          .excludes = "tolerance smallest-defeat rare destinations paths no-symmetry"),
      CLI_TEXT("before", "LINE", &w->before, "With --transients: parts that failed before each set; default: none.",
               .needs = "transients"),
      CLI_INTEGER("orders", "N", &w->orders, "With --transients: orders of a protocol's messages to try (4).",
                  .least = 1, .most = ORDERS_MAX, .needs = "transients"),
      CLI_SWITCH("in-order", &w->in_order,
                 "With --transients: only what switches have at the same time in one of these orders.",
                 .needs = "transients", .excludes = "permanent", .because = "in order no transient state stays"),
      CLI_SWITCH("permanent", &w->for_ever, "With --transients: even if a transient state stays.",
                 .needs = "transients"),
      CLI_SWITCH("two-writes", &w->two_writes,
                 "With --transients: entries that change are taken away before new ones are written.",
                 .needs = "transients"),
      CLI_SWITCH("repaired", &w->repaired,
                 "With --transients: the new tables are the old ones, repaired by the method.", .needs = "transients"),
      {0},
  };
  add_flags(out, flags);
}

/* The division of the work. */
static void add_work_flags(flag_list *out, prove_words *w) {
  const ripstop_flag flags[] = {
      CLI_THREADS("workers", &w->workers, "Threads; default: one for each processor."),
      CLI_SHARD(&w->shard, "Decide the I-th of N parts of the sets alone, and print what --merge needs of it."),
      CLI_SWITCH("merge", &w->merge,
                 "Behind the fabric stand the files of all parts: print what one process would have.",
                 .excludes = "shard witness", .because = "the runs of the parts write certificates"),
      CLI_SWITCH("json", &w->json, "A line of JSON for each set, and one for the summary."),
      {0},
  };
  add_flags(out, flags);
}

static void explain(FILE *file) {
  fprintf(file,
          "\nWhat is decided for a fault set, over everything that packets can meet under every adaptive choice:\n"
          "  disconnected  pairs of end nodes without a physical path\n"
          "  lost          pairs whose packets some choices (or all choices) lose or send in cycles forever\n"
          "  tolerated     no pair is lost under any choice; a disconnected pair is lost\n"
          "  livelock      some choices bring a packet back to where it was, in the same state\n"
          "  deadlock      queues whose first packets can only wait for each other; the witness names the queues\n"
          "                and a packet for each\n"
          "  safe          tolerated, and free of deadlock\n"
          "Both shares are always shown: of all sets, and of those that leave the fabric connected.\n"
          "docs/prove.md lists the assumptions.\n");
}

int prove_read_words(int argc, char **argv, prove_words *w, prove_arguments *a) {
  flag_list flags = {.count = 0};
  *w =
      (prove_words){.seed = 1, .confidence = 0.99, .budget = 1000000, .orders = 4, .interval = RIPSTOP_CLOPPER_PEARSON};
  add_set_flags(&flags, w);
  add_proof_flags(&flags, w);
  add_transient_flags(&flags, w);
  add_work_flags(&flags, w);
  const ripstop_usage usage = {.command = "prove",
                               .arguments = "FABRIC [PART...]",
                               .summary =
                                   "Decides delivery, livelock and deadlock of a method exactly, for fault sets.",
                               .at_least = 1,
                               .at_most = 1 + PROVE_PARTS_MAX,
                               .flags = flags.flag,
                               .more = explain};
  int status = ripstop_cli_parse(&usage, argc, argv, a->list, &a->count);
  w->fabric = a->list[0];
  return status;
}
