/* test_base_output.c - files are replaced as a whole; links stay, and so do inputs, databases and whatever is no
 * regular file. */
#include "base/inputs.h"
#include "base/memory.h"
#include "base/output.h"
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_text(const char *path, const char *text) {
  ripstop_error err;
  ripstop_output r;
  if (ripstop_output_begin(&r, path, RIPSTOP_OUTPUT_UPDATE, &err)) return -1;
  fputs(text, r.stream);
  return ripstop_output_end(&r, &err);
}

static void holds(const char *path, const char *text) {
  char got[64];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  got[fread(got, 1, sizeof got - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(got, text);
}

static ripstop_guard program; /* calls below it note files */
static ripstop_noted noted;
static unsigned retired;

/* A noted file keeps its inode number until the end: another file with that number would be taken for it. */
static void retire(const char *path) {
  char name[32];
  snprintf(name, sizeof name, "noted-%u", retired++);
  assert_int_equal(rename(path, name), 0);
}

static mode_t kind_of(const char *path) {
  struct stat about;
  assert_int_equal(lstat(path, &about), 0);
  return about.st_mode & S_IFMT;
}

static void whole_or_as_it_was(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output r;
  char taken[64];
  snprintf(taken, sizeof taken, "page.new-%ld-0", (long)getpid());
  assert_int_equal(write_text("page.new", "mine"), 0);
  assert_int_equal(write_text(taken, "mine too"), 0);
  assert_int_equal(write_text("page", "old"), 0);
  assert_int_equal(ripstop_output_begin(&r, "page", RIPSTOP_OUTPUT_UPDATE, &err), 0);
  fputs("new", r.stream);
  fflush(r.stream);
  holds("page", "old");
  ripstop_output_drop(&r);
  holds("page", "old");
  assert_int_equal(access(r.beside, F_OK), -1);
  assert_int_equal(write_text("page", "new"), 0);
  holds("page", "new");
  holds("page.new", "mine");
  holds(taken, "mine too");
  assert_int_equal(ripstop_output_check("", RIPSTOP_OUTPUT_NEW, &err), -1);
  assert_string_equal(err.text, "the name of the file to write is empty");
  assert_int_equal(ripstop_output_check("nowhere/page", RIPSTOP_OUTPUT_NEW, &err), -1);
  assert_string_equal(err.text, "nowhere/page: No such file or directory");
  assert_false(err.machine);
  assert_int_equal(unlink("page") | unlink("page.new") | unlink(taken), 0);
}

static void links_stay(void **state) {
  (void)state;
  assert_int_equal(symlink("target", "link"), 0);
  assert_int_equal(write_text("link", "first"), 0); /* no file exists yet */
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

static struct stat about(const char *path) {
  struct stat out;
  assert_int_equal(stat(path, &out), 0);
  return out;
}

static void rights_stay(void **state) {
  (void)state;
  static const mode_t modes[] = {0600, 0640, 0666, 0755, 0400 | S_IWUSR | S_ISGID};
  mode_t mask = umask(022);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    assert_int_equal(write_text("page", "a long old text"), 0);
    assert_int_equal(chmod("page", modes[i]), 0);
    if (geteuid() == 0) assert_int_equal(chown("page", 1, 2) | chmod("page", modes[i]), 0);
    const struct stat old = about("page");
    assert_int_equal(write_text("page", "new"), 0);
    holds("page", "new");
    assert_int_equal(about("page").st_mode, old.st_mode);
    assert_int_equal(about("page").st_uid, old.st_uid);
    assert_int_equal(about("page").st_gid, old.st_gid);
    assert_int_equal(unlink("page"), 0);
  }
  assert_int_equal(write_text("page", "first"), 0);
  assert_int_equal(about("page").st_mode & 0777, 0644);
  umask(mask);
  assert_int_equal(unlink("page"), 0);
}

static void hard_links_stay(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output r;
  assert_int_equal(write_text("page", "a long old text"), 0);
  assert_int_equal(link("page", "other"), 0);
  assert_int_equal(ripstop_output_check("page", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(ripstop_output_begin(&r, "page", RIPSTOP_OUTPUT_NEW, &err), 0);
  fputs("new", r.stream);
  fflush(r.stream);
  holds("page", "a long old text");
  ripstop_output_drop(&r);
  holds("other", "a long old text");
  assert_int_equal(write_text("page", "new"), 0);
  holds("other", "new");
  assert_int_equal(about("page").st_ino, about("other").st_ino);
  assert_int_equal(unlink("page") | unlink("other"), 0);
}

/* Runs a check as a user who is not root, and so has only the rights that the modes give. Its failure is an exit code
 * other than 0, which is the number of the line. */
#define NEEDS(what) \
  if (!(what)) _exit(__LINE__ % 250 + 1)
static void as_other(void check(void)) {
  int status = 0;
  pid_t child = fork();
  if (!child) {
    if (geteuid() == 0) NEEDS(!setgid(65534) && !setuid(65534));
    check();
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void write_in_folder(void) {
  ripstop_error err;
  NEEDS(!write_text("closed/open", "new"));
  NEEDS(!ripstop_output_check("closed/open", RIPSTOP_OUTPUT_NEW, &err));
  NEEDS(ripstop_output_check("closed/none", RIPSTOP_OUTPUT_NEW, &err) && strstr(err.text, "Permission denied"));
  NEEDS(ripstop_output_check("open/shut", RIPSTOP_OUTPUT_NEW, &err) && strstr(err.text, "Permission denied"));
  NEEDS(write_text("open/shut", "lost"));
}

/* A file that may be written is written in a folder that may not; one that may not be written stays everywhere. */
static void rights_decide(void **state) {
  (void)state;
  assert_int_equal(chmod(".", 0755), 0);
  assert_int_equal(mkdir("closed", 0755) | mkdir("open", 0777) | chmod("open", 0777), 0);
  assert_int_equal(write_text("closed/open", "a long old text"), 0);
  assert_int_equal(write_text("open/shut", "kept"), 0);
  assert_int_equal(chmod("closed/open", 0666) | chmod("open/shut", 0444) | chmod("closed", 0555), 0);
  as_other(write_in_folder);
  holds("closed/open", "new");
  holds("open/shut", "kept");
  assert_int_equal(chmod("closed", 0755) | unlink("closed/open") | unlink("open/shut"), 0);
  assert_int_equal(rmdir("closed") | rmdir("open"), 0); /* nothing is left beside */
}

static const char reads[] = "a file that this command reads";

/* The path is refused, with these words, and `kept` has its bytes still. */
static void is_refused(const char *path, const char *words, const char *kept, const char *bytes) {
  ripstop_error err = {0};
  ripstop_output o;
  assert_int_equal(ripstop_output_check(path, RIPSTOP_OUTPUT_NEW, &err), -1);
  if (!strstr(err.text, words)) print_message("%s\n", err.text);
  assert_non_null(strstr(err.text, words));
  assert_int_equal(ripstop_output_begin(&o, path, RIPSTOP_OUTPUT_NEW, &err), -1);
  assert_int_equal(ripstop_output_remove(path, RIPSTOP_OUTPUT_NEW, &err), -1);
  if (kept) holds(kept, bytes);
}

/* By whatever path. */
static void inputs_stay(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_arena *arena = ripstop_arena_new();
  char *data;
  size_t length;
  assert_int_equal(write_text("input", "data"), 0);
  assert_int_equal(symlink("input", "link"), 0);
  assert_int_equal(link("input", "hard"), 0);
  assert_int_equal(ripstop_read_file(arena, "input", 100, &data, &length, &err), 0);
  static const char *const paths[] = {"input", "./input", ".//input", "link", "hard"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) is_refused(paths[i], reads, "input", "data");
  assert_int_equal(write_text("input", "new"), 0); /* an update of what was read */
  holds("input", "new");
  ripstop_arena_free(arena);
  retire("input");
  assert_int_equal(unlink("link") | unlink("hard"), 0);
}

/* A file that will be written is not read, by whatever path, until it is another file. */
static void outputs_are_not_read(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output o;
  ripstop_arena *arena = ripstop_arena_new();
  char *data;
  size_t length;
  assert_int_equal(write_text("late", "data"), 0);
  assert_int_equal(symlink("late", "link"), 0);
  assert_int_equal(ripstop_output_begin(&o, "late", RIPSTOP_OUTPUT_NEW, &err), -1);
  assert_string_equal(err.text, "late: internal error: output was not checked before the run; please report it");
  assert_int_equal(ripstop_output_check("link", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(ripstop_read_file(arena, "late", 100, &data, &length, &err), -1);
  assert_string_equal(err.text,
                      "link is a file that this command reads or has written; name another file for the output");
  assert_int_equal(ripstop_output_begin(&o, "link", RIPSTOP_OUTPUT_NEW, &err), 0);
  fputs("new", o.stream);
  assert_int_equal(ripstop_output_end(&o, &err), 0);
  assert_int_equal(ripstop_read_file(arena, "late", 100, &data, &length, &err), 0);
  assert_string_equal(data, "new");
  ripstop_arena_free(arena);
  retire("late");
  assert_int_equal(unlink("link"), 0);
}

/* One that was not there when the output was checked. */
static void later_inputs_stay(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output o;
  ripstop_arena *arena = ripstop_arena_new();
  char *data;
  size_t length;
  assert_int_equal(ripstop_output_check("later", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(ripstop_output_begin(&o, "later", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(write_text("later", "data"), 0);
  assert_int_equal(ripstop_read_file(arena, "later", 100, &data, &length, &err), 0);
  assert_int_equal(ripstop_output_end(&o, &err), -1);
  assert_non_null(strstr(err.text, reads));
  holds("later", "data");
  ripstop_arena_free(arena);
  retire("later");
}

static bool is_table(const void *ending, const char *name) { return strstr(name, ending) != NULL; }

/* Files of a folder that may be written are not read; its other files are no outputs. */
static void folders_of_outputs(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output o;
  ripstop_arena *arena = ripstop_arena_new();
  char *data;
  size_t length;
  assert_int_equal(ripstop_output_check_folder("here/deep", RIPSTOP_OUTPUT_NEW, is_table, ".csv", &err), 0);
  assert_int_equal(access("here", F_OK), -1);
  assert_int_equal(ripstop_output_folder("here", &err), 0);
  assert_int_equal(write_text("here/a.csv", "a") | write_text("here/b.txt", "b"), 0);
  assert_int_equal(ripstop_output_check_folder("here", RIPSTOP_OUTPUT_NEW, is_table, ".csv", &err), 0);
  assert_int_equal(ripstop_read_file(arena, "here/b.txt", 100, &data, &length, &err), 0);
  assert_int_equal(ripstop_read_file(arena, "here/a.csv", 100, &data, &length, &err), -1);
  assert_non_null(strstr(err.text, "here/a.csv is a file that this command reads"));
  assert_int_equal(ripstop_output_begin(&o, "here/c.csv", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(ripstop_output_end(&o, &err), 0);
  assert_int_equal(ripstop_output_begin(&o, "here/deeper/c.csv", RIPSTOP_OUTPUT_NEW, &err), -1);
  assert_int_equal(ripstop_output_check_folder("here/b.txt", RIPSTOP_OUTPUT_NEW, is_table, ".csv", &err), -1);
  assert_string_equal(err.text, "here/b.txt is not a folder");
  ripstop_arena_free(arena);
  retire("here/a.csv"), retire("here/b.txt"), retire("here/c.csv");
  assert_int_equal(rmdir("here"), 0);
}

static void outputs_stay(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output o;
  assert_int_equal(ripstop_output_check("twice", RIPSTOP_OUTPUT_NEW, &err), 0);
  assert_int_equal(ripstop_output_begin(&o, "twice", RIPSTOP_OUTPUT_NEW, &err), 0);
  fputs("first", o.stream);
  assert_int_equal(ripstop_output_end(&o, &err), 0);
  is_refused("twice", "reads or has written", "twice", "first");
  retire("twice");
}

static void databases_stay(void **state) {
  (void)state;
  char bytes[17] = "SQLite format 3"; /* the terminator counts; there is one behind it for comparing */
  assert_int_equal(write_text("x.db-wal", "log"), 0);
  FILE *file = fopen("x.db", "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, 16, file), 16);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(write_text("y-wal", "no log"), 0);
  assert_int_equal(symlink("x.db", "link"), 0);
  is_refused("x.db", "a store or another SQLite database", "x.db", bytes);
  is_refused("link", "a store or another SQLite database", "x.db", bytes);
  is_refused("x.db-wal", "belongs to the store", "x.db-wal", "log");
  is_refused("x.db-shm", "belongs to the store", NULL, NULL);
  is_refused("x.db-journal", "belongs to the store", NULL, NULL);
  assert_int_equal(write_text("x.db", "not even an update"), -1);
  assert_int_equal(write_text("y-wal", "replaced"), 0);
  assert_int_equal(unlink("x.db") | unlink("link") | unlink("x.db-wal") | unlink("y-wal"), 0);
}

static void folders_stay(void **state) {
  (void)state;
  ripstop_error err;
  assert_int_equal(ripstop_output_folder("folder", &err), 0);
  assert_int_equal(ripstop_output_folder("folder", &err), 0);
  is_refused("folder", "is a folder", NULL, NULL);
  assert_int_equal(write_text("file", "x"), 0);
  assert_int_equal(ripstop_output_folder("file", &err), -1);
  assert_int_equal(rmdir("folder") | unlink("file"), 0);
}

/* A process that is killed while it writes leaves no file for long. */
static void litter_goes(void **state) {
  (void)state;
  ripstop_error err;
  ripstop_output o;
  char older[32];
  pid_t child = fork();
  if (!child) {
    if (ripstop_output_check("page", RIPSTOP_OUTPUT_NEW, &err)) _exit(1);
    if (ripstop_output_begin(&o, "page", RIPSTOP_OUTPUT_NEW, &err)) _exit(1);
    fputs("half", o.stream);
    fflush(o.stream);
    FILE *named = fopen(o.beside, "w"); /* like a file system without nameless files */
    kill(named ? getpid() : 0, SIGKILL);
  }
  assert_int_equal(waitpid(child, NULL, 0), child);
  snprintf(older, sizeof older, "page.new-%ld", (long)child); /* a user's own file */
  assert_int_equal(write_text(older, "mine"), 0);
  assert_int_equal(write_text("page", "whole"), 0);
  holds("page", "whole");
  assert_int_equal(unlink("page") | unlink(older), 0); /* leave_folder finds whatever else there is */
}

static int enter_folder(void **state) {
  ripstop_guard_begin(&program, true);
  ripstop_guard_course(&(ripstop_course){.noted = &noted});
  static char folder[] = "/tmp/ripstop-replace-XXXXXX";
  *state = folder;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* The folder must be empty: nothing is left beside. */
static int leave_folder(void **state) {
  char name[32];
  while (retired) {
    snprintf(name, sizeof name, "noted-%u", --retired);
    if (unlink(name)) return -1;
  }
  ripstop_guard_end(&program);
  ripstop_noted_free(&noted);
  return chdir("/") || rmdir(*state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_or_as_it_was), cmocka_unit_test(links_stay),        cmocka_unit_test(pipes_are_written_to),
      cmocka_unit_test(databases_stay),     cmocka_unit_test(rights_stay),       cmocka_unit_test(hard_links_stay),
      cmocka_unit_test(rights_decide),      cmocka_unit_test(folders_stay),      cmocka_unit_test(litter_goes),
      cmocka_unit_test(inputs_stay),        cmocka_unit_test(outputs_stay),      cmocka_unit_test(outputs_are_not_read),
      cmocka_unit_test(later_inputs_stay),  cmocka_unit_test(folders_of_outputs)};
  return RUN_GROUP(tests, enter_folder, leave_folder);
}
