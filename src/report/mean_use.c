/* mean_use.c - sums the use of each channel over the runs, which name channels, and divides by their number. */
#include "report/mean_use.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inputs.h"
#include "ripstop/kit/report.h"

typedef struct channel {
  const char *name;
  uint32_t port;
} channel;

typedef struct reading {
  ripstop_arena *arena;
  const ripstop_fabric *fabric;
  channel *channel; /* [channels], by name */
  uint32_t channels;
  double *sum;     /* [ports] */
  uint32_t *count; /* [ports] */
  uint32_t runs;
  const char *faults;
} reading;

/* ------------------------------------------------------------------ channels by name */

static int by_name(const void *a, const void *b) {
  return strcmp(((const channel *)a)->name, ((const channel *)b)->name);
}

static void name_channels(reading *r) {
  const ripstop_fabric *f = r->fabric;
  char link_name[RIPSTOP_NAME_MAX], node_name[RIPSTOP_NAME_MAX];
  r->channel = RIPSTOP_ARRAY(r->arena, 2 * (size_t)(f->links - f->link_ends) + 1, channel);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; side < 2; side++) {
      ripstop_link_name(f, link, link_name);
      ripstop_node_name(f, ripstop_link_node(f, link, 1 - side), node_name);
      r->channel[r->channels++] = (channel){ripstop_arena_printf(r->arena, RIPSTOP_LINK_USE_OF, link_name, node_name),
                                            f->link_port[2 * (size_t)link + side]};
    }
  qsort(r->channel, r->channels, sizeof *r->channel, by_name);
}

/* True if the value is that of one of the channels; it is added to its sum. */
static bool add(reading *r, const char *name, double value) {
  const channel key = {.name = name};
  const channel *found = bsearch(&key, r->channel, r->channels, sizeof key, by_name);
  if (!found || isnan(value)) return false;
  r->sum[found->port] += value, r->count[found->port]++;
  return true;
}

/* ------------------------------------------------------------------ one run */

static int read_one(reading *r, const char *path, ripstop_error *err) {
  json_error_t where;
  FILE *file = ripstop_input_open(path, err);
  if (!file) return -1;
  json_t *all = json_loadf(file, JSON_REJECT_DUPLICATES, &where), *value;
  fclose(file);
  const char *fabric = json_string_value(json_object_get(all, "fabric")), *name;
  uint32_t found = 0;
  int status = 0;
  if (!all)
    status = ripstop_fail(err, "%s:%d: %s; --heat takes what 'simulate --json' printed, and experiments (.yaml)", path,
                          where.line, where.text);
  else if (!fabric || strcmp(fabric, r->fabric->spec) != 0)
    status = ripstop_fail(err, "%s: it is of %s, not of %s", path, fabric ? fabric : "no fabric", r->fabric->spec);
  else
    json_object_foreach(all, name, value) found += add(r, name, json_is_number(value) ? json_number_value(value) : NAN);
  if (!status && !found)
    status = ripstop_fail(err, "%s: the use of links was not measured; simulate with --set measure.links=on", path);
  const char *faults = json_string_value(json_object_get(all, "faults"));
  if (!status && r->runs++ == 0 && faults) r->faults = ripstop_arena_text(r->arena, faults);
  json_decref(all);
  return status;
}

/* ------------------------------------------------------------------ an experiment's runs */

static int check_where(ripstop_arena *arena, const ripstop_spec *spec, const char *word, ripstop_error *err) {
  const char *equals = strchr(word, '=');
  if (!equals) return ripstop_fail(err, "--where %s: KEY=VALUE is needed", word);
  const char **keys = RIPSTOP_ARRAY(arena, spec->axes + 1, const char *);
  const char *key = ripstop_arena_printf(arena, "%.*s", (int)(equals - word), word);
  const ripstop_axis *axis = ripstop_spec_axis(spec, key);
  for (size_t i = 0; i < spec->axes; i++) keys[i] = spec->axis[i].key;
  const char *near = axis ? NULL : ripstop_nearest_word(key, keys);
  if (!axis)
    return ripstop_fail(err, "--where %s: %s has no key '%s'%s%s%s", word, spec->file, key,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  const char **values = RIPSTOP_ARRAY(arena, axis->count + 1, const char *);
  for (size_t i = 0; i < axis->count; i++) {
    values[i] = axis->setting[i].written;
    if (!strcmp(values[i], equals + 1)) return 0;
  }
  near = ripstop_nearest_word(equals + 1, values);
  return ripstop_fail(err, "--where %s: no run of %s has that%s%s%s", word, spec->file, near ? "; did you mean '" : "",
                      near ? near : "", near ? "'?" : "");
}

static bool is_meant(ripstop_arena *arena, const ripstop_runs *runs, const ripstop_run *run,
                     const ripstop_link_use_settings *s) {
  for (unsigned i = 0; i < s->wheres; i++) {
    const char *equals = strchr(s->where[i], '=');
    const char *key = ripstop_arena_printf(arena, "%.*s", (int)(equals - s->where[i]), s->where[i]);
    const ripstop_axis *axis = ripstop_spec_axis(runs->spec, key);
    bool is = false;
    for (size_t k = 0; k < axis->count && !is; k++)
      is = !strcmp(axis->setting[k].written, equals + 1) &&
           ripstop_runs_is(runs, &axis->setting[k], ripstop_run_key_written(run, key));
    if (!is) return false;
  }
  return true;
}

static int read_runs(reading *r, const ripstop_data *data, const ripstop_link_use_settings *s, ripstop_error *err) {
  const ripstop_runs *runs = data->runs;
  uint32_t meant = 0, before = r->runs;
  for (unsigned i = 0; i < s->wheres; i++)
    if (check_where(r->arena, runs->spec, s->where[i], err)) return -1;
  for (size_t i = 0; i < runs->count; i++) {
    const ripstop_outcome *outcome = data->outcome[i];
    if (!outcome || strcmp(runs->run[i].fabric->spec, r->fabric->spec) != 0 ||
        !is_meant(r->arena, runs, &runs->run[i], s))
      continue;
    uint32_t found = 0;
    for (size_t v = 0; v < outcome->values; v++) found += add(r, outcome->value[v].name, outcome->value[v].value);
    meant++, r->runs += found > 0;
    if (found) r->faults = r->runs == 1 && *outcome->faults ? ripstop_arena_text(r->arena, outcome->faults) : NULL;
  }
  if (!meant) return ripstop_fail(err, "%s: no stored run of %s is meant", runs->spec->file, r->fabric->spec);
  if (r->runs == before)
    return ripstop_fail(err, "%s: its runs did not measure the use of links; it needs measure: {links: on}",
                        runs->spec->file);
  return 0;
}

/* ------------------------------------------------------------------ all files */

static bool is_experiment(const char *path) {
  const size_t length = strlen(path);
  return length > 5 && !strcmp(path + length - 5, ".yaml");
}

static int read_file(reading *r, const char *path, const ripstop_link_use_settings *s, ripstop_error *err) {
  if (!is_experiment(path)) return read_one(r, path, err);
  ripstop_campaign_settings settings = ripstop_campaign_defaults(path);
  ripstop_data data;
  settings.store = s->store, settings.mode = RIPSTOP_CAMPAIGN_READ;
  ripstop_campaign *c = ripstop_campaign_open(&settings, err);
  bool good = c && !ripstop_report_load(c, RIPSTOP_LOAD_ALL, &data, err) && !read_runs(r, &data, s, err);
  ripstop_campaign_close(c);
  return good ? 0 : -1;
}

int ripstop_link_use_read(ripstop_arena *arena, const ripstop_link_use_settings *s, ripstop_link_use *out,
                          ripstop_error *err) {
  const ripstop_fabric *fabric = s->fabric;
  reading r = {.arena = arena, .fabric = fabric};
  r.sum = RIPSTOP_ARRAY(arena, fabric->ports + 1, double), r.count = RIPSTOP_ARRAY(arena, fabric->ports + 1, uint32_t);
  name_channels(&r);
  for (unsigned i = 0; i < s->files; i++)
    if (read_file(&r, s->file[i], s, err)) return -1;
  for (uint32_t port = 0; port < fabric->ports; port++) r.sum[port] = r.count[port] ? r.sum[port] / r.count[port] : NAN;
  *out = (ripstop_link_use){.use = r.sum, .runs = r.runs, .faults = r.runs == 1 ? r.faults : NULL};
  return 0;
}
