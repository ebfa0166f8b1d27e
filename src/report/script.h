/* script.h - what the parts of a script for gnuplot share (script.c, heatmap.c). */
#ifndef REPORT_SCRIPT_H
#define REPORT_SCRIPT_H

#include "report/plot.h"

/* Adds a text in double quotes for gnuplot, in lines of so many characters. */
void script_quote(ripstop_text *out, const char *text, size_t letters);
/* The names along an axis, 'x' or 'y', as gnuplot's list; the longest line that one under an axis may have, and has. */
void script_words(ripstop_text *script, const char *axis, size_t count, const ripstop_plot *plot, size_t letters);
size_t script_word_letters(const plot_style *style);
size_t script_longest_word(const ripstop_plot *plot, const plot_style *style);
/* A heatmap, and the height of its picture. */
void script_heatmap(ripstop_text *script, const ripstop_plot *plot, const plot_style *style, ripstop_text *names);
size_t script_heatmap_height(const ripstop_plot *plot, const plot_style *style);

#endif
