/* needs.c - which numbers of a run tables and pages look at, so that a million runs need not all be in memory whole. */
#include "report/needs.h"

#include <string.h>

#include "report/drift.h"
#include "report/plot.h"

static bool is_in(const ripstop_figure *figure, const char *value) {
  return !strcmp(figure->y, value) || (figure->over && !strcmp(figure->over, value)) ||
         (figure->at && !strcmp(figure->at, value)) || (figure->base && !strcmp(figure->base, value)) ||
         drift_looks_at(figure->y, value) || plot_is_quantile(figure, value);
}

/* The length of runs is needed for time series and for changes that come too late; the lost share for every point.
 */
bool report_needs(const ripstop_spec *spec, bool page, const char *value) {
  bool needed = !strcmp(value, "run.cycles") || !strcmp(value, "lost.share") ||
                (page && (!strcmp(value, "warmup.settled") || !strcmp(value, "channels") ||
                          drift_looks_at("accepted", value) || drift_looks_at("latency.mean", value)));
  for (size_t i = 0; i < spec->figures && !needed; i++) needed = is_in(&spec->figure[i], value);
  return needed;
}

bool report_needs_windows(const ripstop_spec *spec) {
  for (size_t i = 0; i < spec->figures; i++)
    if (!strcmp(spec->figure[i].x, "cycle")) return true;
  return false;
}
