/* axes.h - how a key of an experiment's file becomes an axis (ripstop_axis). */
#ifndef EXPERIMENT_AXES_H
#define EXPERIMENT_AXES_H

#include "experiment/reader.h"

/* A key that becomes an axis, and how its values are made canonical. */
typedef struct axis_kind axis_kind;
struct axis_kind {
  int (*canonical)(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err);
  const char *owner;             /* options: "traffic" */
  const ripstop_option *options; /* options: the array, and the one of it */
  const ripstop_option *option;
  const char *fallback; /* NULL: must be given */
  bool of_fabric;       /* ripstop_axis.of_fabric */
};

/* The load that is searched for, in place of a number (saturation.c). */
#define AXIS_SATURATION "saturation"

/* Ways to make values canonical. */
int axis_method(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err);
int axis_number(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err);
/* Names of parts need a fabric: NULL until then. */
/* For a key of the switch whose word RIPSTOP_OF_METHOD means the method's own value (ripstop_keys_of_method). */
typedef struct axis_own {
  const char *silent; /* the value that runs' names leave out (ripstop_option.later), or NULL */
  const char *plain;  /* the value of a method that names none */
  bool unnamed;       /* runs' names leave all of its values out */
  /* `method` is a canonical spec. */
  const char *(*of)(const ripstop_spec *spec, const char *method, const char *asked);
} axis_own;
const axis_own *axis_own_find(const char *key); /* NULL: no such key */
/* The value in use; `method` is a spec that was accepted before. */
const char *axis_own_value(const axis_own *own, const ripstop_spec *spec, const char *method, const char *asked);

int axis_later(const reader *r, const axis_kind *kind, const char *text, ripstop_setting *out, ripstop_error *err);
axis_kind axis_of_option(const char *section, const ripstop_option *options, const ripstop_option *option);

/* Adds one axis, with what the file says or its default, and what `quick:` and --set say in its place. `section` may be
 * NULL. */
int axis_add(const reader *r, const yaml_node *root, const char *section, const char *name, const axis_kind *kind);
int axis_add_option(const reader *r, const yaml_node *root, const axis_kind *kind);
/* True if the section, which may be NULL, has only keys of the options. */
int axis_check_section(const reader *r, const yaml_node *map, const char *section, const ripstop_option *options);
/* All options of a section, an axis each. */
int axis_add_section(const reader *r, const yaml_node *root, const char *section, const ripstop_option *options);
size_t axis_options(const ripstop_option *options); /* how many there are */

/* The setting that is written so, of those sorted; NULL: there is none. */
const ripstop_setting *axis_find(const ripstop_setting *const *sorted, size_t count, const char *written);

#endif
