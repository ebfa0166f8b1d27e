/* check-witness.c - `ripstop check-witness FILE`: is a certificate of deadlock, or of freedom from it, true? The
 * enumeration that decides (src/prove/check_certificate.c) knows nothing of the prover that wrote the file. */
#include <inttypes.h>

#include "base/local.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/json.h"
#include "ripstop/kit/picture.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/protocol.h"
#include "ripstop/kit/simulation.h"
#include "ripstop/plugin/switch.h"
#include "tables/versions.h"

enum { CYCLES = 10000 }; /* that loaded queues have to stand still */

typedef struct wishes {
  bool walk, simulate, json;
  const char *svg;
} wishes;

static void print_json(const ripstop_certificate *certificate, ripstop_check result, const char *verdict) {
  ripstop_cli_json_print(json_pack("{s:o, s:o, s:s, s:b, s:o}", "fabric", ripstop_json_text(certificate->fabric->spec),
                                   "method", ripstop_json_text(certificate->method), "of",
                                   certificate->deadlock ? "deadlock" : "freedom from deadlock", "confirmed",
                                   result == RIPSTOP_CONFIRMED, "verdict", ripstop_json_text(verdict)));
}

/* --simulate adds this to a confirmed deadlock. */
static int load(const ripstop_certificate *certificate, const ripstop_plan *plan, ripstop_error *err) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_simulate_settings simulation = {0};
  ripstop_options_defaults(arena, ripstop_switch_options, &simulation.switch_);
  if (certificate->switch_channels.vcs) simulation.switch_.vcs = certificate->switch_channels.vcs;
  ripstop_options_defaults(arena, ripstop_traffic_options, &simulation.traffic);
  ripstop_options_defaults(arena, ripstop_measure_options, &simulation.measure);
  ripstop_standstill out;
  int status =
      ripstop_simulate_deadlocked(plan, &simulation, certificate->queue, certificate->queues, CYCLES, &out, err);
  ripstop_arena_free(arena);
  if (status) return ripstop_cli_fail(err);
  bool still = out.events == 0 && out.exact;
  if (still)
    printf("loaded: %" PRIu64 " packets stand still for %d cycles; the search of the live buffers finds these %u "
           "queues\n",
           out.packets, CYCLES, certificate->queues);
  else
    printf("loaded: %" PRIu64 " packets, %" PRIu64 " events in %d cycles; the search of the live buffers %s\n",
           out.packets, out.events, CYCLES, out.exact ? "finds these queues" : "does not find exactly these queues");
  return still ? RIPSTOP_EXIT_OK : RIPSTOP_EXIT_FAILED;
}

static int report_result(const ripstop_certificate *certificate, ripstop_check result, const ripstop_text *verdict,
                         const wishes *w, ripstop_error *err) {
  if (result == RIPSTOP_UNCHECKABLE) return ripstop_cli_fail(err);
  if (w->json)
    print_json(certificate, result, verdict->data);
  else
    printf("%s\n", verdict->data);
  return result == RIPSTOP_REFUTED ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

/* The queues in which packets of a confirmed deadlock wait. */
static int write_svg(const ripstop_certificate *certificate, const ripstop_plan *plan, const char *path,
                     ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(svg);
  ripstop_deadlock_svg(plan, certificate->queue, certificate->queues, &svg);
  int status = cli_write_file(path, &svg, err);
  return status ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

/* A proof of freedom has no waiting packets for --walk and --simulate; the check itself stands. */
static int report_nothing(const wishes *w) {
  if (w->walk) printf("walk: nothing to walk: the certificate is of freedom from deadlock\n");
  if (w->simulate) printf("loaded: nothing to simulate: the certificate is of freedom from deadlock\n");
  return RIPSTOP_EXIT_OK;
}

static int check_plan(const ripstop_certificate *certificate, const ripstop_plan *plan, const wishes *w,
                      ripstop_error *err) {
  if (w->simulate && certificate->switch_) {
    ripstop_fail(err, "check-witness: --simulate loads input queues; this certificate is of queues=%s",
                 certificate->switch_->name);
    return ripstop_cli_fail(err);
  }
  if (w->simulate && certificate->binding) {
    ripstop_fail(err,
                 "check-witness: --simulate loads heads that wait for any candidate; this certificate is of "
                 "selection=%s, which binds packets",
                 certificate->binding);
    return ripstop_cli_fail(err);
  }
  if (w->simulate && certificate->switch_channels.pooled) {
    ripstop_fail(err, "check-witness: --simulate loads queues with space of their own; this certificate is of "
                      "buffers=port");
    return ripstop_cli_fail(err);
  }
  ripstop_text verdict = {0};
  ripstop_check result = ripstop_certificate_check(certificate, plan, &verdict, w->walk ? stdout : NULL, err);
  int status = report_result(certificate, result, &verdict, w, err);
  ripstop_text_free(&verdict);
  if (status == RIPSTOP_EXIT_OK && !certificate->deadlock) return report_nothing(w);
  if (status == RIPSTOP_EXIT_OK && w->svg) status = write_svg(certificate, plan, w->svg, err);
  return status == RIPSTOP_EXIT_OK && w->simulate ? load(certificate, plan, err) : status;
}

/* From the versions that the certificate names. */
static int check_versions(const ripstop_certificate *certificate, const ripstop_plan *before, const ripstop_plan *after,
                          const wishes *w, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(verdict);
  ripstop_answer answer;
  ripstop_mixed mixed = certificate->mixed;
  mixed.of_protocol = ripstop_network_versions;
  ripstop_versions *versions =
      ripstop_mixed_open(&mixed, certificate->method, before, after, certificate->number, &answer, err);
  if (!versions) return ripstop_cli_fail(err);
  ripstop_check result =
      ripstop_certificate_check_transient(certificate, versions, &verdict, w->walk ? stdout : NULL, err);
  int status = report_result(certificate, result, &verdict, w, err);
  ripstop_versions_free(versions);
  return status == RIPSTOP_EXIT_OK && w->simulate ? load(certificate, after, err) : status;
}

/* The engine routes by the plan of after, which has to be what switches have in the end. */
static bool is_by_plan(const ripstop_certificate *certificate, const ripstop_plan *after) {
  const ripstop_mixed *m = &certificate->mixed;
  return !after->method->proto && !m->repaired && !m->for_ever && !m->two_writes;
}

static int check_transient(const ripstop_certificate *certificate, const ripstop_plan *after, const wishes *w,
                           ripstop_error *err) {
  if (w->simulate && !is_by_plan(certificate, after)) {
    ripstop_fail(err, "check-witness: --simulate is for witnesses in which switches end with the plan of a method "
                      "without a protocol");
    return ripstop_cli_fail(err);
  }
  ripstop_view *view = ripstop_view_new(certificate->fabric, certificate->mixed.before);
  ripstop_plan *before = ripstop_plan_open(view, certificate->method, NULL, err);
  int status = before ? check_versions(certificate, before, after, w, err) : ripstop_cli_fail(err);
  ripstop_plan_free(before);
  ripstop_view_free(view);
  return status;
}

static int check(const ripstop_certificate *certificate, const wishes *w) {
  ripstop_error err = {0};
  ripstop_view *view = ripstop_view_new(certificate->fabric, &certificate->faults);
  ripstop_plan *plan = ripstop_plan_open(view, certificate->method, NULL, &err);
  if (plan)
    plan->switch_ = certificate->switch_, plan->switch_channels = certificate->switch_channels,
    plan->binding = certificate->binding;
  int status = !plan                    ? ripstop_cli_fail(&err)
               : certificate->transient ? check_transient(certificate, plan, w, &err)
                                        : check_plan(certificate, plan, w, &err);
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  return status;
}

static void explain(FILE *file) {
  fprintf(file, "\n'ripstop prove --witness FILE' writes what this reads. One line gives the verdict; the exit code "
                "is\n0: confirmed, 1: refuted, 2: no certificate, or of a method that does not apply there.\n"
                "docs/prove.md says what is checked.\n");
}

int ripstop_cmd_check_witness(int argc, char **argv) {
  wishes w = {0};
  const ripstop_flag flags[] = {
      {.name = "walk", .help = "Print a path by which each packet of a deadlock can have come.", .given = &w.walk},
      {.name = "simulate",
       .help = "Also load a confirmed deadlock into the engine; nothing may move there.",
       .given = &w.simulate},
      {.name = "svg",
       .value = "FILE",
       .help = "Draw a confirmed deadlock: its queues on the fabric.",
       .text = &w.svg,
       .output = RIPSTOP_FLAG_OUTPUT},
      {.name = "json",
       .help = "Print one JSON object.",
       .given = &w.json,
       .excludes = "walk simulate",
       .because = "these two print no JSON"},
      {0},
  };
  const ripstop_usage usage = {.command = "check-witness",
                               .arguments = "FILE",
                               .summary =
                                   "Checks a certificate of deadlock, or of freedom from it, by plain enumeration.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags,
                               .more = explain};
  const char *path;
  ripstop_error err = {0};
  int status = ripstop_cli_parse(&usage, argc, argv, &path, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_certificate *certificate = ripstop_certificate_read(path, &err);
  if (certificate == NULL) return ripstop_cli_fail(&err);
  if (w.svg && certificate->transient) {
    ripstop_fail(&err, "%s: queues that meet several tables are not drawn", path);
    status = ripstop_cli_fail(&err);
  } else if (w.svg && !certificate->deadlock) {
    ripstop_fail(&err, "%s: there is no deadlock in it to draw", path);
    status = ripstop_cli_fail(&err);
  } else {
    status = check(certificate, &w);
  }
  ripstop_certificate_free(certificate);
  return status;
}
