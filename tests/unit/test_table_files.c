/* test_table_files.c - a set of tables is read from files and from a folder; what is left out is noted. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "mend/table_files.h"
#include "opened.h"

#define DATA RIPSTOP_SOURCE_DIR "/tests/data/ib/"

static ripstop_forwarding *read_one(const ripstop_fabric *fabric, const char *path, ripstop_text *notes, bool *levels,
                                    ripstop_error *err) {
  ripstop_text_begin(notes);
  return ripstop_table_files_read(&(ripstop_table_files){&path, 1}, fabric, NULL, notes, levels, err);
}

static void files_and_folders(void **state) {
  (void)state;
  char folder[] = "/tmp/ripstop-tables-XXXXXX", link[64];
  ripstop_fabric *fabric = open_fabric(DATA "small-clean.ibnetdiscover");
  ripstop_text notes = {0};
  ripstop_error err;
  bool levels = true;
  ripstop_forwarding *file = read_one(fabric, DATA "small-clean.minhop.lfts", &notes, &levels, &err);
  assert_non_null(file);
  assert_false(levels);
  ripstop_text_free(&notes);
  assert_non_null(mkdtemp(folder));
  assert_null(read_one(fabric, folder, &notes, &levels, &err));
  assert_non_null(strstr(err.text, "neither lfts.dump"));
  ripstop_text_free(&notes);
  snprintf(link, sizeof link, "%s/lfts.dump", folder);
  assert_int_equal(symlink(DATA "small-clean.minhop.lfts", link), 0);
  ripstop_forwarding *in_folder = read_one(fabric, folder, &notes, &levels, &err);
  assert_non_null(in_folder);
  assert_int_equal(in_folder->addresses, file->addresses);
  assert_int_equal(unlink(link) | rmdir(folder), 0);
  ripstop_text_free(&notes);
  ripstop_forwarding_free(in_folder);
  ripstop_forwarding_free(file);
  ripstop_fabric_free(fabric);
}

static void what_is_left_out_is_noted(void **state) {
  (void)state;
  char other[] = "/tmp/ripstop-other-XXXXXX";
  const int descriptor = mkstemp(other);
  assert_true(descriptor >= 0 && write(descriptor, "no table\n", 9) == 9 && close(descriptor) == 0);
  const char *const path[] = {DATA "small-clean.minhop.lfts", other};
  ripstop_fabric *fabric = open_fabric(DATA "small-clean.ibnetdiscover");
  ripstop_text notes = {0};
  ripstop_error err;
  ripstop_text_begin(&notes);
  ripstop_forwarding *tables =
      ripstop_table_files_read(&(ripstop_table_files){path, 2}, fabric, NULL, &notes, NULL, &err);
  assert_non_null(tables);
  assert_non_null(strstr(notes.data, "1 such file was left out\n"));
  assert_int_equal(unlink(other), 0);
  ripstop_text_free(&notes);
  ripstop_forwarding_free(tables);
  ripstop_fabric_free(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_and_folders), cmocka_unit_test(what_is_left_out_is_noted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
