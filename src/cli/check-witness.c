/* check-witness.c - `ripstop check-witness FILE`: is a certificate of deadlock, or of freedom from it, true? The
 * enumeration that decides (src/prove/check.c) knows nothing of the prover that wrote the file. */
#include <inttypes.h>

#include "cli/cli.h"
#include "ripstop/prove.h"
#include "ripstop/simulate.h"

enum { CYCLES = 10000 }; /* that loaded queues have to stand still */

/* What --simulate adds to a confirmed deadlock. */
static int load(const rs_certificate *certificate, rs_error *err) {
  rs_arena *arena = rs_arena_new();
  rs_simulation simulation = {
      .fabric = certificate->fabric, .method = certificate->method, .faults = &certificate->faults};
  rs_options_defaults(arena, rs_switch_options, &simulation.switch_);
  rs_options_defaults(arena, rs_traffic_options, &simulation.traffic);
  rs_options_defaults(arena, rs_measure_options, &simulation.measure);
  rs_standstill out;
  int status = rs_simulate_standing(&simulation, certificate->queue, certificate->queues, CYCLES, &out, err);
  rs_arena_free(arena);
  if (status) return rs_cli_fail(err);
  bool still = out.events == 0 && out.exact;
  if (still)
    printf("loaded: %" PRIu64 " packets stand still for %d cycles; the search of the live buffers finds these %u "
           "queues\n",
           out.packets, CYCLES, certificate->queues);
  else
    printf("loaded: %" PRIu64 " packets, %" PRIu64 " events in %d cycles; the search of the live buffers %s\n",
           out.packets, out.events, CYCLES, out.exact ? "finds these queues" : "does not find exactly these queues");
  return still ? RS_EXIT_OK : RS_EXIT_FAILED;
}

static int check(const rs_certificate *certificate, bool walk, bool simulate) {
  rs_error err = {0};
  rs_text verdict = {0};
  rs_check result = rs_certificate_check(certificate, &verdict, walk ? stdout : NULL, &err);
  if (result != RS_UNCHECKABLE) printf("%s\n", verdict.data);
  rs_text_free(&verdict);
  if (result == RS_UNCHECKABLE) return rs_cli_fail(&err);
  if (result == RS_REFUTED) return RS_EXIT_FAILED;
  return simulate ? load(certificate, &err) : RS_EXIT_OK;
}

static void explain(FILE *file) {
  fprintf(file, "\n'ripstop prove --witness FILE' writes what this reads. One line tells the verdict; the exit code "
                "is\n0: confirmed, 1: refuted, 2: no certificate, or of a method that does not apply there.\n"
                "docs/prove.md says what is checked.\n");
}

int rs_cmd_check_witness(int argc, char **argv) {
  bool walk = false, simulate = false;
  const rs_flag flags[] = {
      {.name = "walk", .help = "Print a way on which each packet of a deadlock can have come.", .given = &walk},
      {.name = "simulate",
       .help = "Also load a confirmed deadlock into the engine; nothing may move there.",
       .given = &simulate},
      {0},
  };
  const rs_usage usage = {.command = "check-witness",
                          .arguments = "FILE",
                          .summary = "Checks a certificate of deadlock, or of freedom from it, by plain enumeration.",
                          .at_least = 1,
                          .at_most = 1,
                          .flags = flags,
                          .more = explain};
  const char *path;
  unsigned count;
  rs_error err = {0};
  int status = rs_cli_parse(&usage, argc, argv, &path, &count);
  if (status != RS_CLI_GO_ON) return status;
  rs_certificate *certificate = rs_certificate_read(path, &err);
  if (certificate == NULL) return rs_cli_fail(&err);
  if ((walk || simulate) && !certificate->deadlock) {
    rs_fail(&err, "%s: there is no deadlock in it whose packets could be %s", path, walk ? "walked" : "loaded");
    status = rs_cli_fail(&err);
  } else {
    status = check(certificate, walk, simulate);
  }
  rs_certificate_free(certificate);
  return status;
}
