/* arena.c - memory with a visible lifetime: many small objects, freed together.
 *
 * An arena is a ring of blocks (memory.h). Objects are cut from its newest chunk, and an object that does not fit
 * gets a chunk of at least its own size. So allocation is O(1) except for the zeroing, which the system does lazily
 * for large chunks. Under the address sanitizer each object has a chunk of its own, so that a write past its end is
 * detected. Growing blocks are separate from the chunks.
 *
 * Invariants: chunk memory is zero from `used` on, which is a multiple of the strictest alignment or the chunk's
 * end. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/c_heap.h"
#include "base/locale.h"
#include "base/memory.h"

#define ALIGNMENT alignof(max_align_t)

#ifdef RIPSTOP_ADDRESS_SANITIZER
enum { FIRST_CHUNK = 1, LARGEST_CHUNK = 1, KEPT_CHUNK = 0 }; /* none is larger than its object, or kept */
#else
enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, KEPT_CHUNK = LARGEST_CHUNK }; /* bytes; chunks double */
#endif
enum { LARGE = 4 << 20 }; /* bytes from which large pages pay off */

typedef struct chunk {
  size_t size, used; /* bytes of `data` */
  alignas(max_align_t) unsigned char data[];
} chunk;

struct ripstop_arena {
  ripstop_block self;   /* in the ring of the guard under which it was allocated */
  ripstop_block blocks; /* chunks and growing blocks */
  chunk *newest;
  size_t next_size, bytes; /* bytes of the next chunk; bytes of all chunks with their headers */
};

/* Random access to large memory spends its time in page tables; large pages avoid that, where the system has them.
 * Only a hint: an error changes nothing. */
static void ask_for_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t skip = (page - (uintptr_t)memory % page) % page;
  (void)madvise((char *)memory + skip, bytes - skip, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

static void start(ripstop_arena *arena) {
  ripstop_ring_open(&arena->blocks);
  arena->newest = NULL;
  arena->bytes = sizeof *arena;
  arena->next_size = FIRST_CHUNK;
}

ripstop_arena *ripstop_arena_new(void) {
  ripstop_arena *arena = ripstop_realloc(NULL, 1, sizeof *arena);
  if (!arena) return NULL;
  ripstop_guard_adopt(&arena->self);
  start(arena);
  return arena;
}

void ripstop_arena_disown(ripstop_arena *arena) {
  if (arena) ripstop_ring_leave(&arena->self);
  ripstop_disown(arena);
}

void ripstop_arena_free(ripstop_arena *arena) {
  if (!arena) return;
  ripstop_ring_leave(&arena->self);
  ripstop_blocks_free(&arena->blocks);
  ripstop_free(arena);
}

static size_t chunk_bytes(size_t size) { return sizeof(ripstop_block) + sizeof(chunk) + size; }

static chunk *add_chunk(ripstop_arena *arena, size_t at_least) {
  size_t size = at_least > arena->next_size ? at_least : arena->next_size;
  chunk *c = ripstop_block_new(&arena->blocks, sizeof(chunk) + size);
  if (!c) return NULL;
  if (size >= LARGE) ask_for_large_pages(c, sizeof(chunk) + size);
  c->size = size;
  arena->newest = c;
  arena->bytes += chunk_bytes(size);
  if (arena->next_size < LARGEST_CHUNK) arena->next_size *= 2;
  return c;
}

/* An arena that is often cleared and filled again, like that of a plan, soon needs no more system calls: the newest
 * chunk stays, unless it is one for a large object, and the next one is larger still. */
void ripstop_arena_clear(ripstop_arena *arena) {
  chunk *kept = arena->newest;
  if (!kept || kept->size > KEPT_CHUNK) {
    ripstop_blocks_free(&arena->blocks);
    start(arena);
    return;
  }
  ripstop_block *block = (ripstop_block *)kept - 1;
  ripstop_ring_leave(block);
  ripstop_blocks_free(&arena->blocks);
  ripstop_ring_add(&arena->blocks, block);
  memset(kept->data, 0, kept->used);
  kept->used = 0;
  arena->bytes = sizeof *arena + chunk_bytes(kept->size);
}

void *ripstop_arena_array(ripstop_arena *arena, size_t count, size_t size) {
  size_t most = SIZE_MAX - sizeof(chunk) - ALIGNMENT;
  size_t bytes = size && count > most / size ? most : count * size; /* `most`: no array has more elements */
  if (!bytes) bytes = 1; /* so that every object has an address of its own, which is aligned */
  chunk *c = arena->newest;
  if (!c || c->size - c->used < bytes) c = add_chunk(arena, bytes);
  if (!c) return NULL;
  void *object = c->data + c->used;
  size_t end = c->used + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  c->used = end < c->size ? end : c->size;
  return object;
}

void *ripstop_arena_realloc(ripstop_arena *arena, void *memory, size_t count, size_t size) {
  return ripstop_block_resize(&arena->blocks, memory, count, size);
}

size_t ripstop_arena_bytes(const ripstop_arena *arena) { return arena->bytes; }

char *ripstop_arena_text(ripstop_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = ripstop_arena_array(arena, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *ripstop_arena_printf(ripstop_arena *arena, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int length = ripstop_format_list(NULL, 0, fmt, args);
  va_end(args);
  if (length < 0) length = 0;
  char *text = ripstop_arena_array(arena, (size_t)length + 1, 1);
  if (!text) return NULL;
  va_start(args, fmt);
  ripstop_format_list(text, (size_t)length + 1, fmt, args);
  va_end(args);
  return text;
}
