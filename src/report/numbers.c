/* numbers.c - estimates, points and verdicts as text. */
#include <math.h>
#include <string.h>

#include "report/judging.h"
#include "report/plot.h"

/* Decimals that show two digits of an uncertainty. */
static int decimals_for(double half) {
  int decimals = 1 - (int)floor(log10(half));
  return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

static bool look_alike(double a, double b, int digits) {
  char one[40], other[40];
  snprintf(one, sizeof one, "%.*g", digits, a);
  snprintf(other, sizeof other, "%.*g", digits, b);
  return a != b && !strcmp(one, other);
}

/* Zero has no sign, and what is rounded to zero has none either. */
static void add_signless_zero(ripstop_text *out, const char *number) {
  ripstop_text_add(out, "%s", number + (*number == '-' && !number[1 + strspn(number + 1, "0.")]));
}

static void add_digits(ripstop_text *out, double number, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, number);
  add_signless_zero(out, text);
}

/* In three digits, or as many as distinguish the ends from the middle. */
static void print_uneven(ripstop_text *out, ripstop_estimate e) {
  int digits = 3;
  while (digits < 9 && (look_alike(e.mean, e.low, digits) || look_alike(e.mean, e.high, digits))) digits++;
  add_digits(out, e.mean, digits);
  ripstop_text_add(out, " [");
  add_digits(out, e.low, digits);
  ripstop_text_add(out, ", ");
  add_digits(out, e.high, digits);
  ripstop_text_add(out, "]");
}

/* Four digits, but every digit before the point: 36125 is no 3.612e+04. */
void plot_print_number(ripstop_text *out, double number) {
  char text[40];
  snprintf(text, sizeof text, fabs(number) >= 1e4 && fabs(number) < 1e15 ? "%.0f" : "%.4g", number);
  add_signless_zero(out, text);
}

static void print_even(ripstop_text *out, double mean, double half) {
  char text[400];
  snprintf(text, sizeof text, "%.*f", decimals_for(half), mean);
  add_signless_zero(out, text);
  ripstop_text_add(out, " ± %.*f", decimals_for(half), half);
}

void plot_print_estimate(ripstop_text *out, ripstop_estimate e) {
  double half = (e.high - e.low) / 2;
  bool even = fabs((e.high - e.mean) - (e.mean - e.low)) <= 1e-6 * half;
  if (isnan(e.mean)) return;
  if (!isfinite(half) || half <= 1e-9 * fabs(e.mean))
    plot_print_number(out, e.mean);
  else if (even)
    print_even(out, e.mean, half);
  else
    print_uneven(out, e);
}

void plot_print_measured(ripstop_text *out, const ripstop_judgement *judgement) {
  const ripstop_estimate e = judgement->measured;
  plot_print_estimate(out, e);
  if (isinf(e.low) || isinf(e.high)) ripstop_text_add(out, " %s", plot_unbounded_mark(judgement->too_short)->sign);
}

void plot_print_point(ripstop_text *out, const ripstop_point *point) {
  plot_print_estimate(out, point->y);
  plot_print_signs(out, point);
  if (point->runs && point->of_saturation && point->lost > 0)
    ripstop_text_add(out, " (%.3g %% lost)", 100 * point->lost);
}

void plot_print_cell(ripstop_text *out, const ripstop_point *point) {
  size_t before = out->length;
  plot_print_point(out, point);
  if (point->runs && !isnan(point->at)) {
    ripstop_text_add(out, " at ");
    plot_print_number(out, point->at);
  }
  if (point->left_out) ripstop_text_add(out, "%s(%zu left out)", out->length > before ? " " : "", point->left_out);
}

void plot_print_finding(ripstop_text *out, const ripstop_claim *claim, const ripstop_judgement *judgement) {
  ripstop_text_add(out, "%s%s", ripstop_counted_words[ripstop_claim_counts_as(claim, judgement)],
                   judgement->one_set ? ": one fault set" : "");
}

const char *plot_badge(ripstop_counted counted) {
  if (counted == RIPSTOP_COUNTED_REPRODUCED || counted == RIPSTOP_COUNTED_HOLDS) return "badge good";
  return counted == RIPSTOP_COUNTED_DIFFERS || counted == RIPSTOP_COUNTED_FAILS ? "badge bad" : "badge";
}

void plot_put_finding(ripstop_text *out, const ripstop_claim *claim, const ripstop_judgement *judgement) {
  ripstop_text_add(out, "<span class=\"%s\">", plot_badge(ripstop_claim_counts_as(claim, judgement)));
  plot_print_finding(out, claim, judgement);
  ripstop_text_add(out, "</span>");
}

/* Nothing where it is not said. */
void plot_print_cause(ripstop_text *out, const ripstop_claim *claim) {
  if (claim->cause == RIPSTOP_CAUSE_UNEXPLAINED) ripstop_text_add(out, "unexplained");
  if (claim->cause == RIPSTOP_CAUSE_TESTED) ripstop_text_add(out, "tested-by %s", claim->tested_by);
}

void plot_print_verdicts(ripstop_text *out, const size_t verdict[RIPSTOP_OUTCOMES]) {
  bool first = true;
  for (size_t i = 0; i < RIPSTOP_OUTCOMES; i++)
    if (verdict[i]) {
      ripstop_text_add(out, "%s%zu %s", first ? "" : ", ", verdict[i], ripstop_outcome_words[i]);
      first = false;
    }
}
