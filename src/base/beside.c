/* beside.c - names beside a path, and litter of processes that have ended. */
#include "base/beside.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

enum { LITTER_SECONDS = 3600, MARK = 8 };

void ripstop_first_line(const char *path, char *line, int room) {
  FILE *file = fopen(path, "r");
  if (!file || !fgets(line, room, file)) *line = 0;
  line[strcspn(line, "\n")] = 0;
  if (file) fclose(file);
}

void ripstop_machine(char out[RIPSTOP_MACHINE]) {
  char boot[64], space[48];
  ripstop_first_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  space[length > 0 ? length : 0] = 0;
  *out = 0;
  if (*boot && *space) snprintf(out, RIPSTOP_MACHINE, "%s %s", boot, space);
}

void ripstop_folder_of(ripstop_text *out, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    ripstop_text_add(out, ".");
  else
    ripstop_text_add_bytes(out, path, slash == path ? 1 : (size_t)(slash - path));
}

static void make_mark(char out[MARK + 1]) {
  char machine[RIPSTOP_MACHINE], hash[RIPSTOP_HASH];
  ripstop_machine(machine);
  ripstop_hash(machine, strlen(machine), hash);
  snprintf(out, MARK + 1, "%.*s", *machine ? MARK : 0, hash);
}

unsigned ripstop_beside_name(ripstop_text *out, const char *path) {
  static atomic_uint serial; /* threads make files, too */
  char mark[MARK + 1];
  const unsigned earlier = atomic_fetch_add(&serial, 1);
  make_mark(mark);
  ripstop_text_add(out, "%s.new-%ld-%u-%s", path, (long)getpid(), earlier, mark);
  return earlier;
}

static bool is_old(const char *path) {
  struct stat about;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return stat(path, &about) == 0 && now.tv_sec - about.st_mtim.tv_sec > LITTER_SECONDS;
}

/* True if a file is litter. `rest` is its name after "PATH.new-": the process, its serial number, the mark, and for a
 * store's file "-journal". */
static bool is_litter(const char *file, const char *rest, const char *own, ripstop_litter most) {
  char *end;
  errno = 0;
  long long process = strtoll(rest, &end, 10);
  if (errno || end == rest || process <= 0 || process > INT32_MAX) return false;
  if (most >= RIPSTOP_LITTER_OLD && is_old(file)) return true;
  bool gone = kill((pid_t)process, 0) && errno == ESRCH;
  const char *mark = *end == '-' ? strchr(end + 1, '-') : NULL;
  bool marked = mark && strncmp(mark, "-journal", strlen("-journal")) != 0;
  return gone && (marked ? *own && !strncmp(mark + 1, own, strlen(own)) : most >= RIPSTOP_LITTER_UNMARKED);
}

/* `beginning`: of the names to examine. Allocates nothing, because the folder is open. */
static void clean_folder(const char *folder, const char *beginning, ripstop_litter most) {
  char mark[MARK + 1], file[PATH_MAX];
  size_t length = strlen(beginning);
  make_mark(mark);
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    if (strncmp(entry->d_name, beginning, length) != 0) continue;
    int bytes = snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    if (bytes < (int)sizeof file && is_litter(file, entry->d_name + length, mark, most)) unlink(file);
  }
  if (entries) closedir(entries);
}

void ripstop_beside_clean(const char *path, ripstop_litter most) {
  ripstop_text folder = {0}, beginning = {0};
  const char *slash = strrchr(path, '/');
  ripstop_folder_of(&folder, path);
  ripstop_text_add(&beginning, "%s.new-", slash ? slash + 1 : path);
  clean_folder(folder.data, beginning.data, most);
  ripstop_text_free(&folder);
  ripstop_text_free(&beginning);
}
