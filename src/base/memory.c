/* memory.c - blocks in the rings of their owners, and the guard to which a failed allocation jumps (memory.h). */
#include "base/memory.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdint.h>

#include "base/c_heap.h"

_Static_assert(sizeof(ripstop_block) % alignof(max_align_t) == 0, "what follows a block's head is aligned");

static _Thread_local ripstop_guard *present; /* NULL: no call of the library is in progress */

/* ------------------------------------------------------------------ rings */

void ripstop_ring_open(ripstop_block *ring) { ring->next = ring->before = ring; }

void ripstop_ring_add(ripstop_block *ring, ripstop_block *block) {
  block->next = ring->next;
  block->before = ring;
  ring->next->before = block;
  ring->next = block;
}

void ripstop_ring_leave(ripstop_block *block) {
  block->next->before = block->before;
  block->before->next = block->next;
  ripstop_ring_open(block);
}

/* All of `from` moves to `to`; NULL: each becomes a ring of its own. */
static void give(ripstop_block *from, ripstop_block *to) {
  while (from->next != from) {
    ripstop_block *block = from->next;
    ripstop_ring_leave(block);
    if (to) ripstop_ring_add(to, block);
  }
}

void ripstop_blocks_free(ripstop_block *ring) {
  for (ripstop_block *block = ring->next, *next; block != ring; block = next) {
    next = block->next;
    ripstop_heap_release(block);
  }
  ripstop_ring_open(ring);
}

/* ------------------------------------------------------------------ the guard */

void ripstop_guard_begin(ripstop_guard *guard, bool even_inside) {
  guard->course = *ripstop_course_here();
  guard->inner = present && !even_inside;
  if (guard->inner) return;
  ripstop_ring_open(&guard->blocks);
  ripstop_ring_open(&guard->arenas);
  guard->outer = present;
  present = guard;
}

void ripstop_guard_end(ripstop_guard *guard) {
  if (guard->inner) present->course = guard->course;
  if (guard->inner || present != guard) return;
  present = guard->outer;
  give(&guard->blocks, present ? &present->blocks : NULL);
  give(&guard->arenas, present ? &present->arenas : NULL);
}

void ripstop_guard_report(const ripstop_guard *guard, ripstop_error *err) {
  if (!err) return;
  if (guard->ended)
    ripstop_fail(err, RIPSTOP_ENDED);
  else if (guard->asked)
    ripstop_fail(err, RIPSTOP_NO_MEMORY " (%" PRIu64 " bytes more)", guard->asked);
  else
    ripstop_fail(err, RIPSTOP_NO_MEMORY);
  err->machine = !guard->ended;
}

/* The guard is no longer the present one when the jump arrives: ripstop_guard_end detects that. */
_Noreturn static void jump(bool ended, uint64_t asked) {
  ripstop_guard *guard = present;
  while (guard->arenas.next != &guard->arenas) ripstop_arena_free((ripstop_arena *)guard->arenas.next);
  ripstop_blocks_free(&guard->blocks);
  present = guard->outer;
  guard->ended = ended;
  guard->asked = asked;
  longjmp(guard->jump, 1);
}

/* Returns outside of guards only. */
static void *run_out(size_t count, size_t size) {
  if (present) jump(false, size && count > UINT64_MAX / size ? UINT64_MAX : (uint64_t)count * size);
  return NULL;
}

_Noreturn void ripstop_out_of_memory(void) { jump(ripstop_stopped(present->course.stop), 0); }

int ripstop_try(void (*call)(void *argument), void *argument, ripstop_error *err) {
  ripstop_guard guard;
  ripstop_guard_begin(&guard, true);
  if (setjmp(guard.jump)) {
    present = guard.outer; /* set by `jump`; for the analyzer, which does not follow jumps */
    ripstop_guard_report(&guard, err);
    return -1;
  }
  call(argument);
  ripstop_guard_end(&guard);
  return 0;
}

void ripstop_guard_adopt(ripstop_block *arena) {
  if (present)
    ripstop_ring_add(&present->arenas, arena);
  else
    ripstop_ring_open(arena);
}

/* ------------------------------------------------------------------ progress */

const ripstop_course *ripstop_course_here(void) {
  static const ripstop_course none;
  return present ? &present->course : &none;
}

void ripstop_guard_course(const ripstop_course *of) {
  if (!present) return;
  ripstop_course *c = &present->course;
  if (of->stop) c->stop = of->stop;
  if (of->tell) c->tell = of->tell, c->context = of->context;
  if (of->files) c->files = of->files;
  if (of->noted) c->noted = of->noted;
}

void ripstop_guard_finish(void) {
  if (present) present->course.stop = NULL;
}

ripstop_course ripstop_guard_share(unsigned threads) {
  ripstop_course c = *ripstop_course_here();
  if (threads > 1) c.tell = NULL;
  return c;
}

void ripstop_task_progress(const char *what, uint64_t done, uint64_t of) {
  const ripstop_course *c = ripstop_course_here();
  if (ripstop_stopped(c->stop)) jump(true, 0);
  if (what && c->tell) c->tell(c->context, what, done, of);
}

/* ------------------------------------------------------------------ blocks */

void *ripstop_block_new(ripstop_block *ring, size_t bytes) {
  ripstop_block *block = bytes <= SIZE_MAX - sizeof *block ? ripstop_heap_zeroed(sizeof *block + bytes) : NULL;
  if (!block) return run_out(1, bytes);
  ripstop_ring_add(ring, block);
  return block + 1;
}

/* Updates the neighbours' pointers to the block. */
static void *moved(ripstop_block *block, bool alone) {
  if (alone) ripstop_ring_open(block);
  block->next->before = block->before->next = block;
  return block + 1;
}

void *ripstop_block_resize(ripstop_block *ring, void *memory, size_t count, size_t size) {
  ripstop_block *old = memory ? (ripstop_block *)memory - 1 : NULL;
  bool alone = old && old->next == old;
  if (size && count > (SIZE_MAX - sizeof *old) / size) return run_out(count, size);
  ripstop_block *block = ripstop_heap_resize(old, sizeof *old + count * size);
  if (!block) return run_out(count, size);
  if (old) return moved(block, alone);
  ripstop_ring_open(block);
  if (ring) ripstop_ring_add(ring, block);
  return block + 1;
}

void *ripstop_realloc(void *memory, size_t count, size_t size) {
  return ripstop_block_resize(present ? &present->blocks : NULL, memory, count, size);
}

void ripstop_free(void *memory) {
  if (!memory) return;
  ripstop_block *block = (ripstop_block *)memory - 1;
  ripstop_ring_leave(block);
  ripstop_heap_release(block);
}

void ripstop_disown(void *memory) {
  if (memory) ripstop_ring_leave((ripstop_block *)memory - 1);
}
