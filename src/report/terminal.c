/* terminal.c - tables of figures and claims for a terminal. */
#include <string.h>

#include "base/local.h"
#include "report/judging.h"
#include "report/plot.h"

/* A table of texts; the first row and column are headings. */
typedef struct grid {
  ripstop_arena *arena;
  size_t rows, columns;
  const char **cell;
} grid;

static const char **at(const grid *g, size_t row, size_t column) { return &g->cell[row * g->columns + column]; }

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static int width(const char *text) {
  int count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static int column_width(const grid *g, size_t column) {
  int most = 0;
  for (size_t r = 0; r < g->rows; r++)
    if (width(*at(g, r, column)) > most) most = width(*at(g, r, column));
  return most;
}

enum { GAP = 3, SCREEN = 120 }; /* blanks between columns; the widest table that a terminal is taken to show */

static int grid_width(const grid *g) {
  int sum = 0;
  for (size_t c = 0; c < g->columns; c++) sum += column_width(g, c) + GAP;
  return sum;
}

static void print_grid(FILE *file, const grid *g) {
  for (size_t r = 0; r < g->rows; r++) {
    for (size_t c = 0; c < g->columns; c++) {
      int blanks = column_width(g, c) - width(*at(g, r, c));
      bool last = c + 1 == g->columns;
      if (c)
        fprintf(file, "%*s%s", blanks, "", *at(g, r, c));
      else
        fprintf(file, "  %s%*s", *at(g, r, c), blanks, "");
      fprintf(file, "%*s", last ? 0 : GAP, "");
    }
    fputs("\n", file);
  }
}

static grid new_grid(ripstop_arena *arena, size_t rows, size_t columns) {
  grid g = {.arena = arena, .rows = rows, .columns = columns};
  g.cell = RIPSTOP_ARRAY(arena, rows * columns, const char *);
  for (size_t i = 0; i < rows * columns; i++) g.cell[i] = "";
  return g;
}

/* Its rows as columns, where it is too wide for a screen and that is narrower. */
static grid fitted(const grid *g) {
  grid turned = new_grid(g->arena, g->columns, g->rows);
  for (size_t r = 0; r < g->rows; r++)
    for (size_t c = 0; c < g->columns; c++) *at(&turned, c, r) = *at(g, r, c);
  return grid_width(g) > SCREEN && grid_width(&turned) < grid_width(g) ? turned : *g;
}

static const char *settled(ripstop_arena *arena, ripstop_text *text) {
  const char *copy = ripstop_arena_text(arena, text->data ? text->data : "");
  ripstop_text_free(text);
  return copy;
}

/* A terminal has room for so many points in time; the page and the CSV have all. */
enum { ROWS_MAX = 40 };

static void print_note(FILE *file, const plot_mark *mark, double lost) {
  RIPSTOP_LOCAL_TEXT(text);
  plot_print_note(&text, mark, lost);
  fprintf(file, "  %s %s\n", mark->sign, text.data);
}

static void print_plot(FILE *file, const ripstop_plot *plot) {
  fprintf(file, "\n%s\n  %s\n", plot->figure->title, plot->ylabel);
  if (!plot_points(plot)) {
    fprintf(file, plot_left_out(plot) ? "  no data: %zu runs are left out for their verdict\n" : "  no data\n",
            plot_left_out(plot));
    return;
  }
  RIPSTOP_LOCAL_ARENA(arena);
  size_t step = (plot->xs + ROWS_MAX - 1) / ROWS_MAX, rows = (plot->xs + step - 1) / step;
  grid g = new_grid(arena, rows + 1, plot->curves + 1);
  *at(&g, 0, 0) = plot->xlabel;
  for (size_t r = 0; r < rows; r++) *at(&g, r + 1, 0) = plot->x[r * step].label;
  for (size_t c = 0; c < plot->curves; c++) {
    *at(&g, 0, c + 1) = plot->curve[c].label;
    for (size_t r = 0; r < rows; r++) {
      ripstop_text text = {0};
      plot_print_cell(&text, &plot->curve[c].point[r * step]);
      *at(&g, r + 1, c + 1) = settled(arena, &text);
    }
  }
  g = fitted(&g);
  print_grid(file, &g);
  if (step > 1) fprintf(file, "  (one point in %zu)\n", step);
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_has(plot, mark)) print_note(file, mark, plot_lost(plot));
}

static void print_claims(FILE *file, const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  if (!spec->claims) return;
  RIPSTOP_LOCAL_ARENA(arena);
  grid g = new_grid(arena, spec->claims + 1, 4);
  *at(&g, 0, 0) = "claim", *at(&g, 0, 1) = "published", *at(&g, 0, 2) = "measured", *at(&g, 0, 3) = "finding";
  for (size_t i = 0; i < spec->claims; i++) {
    const ripstop_claim *claim = &spec->claim[i];
    ripstop_judgement j = ripstop_claim_judge(data, claim);
    ripstop_text published = {0}, text = {0}, finding = {0};
    ripstop_text_add(&published, "%s", plot_compare_words[claim->compare]);
    plot_print_number(&published, claim->published);
    plot_print_measured(&text, &j);
    if (j.lost > 0) ripstop_text_add(&text, " ‡, "), plot_print_losses(&text, j.lost);
    plot_print_finding(&finding, claim, &j);
    *at(&g, i + 1, 0) = claim->id;
    *at(&g, i + 1, 1) = settled(arena, &published);
    *at(&g, i + 1, 2) = settled(arena, &text);
    *at(&g, i + 1, 3) = settled(arena, &finding);
  }
  fprintf(file, "\nPublished against measured\n");
  print_grid(file, &g);
}

/* Candidates that surely break the terms are only counted. */
static void print_agreement(FILE *file, const ripstop_data *data, const ripstop_agreement *agreement) {
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_judged_curve *candidate;
  size_t count = ripstop_agreement_judge(arena, data, agreement, &candidate),
         parts = agreement->terms + agreement->goals;
  size_t shown = 0, row = 1;
  for (size_t i = 0; i < count; i++) shown += candidate[i].keeps != RIPSTOP_GRADE_NO;
  grid g = new_grid(arena, shown + 1, parts + 3);
  *at(&g, 0, parts + 1) = "keeps it", *at(&g, 0, parts + 2) = "frontier";
  for (size_t p = 0; p < parts; p++) {
    ripstop_text text = {0};
    plot_print_term(&text, &agreement->term[p]);
    *at(&g, 0, p + 1) = settled(arena, &text);
  }
  for (size_t i = 0; i < count; i++) {
    if (candidate[i].keeps == RIPSTOP_GRADE_NO) continue;
    *at(&g, row, 0) = candidate[i].label;
    for (size_t p = 0; p < parts; p++) {
      ripstop_text text = {0};
      plot_print_point(&text, candidate[i].measured[p]);
      *at(&g, row, p + 1) = settled(arena, &text);
    }
    *at(&g, row, parts + 1) = ripstop_grade_words[candidate[i].keeps];
    *at(&g, row++, parts + 2) = ripstop_grade_words[candidate[i].frontier];
  }
  fprintf(file, "\n%s\n", agreement->title);
  if (shown) print_grid(file, &g);
  for (const plot_mark *mark = plot_marks; mark->sign; mark++)
    if (plot_candidates_have(candidate, count, parts, mark))
      print_note(file, mark, plot_candidates_lost(candidate, count, parts));
  fprintf(file, "  %zu of %zu candidates break it\n", count - shown, count);
}

static void print_late(FILE *file, const ripstop_data *data) {
  const ripstop_axis *schedule = ripstop_spec_axis(data->runs->spec, "faults.schedule");
  for (size_t i = 0; schedule && i < schedule->count; i++) {
    RIPSTOP_LOCAL_TEXT(late);
    plot_print_late(&late, data, &schedule->setting[i]);
    if (late.length) fprintf(file, "\n%s\n", late.data);
  }
}

/* Prints the settings that methods name for themselves: the preset of the switch always, others where some method
 * does. */
static void print_own(FILE *file, const ripstop_spec *spec) {
  RIPSTOP_LOCAL_TEXT(used);
  for (const char *const *key = ripstop_keys_of_method; *key; key++) {
    const bool other = ripstop_spec_own(spec, *key, &used);
    if (other || (used.length && !strcmp(*key, "switch.preset"))) fprintf(file, "\n%s: %s\n", *key, used.data);
  }
}

static void print_verdicts(FILE *file, const ripstop_data *data) {
  size_t verdict[RIPSTOP_OUTCOMES] = {0}, done = 0;
  for (size_t i = 0; i < data->runs->count; i++)
    for (size_t v = 0; data->outcome[i] && v < RIPSTOP_OUTCOMES; v++)
      if (!strcmp(data->outcome[i]->verdict, ripstop_outcome_words[v])) verdict[v]++, done++;
  RIPSTOP_LOCAL_TEXT(text);
  print_own(file, data->runs->spec);
  plot_print_verdicts(&text, verdict);
  fprintf(file, "\n%zu of %zu runs: %s\n", done, data->runs->count, done ? text.data : "none yet");
}

void ripstop_report_text(FILE *file, const ripstop_data *data) {
  const ripstop_spec *spec = data->runs->spec;
  fprintf(file, "%s\n", spec->title);
  for (size_t i = 0; i < spec->figures; i++) {
    RIPSTOP_LOCAL_ARENA(arena);
    print_plot(file, ripstop_plot_figure(arena, data, &spec->figure[i]));
  }
  print_claims(file, data);
  for (size_t i = 0; i < spec->agreements; i++) print_agreement(file, data, &spec->agreement[i]);
  print_late(file, data);
  print_verdicts(file, data);
}
