/* arena.c - memory with a visible lifetime: many small objects, freed together.
 *
 * An arena is a list of chunks; objects are cut from the newest one, and what does not fit gets a chunk of at least its
 * own size, so allocation is O(1) but for the zeroing, which the system does lazily for large chunks. Under the address
 * sanitizer each object has a chunk of its own, so that a write past its end is seen.
 *
 * Invariants: chunk memory is zero behind `used`, which is a multiple of the strictest alignment or the chunk's end. */
#include "ripstop/base.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT alignof(max_align_t)

#if defined(__SANITIZE_ADDRESS__)
#define CHUNK_PER_OBJECT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_PER_OBJECT 1
#endif
#endif

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 }; /* bytes; chunks double up to the largest */
enum { LARGE = 4 << 20 };                             /* bytes from which large pages are worth asking for */

typedef struct chunk {
  struct chunk *next;
  size_t size, used; /* bytes of `data` */
  alignas(max_align_t) unsigned char data[];
} chunk;

struct ripstop_arena {
  chunk *chunks; /* newest first */
  size_t next_size, bytes;
};

static _Noreturn void out_of_memory(size_t count, size_t size) {
  fprintf(stderr, "ripstop: out of memory (%zu x %zu bytes more)\n", count, size);
  exit(RIPSTOP_EXIT_MEMORY);
}

/* Large memory that is walked at random spends its time in the page tables; large pages, where the system has them to
 * give, spare that. Only a hint: an error changes nothing. */
static void ask_for_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t skip = (page - (uintptr_t)memory % page) % page;
  (void)madvise((char *)memory + skip, bytes - skip, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

static void *zeroed(size_t bytes) {
  void *memory = calloc(1, bytes);
  if (!memory) out_of_memory(1, bytes);
  if (bytes >= LARGE) ask_for_large_pages(memory, bytes);
  return memory;
}

ripstop_arena *ripstop_arena_new(void) {
  ripstop_arena *arena = zeroed(sizeof *arena);
  arena->bytes = sizeof *arena;
#ifndef CHUNK_PER_OBJECT
  arena->next_size = FIRST_CHUNK;
#endif
  return arena;
}

void ripstop_arena_free(ripstop_arena *arena) {
  if (!arena) return;
  for (chunk *c = arena->chunks; c;) {
    chunk *next = c->next;
    free(c);
    c = next;
  }
  free(arena);
}

static chunk *add_chunk(ripstop_arena *arena, size_t at_least) {
  size_t size = at_least > arena->next_size ? at_least : arena->next_size;
  if (size > SIZE_MAX - sizeof(chunk)) out_of_memory(1, size);
  chunk *c = zeroed(sizeof(chunk) + size);
  c->size = size;
  c->next = arena->chunks;
  arena->chunks = c;
  arena->bytes += sizeof(chunk) + size;
  if (arena->next_size < LARGEST_CHUNK) arena->next_size *= 2;
  return c;
}

void *ripstop_arena_array(ripstop_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - ALIGNMENT) / size) out_of_memory(count, size);
  size_t bytes = count * size;
  if (!bytes) bytes = 1; /* so that every object has an address of its own, and an aligned one */
  chunk *c = arena->chunks;
  if (!c || c->size - c->used < bytes) c = add_chunk(arena, bytes);
  void *object = c->data + c->used;
  size_t end = c->used + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  c->used = end < c->size ? end : c->size;
  return object;
}

size_t ripstop_arena_bytes(const ripstop_arena *arena) { return arena->bytes; }

char *ripstop_arena_text(ripstop_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(ripstop_arena_array(arena, size, 1), text, size);
}

char *ripstop_arena_printf(ripstop_arena *arena, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int length = vsnprintf(NULL, 0, fmt, args);
  va_end(args);
  if (length < 0) length = 0;
  char *text = ripstop_arena_array(arena, (size_t)length + 1, 1);
  va_start(args, fmt);
  vsnprintf(text, (size_t)length + 1, fmt, args);
  va_end(args);
  return text;
}

void *ripstop_realloc(void *memory, size_t count, size_t size) {
  if (size && count > SIZE_MAX / size) out_of_memory(count, size);
  size_t bytes = count * size;
  void *moved = realloc(memory, bytes ? bytes : 1);
  if (!moved) out_of_memory(count, size);
  return moved;
}
