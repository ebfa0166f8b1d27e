/* fiber.c - fibers on ucontext. The sanitizers are notified of every stack switch.
 *
 * Each stack lies between two inaccessible pages, so an overflow ends the process at once instead of overwriting other
 * memory. */
#include "programs/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"

#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef RIPSTOP_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 256 << 10 }; /* kernels use little stack; sanitizers increase that */

/* Stored at the far end of each stack, which the fiber does not reach, so that the stack can be freed after the fiber's
 * own memory. */
typedef struct base {
  struct base *next, *before; /* other stacks of this thread */
  char *map;
  size_t map_bytes;
  void *tsan;
} base;

static _Thread_local base *stacks;
#ifdef RIPSTOP_ADDRESS_SANITIZER
static _Thread_local const void *home; /* the thread's own stack */
static _Thread_local size_t home_bytes;
#endif

struct fiber {
  ucontext_t self, back;
  char *stack;
  base *base;
  void (*run)(void *argument);
  void *argument;
  bool over;
#ifdef RIPSTOP_ADDRESS_SANITIZER
  void *fake_self, *fake_back;
  const void *back_bottom;
  size_t back_bytes;
#endif
#ifdef FIBER_TSAN
  void *tsan_back;
#endif
};

static void leave(fiber *f) {
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(f->over ? NULL : &f->fake_self, f->back_bottom, f->back_bytes);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(f->tsan_back, 0);
#endif
  swapcontext(&f->self, &f->back);
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(f->fake_self, &f->back_bottom, &f->back_bytes);
#endif
}

/* makecontext passes ints only, so the pointer comes as two. */
static void enter(unsigned high, unsigned low) {
  fiber *f = (fiber *)((uintptr_t)high << 32 | (uintptr_t)low); /* NOLINT(performance-no-int-to-ptr) */
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(NULL, &f->back_bottom, &f->back_bytes);
  home = f->back_bottom, home_bytes = f->back_bytes;
#endif
  f->run(f->argument);
  f->over = true;
  leave(f);
  __builtin_trap(); /* resumed after its end; a return would end the process with exit code 0 */
}

/* A stack between two inaccessible pages. */
static base *stack_new(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = STACK_BYTES + 2 * page;
  char *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) ripstop_out_of_memory();
  if (mprotect(map + page, STACK_BYTES, PROT_READ | PROT_WRITE)) {
    munmap(map, bytes);
    ripstop_out_of_memory();
  }
  base *b = (base *)(void *)(map + page);
  *b = (base){.next = stacks, .map = map, .map_bytes = bytes};
  if (stacks) stacks->before = b;
  stacks = b;
#ifdef FIBER_TSAN
  b->tsan = __tsan_create_fiber(0);
#endif
  return b;
}

static void stack_free(base *b) {
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(b, STACK_BYTES); /* functions that did not return leave poisoned addresses */
#endif
#ifdef FIBER_TSAN
  __tsan_destroy_fiber(b->tsan);
#endif
  if (b->before)
    b->before->next = b->next;
  else
    stacks = b->next;
  if (b->next) b->next->before = b->before;
  munmap(b->map, b->map_bytes);
}

fiber *fiber_new(void (*run)(void *argument), void *argument) {
  fiber *f = ripstop_realloc(NULL, 1, sizeof *f);
  *f = (fiber){.run = run, .argument = argument};
  f->base = stack_new();
  f->stack = (char *)f->base;
  getcontext(&f->self);
  f->self.uc_stack.ss_sp = f->stack;
  f->self.uc_stack.ss_size = STACK_BYTES;
  f->self.uc_link = NULL;
  uintptr_t bits = (uintptr_t)f;
  makecontext(&f->self, (void (*)(void))enter, 2, (unsigned)((uint64_t)bits >> 32), (unsigned)(bits & UINT32_MAX));
  return f;
}

void fiber_free(fiber *f) {
  if (!f) return;
  stack_free(f->base);
  ripstop_free(f);
}

/* Memory ran out on a fiber's stack and a jump left it without a switch: notify the sanitizer, which still tracks the
 * abandoned stack. */
static void leave_fiber_stack(void) {
#ifdef RIPSTOP_ADDRESS_SANITIZER
  const char *here = __builtin_frame_address(0);
  if (!home) return;
  __sanitizer_start_switch_fiber(NULL, home, home_bytes);
  __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
  __asan_unpoison_memory_region(home, (size_t)(here - (const char *)home));
#endif
}

void fiber_try(void (*call)(void *argument), void *argument) {
  base *before = stacks;
  if (!ripstop_try(call, argument, NULL)) return;
  leave_fiber_stack();
  while (stacks != before) stack_free(stacks);
  ripstop_out_of_memory();
}

void fiber_resume(fiber *f) {
#ifdef FIBER_TSAN
  f->tsan_back = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(f->base->tsan, 0);
#endif
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&f->fake_back, f->stack, STACK_BYTES);
#endif
  swapcontext(&f->back, &f->self);
#ifdef RIPSTOP_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(f->fake_back, NULL, NULL);
#endif
}

void fiber_pause(fiber *f) { leave(f); }

bool fiber_over(const fiber *f) { return f->over; }
