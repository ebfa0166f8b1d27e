/* footprint.c - how much memory runs need at least, and how much there is: so that a campaign that cannot fit says so
 * before its first run. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "campaign/cost.h"

/* The engine's memory for a port, its queues, output VCs and packets, in the leanest case; a test compares. */
enum { BYTES_OF_PORT = 200 };

/* ------------------------------------------------------------------ needed memory */

uint64_t ripstop_run_bytes(const ripstop_run *run) {
  return run->kind == RIPSTOP_RUN_PROVE ? 0 : (uint64_t)run->fabric->ports * BYTES_OF_PORT;
}

static int largest_first(const void *a, const void *b) {
  uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
  return (one < two) - (one > two);
}

uint64_t ripstop_runs_bytes(const ripstop_run *const *run, size_t count, unsigned at_once) {
  RIPSTOP_GUARD(NULL, 0);
  uint64_t *bytes = ripstop_realloc(NULL, count + 1, sizeof *bytes), sum = 0;
  for (size_t i = 0; i < count; i++) bytes[i] = ripstop_run_bytes(run[i]);
  qsort(bytes, count, sizeof *bytes, largest_first);
  for (size_t i = 0; i < count && i < at_once; i++) sum += bytes[i];
  ripstop_free(bytes);
  return sum;
}

/* ------------------------------------------------------------------ available memory */

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The number behind the word in a file of lines "WORD NUMBER ..."; of a file with one number, `word` is "". UINT64_MAX:
 * there is no such file or number, as in "max". Takes no memory, since there may be none. */
static uint64_t number_in(const char *path, const char *word) {
  char text[8192], *end;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return UINT64_MAX;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *line = text;
  while (strncmp(line, word, strlen(word)) != 0) {
    line = strchr(line, '\n');
    if (!line) return UINT64_MAX;
    line++;
  }
  line += strlen(word);
  uint64_t number = strtoull(line, &end, 10);
  return end != line ? number : UINT64_MAX;
}

static uint64_t kilobytes(uint64_t number) { return number > UINT64_MAX / 1024 ? UINT64_MAX : number * 1024; }
static uint64_t beyond(uint64_t limit, uint64_t used) {
  return limit == UINT64_MAX ? limit : limit - lesser(limit, used);
}

static uint64_t left_of(int resource, const char *used) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  uint64_t bytes = kilobytes(number_in("/proc/self/status", used));
  return beyond(limit.rlim_cur, bytes == UINT64_MAX ? 0 : bytes);
}

static uint64_t left_of_group(const char *most, const char *now) {
  uint64_t used = number_in(now, "");
  return beyond(number_in(most, ""), used == UINT64_MAX ? 0 : used);
}

uint64_t ripstop_memory_there(void) {
  uint64_t there = kilobytes(number_in("/proc/meminfo", "MemAvailable:"));
  uint64_t swap = kilobytes(number_in("/proc/meminfo", "SwapFree:"));
  if (there != UINT64_MAX && swap != UINT64_MAX) there += swap;
  there = lesser(there, left_of(RLIMIT_AS, "VmSize:"));
  there = lesser(there, left_of(RLIMIT_DATA, "VmData:"));
  there = lesser(there, left_of_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
  return lesser(there, left_of_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
}
