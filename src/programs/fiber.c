/* fiber.c - fibers on ucontext. The sanitizers are told of every change of stacks.
 *
 * A stack lies between two pages that nobody may touch, so that an overflow ends the process at once instead of
 * spoiling a neighbour. */
#include "programs/fiber.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 256 << 10 }; /* kernels have small frames; sanitizers make them larger */

struct fiber {
  ucontext_t self, back;
  char *map, *stack;
  size_t map_bytes;
  void (*run)(void *argument);
  void *argument;
  bool over;
#ifdef FIBER_ASAN
  void *fake_self, *fake_back;
  const void *back_bottom;
  size_t back_bytes;
#endif
#ifdef FIBER_TSAN
  void *tsan_self, *tsan_back;
#endif
};

static void leave(fiber *f) {
#ifdef FIBER_ASAN
  __sanitizer_start_switch_fiber(f->over ? NULL : &f->fake_self, f->back_bottom, f->back_bytes);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(f->tsan_back, 0);
#endif
  swapcontext(&f->self, &f->back);
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(f->fake_self, &f->back_bottom, &f->back_bytes);
#endif
}

/* makecontext hands over ints only. */
static void enter(unsigned high, unsigned low) {
  fiber *f = (fiber *)((uintptr_t)high << 32 | (uintptr_t)low); /* NOLINT(performance-no-int-to-ptr) */
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(NULL, &f->back_bottom, &f->back_bytes);
#endif
  f->run(f->argument);
  f->over = true;
  leave(f);
}

fiber *fiber_new(void (*run)(void *argument), void *argument) {
  fiber *f = ripstop_realloc(NULL, 1, sizeof *f);
  *f = (fiber){.run = run, .argument = argument};
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  f->map_bytes = STACK_BYTES + 2 * page;
  f->map = mmap(NULL, f->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (f->map == MAP_FAILED) ripstop_out_of_memory();
  f->stack = f->map + page;
  if (mprotect(f->stack, STACK_BYTES, PROT_READ | PROT_WRITE)) ripstop_out_of_memory();
  getcontext(&f->self);
  f->self.uc_stack.ss_sp = f->stack;
  f->self.uc_stack.ss_size = STACK_BYTES;
  f->self.uc_link = NULL;
  uintptr_t bits = (uintptr_t)f;
  makecontext(&f->self, (void (*)(void))enter, 2, (unsigned)((uint64_t)bits >> 32), (unsigned)(bits & UINT32_MAX));
#ifdef FIBER_TSAN
  f->tsan_self = __tsan_create_fiber(0);
#endif
  return f;
}

void fiber_free(fiber *f) {
  if (!f) return;
#ifdef FIBER_ASAN
  __asan_unpoison_memory_region(f->stack, STACK_BYTES); /* frames that never ended leave marks on the addresses */
#endif
#ifdef FIBER_TSAN
  __tsan_destroy_fiber(f->tsan_self);
#endif
  munmap(f->map, f->map_bytes);
  ripstop_free(f);
}

void fiber_resume(fiber *f) {
#ifdef FIBER_TSAN
  f->tsan_back = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(f->tsan_self, 0);
#endif
#ifdef FIBER_ASAN
  __sanitizer_start_switch_fiber(&f->fake_back, f->stack, STACK_BYTES);
#endif
  swapcontext(&f->back, &f->self);
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(f->fake_back, NULL, NULL);
#endif
}

void fiber_pause(fiber *f) { leave(f); }

bool fiber_over(const fiber *f) { return f->over; }
