/* panels.c - the section `panels:`: several of the file's figures as one, side by side. */
#include <string.h>

#include "experiment/reader.h"

enum { MOST = 12, COLUMNS_MOST = 4 }; /* figures of one; beyond nothing can be read */

static const char *const panels_words[] = {"id", "title", "figures", "columns", NULL};

static int find_figure(const reader *r, const yaml_node *node, const ripstop_figure **out) {
  const ripstop_spec *spec = r->spec;
  const char **words = RIPSTOP_ARRAY(spec->arena, spec->figures + 1, const char *);
  size_t count = 0;
  if (reader_value(r, node, "figures")) return -1;
  for (size_t i = 0; i < spec->figures; i++) {
    const ripstop_figure *figure = &spec->figure[i];
    if (!strcmp(figure->id, node->text)) *out = figure;
    if (!figure->table_only) words[count++] = figure->id;
  }
  if (!*out) return reader_unknown(r, node->line, "figure", node->text, words);
  if ((*out)->table_only) return reader_fail(r, node->line, "'%s' is a table, which is not drawn", node->text);
  return 0;
}

static int read_panel(const reader *r, const yaml_node *node, ripstop_panels *panel) {
  *panel = (ripstop_panels){.line = node->line, .columns = 2};
  if (reader_map(r, node, "a list of panels", panels_words) || reader_id(r, node, "a list of panels", &panel->id))
    return -1;
  panel->title = panel->id;
  if (reader_text(r, node, "title", &panel->title)) return -1;
  const yaml_node *figures = yaml_get(node, "figures"), *columns = yaml_get(node, "columns");
  double wanted = 2;
  if (!figures || figures->kind != YAML_LIST || figures->count < 2 || figures->count > MOST)
    return reader_fail(r, figures ? figures->line : node->line,
                       "panels '%s': figures must be a list of 2 to %d ids of figures", panel->id, MOST);
  if (columns && reader_real(r, columns, "columns", &wanted)) return -1;
  panel->columns = wanted >= 1 && wanted <= COLUMNS_MOST ? (size_t)wanted : 0;
  if (!panel->columns || (double)panel->columns != wanted)
    return reader_fail(r, columns ? columns->line : node->line, "columns must be a whole number from 1 to %d",
                       COLUMNS_MOST);
  const ripstop_figure **figure = RIPSTOP_ARRAY(r->spec->arena, figures->count, const ripstop_figure *);
  for (size_t i = 0; i < figures->count; i++)
    if (find_figure(r, &figures->item[i], &figure[i])) return -1;
  panel->figure = figure, panel->figures = figures->count;
  return 0;
}

/* Figures and panels become files of these names. */
static int check_id(const reader *r, const ripstop_panels *panel) {
  for (size_t f = 0; f < r->spec->figures; f++)
    if (reader_other_id(r, panel->id, panel->line, r->spec->figure[f].id, r->spec->figure[f].line)) return -1;
  for (const ripstop_panels *other = r->spec->panel; other < panel; other++)
    if (reader_other_id(r, panel->id, panel->line, other->id, other->line)) return -1;
  return 0;
}

int reader_panels(reader *r, const yaml_node *panels) {
  if (!panels) return 0;
  if (reader_list(r, panels, "panels")) return -1;
  ripstop_panels *panel = RIPSTOP_ARRAY(r->spec->arena, panels->count + 1, ripstop_panels);
  r->spec->panel = panel;
  for (size_t i = 0; i < panels->count; i++, r->spec->panels++)
    if (read_panel(r, &panels->item[i], &panel[i]) || check_id(r, &panel[i])) return -1;
  return 0;
}
