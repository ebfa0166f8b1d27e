/* replay.c - runs a fuzzer over its corpus, where there is no libFuzzer.
 *
 * Linked with one fuzz_NAME.c. Arguments are files and folders; the empty input always comes first, so that a fuzzer
 * without corpus is run too. Fails when a file cannot be read; everything else is found by the fuzzer itself. */
#include "ripstop/plugin/base.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_INPUT ((size_t)1 << 24) /* bytes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
  ripstop_error err = {0};
  ripstop_arena *arena = ripstop_arena_new();
  char *data = NULL;
  size_t length = 0;
  int failed = ripstop_read_file(arena, path, LARGEST_INPUT, &data, &length, &err);
  if (failed) fprintf(stderr, "%s\n", err.text);
  if (!failed) {
    uint8_t *exact = malloc(length ? length : 1); /* an allocation of its own: sanitizers see the first byte behind */
    if (!exact) abort();
    memcpy(exact, data, length);
    printf("%s: %zu bytes\n", path, length);
    fflush(stdout); /* so that the last line names the input that crashes */
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
  }
  ripstop_arena_free(arena);
  return failed;
}

static int replay(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return errno == ENOENT ? 0 : replay_file(path);
  int failed = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    ripstop_text file = {0};
    ripstop_text_add(&file, "%s/%s", path, entry->d_name);
    failed |= replay_file(file.data);
    ripstop_text_free(&file);
  }
  closedir(folder);
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0;
  LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
  for (int i = 1; i < argc; i++) failed |= replay(argv[i]);
  return failed ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}
