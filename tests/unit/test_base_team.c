/* test_base_team.c - a team's jobs: each once, in order or not, no more than the window at a time, ended half-way by
 * either side, with and without threads, and when memory runs out; parts; and how many processors there are. */
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/team.h"
#include "check.h"

enum { JOBS = 3000, NEVER = -1 };

typedef struct list {
  int count, next, taken;
  int enough, starve; /* jobs that the caller takes; the number of the job that takes all memory; or NEVER */
  bool in_order;
  uint8_t seen[JOBS];
  unsigned most, forgotten, ticks;           /* most: jobs running or waiting at once */
  atomic_uint at_once, entered, left, wrong; /* wrong: a thread must not assert */
} list;

typedef struct job {
  int number;
  int64_t square;
  char *text; /* the text of one job */
  unsigned *forgotten;
} job;

static void *enter(void *context) {
  atomic_fetch_add(&((list *)context)->entered, 1);
  return context;
}

static void leave(void *tools) { atomic_fetch_add(&((list *)tools)->left, 1); }

/* One thread at a time: the sanitizer for threads would see it if not. */
static bool fetch(void *context, void *bytes) {
  list *l = context;
  job *j = bytes;
  if (l->next == l->count) return false;
  j->number = l->next++;
  j->forgotten = &l->forgotten;
  unsigned now = atomic_fetch_add(&l->at_once, 1) + 1;
  if (now > l->most) l->most = now;
  return true;
}

/* Long ones among short ones, so that threads overtake each other. */
static void work(void *context, void *tools, void *bytes) {
  list *l = context;
  job *j = bytes;
  volatile int sum = 0;
  if (tools != context) atomic_fetch_add(&l->wrong, 1);
  for (int i = 0; i < (j->number % 7 == 0 ? 20000 : 20); i++) sum += i;
  (void)sum;
  if (j->number == l->starve) ripstop_out_of_memory();
  j->square = (int64_t)j->number * j->number;
  ripstop_free(j->text);
  char *text = ripstop_realloc(NULL, 16, 1);
  snprintf(text, 16, "%d", j->number);
  ripstop_disown(text);
  j->text = text;
}

static bool take(void *context, void *bytes) {
  list *l = context;
  const job *j = bytes;
  char text[16];
  snprintf(text, sizeof text, "%d", j->number);
  assert_string_equal(j->text, text);
  assert_int_equal(j->square, (int64_t)j->number * j->number);
  assert_int_equal(l->seen[j->number]++, 0);
  if (l->in_order) assert_int_equal(j->number, l->taken);
  atomic_fetch_sub(&l->at_once, 1);
  return ++l->taken != l->enough;
}

static void tick(void *context) { ((list *)context)->ticks++; }

static void forget(void *bytes) {
  job *j = bytes;
  ripstop_free(j->text);
  if (j->forgotten) ++*j->forgotten;
}

static int run(list *l, unsigned threads, size_t window) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_team_work(&(ripstop_duty){.threads = threads,
                                    .window = window,
                                    .job_size = sizeof(job),
                                    .in_order = l->in_order,
                                    .context = l,
                                    .enter = enter,
                                    .leave = leave,
                                    .fetch = fetch,
                                    .work = work,
                                    .take = take,
                                    .tick = tick,
                                    .forget = forget});
  return 0;
}

/* Threads 0 to 5, windows 1, 8 and 64, both orders. */
static void for_all_teams(const list *like, void (*check)(const list *l, unsigned threads, size_t window, int status)) {
  for (unsigned threads = 0; threads <= 5; threads++)
    for (size_t window = 1; window <= 64; window *= 8)
      for (int in_order = 0; in_order < 2; in_order++) {
        list l = *like;
        l.in_order = in_order;
        int status = run(&l, threads, window);
        assert_int_equal(atomic_load(&l.wrong), 0);
        assert_in_range(l.forgotten, 1, window);
        check(&l, threads, window, status);
      }
}

static void check_all(const list *l, unsigned threads, size_t window, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(l->taken, JOBS);
  assert_in_range(l->most, 1, window);
  assert_int_equal(l->entered, threads ? threads : 1);
  assert_int_equal(l->left, l->entered);
  assert_true(l->ticks >= JOBS);
}

static void each_job_once(void **state) {
  (void)state;
  for_all_teams(&(list){.count = JOBS, .enough = NEVER, .starve = NEVER}, check_all);
}

static void check_enough(const list *l, unsigned threads, size_t window, int status) {
  assert_int_equal(status, 0);
  assert_int_equal(l->taken, 100);
  assert_in_range(l->next, 100, 100 + (threads ? window : 0)); /* jobs that had begun when the caller had enough */
  assert_int_equal(l->left, l->entered);
}

static void the_caller_has_enough(void **state) {
  (void)state;
  for_all_teams(&(list){.count = JOBS, .enough = 100, .starve = NEVER}, check_enough);
}

static void check_starved(const list *l, unsigned threads, size_t window, int status) {
  (void)threads, (void)window;
  assert_int_equal(status, -1);
  assert_int_equal(l->seen[500], 0);
  if (l->in_order) assert_int_equal(l->taken, 500);
  assert_int_equal(l->left + 1, l->entered); /* all but the one that jumped */
}

static void memory_that_runs_out_in_a_thread_has_run_out(void **state) {
  (void)state;
  for_all_teams(&(list){.count = JOBS, .enough = NEVER, .starve = 500}, check_starved);
}

/* ------------------------------------------------------------------ parts */

typedef struct parts {
  unsigned done[8], starve;
} parts;

static void mark(void *context, unsigned i) {
  parts *p = context;
  p->done[i] += i + 1;
  if (i == p->starve) ripstop_out_of_memory();
}

static int share(parts *p, unsigned count) {
  RIPSTOP_GUARD(NULL, -1);
  ripstop_team_share(count, mark, p);
  return 0;
}

static void every_part_once(void **state) {
  (void)state;
  parts p = {.starve = 8};
  for (unsigned count = 0; count <= 8; count++) assert_int_equal(share(&p, count), 0);
  for (unsigned i = 0; i < 8; i++) assert_int_equal(p.done[i], (i + 1) * (8 - i));
  for (unsigned i = 0; i < 8; i++) {
    p = (parts){.starve = i};
    assert_int_equal(share(&p, 8), -1);
    for (unsigned k = 0; k < 8; k++) assert_int_equal(p.done[k], k + 1); /* the others are not disturbed */
  }
}

/* ------------------------------------------------------------------ together */

enum { CREW = 5, ROUNDS = 400 };

typedef struct rounds {
  ripstop_meeting meeting;
  unsigned count[CREW], threads, met; /* met: written by the last who comes */
  atomic_uint wrong;
} rounds;

static void note_meeting(void *context) { ((rounds *)context)->met++; }

/* Every thread reads after a meeting what each wrote before it, without a lock; the thread sanitizer checks this. */
static void meet_often(void *context, unsigned i, unsigned threads) {
  rounds *r = context;
  if (i == 0) r->threads = threads;
  for (unsigned round = 1; round <= ROUNDS; round++) {
    r->count[i] = round;
    ripstop_meet(&r->meeting, threads);
    for (unsigned k = 0; k < threads; k++) atomic_fetch_add(&r->wrong, r->count[k] != round);
    atomic_fetch_add(&r->wrong, r->met != 2 * round - 1);
    ripstop_meet(&r->meeting, threads);
  }
}

static void who_meets_has_seen_all(void **state) {
  (void)state;
  for (unsigned wished = 1; wished <= CREW; wished++) {
    rounds r = {.met = 0};
    ripstop_meeting_open(&r.meeting, note_meeting, &r);
    ripstop_team_together(wished, meet_often, &r);
    ripstop_meeting_close(&r.meeting);
    assert_int_equal(atomic_load(&r.wrong), 0);
    assert_in_range(r.threads, 1, wished);
    assert_int_equal(r.met, 2 * ROUNDS);
  }
}

static void starve_second(void *context, unsigned i, unsigned threads) {
  (void)context;
  if (i == 1 || threads == 1) ripstop_out_of_memory();
}

static void starve_crew(void *argument) { ripstop_team_together(3, starve_second, argument); }

static void a_crew_of_which_one_has_no_memory_has_none(void **state) {
  (void)state;
  assert_int_equal(ripstop_try(starve_crew, NULL, NULL), -1);
}

#ifdef SYS_sched_setaffinity
/* A process may have fewer processors than there are: a job's share of a node, or a container's. */
static void only_processors_that_are_allowed_count(void **state) {
  (void)state;
  enum { WORDS = 256, BITS = 8 * sizeof(unsigned long) };
  unsigned long all[WORDS] = {0}, some[WORDS] = {0};
  unsigned before = ripstop_team_processors(), left = 0;
  assert_true(syscall(SYS_sched_getaffinity, 0, sizeof all, all) > 0);
  for (unsigned i = 0; i < WORDS * BITS && left < (before + 1) / 2; i++) {
    if (!(all[i / BITS] >> i % BITS & 1)) continue;
    some[i / BITS] |= 1ul << i % BITS;
    left++;
  }
  assert_int_equal(syscall(SYS_sched_setaffinity, 0, sizeof some, some), 0);
  unsigned within = ripstop_team_processors();
  assert_int_equal(syscall(SYS_sched_setaffinity, 0, sizeof all, all), 0);
  assert_int_equal(within, left);
  assert_int_equal(ripstop_team_processors(), before);
}
#else
static void only_processors_that_are_allowed_count(void **state) {
  (void)state;
  skip();
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_job_once),
                                     cmocka_unit_test(the_caller_has_enough),
                                     cmocka_unit_test(memory_that_runs_out_in_a_thread_has_run_out),
                                     cmocka_unit_test(every_part_once),
                                     cmocka_unit_test(who_meets_has_seen_all),
                                     cmocka_unit_test(a_crew_of_which_one_has_no_memory_has_none),
                                     cmocka_unit_test(only_processors_that_are_allowed_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
