/* test_simulate_memory.c - the event loop allocates no memory: a run ten times as long makes as many calls to the
 * allocator, however long its sources have been saturated, and its memory is what it was at the start.
 *
 * Calls are counted by standing in for the C library's functions, or with a sanitizer's own hook. Changes of the fabric
 * are left out: a plan that is compiled again may take memory. */
#include "scene.h"

static uint64_t calls; /* malloc, calloc, realloc since the start of the program; one thread */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if defined(SANITIZED)
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void on_malloc(const volatile void *memory, size_t size) {
  (void)memory, (void)size;
  calls++;
}
static void on_free(const volatile void *memory) { (void)memory; }

static void start_counting(void) { assert_true(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0); }
#elif defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
  calls++;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  calls++;
  return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  calls++;
  return __libc_realloc(memory, size);
}

static void start_counting(void) {}
#else
#error "how are calls of the allocator counted here?"
#endif

typedef struct use {
  uint64_t calls;
  size_t bytes;
  uint64_t waiting;
} use;

/* Without a record of deliveries, which would take memory itself. */
static use measure(const char *fabric, const char *method, const char *options, const char *faults,
                   const char *cycles) {
  scene *s = scene_open(fabric, method, options);
  scene_break(s, faults);
  scene_set(s, cycles);
  s->sim.on_delivery = NULL;
  ripstop_run_result result;
  ripstop_error err;
  uint64_t before = calls;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  use u = {.calls = calls - before, .bytes = result.bytes, .waiting = result.account.waiting};
  ripstop_run_result_free(&result);
  scene_close(s);
  return u;
}

static const struct {
  const char *fabric, *method, *options, *faults;
} cases[] = {{"kary-ntree:k=4,n=3", "misroute", "load=1 packet=4", "0/2.1/5"},
             {"kary-ntree:k=4,n=3", "updown", "load=0.2 process=on-off", ""},
             {"kary-ntree:k=2,n=3", "updown", "load=0.5", "0/0.1/2"}, /* which loses packets */
             {"torus:5x4", "dor:dateline=on", "load=1 classes=1/2 packet=3:0.8/19:0.2 out_queue=2 in_queue=4", ""},
             {"torus:4x4", "minimal-adaptive", "load=0.7 flow=xonxoff in_queue=8 pattern=hotspot", ""},
             {"torus:8", "dor:bubble=on", "load=1 unit=flits in_queue=40 process=poisson", ""}};

static void the_event_loop_asks_for_no_memory(void **state) {
  (void)state;
  start_counting();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    use brief = measure(cases[i].fabric, cases[i].method, cases[i].options, cases[i].faults, "cycles=2000 check=100");
    use lengthy =
        measure(cases[i].fabric, cases[i].method, cases[i].options, cases[i].faults, "cycles=20000 check=100");
    assert_true(brief.calls > 0);
    assert_int_equal(lengthy.calls, brief.calls);
    assert_int_equal(lengthy.bytes, brief.bytes);
    if (strstr(cases[i].options, "load=1 ")) assert_true(lengthy.waiting > 5 * brief.waiting);
  }
}

/* Calls of the allocator so far at a delivery by which there is room for all of a cycle, and at the last one. */
typedef struct span {
  uint64_t told, from, to;
} span;

static void hear(void *context, uint64_t packet, uint32_t source, uint32_t destination, uint64_t generated_at,
                 uint64_t cycle) {
  span *s = context;
  (void)packet, (void)source, (void)destination, (void)generated_at, (void)cycle;
  if (++s->told == 40000) s->from = calls;
  s->to = calls;
}

/* Sorts some 200 deliveries in a cycle. */
static void nor_does_the_order_of_deliveries(void **state) {
  (void)state;
  span heard = {0};
  ripstop_run_result result;
  ripstop_error err;
  start_counting();
  scene *s = scene_open("kary-ntree:k=8,n=3", "updown", "load=0.4 packet=1");
  scene_set(s, "cycles=400");
  s->sim.on_delivery = hear;
  s->sim.context = &heard;
  if (scene_simulate(s, &result, &err)) fail_msg("%s", err.text);
  assert_true(heard.told > 60000);
  assert_int_equal(heard.to, heard.from);
  ripstop_run_result_free(&result);
  scene_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_event_loop_asks_for_no_memory),
                                     cmocka_unit_test(nor_does_the_order_of_deliveries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
