/* inputs.c - the list of files that were read: a stack of nodes that are never taken off again. */
#include "base/inputs.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct input {
  struct input *next;
  dev_t device;
  ino_t number;
} input;

static _Atomic(input *) newest;
static atomic_bool begun;

void ripstop_inputs_begin(void) { atomic_store(&begun, true); }

static bool is_known(const struct stat *about) {
  for (const input *at = atomic_load(&newest); at; at = at->next)
    if (at->device == about->st_dev && at->number == about->st_ino) return true;
  return false;
}

void ripstop_input_note(const struct stat *about) {
  if (!atomic_load(&begun) || !S_ISREG(about->st_mode) || is_known(about)) return;
  input *one = ripstop_realloc(NULL, 1, sizeof *one);
  ripstop_disown(one); /* lives as long as the process */
  *one = (input){.next = atomic_load(&newest), .device = about->st_dev, .number = about->st_ino};
  while (!atomic_compare_exchange_weak(&newest, &one->next, one)) continue;
}

FILE *ripstop_input_open(const char *path) {
  struct stat about;
  if (stat(path, &about) == 0) ripstop_input_note(&about); /* takes memory: before the file is open */
  return fopen(path, "rb");
}

bool ripstop_input_is(const struct stat *about) {
  struct stat standard;
  if (is_known(about)) return true;
  return fstat(STDIN_FILENO, &standard) == 0 && S_ISREG(standard.st_mode) && standard.st_dev == about->st_dev &&
         standard.st_ino == about->st_ino;
}
