/* ended.h - how runs ended, and other tables of a figure's points, on an experiment's page. */
#ifndef REPORT_ENDED_H
#define REPORT_ENDED_H

#include "ripstop/kit/report.h"

/* A row for each x and a column for each curve. */
void report_points(ripstop_text *out, const ripstop_plot *plot, void (*cell)(ripstop_text *, const ripstop_point *));
/* All runs by verdict; then for each different set of axes that a figure has, the runs at each point, those that the
 * figure leaves out included, and of each curve what the first run of a verdict says. Nothing where no run is done. */
void report_ended(ripstop_text *out, const ripstop_data *data);

#endif
