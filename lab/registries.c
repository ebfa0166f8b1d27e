/* registries.c - what there is to choose from, from the registries themselves. */
#include <string.h>

#include "base/memory.h"
#include "lab/scene.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/pattern.h"
#include "ripstop/plugin/workload.h"

static void add_word(ripstop_text *out, const char *name, const char *summary, const char *example) {
  ripstop_text_add(out, "%s\t%s\t%s\n", name, summary, example ? example : name);
}

/* Some come from files, which a page does not have. */
static bool opens(const char *spec) {
  ripstop_error ignored;
  ripstop_fabric *fabric = ripstop_fabric_open(spec, &ignored);
  ripstop_fabric_free(fabric);
  return fabric != NULL;
}

void lab_words(const char *kind) {
  ripstop_text *out = lab_say();
  if (!strcmp(kind, "fabric"))
    for (const ripstop_family *const *f = ripstop_families; *f; f++)
      if (opens((*f)->example)) add_word(out, (*f)->name, (*f)->summary, (*f)->example);
  if (!strcmp(kind, "method"))
    for (const ripstop_method *const *m = ripstop_methods; *m; m++) add_word(out, (*m)->name, (*m)->summary, NULL);
  if (!strcmp(kind, "pattern"))
    for (const ripstop_pattern *const *p = ripstop_patterns; *p; p++) add_word(out, (*p)->name, (*p)->summary, NULL);
  if (!strcmp(kind, "workload"))
    for (const ripstop_workload *const *w = ripstop_workloads; *w; w++) add_word(out, (*w)->name, (*w)->summary, NULL);
}

static int list_methods(ripstop_text *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  ripstop_view *view = ripstop_view_new(lab.fabric, NULL);
  for (const ripstop_method *const *m = ripstop_methods; *m; m++) {
    ripstop_error why = {0};
    ripstop_plan *plan = ripstop_plan_compile(view, (*m)->name, NULL, &why);
    ripstop_text_add(out, "%s\t%s\n", (*m)->name, why.text);
    ripstop_plan_free(plan);
  }
  ripstop_view_free(view);
  return 0;
}

int lab_methods(void) {
  ripstop_error err = {0};
  return list_methods(lab_say(), &err) ? lab_fail(&err) : 0;
}
