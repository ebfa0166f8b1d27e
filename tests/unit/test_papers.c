/* test_papers.c - the library collects the claims of several experiments: it finds and sorts the files, refuses equal
 * names, and lists claims without data where there is no store. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "ripstop/kit/papers.h"

static char folder[] = "/tmp/ripstop-papers-XXXXXX";

static const char *path_of(const char *name) {
  static char path[sizeof folder + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void write_experiment(const char *name, const char *title, const char *published) {
  char text[700];
  snprintf(text, sizeof text,
           "title: %s\nfabric: torus:4\nmethod: dor:bubble=on\ntraffic: {load: [0.1, 0.2]}\n"
           "measure: {warmup: 10, cycles: 50}\nfigures: [{id: accepted, x: traffic.load, y: accepted}]\n"
           "claims: [{id: first, says: something, figure: accepted, measure: {value: 0.1}, published: %s}]\n",
           title, published);
  write_file(name, text);
}

static int set_up(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(mkdir(path_of("more"), 0700), 0);
  write_experiment("b.yaml", "second", "0.1");
  write_experiment("a.yaml", "first", "0.1");
  write_experiment("more/c.yaml", "third", "0.2");
  write_experiment(".hidden.yaml", "hidden", "0.3");
  write_file("papers.yaml", "papers: []\n");
  write_file("notes.txt", "no experiment\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  static const char *const names[] = {"b.yaml", "a.yaml", "more/c.yaml", ".hidden.yaml", "papers.yaml", "notes.txt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
  rmdir(path_of("more"));
  return rmdir(folder);
}

static ripstop_papers_settings settings_of(FILE *notes) {
  ripstop_papers_settings settings = {.campaign = ripstop_campaign_defaults(NULL), .notes = notes};
  return settings;
}

static int count_experiments(void *context, const ripstop_campaign *c, const ripstop_data *data, ripstop_error *err) {
  (void)c;
  (void)err;
  ++*(size_t *)context;
  return data->runs->count == 2 ? 0 : -1;
}

static void folders_are_searched_and_sorted(void **state) {
  (void)state;
  const char *path = folder;
  size_t seen = 0;
  ripstop_error err = {0};
  ripstop_papers_settings settings = settings_of(stderr);
  settings.each = count_experiments, settings.context = &seen;
  settings.campaign.variant.seed_offset = 7;
  ripstop_papers *papers = ripstop_papers_open(&settings, &path, 1, &err);
  if (!papers) fail_msg("%s", err.text);
  const ripstop_spec *const *spec;
  assert_int_equal(ripstop_papers_experiments(papers, &spec), 3);
  assert_string_equal(spec[0]->title, "first");
  assert_string_equal(spec[1]->title, "second");
  assert_string_equal(spec[2]->title, "third");
  assert_int_equal(ripstop_papers_ledger(papers)->rows, 0);
  assert_int_equal(ripstop_papers_collect(papers, &err), 0);
  const ripstop_ledger *all = ripstop_papers_ledger(papers);
  assert_int_equal(seen, 3);
  assert_int_equal(all->rows, 3);
  assert_int_equal(all->seed_offset, 7);
  assert_int_equal(all->papers + all->contradictions + all->uncaused, 0);
  for (size_t i = 0; i < 3; i++) {
    assert_ptr_equal(all->row[i].spec, spec[i]);
    assert_int_equal(all->row[i].judgement.finding, RIPSTOP_NO_DATA);
    assert_int_equal(all->row[i].basis.planned, 1);
    assert_int_equal(all->row[i].basis.runs, 0);
  }
  ripstop_papers_close(papers);
}

static int stop_here(void *context, const ripstop_campaign *c, const ripstop_data *data, ripstop_error *err) {
  (void)c;
  (void)data;
  (void)err;
  return ++*(size_t *)context == 2 ? 5 : 0;
}

static void callbacks_end_it(void **state) {
  (void)state;
  const char *path = folder;
  size_t seen = 0;
  ripstop_error err = {0};
  ripstop_papers_settings settings = settings_of(stderr);
  settings.each = stop_here, settings.context = &seen;
  ripstop_papers *papers = ripstop_papers_open(&settings, &path, 1, &err);
  assert_non_null(papers);
  assert_int_equal(ripstop_papers_collect(papers, &err), 5);
  assert_int_equal(seen, 2);
  assert_int_equal(ripstop_papers_ledger(papers)->rows, 2);
  ripstop_papers_close(papers);
}

static void refused(const ripstop_papers_settings *settings, const char *const *path, size_t count, const char *text) {
  ripstop_error err = {0};
  assert_null(ripstop_papers_open(settings, path, count, &err));
  if (!strstr(err.text, text)) fail_msg("'%s', not '%s'", err.text, text);
}

static void names_must_differ(void **state) {
  (void)state;
  char a[sizeof folder + 64], nothing[sizeof folder + 64];
  snprintf(a, sizeof a, "%s", path_of("a.yaml"));
  snprintf(nothing, sizeof nothing, "%s", path_of("nothing"));
  const char *const twice[] = {a, a}, *const missing[] = {a, nothing};
  ripstop_papers_settings settings = settings_of(stderr);
  settings.by_name = "a record";
  refused(&settings, twice, 2, "has the name 'a' too, and a record could not tell them apart");
  settings.taken = "a";
  refused(&settings, twice, 1, "a record has a page 'a' of its own; give the experiment's file another name");
  refused(&settings, missing, 2, "No such file or directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_are_searched_and_sorted),
      cmocka_unit_test(callbacks_end_it),
      cmocka_unit_test(names_must_differ),
  };
  return RUN_GROUP(tests, set_up, tear_down);
}
