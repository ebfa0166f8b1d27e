/* Scopes: what may fail, by kind, by group of the fabric and by pattern; and the groups that families define, against
 * counts from papers and against the names of the links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ripstop/kit/fabrics.h"
#include "ripstop/plugin/family.h"
#include "ripstop/plugin/faults.h"
#include "ripstop/plugin/process.h"

typedef struct bed {
  ripstop_arena *arena;
  ripstop_fabric *fabric;
  ripstop_names *names;
  ripstop_error err;
} bed;

static bed open_bed(const char *spec) {
  bed b = {.arena = ripstop_arena_new()};
  b.fabric = ripstop_fabric_open(spec, &b.err);
  if (!b.fabric) fail_msg("%s", b.err.text);
  b.names = ripstop_names_new(b.fabric);
  return b;
}

static void close_bed(bed *b) {
  ripstop_names_free(b->names);
  ripstop_fabric_free(b->fabric);
  ripstop_arena_free(b->arena);
}

static const ripstop_fault_scope *scope_of(bed *b, const char *text) {
  const ripstop_fault_scope *scope;
  if (ripstop_scope_open(b->arena, b->names, text, &scope, &b->err)) fail_msg("%s: %s", text, b->err.text);
  assert_string_equal(ripstop_scope_name(scope), ripstop_scope_canonical(text));
  return scope;
}

/* Group sizes by the closed forms of the families' papers. */
static void groups_have_the_sizes_of_papers(void **state) {
  (void)state;
  static const struct {
    const char *spec, *scope;
    uint32_t parts;
  } known[] = {
      {"dragonfly:a=4,p=2,h=2", "local", 9 * 6},      /* g = a h + 1 groups, a (a - 1) / 2 cables in each */
      {"dragonfly:a=4,p=2,h=2", "global", 9 * 8 / 2}, /* every two groups have one */
      {"dragonfly:a=4,p=2,h=2,g=3", "global", 3 * 8 / 2},
      {"dragonfly+:leaves=2,spines=3,h=2,g=3,p=2", "local", 3 * 6},
      {"dragonfly+:leaves=2,spines=3,h=2,g=3,p=2", "global", 3 * 6 / 2},
      {"slimfly:q=5,p=1", "local", 50 * 2 / 2}, /* (q - d) / 2 of the (3 q - d) / 2 cables of a router */
      {"slimfly:q=5,p=1", "global", 125},       /* q^3 */
      {"kary-ntree:k=3,n=3", "level-0", 27},
      {"kary-ntree:k=3,n=3", "level-1", 27},
      {"mport-ntree:m=4,n=3", "level-1", 16},
      {"xgft:m=2.3,w=1.2", "level-1", 6},
      {"torus:4x2x3", "dim-0", 24},
      {"torus:4x2x3", "dim-2", 24},
      {"mesh:3x4", "dim-0", 2 * 4},
      {"mesh:3x4", "dim-1", 3 * 3},
      {"hyperx:3x2,k=1x2", "dim-0", 3 * 2},
      {"hyperx:3x2,k=1x2", "dim-1", 3 * 2},
      {"kns:k=3,n=2", "dim-1", 9},
      {"kns:k=4,n=1,s=2", "dim-0", 4 + 4}, /* routers to their line, and inside it */
      {"rail:units=2,servers=2,rails=2,spines=1", "spine", 4},
      {"rail:units=2,servers=2,rails=2,spines=1,nvswitch=1", "rail", 8},
      {"rail:units=2,servers=2,rails=2,spines=1,nvswitch=1", "server", 8},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    bed b = open_bed(known[i].spec);
    uint32_t parts = ripstop_faults_population(b.fabric, scope_of(&b, known[i].scope));
    if (parts != known[i].parts)
      fail_msg("%s: %s has %u links, not %u", known[i].spec, known[i].scope, parts, known[i].parts);
    close_bed(&b);
  }
}

/* In every family each link between switches is in one group, its number in the scope leads back to it, and the words
 * are words. */
static void groups_part_the_links_between_switches(void **state) {
  (void)state;
  for (const ripstop_family *const *family = ripstop_families; *family; family++) {
    if (!(*family)->groups) continue;
    char spec[200], name[RIPSTOP_NAME_MAX];
    snprintf(spec, sizeof spec, "%s", (*family)->example);
    bed b = open_bed(spec);
    ripstop_group_size *group;
    uint32_t groups, sum = 0;
    assert_int_equal(ripstop_fabric_groups(b.arena, b.fabric, &group, &groups), 0);
    assert_true(groups > 0);
    for (uint32_t g = 0; g < groups; g++) {
      const ripstop_fault_scope *scope = scope_of(&b, group[g].name);
      assert_false(ripstop_scope_is_switches(scope));
      assert_int_equal(group[g].switches, 0);
      assert_int_equal(ripstop_faults_population(b.fabric, scope), group[g].links);
      for (uint32_t part = 0; part < group[g].links; part++) {
        uint32_t link = ripstop_scope_id(b.fabric, scope, part);
        assert_int_equal(ripstop_scope_part(b.fabric, scope, link), part);
        assert_true(link >= b.fabric->link_ends);
        assert_true(ripstop_link_group_of(b.fabric, link, name));
        assert_string_equal(name, group[g].name);
      }
      sum += group[g].links;
    }
    assert_int_equal(sum, b.fabric->links - b.fabric->link_ends);
    assert_false(ripstop_link_group_of(b.fabric, 0, name)); /* the link of an end node is in none */
    for (const ripstop_link_group *g = (*family)->groups; g->name; g++)
      assert_int_equal(strspn(g->name, "abcdefghijklmnopqrstuvwxyz"), strlen(g->name));
    close_bed(&b);
  }
}

/* The groups of families agree with the names of the links: a second construction. */
static void groups_are_what_names_say(void **state) {
  (void)state;
  static const char *const specs[] = {"dragonfly:a=4,p=2,h=2", "torus:3x4x2", "kary-ntree:k=2,n=4",
                                      "mport-ntree:m=4,n=3"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    bed b = open_bed(specs[i]);
    for (uint32_t link = b.fabric->link_ends; link < b.fabric->links; link++) {
      char name[RIPSTOP_NAME_MAX], group[RIPSTOP_NAME_MAX], said[RIPSTOP_NAME_MAX];
      ripstop_link_name(b.fabric, link, name);
      if (i == 0) /* "GROUP.ROUTER--GROUP.ROUTER" */
        snprintf(said, sizeof said, "%s", atoi(name) == atoi(strstr(name, "--") + 2) ? "local" : "global");
      else if (i == 1) /* "ROUTER/DIMENSION" */
        snprintf(said, sizeof said, "dim-%s", strchr(name, '/') + 1);
      else /* "LEVEL/SWITCH/PORT" */
        snprintf(said, sizeof said, "level-%d", atoi(name));
      assert_true(ripstop_link_group_of(b.fabric, link, group));
      assert_string_equal(group, said);
    }
    close_bed(&b);
  }
}

static void samples_are_of_the_scope(void **state) {
  (void)state;
  bed b = open_bed("dragonfly:a=4,p=2,h=2");
  const ripstop_fault_scope *global = scope_of(&b, "global"), *all = scope_of(&b, "group:global");
  uint8_t *seen = calloc(b.fabric->links, 1);
  uint32_t different = 0;
  for (uint64_t index = 0; index < 200; index++) {
    ripstop_faults set, same;
    assert_int_equal(ripstop_faults_sample(b.arena, b.fabric, global, 8, 3, index, &set, &b.err), 0);
    assert_int_equal(ripstop_faults_sample(b.arena, b.fabric, all, 8, 3, index, &same, &b.err), 0);
    assert_int_equal(set.links, 8);
    assert_memory_equal(set.link, same.link, 8 * sizeof *set.link);
    for (uint32_t i = 0; i < 8; i++) {
      char group[RIPSTOP_NAME_MAX];
      assert_true(i == 0 || set.link[i] > set.link[i - 1]);
      assert_true(ripstop_link_group_of(b.fabric, set.link[i], group));
      assert_string_equal(group, "global");
      different += !seen[set.link[i]], seen[set.link[i]] = 1;
    }
  }
  assert_int_equal(different, 36);
  ripstop_faults set;
  assert_int_equal(ripstop_faults_sample(b.arena, b.fabric, global, 37, 3, 0, &set, &b.err), -1);
  assert_string_equal(
      b.err.text,
      "37 faults requested, but dragonfly:a=4,p=2,h=2,g=9,arrangement=palmtree has only 36 parts of the kind 'global'");
  free(seen);
  close_bed(&b);
}

static void patterns_are_links_or_switches(void **state) {
  (void)state;
  bed b = open_bed("kary-ntree:k=2,n=3");
  assert_int_equal(ripstop_faults_population(b.fabric, scope_of(&b, "0/?.?/*")), 8);
  assert_false(ripstop_scope_is_switches(scope_of(&b, "0/?.?/*")));
  assert_int_equal(ripstop_faults_population(b.fabric, scope_of(&b, "switch:1/*")), 4);
  assert_true(ripstop_scope_is_switches(scope_of(&b, "switch:1/*")));
  assert_true(ripstop_scope_is_switches(scope_of(&b, "switches")));
  uint32_t id = ripstop_scope_id(b.fabric, scope_of(&b, "switch:1/*"), 0);
  char name[RIPSTOP_NAME_MAX];
  ripstop_node_name(b.fabric, id, name);
  assert_string_equal(name, "1/0.0");
  close_bed(&b);
}

/* Equal scopes have equal names, so their runs are the same runs. */
static void equal_scopes_have_one_name(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"global", "global"},     {"group:global", "global"}, {"switches", "switches"},
      {"switch:*", "switches"}, {"switch:0*", "switch:0*"},
  };
  static const char *const kept[] = {"group:", "group:switches", "group:a~b", "group:group:a", "group:switch:1"};
  bed b = open_bed("dragonfly:a=4,p=2,h=2");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_string_equal(ripstop_scope_name(scope_of(&b, names[i][0])), names[i][1]);
  assert_ptr_equal(scope_of(&b, "switch:*"), RIPSTOP_FAULTS_SWITCHES);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    assert_string_equal(ripstop_scope_canonical(kept[i]), kept[i]);
  ripstop_rule one, other;
  assert_int_equal(ripstop_rule_open(b.arena, b.names, "random:8,scope=global", NULL, &one, &b.err), 0);
  assert_int_equal(ripstop_rule_open(b.arena, b.names, "random:8,scope=group:global", NULL, &other, &b.err), 0);
  assert_string_equal(one.spec, other.spec);
  close_bed(&b);
}

/* ripstop_process_open_scope reads the config's first member. */
static void scopes_are_first_in_configs(void **state) {
  (void)state;
  size_t found = 0;
  for (size_t i = 0; ripstop_processes[i]; i++)
    for (const ripstop_option *o = ripstop_processes[i]->options; o->name; o++) {
      if (strcmp(o->name, "scope") != 0) continue;
      assert_int_equal(o->offset, 0);
      assert_ptr_equal(ripstop_processes[i]->prepare, ripstop_process_open_scope);
      found++;
    }
  assert_int_equal(found, 3);
}

static void what_is_wrong_is_reported(void **state) {
  (void)state;
  static const struct {
    const char *spec, *scope, *message;
  } bad[] = {
      {"dragonfly:a=2,p=1,h=1", "globl",
       "no scope 'globl' in dragonfly:a=2,p=1,h=1,g=3,arrangement=palmtree; did you mean 'global'? (scopes: "
       "switch-links, all-links, switches, local, global, a pattern as 'switch:*')"},
      {"torus:3x3", "global",
       "no scope 'global' in torus:3x3 (scopes: switch-links, all-links, switches, dim-0, dim-1, a pattern as "
       "'switch:*')"},
      {"torus:3x3", "switch", "did you mean 'switches'?"},
      {"torus:3x3", "dim-2", "did you mean 'dim-"},
      {"torus:3x3", "9*", "no link or switch of torus:3x3 has a name like '9*'"},
      {"torus:3x3", "0.*/1~0.5", "has no rate"},
      {"torus:3x3", "group:dim-7", "no part of torus:3x3 is in the group 'dim-7'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    bed b = open_bed(bad[i].spec);
    const ripstop_fault_scope *scope;
    assert_int_equal(ripstop_scope_open(b.arena, b.names, bad[i].scope, &scope, &b.err), -1);
    if (!strstr(b.err.text, bad[i].message)) fail_msg("%s: %s", bad[i].scope, b.err.text);
    close_bed(&b);
  }
}

/* Processes fail parts of their scope alone, and what they fail cuts nothing. */
static void processes_have_scopes(void **state) {
  (void)state;
  static const char *const rules[] = {"random:8,scope=global", "flap:8,up=50,down=20,until=900,scope=global",
                                      "weibull:8,shape=2,scale=200,until=900,scope=global"};
  bed b = open_bed("dragonfly:a=4,p=2,h=2");
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    ripstop_rule rule;
    ripstop_schedule schedule;
    char group[RIPSTOP_NAME_MAX];
    assert_int_equal(ripstop_rule_open(b.arena, b.names, rules[i], NULL, &rule, &b.err), 0);
    assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &rule, 5, 0, &schedule, &b.err), 0);
    assert_true(schedule.count >= 8);
    for (size_t c = 0; c < schedule.count; c++) {
      assert_false(schedule.change[c].is_switch);
      assert_true(ripstop_link_group_of(b.fabric, schedule.change[c].id, group));
      assert_string_equal(group, "global");
    }
  }
  ripstop_rule rule;
  ripstop_schedule schedule;
  assert_int_equal(ripstop_rule_open(b.arena, b.names, "random:37,scope=global", NULL, &rule, &b.err), 0);
  assert_int_equal(ripstop_rule_sample(b.arena, b.fabric, NULL, &rule, 5, 0, &schedule, &b.err), -1);
  assert_non_null(strstr(b.err.text, "37 links of global cannot fail in dragonfly:"));
  assert_int_equal(ripstop_rule_open(b.arena, b.names, "random:2,scope=globle", NULL, &rule, &b.err), -1);
  assert_non_null(strstr(b.err.text, "did you mean 'global'?"));
  close_bed(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups_have_the_sizes_of_papers), cmocka_unit_test(groups_part_the_links_between_switches),
      cmocka_unit_test(groups_are_what_names_say),       cmocka_unit_test(samples_are_of_the_scope),
      cmocka_unit_test(patterns_are_links_or_switches),  cmocka_unit_test(equal_scopes_have_one_name),
      cmocka_unit_test(scopes_are_first_in_configs),     cmocka_unit_test(what_is_wrong_is_reported),
      cmocka_unit_test(processes_have_scopes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
