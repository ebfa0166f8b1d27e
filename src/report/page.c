/* page.c - one file without outside resources; all that comes from others is escaped. */
#include "report/page.h"

#include <string.h>

#include "draw/escape.h"
#include "report/page.css.h"

void page_put(ripstop_text *out, const char *text) { ripstop_text_add_bytes(out, text, strlen(text)); }

void page_element(ripstop_text *out, const char *open, const char *text, const char *close) {
  page_put(out, open);
  draw_escape(out, text);
  page_put(out, close);
}

void page_put_link(ripstop_text *out, const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/";
  for (; *path; path++) {
    if (strchr(plain, *path))
      ripstop_text_add_bytes(out, path, 1);
    else
      ripstop_text_add(out, "%%%02X", (unsigned)(unsigned char)*path);
  }
}

void page_open(ripstop_text *out, const char *title, const char *home) {
  page_put(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  page_element(out, "<title>", title, "</title>\n<style>\n");
  page_put(out, ripstop_embedded_page_css);
  page_put(out, "</style></head><body>\n<main>\n<header>");
  if (home) {
    page_put(out, "<nav><a href=\"");
    page_put_link(out, home);
    page_put(out, "\">All experiments and papers</a></nav>\n");
  }
  page_element(out, "<h1>", title, "</h1>\n");
}

/* Keyboards scroll what they can focus. */
void page_open_table(ripstop_text *out, const char *name) {
  page_element(out, "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"", name, "\"><table>");
}

void page_close_table(ripstop_text *out) { page_put(out, "</tbody></table></div>\n"); }
