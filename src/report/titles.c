/* titles.c - what stands beside a plot: the titles of its axes and the names of its curves. */
#include <string.h>

#include "base/local.h"
#include "report/plot.h"

/* Names the failed or slow parts in the sets that the experiment gives; random sets have links, or switches by scope.
 */
static const char *parts_title(const ripstop_runs *runs) {
  bool links = false, switches = false, slow = false;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_faults *f = runs->run[i].faults;
    links |= f && f->links, switches |= f && f->switches, slow |= f && f->slows;
  }
  if (links + switches + slow > 1) return slow ? "failed or slow parts" : "failed parts";
  return switches ? "failed switches" : slow ? "slow links" : "failed links";
}

static const char *key_title(const ripstop_runs *runs, const char *key) {
  static const struct {
    const char *key, *title;
  } titles[] = {{"traffic.load", "offered load (flits/node/cycle)"},
                {"cycle", "cycle"},
                {"method", "method"},
                {"faults.scope", "what may fail"}};
  if (!strcmp(key, "faults.count")) {
    const ripstop_axis *scope = ripstop_spec_axis(runs->spec, "faults.scope");
    return scope->count == 1 && !strcmp(scope->setting[0].text, ripstop_scope_name(RIPSTOP_FAULTS_SWITCHES))
               ? "failed switches"
               : parts_title(runs);
  }
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (!strcmp(key, titles[i].key)) return titles[i].title;
  return key;
}

static const char *const against[] = {[RIPSTOP_AGAINST_RELATIVE] = "relative to",
                                      [RIPSTOP_AGAINST_CHANGE] = "change in % against",
                                      [RIPSTOP_AGAINST_DIFFERENCE] = "difference to"};

static const char *y_title(ripstop_arena *arena, const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  const ripstop_filter *relative = figure->relative;
  bool told = figure->against == RIPSTOP_AGAINST_DIFFERENCE && *plot->unit && strcmp(plot->unit, "1") != 0;
  if (relative)
    return ripstop_arena_printf(arena, "%s, %s %s = %s%s%s%s", figure->y, against[figure->against], relative->key,
                                plot_setting(relative->setting[0]), told ? " (" : "", told ? plot->unit : "",
                                told ? ")" : "");
  if (figure->over) return ripstop_arena_printf(arena, "%s / %s", figure->y, figure->over);
  if (figure->rank) return ripstop_arena_printf(arena, "place by %s %s", ripstop_best_words[figure->rank], figure->y);
  if (!*plot->unit || !strcmp(plot->unit, "1")) return figure->y;
  return ripstop_arena_printf(arena, "%s (%s)", figure->y, plot->unit);
}

static bool tells_apart(const ripstop_plot *plot, size_t by) {
  for (size_t c = 1; c < plot->curves; c++)
    if (strcmp(plot->curve[c].setting[by], plot->curve[0].setting[by])) return true;
  return false;
}

/* "misroute, load 0.9": only what differs between the curves; names of methods and fabrics speak for themselves. */
static void label_curve(ripstop_arena *arena, const ripstop_plot *plot, ripstop_curve *curve) {
  const ripstop_figure *figure = plot->figure;
  RIPSTOP_LOCAL_TEXT(text);
  for (size_t i = 0; i < figure->bys; i++) {
    const char *key = figure->by[i], *dot = strrchr(key, '.');
    if (!tells_apart(plot, i)) continue;
    const char *written = plot_written(plot->runs, key, curve->setting[i]);
    bool plain = !strcmp(key, "method") || !strcmp(key, "fabric");
    if (text.length) ripstop_text_add(&text, ", ");
    if (!plain) ripstop_text_add(&text, "%s ", !strcmp(key, "faults.count") ? "faults" : dot ? dot + 1 : key);
    ripstop_text_add(&text, "%s", written);
  }
  curve->label = ripstop_arena_text(arena, text.data ? text.data : "");
}

static const char *x_title(ripstop_arena *arena, const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  const char *title = key_title(plot->runs, figure->x);
  for (size_t i = 0; i < figure->mores; i++)
    title = ripstop_arena_printf(arena, "%s, %s", title, key_title(plot->runs, figure->more[i]));
  return title;
}

/* The title of the value at which a figure's points stand. */
const char *plot_panel_title(ripstop_arena *arena, const ripstop_plot *plot, size_t place) {
  return ripstop_arena_printf(arena, "(%c) %s", (char)('a' + place), plot->figure->title);
}

const char *plot_at_title(ripstop_arena *arena, const ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  if (figure->xlabel) return figure->xlabel;
  if (!plot->at_unit || !*plot->at_unit || !strcmp(plot->at_unit, "1")) return figure->at;
  return ripstop_arena_printf(arena, "%s (%s)", figure->at, plot->at_unit);
}

void plot_name(ripstop_arena *arena, ripstop_plot *plot) {
  const ripstop_figure *figure = plot->figure;
  plot->xlabel = figure->xlabel && !figure->at ? figure->xlabel : x_title(arena, plot);
  plot->ylabel = figure->ylabel ? figure->ylabel : y_title(arena, plot);
  if (plot_is_cdf(figure)) { /* it is drawn on its side, and has the labels of the picture */
    plot->xlabel = figure->ylabel ? figure->ylabel : plot_share_title(figure);
    plot->ylabel = figure->xlabel ? figure->xlabel : y_title(arena, plot);
  }
  for (size_t c = 0; c < plot->curves; c++) label_curve(arena, plot, &plot->curve[c]);
}
