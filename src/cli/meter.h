/* meter.h - the line on standard error that says how far long work is.
 *
 * On a terminal one line is rewritten in place. In a file there is a new line now and then, or none. A meter says when
 * the next line is due and erases the last one; its user prints the text. */
#ifndef RIPSTOP_CLI_METER_H
#define RIPSTOP_CLI_METER_H

#include <stdbool.h>

typedef struct cli_meter {
  bool terminal;        /* standard error is one */
  bool shown;           /* a line was due before */
  double started, last; /* seconds by the clock: the beginning of the work, and of its last line */
  double quiet;         /* seconds between two lines; INFINITY: there are none */
} cli_meter;

/* For work that begins now: seconds between two lines on a terminal and in a file. */
cli_meter cli_meter_begin(double on_terminal, double in_file);
double cli_meter_seconds(const cli_meter *m); /* since the beginning */
/* True when it is time for a line, or one is printed at any rate. The caller prints it, then calls cli_meter_printed.
 */
bool cli_meter_is_due(cli_meter *m, bool at_any_rate);
/* The line is complete: sends it, in a file with its end. */
void cli_meter_printed(const cli_meter *m);
/* Erases the line of a terminal, so that something else can be printed. */
void cli_meter_clear(const cli_meter *m);
/* The work is over: the last line stays, or is erased. */
void cli_meter_end(const cli_meter *m, bool stays);

#endif
