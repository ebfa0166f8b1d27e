/* escape.c - one byte after the other. */
#include "draw/escape.h"

void draw_escape(ripstop_text *out, const char *text) {
  for (; *text; text++) {
    const char *entity = *text == '&'    ? "&amp;"
                         : *text == '<'  ? "&lt;"
                         : *text == '>'  ? "&gt;"
                         : *text == '"'  ? "&quot;"
                         : *text == '\'' ? "&#39;"
                                         : NULL;
    bool control = (unsigned char)*text < ' ' && *text != '\n' && *text != '\t';
    if (entity)
      ripstop_text_add(out, "%s", entity);
    else
      ripstop_text_add_bytes(out, control ? "?" : text, 1);
  }
}
