/* made_site.h - a made site: a regular fat tree of two or three levels as an ibnetdiscover dump, and named changes to
 * it, so that the right answer is known by construction.
 *
 * Switches stand in the order of the dump: cores, then each pod's spines and leaves. Leaf l of a pod has its hosts at
 * the ports from 1, and its cable k to spine s at port MADE_UP + s * twins + k; the spine has it at 1 + l * twins + k.
 * Spine s has its cable to the c-th of its cores at MADE_UP + c, the core at 1 + pod. */
#ifndef RIPSTOP_TESTS_MADE_SITE_H
#define RIPSTOP_TESTS_MADE_SITE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fabric/ib.h"
#include "ripstop/fabric.h"

enum { MADE_PORTS = 40, MADE_UP = 21, MADE_SWITCHES = 128, MADE_NAME = 64 };

typedef struct made_port {
  bool used, host;
  uint32_t peer, port;  /* the other switch and its port */
  char name[MADE_NAME]; /* a host's adapter, with its LID */
  uint32_t lid;
  const char *speed;
} made_port;

typedef struct made_switch {
  char name[MADE_NAME];
  bool gone;
  made_port port[MADE_PORTS + 1];
} made_switch;

typedef struct made_sizes {
  uint32_t pods, leaves, spines, cores, twins, hosts; /* cores of a spine; 0: two levels, one pod */
} made_sizes;

typedef struct made_site {
  made_sizes size;
  made_switch at[MADE_SWITCHES];
  uint32_t switches, hosts;
} made_site;

static inline uint32_t made_cores(const made_site *s) { return s->size.cores * s->size.spines; }
static inline uint32_t made_spine(const made_site *s, uint32_t pod, uint32_t spine) {
  return made_cores(s) + pod * (s->size.spines + s->size.leaves) + spine;
}
static inline uint32_t made_leaf(const made_site *s, uint32_t pod, uint32_t leaf) {
  return made_spine(s, pod, s->size.spines) + leaf;
}

static inline void made_join(made_site *s, uint32_t a, uint32_t port_a, uint32_t b, uint32_t port_b) {
  made_port *x = &s->at[a].port[port_a], *y = &s->at[b].port[port_b];
  if (x->used || y->used || port_a > MADE_PORTS || port_b > MADE_PORTS)
    fail_msg("port %u or %u is taken", port_a, port_b);
  *x = (made_port){.used = true, .peer = b, .port = port_b, .speed = "4xHDR"};
  *y = (made_port){.used = true, .peer = a, .port = port_a, .speed = "4xHDR"};
}

static inline void made_cut(made_site *s, uint32_t a, uint32_t port) {
  made_port *x = &s->at[a].port[port];
  if (!x->used || x->host) fail_msg("no cable at port %u", port);
  s->at[x->peer].port[x->port].used = false;
  x->used = false;
}

static inline void made_speed(made_site *s, uint32_t a, uint32_t port, const char *speed) {
  made_port *x = &s->at[a].port[port];
  x->speed = speed;
  if (!x->host) s->at[x->peer].port[x->port].speed = speed;
}

static inline void made_remove(made_site *s, uint32_t a) {
  for (uint32_t p = 1; p <= MADE_PORTS; p++)
    if (s->at[a].port[p].used && !s->at[a].port[p].host) made_cut(s, a, p);
  s->at[a].gone = true;
}

static inline void made_host(made_site *s, uint32_t a, uint32_t port, const char *name) {
  made_port *x = &s->at[a].port[port];
  *x = (made_port){.used = true, .host = true, .speed = "4xHDR", .lid = 1000 + s->hosts++};
  snprintf(x->name, sizeof x->name, "%.*s", MADE_NAME - 1, name);
}

static inline uint32_t made_add(made_site *s, const char *name, uint32_t hosts) {
  made_switch *at = &s->at[s->switches];
  *at = (made_switch){0};
  snprintf(at->name, sizeof at->name, "%.*s", MADE_NAME - 1, name);
  for (uint32_t h = 0; h < hosts; h++) {
    char text[MADE_NAME];
    snprintf(text, sizeof text, "%.40s-n%02u mlx5_0", name, h);
    made_host(s, s->switches, 1 + h, text);
  }
  return s->switches++;
}

/* "leaf-03", or "lf1-03" in pod 1 of several. */
static inline const char *made_name(const made_site *s, const char *kind, const char *in_pod, uint32_t pod,
                                    uint32_t i) {
  static char name[MADE_NAME];
  if (s->size.pods > 1)
    snprintf(name, sizeof name, "%s%u-%02u", in_pod, pod, i + 1);
  else
    snprintf(name, sizeof name, "%s-%02u", kind, i + 1);
  return name;
}

static inline void made_pod(made_site *s, uint32_t pod) {
  const made_sizes *z = &s->size;
  for (uint32_t i = 0; i < z->spines; i++) {
    const uint32_t spine = made_add(s, made_name(s, "spine", "sp", pod, i), 0);
    for (uint32_t c = 0; c < z->cores; c++) made_join(s, spine, MADE_UP + c, i * z->cores + c, 1 + pod);
  }
  for (uint32_t l = 0; l < z->leaves; l++) {
    const uint32_t leaf = made_add(s, made_name(s, "leaf", "lf", pod, l), z->hosts);
    for (uint32_t i = 0; i < z->spines; i++)
      for (uint32_t k = 0; k < z->twins; k++)
        made_join(s, leaf, MADE_UP + i * z->twins + k, made_spine(s, pod, i), 1 + l * z->twins + k);
  }
}

/* Names that say nothing. */
static inline void made_rename(made_site *s) {
  for (uint32_t v = 0; v < s->switches; v++)
    snprintf(s->at[v].name, sizeof s->at[v].name, "%c%c%x", 'a' + (int)(v * 7 % 26), 'a' + (int)(v * 5 % 23),
             v * 2654435761u);
}

static inline made_site *made_new(made_sizes size) {
  made_site *s = calloc(1, sizeof *s);
  if (s == NULL) abort();
  s->size = size;
  for (uint32_t c = 0; c < made_cores(s); c++) {
    char name[MADE_NAME];
    snprintf(name, sizeof name, "core-%02u", c + 1);
    made_add(s, name, 0);
  }
  for (uint32_t pod = 0; pod < size.pods; pod++) made_pod(s, pod);
  return s;
}

static inline uint32_t made_guid(uint32_t item) { return 0x1000 * (item + 1); }

/* The id of a switch in the dump. */
static inline const char *made_id(uint32_t item) {
  static char id[4][24];
  static unsigned next;
  char *out = id[next++ % 4];
  snprintf(out, sizeof id[0], "S-%016x", made_guid(item));
  return out;
}

static inline void made_write_host(ripstop_text *text, const made_site *s, uint32_t number, uint32_t at,
                                   uint32_t port) {
  const made_port *p = &s->at[at].port[port];
  const uint32_t guid = 0x1000000 + 0x1000 * number;
  ripstop_text_add(text, "\nCa\t1 \"H-%016x\"\t\t# \"%s\"\n", guid, p->name);
  ripstop_text_add(text, "[1](%x) \t\"S-%016x\"[%u]\t\t# lid %u lmc 0 \"%s\" lid %u %s\n", guid + 1, made_guid(at),
                   port, p->lid, s->at[at].name, at + 1, p->speed);
}

static inline void made_write_switch(ripstop_text *text, const made_site *s, uint32_t v, uint32_t *hosts) {
  const made_switch *at = &s->at[v];
  ripstop_text_add(text, "\nSwitch\t%d \"S-%016x\"\t\t# \"%s\" enhanced port 0 lid %u lmc 0\n", MADE_PORTS,
                   made_guid(v), at->name, v + 1);
  for (uint32_t p = 1; p <= MADE_PORTS; p++) {
    const made_port *port = &at->port[p];
    if (port->used && port->host)
      ripstop_text_add(text, "[%u]\t\"H-%016x\"[1](%x)\t\t# \"%s\" lid %u %s\n", p, 0x1000000 + 0x1000 * *hosts,
                       0x1000001 + 0x1000 * *hosts, port->name, port->lid, port->speed),
          ++*hosts;
    else if (port->used)
      ripstop_text_add(text, "[%u]\t\"S-%016x\"[%u]\t\t# \"%s\" lid %u %s\n", p, made_guid(port->peer), port->port,
                       s->at[port->peer].name, port->peer + 1, port->speed);
  }
}

/* The dump as a fabric; frees the site. */
static inline ripstop_fabric *made_open(made_site *s) {
  ripstop_text text = {0};
  ripstop_error err = {0};
  uint32_t hosts = 0, written = 0;
  for (uint32_t v = 0; v < s->switches; v++)
    if (!s->at[v].gone) made_write_switch(&text, s, v, &hosts);
  for (uint32_t v = 0; v < s->switches; v++)
    for (uint32_t p = 1; p <= MADE_PORTS && !s->at[v].gone; p++)
      if (s->at[v].port[p].used && s->at[v].port[p].host) made_write_host(&text, s, written++, v, p);
  ripstop_fabric *f = ripstop_ib_from_text("made", text.data, text.length, &err);
  if (f == NULL) fail_msg("%s", err.text);
  ripstop_text_free(&text);
  free(s);
  return f;
}

#endif
