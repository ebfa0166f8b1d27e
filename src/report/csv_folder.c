/* csv_folder.c - the same numbers for other programs, as RFC 4180 has it but for line ends. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/locale.h"
#include "base/memory.h"
#include "base/output.h"
#include "experiment/inner_runs.h"
#include "report/judging.h"
#include "report/plot.h"
#include "store/cells.h"

/* Writes nothing for an end that the interval does not have. */
static void put_number(FILE *file, double number) {
  char text[32] = "";
  if (isfinite(number)) ripstop_format(text, sizeof text, "%.10g", number);
  fputs(text, file);
}

static void put_estimate(FILE *file, ripstop_estimate e) {
  const double number[] = {e.mean, e.low, e.high};
  for (int i = 0; i < 3; i++) {
    putc(',', file);
    put_number(file, number[i]);
  }
}

/* FOLDER/NAME.csv. */
typedef struct table {
  ripstop_text path;
  ripstop_output output;
} table;

/* NULL: nothing is to be closed. */
static FILE *open_table(table *t, const char *folder, const char *name, ripstop_error *err) {
  *t = (table){.path = {0}};
  ripstop_text_add(&t->path, "%s/%s.csv", folder, name);
  if (!ripstop_output_begin(&t->output, t->path.data, RIPSTOP_OUTPUT_NEW, err)) return t->output.stream;
  ripstop_text_free(&t->path);
  return NULL;
}

static int close_table(table *t, ripstop_error *err) {
  int status = ripstop_output_end(&t->output, err);
  ripstop_text_free(&t->path);
  return status;
}

void plot_csv(FILE *file, const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  csv_text(file, figure->x);
  for (size_t i = 0; i < figure->mores; i++) putc(',', file), csv_text(file, figure->more[i]);
  for (size_t i = 0; i < figure->bys; i++) putc(',', file), csv_text(file, figure->by[i]);
  putc(',', file);
  csv_text(file, figure->y);
  fputs(",low,high,unit,runs,one-set,no-interval", file);
  for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) fprintf(file, ",%s", ripstop_outcome_words[v]);
  fputs(",left-out", file);
  if (figure->at) putc(',', file), csv_text(file, figure->at);
  fputs(",lost-share\n", file);
  for (size_t c = 0; c < plot->curves; c++)
    for (size_t x = 0; x < plot->xs; x++) {
      const ripstop_point *point = &plot->curve[c].point[x];
      size_t seen = point->runs + point->left_out;
      for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) seen += point->verdict[v];
      if (!seen) continue;
      csv_text(file, plot->x[x].setting ? plot->x[x].setting[0] : plot->x[x].text);
      for (size_t i = 0; i < figure->mores; i++) putc(',', file), csv_text(file, plot->x[x].setting[1 + i]);
      for (size_t i = 0; i < figure->bys; i++) putc(',', file), csv_text(file, plot->curve[c].setting[i]);
      put_estimate(file, point->y);
      putc(',', file);
      csv_text(file, plot->unit);
      fprintf(file, ",%zu,%d,%s", point->runs, point->one_set, plot_why_none(point));
      for (size_t v = 0; v < RIPSTOP_OUTCOMES; v++) fprintf(file, ",%zu", point->verdict[v]);
      fprintf(file, ",%zu", point->left_out);
      if (figure->at) putc(',', file), put_number(file, point->at);
      putc(',', file), put_number(file, point->lost);
      putc('\n', file);
    }
}

static int write_figure(const ripstop_data *data, const ripstop_figure *figure, const char *folder,
                        ripstop_error *err) {
  table t;
  FILE *file = open_table(&t, folder, figure->id, err);
  if (!file) return -1;
  RIPSTOP_LOCAL_ARENA(arena);
  plot_csv(file, ripstop_plot_figure(arena, data, figure));
  return close_table(&t, err);
}

static int write_claims(const ripstop_data *data, const char *folder, ripstop_error *err) {
  const ripstop_spec *spec = data->runs->spec;
  table t;
  FILE *file = open_table(&t, folder, "claims", err);
  if (!file) return -1;
  fputs("claim,compare,published,tolerance,measured,low,high,one-set,finding,paper,place,chosen,says,reading,why,lost-"
        "share\n",
        file);
  for (size_t i = 0; i < spec->claims; i++) {
    const ripstop_claim *claim = &spec->claim[i];
    ripstop_judgement j = ripstop_claim_judge(data, claim);
    fprintf(file, "%s,%s,", claim->id, ripstop_compare_words[claim->compare]);
    put_number(file, claim->published);
    putc(',', file);
    put_number(file, claim->tolerance);
    put_estimate(file, j.measured);
    fprintf(file, ",%d", j.one_set);
    const char *const words[] = {ripstop_finding_words[j.finding],
                                 claim->paper ? claim->paper->key : "",
                                 claim->paper ? claim->place : "",
                                 claim->chosen_after ? "after" : "before",
                                 claim->says,
                                 claim->reading ? claim->reading : "",
                                 claim->why ? claim->why : ""};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) putc(',', file), csv_text(file, words[w]);
    putc(',', file), put_number(file, j.lost);
    putc('\n', file);
  }
  return close_table(&t, err);
}

static void write_candidates(FILE *file, const ripstop_agreement *agreement, const ripstop_judged_curve *candidate,
                             size_t count) {
  size_t parts = agreement->terms + agreement->goals;
  fputs("candidate", file);
  for (size_t p = 0; p < parts; p++) {
    RIPSTOP_LOCAL_TEXT(text);
    plot_print_term(&text, &agreement->term[p]);
    putc(',', file), csv_text(file, text.data);
    fputs(",low,high,one-set,lost-share", file);
  }
  fputs(",keeps,frontier\n", file);
  for (size_t i = 0; i < count; i++) {
    csv_text(file, candidate[i].label);
    for (size_t p = 0; p < parts; p++) {
      put_estimate(file, candidate[i].measured[p]->y);
      fprintf(file, ",%d,", candidate[i].measured[p]->one_set);
      put_number(file, candidate[i].measured[p]->lost);
    }
    fprintf(file, ",%s,%s\n", ripstop_grade_words[candidate[i].keeps], ripstop_grade_words[candidate[i].frontier]);
  }
}

static int write_agreement(const ripstop_data *data, const ripstop_agreement *agreement, const char *folder,
                           ripstop_error *err) {
  table t;
  FILE *file = open_table(&t, folder, agreement->id, err);
  if (!file) return -1;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_judged_curve *candidate;
  size_t count = ripstop_agreement_judge(arena, data, agreement, &candidate);
  write_candidates(file, agreement, candidate, count);
  return close_table(&t, err);
}

/* Long form: a line for each value of each run, as the values differ from run to run. */
static int write_runs(const ripstop_data *data, const char *folder, ripstop_error *err) {
  table t;
  FILE *file = open_table(&t, folder, "runs", err);
  if (!file) return -1;
  const ripstop_run *run = data->runs->run;
  fputs("run", file);
  for (size_t k = 0; k < ripstop_run_keys(run); k++) putc(',', file), csv_text(file, ripstop_run_key_at(run, k).name);
  fputs(",verdict,value,unit,mean,half,no-interval\n", file);
  for (size_t i = 0; i < data->runs->count; i++) {
    const ripstop_outcome *outcome = data->outcome[i];
    for (size_t v = 0; outcome && v < (outcome->values ? outcome->values : 1); v++) {
      fputs(run[i].id, file);
      for (size_t k = 0; k < ripstop_run_keys(run); k++)
        putc(',', file), csv_text(file, ripstop_run_key_at(&run[i], k).value);
      fprintf(file, ",%s,", outcome->verdict);
      if (outcome->values) {
        csv_text(file, outcome->value[v].name);
        putc(',', file);
        csv_text(file, outcome->value[v].unit);
        putc(',', file);
        put_number(file, outcome->value[v].value);
        putc(',', file);
        put_number(file, outcome->value[v].half);
        fprintf(file, ",%s", ripstop_value_without_interval(&outcome->value[v], outcome->verdict));
      } else {
        fputs(",,,,", file);
      }
      putc('\n', file);
    }
  }
  return close_table(&t, err);
}

static bool is_named(const char *name, const char *id, size_t length) {
  return strlen(id) == length && !memcmp(name, id, length);
}

bool ripstop_report_has_csv(const void *spec, const char *name) {
  const ripstop_spec *s = spec;
  const size_t all = strlen(name), length = all > 4 && !strcmp(name + all - 4, ".csv") ? all - 4 : 0;
  bool has = length && (is_named(name, "claims", length) || is_named(name, "runs", length));
  for (size_t i = 0; length && i < s->figures; i++) has |= is_named(name, s->figure[i].id, length);
  for (size_t i = 0; length && i < s->agreements; i++) has |= is_named(name, s->agreement[i].id, length);
  return has;
}

int ripstop_report_csv(const ripstop_data *data, const char *folder, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  const ripstop_spec *spec = data->runs->spec;
  if (ripstop_output_folder(folder, err)) return -1;
  for (size_t i = 0; i < spec->figures; i++)
    if (write_figure(data, &spec->figure[i], folder, err)) return -1;
  for (size_t i = 0; i < spec->agreements; i++)
    if (write_agreement(data, &spec->agreement[i], folder, err)) return -1;
  return write_claims(data, folder, err) || write_runs(data, folder, err) ? -1 : 0;
}
