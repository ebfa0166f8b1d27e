/* colour.c - the mean of two colours by the distance to each. */
#include "draw/colour.h"

#include <math.h>

void draw_colour(ripstop_text *out, const draw_scale *scale, double share) {
  const double at = fmax(0, fmin(1, share)) * (scale->count - 1);
  const int low = (int)at < scale->count - 1 ? (int)at : scale->count - 2;
  const uint8_t *a = scale->rgb[low], *b = scale->rgb[low + 1];
  ripstop_text_add(out, "#");
  for (int i = 0; i < 3; i++) ripstop_text_add(out, "%02x", (int)(a[i] + (at - low) * (b[i] - a[i]) + 0.5));
}
