/* test_workload_classes.c - jobs as virtual servers: the packets of a job have its traffic class, and with a method
 * that routes classes their own virtual channel, whose weight decides what the job gets of a link that it shares. */
#include "run_workload.h"

/* Two end nodes of one switch that send to the same end node of another switch share the link up and the last link. */
enum { MESSAGE = 4096, PACKET = 16 };

typedef struct lane_case {
  const char *first, *second; /* classes of two jobs that share a link */
  double share;               /* part of the link that the second job gets while both send */
} lane_case;

static ripstop_run_result play_pair(const char *first, const char *second, const char *options) {
  char jobs[256], text[128];
  snprintf(jobs, sizeof jobs, "incast:bytes=%d on file:%s%s + incast:bytes=%d on file:%s%s", MESSAGE, "first.places",
           first, MESSAGE, "second.places", second);
  snprintf(text, sizeof text, "packet=%d%s", PACKET, options);
  const setting s = {.fabric = "kary-ntree:k=4,n=2",
                     .method = "reprioritise:approach=4",
                     .jobs = jobs,
                     .options = text,
                     .seed = 1,
                     .in_queue = 8};
  return play_by(&s, "weighted:shares=1/20/40/39");
}

static void write_places(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

/* Rank 0 receives. Jobs send from end nodes 0 and 1 to 4 and 8: uturn's path goes up by a port that the destination's
 * lowest digit chooses, the same for both. */
static void weights_share_a_link_between_jobs(void **state) {
  (void)state;
  static const lane_case cases[] = {{" class 1", " class 3", 40. / 41},
                                    {" class 2", " class 3", 40. / 60},
                                    {" class 3", " class 3", 0.5},
                                    {"", "", 0.5},
                                    {"", " class 2", 20. / 21}};
  write_places("first.places", "4 0\n");
  write_places("second.places", "8 1\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_run_result r = play_pair(cases[i].first, cases[i].second, "");
    const double alone = the_value(&r, "job.2.ideal-cycles"), took = the_value(&r, "job.2.cycles");
    const double both = the_value(&r, "workload.cycles");
    print_message("%s,%s: job 2 in %.0f cycles, both in %.0f; alone %.0f\n", cases[i].first, cases[i].second, took,
                  both, alone);
    assert_true(fabs(took - alone / cases[i].share) < 0.03 * took);
    assert_true(fabs(both - 2 * alone) < 0.03 * both); /* the link never rests */
    ripstop_run_result_free(&r);
  }
  remove("first.places");
  remove("second.places");
}

static double packets_of(const ripstop_run_result *r, unsigned class_) {
  char name[32];
  snprintf(name, sizeof name, "class%u.packets", class_);
  return the_value(r, name);
}

static ripstop_run_result play_servers(const char *jobs, const char *options, const char *faults) {
  const setting s = {.fabric = "kary-ntree:k=4,n=2",
                     .method = "reprioritise:approach=4",
                     .jobs = jobs,
                     .options = options,
                     .faults = faults,
                     .seed = 1,
                     .in_queue = 4};
  return play_by(&s, "weighted:shares=1/20/40/39");
}

static const char servers[] = "alltoall:bytes=100 on spread:4 class 3 + alltoall:bytes=50 on spread:5 class 1";

/* 4 x 3 messages of 100 bytes in 7 packets, 5 x 4 of 50 in 4; job by job the same messages. */
static void packets_have_the_class_of_their_job(void **state) {
  (void)state;
  ripstop_run_result r = play_servers(servers, "packet=16", NULL);
  assert_true(packets_of(&r, 3) == 12 * 7 && packets_of(&r, 2) == 0 && packets_of(&r, 1) == 20 * 4);
  assert_true(the_value(&r, "job.1.message.count") == 12 && the_value(&r, "job.2.message.count") == 20);
  assert_true(the_value(&r, "job.1.message.slowdown.mean") >= 1);
  ripstop_run_result_free(&r);
}

/* The jobs' messages are those of the run. */
static void jobs_add_up(void **state) {
  (void)state;
  ripstop_run_result r = play_servers(servers, "packet=16", "0/0/4@100 0/1/5@300");
  const double first = the_value(&r, "job.1.message.count"), second = the_value(&r, "job.2.message.count");
  const double sum =
      first * the_value(&r, "job.1.message.completion.mean") + second * the_value(&r, "job.2.message.completion.mean");
  const double slowdown =
      first * the_value(&r, "job.1.message.slowdown.mean") + second * the_value(&r, "job.2.message.slowdown.mean");
  const double all = the_value(&r, "message.count");
  assert_true(the_value(&r, "workload.complete") == 1);
  assert_true(all == first + second);
  assert_true(fabs(sum / all - the_value(&r, "message.completion.mean")) < 1e-9 * sum);
  assert_true(fabs(slowdown / all - the_value(&r, "message.slowdown.mean")) < 1e-9 * slowdown);
  ripstop_run_result_free(&r);
}

/* The run ends with the last packet of data, so some acknowledgements are still in flight: two of each of nine ranks.
 */
static bool are_most(double arrived, double sent) { return arrived <= sent && arrived >= sent - 18; }

/* Acknowledgements of a class of their own have the one behind those of the jobs; else those of their data. */
static void acknowledgements_have_a_class(void **state) {
  (void)state;
  static const char jobs[] = "alltoall:bytes=100 on spread:4 class 2 + alltoall:bytes=50 on spread:5 class 1";
  ripstop_run_result apart = play_servers(jobs, "packet=16,transport=selective", NULL);
  ripstop_run_result behind = play_servers(jobs, "packet=16,transport=selective,acks=behind", NULL);
  assert_true(packets_of(&apart, 2) == 12 * 7 && packets_of(&apart, 1) == 20 * 4);
  assert_true(are_most(packets_of(&apart, 3), the_value(&apart, "transport.acks")));
  assert_true(are_most(packets_of(&behind, 2) - 12 * 7, 12 * 7) && are_most(packets_of(&behind, 1) - 20 * 4, 20 * 4));
  ripstop_run_result_free(&apart);
  ripstop_run_result_free(&behind);
}

/* Names of runs do not change without classes. */
static void names_of_runs_have_the_class(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  const char *named, *opened;
  assert_int_equal(ripstop_workload_beside(arena, "barrier on spread:4 at 7 class 2 + barrier on packed:2", NULL,
                                           &named, &opened, &err),
                   0);
  assert_string_equal(named, "barrier:bytes=0 on spread:4 at 7 class 2 + barrier:bytes=0 on packed:2");
  ripstop_arena_free(arena);
}

static void refuse(const char *method, const char *jobs, const char *options, const char *message) {
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_workload_run run = {.simulation = {.seed = 1}};
  ripstop_options_defaults(arena, ripstop_switch_options, &run.simulation.switch_);
  ripstop_options_defaults(arena, ripstop_measure_options, &run.simulation.measure);
  assert_int_equal(ripstop_options_parse(arena, "workload", ripstop_workload_options, &run.config,
                                         ripstop_arena_printf(arena, "jobs=x,%s", options), &err),
                   0);
  run.config.jobs = jobs;
  ripstop_fabric *fabric = open_fabric("kary-ntree:k=4,n=2");
  stand run_setup = stand_on(fabric, method, NULL);
  assert_int_equal(ripstop_workload_check(run_setup.plan, &run, &err), -1);
  assert_string_equal(err.text, message);
  stand_close(&run_setup);
  ripstop_fabric_free(fabric);
  ripstop_arena_free(arena);
}

static void wrong_classes_are_refused(void **state) {
  (void)state;
  refuse("reprioritise", "barrier on packed:2 + barrier class 4", "packet=16",
         "workload.jobs: job 2 has class 4, and method reprioritise routes 3");
  refuse("reprioritise", "barrier class 3", "transport=go-back-n",
         "workload.acks: apart needs a class behind the jobs' 3, and method reprioritise routes 3; set "
         "workload.acks=behind");
  refuse("updown", "barrier class 0", "packet=16", "workload.jobs: class '0': it is a number from 1 to 8");
  refuse("updown", "barrier class 9", "packet=16", "workload.jobs: class '9': it is a number from 1 to 8");
  refuse("updown", "barrier on packed:2 class 2 at 5", "packet=16",
         "workload.jobs: class '2 at 5': it is a number from 1 to 8");
  refuse("updown", "barrier class 8", "transport=go-back-n",
         "workload.acks: apart needs a class behind the jobs' 8, and method updown routes 8; set workload.acks=behind");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_share_a_link_between_jobs),
      cmocka_unit_test(packets_have_the_class_of_their_job),
      cmocka_unit_test(jobs_add_up),
      cmocka_unit_test(acknowledgements_have_a_class),
      cmocka_unit_test(names_of_runs_have_the_class),
      cmocka_unit_test(wrong_classes_are_refused),
  };
  return cmocka_run_group_tests_name("workload classes", tests, NULL, NULL);
}
