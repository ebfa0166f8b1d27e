/* sheets.c - several figures as one picture. */
#include "draw/escape.h"
#include "report/judging.h"
#include "report/page.h"
#include "report/plot.h"

plot_sheet plot_alone(const ripstop_plot *const *plot) {
  return (plot_sheet){
      .id = (*plot)->figure->id, .title = (*plot)->figure->title, .plots = 1, .columns = 1, .plot = plot};
}

plot_sheet plot_panels(ripstop_arena *arena, const ripstop_data *data, const ripstop_panels *panels) {
  const ripstop_plot **plot = RIPSTOP_ARRAY(arena, panels->figures, const ripstop_plot *);
  plot_sheet sheet = {.id = panels->id, .title = panels->title, .columns = panels->columns, .plot = plot};
  for (size_t i = 0; i < panels->figures; i++) {
    const ripstop_plot *one = ripstop_plot_figure(arena, data, panels->figure[i]);
    if (plot_points(one)) plot[sheet.plots++] = one;
  }
  return sheet;
}

static int write_one(ripstop_text *out, const plot_sheet *sheet, ripstop_error *err) {
  const size_t before = out->length;
  page_element(out, "<h2 id=\"", sheet->id, "\">");
  page_element(out, "", sheet->title, "</h2>\n<figure><div class=\"still\" role=\"region\" tabindex=\"0\"");
  page_element(out, " aria-label=\"", sheet->title, "\">");
  const int status = plot_svg(sheet, &plot_page_panel, out, err);
  page_put(out, "</div></figure>\n<p class=\"facts\">The same as");
  for (size_t i = 0; i < sheet->plots; i++) {
    page_element(out, i ? ", <a href=\"#" : " <a href=\"#", sheet->plot[i]->figure->id, "\">");
    page_element(out, "", sheet->plot[i]->figure->title, "</a>");
  }
  page_put(out, ".</p>\n");
  if (status) out->length = before;
  return status;
}

int plot_write_panels(ripstop_text *out, const ripstop_data *data, ripstop_error *err) {
  const ripstop_spec *spec = data->runs->spec;
  int status = 0;
  for (size_t i = 0; i < spec->panels && !status; i++) {
    ripstop_arena *arena = ripstop_arena_new();
    const plot_sheet sheet = plot_panels(arena, data, &spec->panel[i]);
    status = sheet.plots ? write_one(out, &sheet, err) : 0;
    ripstop_arena_free(arena);
    if (status < 0)
      return ripstop_fail_at(err, "%s:%d: panels '%s'", spec->file, spec->panel[i].line, spec->panel[i].id);
  }
  return status;
}
