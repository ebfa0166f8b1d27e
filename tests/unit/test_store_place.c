/* test_store_place.c - files that ended processes have left beside a store, permission to write it, and network file
 * systems. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "check.h"
#include "store/inside.h"
#include "store/kept_runs.h"
#include "stored.h"

static char folder[] = "/tmp/ripstop-place-XXXXXX";
static char path[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/x.db", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  return unlink(path) || rmdir(folder) ? -1 : 0;
}

static void open_and_close(void) {
  ripstop_error err;
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  assert_non_null(store);
  ripstop_store_close(store);
}

/* A process that is there no more. */
static long failed_process(void) {
  pid_t child = fork();
  if (!child) _exit(0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  return child;
}

static const char *const marks[] = {"", "-0", "-0-MARK", "-0-MARK-journal", "-0-journal", "-0-00000000"};
enum { MARKS = sizeof marks / sizeof *marks };

/* The file that this process would have left, had it died there. */
static void name_file(char out[300], long process, const char *mark) {
  ripstop_text own = {0};
  ripstop_beside_name(&own, path);
  const char *at = strstr(mark, "MARK");
  int before = at ? (int)(at - mark) : (int)strlen(mark);
  snprintf(out, 300, "%s.new-%ld%.*s%s%s", path, process, before, mark, at ? strrchr(own.data, '-') + 1 : "",
           at ? at + 4 : "");
  ripstop_text_free(&own);
}

static void touch(const char *file, int seconds_old) {
  FILE *made = fopen(file, "w");
  assert_non_null(made);
  fclose(made);
  struct timespec now, times[2];
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= seconds_old;
  times[0] = times[1] = now;
  assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
}

static bool is_cleaned(long process, const char *mark, int seconds_old) {
  char file[300];
  name_file(file, process, mark);
  touch(file, seconds_old);
  open_and_close();
  bool cleaned = access(file, F_OK) != 0;
  if (!cleaned) unlink(file);
  return cleaned;
}

/* Fresh ones of another machine (the last mark) stay, those of the living too; an hour later all go. */
static void only_litter_is_cleaned(void **state) {
  (void)state;
  long dead = failed_process();
  for (int i = 0; i < MARKS; i++) {
    assert_int_equal(is_cleaned(dead, marks[i], 1), i < MARKS - 1);
    assert_false(is_cleaned(getpid(), marks[i], 1));
    assert_false(is_cleaned(getppid(), marks[i], 1));
    assert_true(is_cleaned(dead, marks[i], 4000));
  }
  char file[300];
  for (const char *const *other = (const char *const[]){"new", "new-", "new-x", "new-0-0", "newer-1", NULL}; *other;
       other++) {
    snprintf(file, sizeof file, "%s.%s", path, *other);
    touch(file, 9999);
    open_and_close();
    if (access(file, F_OK)) fail_msg("%s was removed", file);
    unlink(file);
  }
}

static void readiness_leaves_no_trace(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_store *store = ripstop_store_open(path, RIPSTOP_STORE_WRITE, &err);
  assert_int_equal(ripstop_store_ready(store, &err), 0);
  assert_int_equal(ripstop_store_count(store, &err), 0);
  assert_null(ripstop_store_network(store));
  ripstop_store_close(store);
  store = ripstop_store_open(path, RIPSTOP_STORE_READ, &err);
  assert_int_equal(ripstop_store_ready(store, &err), -1);
  assert_non_null(strstr(err.text, "cannot be written"));
  ripstop_store_close(store);
}

static void networks_are_known_by_type_and_mount(void **state) {
  (void)state;
  static const char sshfs[] = "93 25 0:54 / /mnt/far rw,nosuid shared:41 - fuse.sshfs me@host:/home rw,user_id=0\n";
  assert_string_equal(store_network_of_type(0x6969), "NFS");
  assert_string_equal(store_network_of_type(0xFF534D42), "CIFS");
  assert_string_equal(store_network_of_type(0x0BD00BD0), "Lustre");
  assert_null(store_network_of_type(0xEF53));     /* ext4 */
  assert_null(store_network_of_type(0x01021994)); /* tmpfs */
  assert_string_equal(store_network_of_mount(sshfs, 0, 54), "fuse.sshfs");
  assert_null(store_network_of_mount(sshfs, 0, 55));
  assert_null(store_network_of_mount("93 25 0:54 / /mnt rw - fuse.sshfsx a rw\n", 0, 54));
  assert_null(store_network_of_mount("93 25 0:54 / /mnt rw - fuseblk /dev/sda1 rw\n", 0, 54));
  assert_null(store_network_of_mount("nonsense", 0, 54));
  assert_null(store_network(folder));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_litter_is_cleaned),
      cmocka_unit_test(readiness_leaves_no_trace),
      cmocka_unit_test(networks_are_known_by_type_and_mount),
  };
  return RUN_GROUP(tests, make_folder, remove_folder);
}
