/* inputs.c - the lists of files that are read and that will be written: stacks of nodes, removed all together. */
#include "base/inputs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

typedef struct ripstop_noted_input {
  struct ripstop_noted_input *next;
  dev_t device;
  ino_t number;
} input;

typedef struct ripstop_noted_output {
  struct ripstop_noted_output *next;
  dev_t device;
  ino_t number;
  atomic_bool waits; /* the file was there and has not been replaced yet */
  bool folder;
  char path[];
} output;

/* NULL: none are kept. */
static ripstop_noted *noted_here(void) { return ripstop_course_here()->noted; }

static const input *newest_input(void) { return noted_here() ? atomic_load(&noted_here()->input) : NULL; }

static output *newest_output(void) { return noted_here() ? atomic_load(&noted_here()->output) : NULL; }

void ripstop_noted_free(ripstop_noted *noted) {
  for (input *at = atomic_load(&noted->input), *next; at; at = next) {
    next = at->next;
    ripstop_free(at);
  }
  for (output *at = atomic_load(&noted->output), *next; at; at = next) {
    next = at->next;
    ripstop_free(at);
  }
}

/* ------------------------------------------------------------------ inputs */

static bool is_known(const struct stat *about) {
  for (const input *at = newest_input(); at; at = at->next)
    if (at->device == about->st_dev && at->number == about->st_ino) return true;
  return false;
}

/* The output that will replace the file; NULL: none. */
static const output *find_output(const struct stat *about) {
  for (const output *at = newest_output(); at; at = at->next)
    if (atomic_load(&at->waits) && at->device == about->st_dev && at->number == about->st_ino) return at;
  return NULL;
}

void ripstop_input_written(const struct stat *about) {
  ripstop_noted *noted = noted_here();
  if (!noted || !S_ISREG(about->st_mode) || is_known(about)) return;
  input *one = ripstop_realloc(NULL, 1, sizeof *one);
  ripstop_disown(one);
  *one = (input){.next = atomic_load(&noted->input), .device = about->st_dev, .number = about->st_ino};
  while (!atomic_compare_exchange_weak(&noted->input, &one->next, one)) continue;
}

int ripstop_input_note(const struct stat *about, ripstop_error *err) {
  const output *o = find_output(about);
  if (o)
    return ripstop_fail(err, "%s is a file that this command reads or has written; name another file for the output",
                        o->path);
  ripstop_input_written(about);
  return 0;
}

FILE *ripstop_input_open(const char *path, ripstop_error *err) {
  struct stat about;
  /* takes memory: before the file is open */
  if (stat(path, &about) == 0 && ripstop_input_note(&about, err)) return NULL;
  FILE *file = fopen(path, "rb");
  if (!file) ripstop_fail_system(err, errno, "%s", path);
  return file;
}

bool ripstop_input_is(const struct stat *about) {
  struct stat standard;
  if (is_known(about)) return true;
  return fstat(STDIN_FILENO, &standard) == 0 && S_ISREG(standard.st_mode) && standard.st_dev == about->st_dev &&
         standard.st_ino == about->st_ino;
}

/* ------------------------------------------------------------------ outputs */

void ripstop_output_note(const char *path, bool folder) {
  struct stat about;
  ripstop_noted *noted = noted_here();
  if (!noted) return;
  const size_t bytes = strlen(path) + 1;
  output *one = ripstop_realloc(NULL, 1, sizeof *one + bytes);
  ripstop_disown(one);
  *one = (output){.next = atomic_load(&noted->output), .folder = folder};
  memcpy(one->path, path, bytes);
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
    one->device = about.st_dev, one->number = about.st_ino;
    atomic_store(&one->waits, true);
  }
  while (!atomic_compare_exchange_weak(&noted->output, &one->next, one)) continue;
}

void ripstop_output_noted_done(const char *path) {
  for (output *at = newest_output(); at; at = at->next)
    if (!strcmp(at->path, path)) atomic_store(&at->waits, false);
}

static bool holds(const output *o, const char *path) {
  const size_t length = strlen(o->path);
  if (strncmp(o->path, path, length) != 0) return false;
  return o->folder ? path[length] == '/' : !path[length];
}

bool ripstop_output_is_noted(const char *path) {
  if (!noted_here()) return true;
  for (const output *at = newest_output(); at; at = at->next)
    if (holds(at, path)) return true;
  return false;
}
