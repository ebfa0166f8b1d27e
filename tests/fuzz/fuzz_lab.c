/* fuzz_lab.c - any text as the settings of a scene in the lab, lines KEY=VALUE, and the bytes behind a zero byte as
 * what is pressed in it: cycles to run, parts to break, slow and repair, looks. Either the scene is refused by one
 * line, or its numbers add up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lab/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static void demand_one_line(void) { demand(*lab_text() && !strchr(lab_text(), '\n')); }

static void look(void) {
  lab_look();
  const float *fill = lab_array(LAB_FILL), *step = lab_array(LAB_STEP);
  const uint8_t *moving = lab_array(LAB_MOVING);
  for (uint32_t port = 0; port < lab_ports(); port++)
    demand(fill[port] >= 0 && fill[port] <= 1 && (moving[port] == LAB_NOTHING || step[port] > 0));
  demand(lab_account(0) == lab_account(1) + lab_account(2) + lab_account(3) + lab_account(4));
}

static void press(uint8_t what, uint8_t which) {
  enum { KINDS = 5, CYCLES = 40 };
  int status = 0;
  if (what % KINDS == 0) status = lab_run(lab_now() + which % CYCLES);
  if (what % KINDS == 1) status = lab_change_link(which % lab_links(), (lab_change_kind)(what / KINDS % 3));
  if (what % KINDS == 2)
    status =
        lab_change_switch(lab_ends() + which % (lab_nodes() - lab_ends()), what / KINDS % 2 ? LAB_BREAK : LAB_REPAIR);
  if (what % KINDS == 3) look();
  if (what % KINDS == 4) status = lab_numbers();
  if (status) demand_one_line();
}

/* Small fabrics and short runs: the scene is what is tried here, and not how much memory there is. */
static bool is_small(const char *settings) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_error err = {0};
  lab_settings s;
  bool small = !lab_settings_read(arena, settings, &s, &err);
  if (!small) demand(err.text[0] && !strchr(err.text, '\n'));
  small = small && !s.workload && s.scenario.measure.cycles <= 2000 && s.scenario.switch_.in_queue <= 64;
  static const char *const fabrics[] = {"torus:3x3", "kary-ntree:k=2,n=2", "kns:k=3,n=2", "mport-ntree:m=4,n=2"};
  bool known = false;
  for (size_t i = 0; small && i < sizeof fabrics / sizeof *fabrics; i++) known |= !strcmp(s.fabric, fabrics[i]);
  ripstop_arena_free(arena);
  return small && known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *settings = malloc(size + 1);
  memcpy(settings, data, size);
  settings[size] = '\0';
  if (is_small(settings)) {
    if (lab_open(settings)) demand_one_line();
    for (size_t at = strlen(settings) + 1; at + 1 < size && lab_is_open(); at += 2) press(data[at], data[at + 1]);
    lab_close();
  }
  free(settings);
  return 0;
}
