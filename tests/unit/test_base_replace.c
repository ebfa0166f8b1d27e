/* test_base_replace.c - files are replaced as a whole; links stay, and so does what is no regular file. */
#include "base/replace.h"
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *path, const char *text) {
  ripstop_error err;
  ripstop_replacement r;
  if (ripstop_replacement_begin(&r, path, &err)) return -1;
  fputs(text, r.stream);
  return ripstop_replacement_end(&r, &err);
}

static void holds(const char *path, const char *text) {
  char got[64];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  got[fread(got, 1, sizeof got - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(got, text);
}

static mode_t kind_of(const char *path) {
  struct stat about;
  assert_int_equal(lstat(path, &about), 0);
  return about.st_mode & S_IFMT;
}

static void whole_or_as_it_was(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_replacement r;
  char taken[64];
  snprintf(taken, sizeof taken, "page.new-%ld-0", (long)getpid());
  assert_int_equal(write_text("page.new", "mine"), 0);
  assert_int_equal(write_text(taken, "mine too"), 0);
  assert_int_equal(write_text("page", "old"), 0);
  assert_int_equal(ripstop_replacement_begin(&r, "page", &err), 0);
  fputs("new", r.stream);
  fflush(r.stream);
  holds("page", "old");
  ripstop_replacement_drop(&r);
  holds("page", "old");
  assert_int_equal(access(r.beside, F_OK), -1);
  assert_int_equal(write_text("page", "new"), 0);
  holds("page", "new");
  holds("page.new", "mine");
  holds(taken, "mine too");
  assert_int_equal(ripstop_replacement_begin(&r, "nowhere/page", &err), -1);
  assert_string_equal(err.text, "nowhere/page: No such file or directory");
  assert_int_equal(unlink("page") | unlink("page.new") | unlink(taken), 0);
}

static void links_stay(void **state) {
  (void)state;
  assert_int_equal(symlink("target", "link"), 0);
  assert_int_equal(write_text("link", "first"), 0); /* where there is nothing yet */
  holds("target", "first");
  assert_int_equal(write_text("link", "second"), 0);
  assert_int_equal(kind_of("link"), S_IFLNK);
  holds("target", "second");
  assert_int_equal(unlink("link") | unlink("target"), 0);
}

static void pipes_are_written_to(void **state) {
  (void)state;
  char got[8] = "";
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(symlink("pipe", "link"), 0);
  int reader = open("pipe", O_RDONLY | O_NONBLOCK);
  assert_true(reader >= 0);
  assert_int_equal(write_text("pipe", "a"), 0);
  assert_int_equal(write_text("link", "b"), 0);
  assert_int_equal(read(reader, got, sizeof got - 1), 2);
  assert_string_equal(got, "ab");
  close(reader);
  assert_int_equal(kind_of("pipe"), S_IFIFO);
  assert_int_equal(kind_of("link"), S_IFLNK);
  assert_int_equal(unlink("link") | unlink("pipe"), 0);
}

static int enter_folder(void **state) {
  static char folder[] = "/tmp/ripstop-replace-XXXXXX";
  *state = folder;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* Which must be empty: nothing is left beside. */
static int leave_folder(void **state) { return chdir("/") || rmdir(*state); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_or_as_it_was), cmocka_unit_test(links_stay),
                                     cmocka_unit_test(pipes_are_written_to)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
