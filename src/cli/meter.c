/* meter.c - when a line of progress is due, and where it is written (meter.h). */
#include "cli/meter.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

cli_meter cli_meter_begin(double on_terminal, double in_file) {
  const bool terminal = isatty(STDERR_FILENO);
  const double now = ripstop_seconds_now();
  return (cli_meter){.terminal = terminal, .started = now, .last = now, .quiet = terminal ? on_terminal : in_file};
}

double cli_meter_seconds(const cli_meter *m) { return ripstop_seconds_now() - m->started; }

bool cli_meter_is_due(cli_meter *m, bool at_any_rate) {
  const double now = ripstop_seconds_now();
  if (!at_any_rate && now - m->last < m->quiet) return false;
  cli_meter_clear(m);
  m->last = now;
  return m->shown = true;
}

void cli_meter_printed(const cli_meter *m) {
  if (!m->terminal) fputc('\n', stderr);
  fflush(stderr);
}

void cli_meter_clear(const cli_meter *m) {
  if (m->terminal) fputs("\r\033[K", stderr);
}

void cli_meter_end(const cli_meter *m, bool stays) {
  if (m->terminal && m->shown) fputs(stays ? "\n" : "\r\033[K", stderr);
}
