/* test_units.c - quantities with units: each unit, each rounding, each refusal; where experiments take them; and that
 * runs with units are those with the plain numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/registry.h"
#include "check.h"
#include "experiment/inner_runs.h"
#include "experiment/units.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/process.h"
#include "ripstop/plugin/workload.h"
#include "ripstop/scale.h"
#include "workload/job_runner.h"

static const ripstop_scale usual = {.rate = 400e9, .flit = 64}; /* 1.28 ns a cycle */

/* ------------------------------------------------------------------ quantities */

static double number_of(const ripstop_scale *scale, ripstop_measure measure, const char *text) {
  double out;
  ripstop_error err = {0};
  if (!ripstop_scale_has_unit(text)) fail_msg("%s has no unit", text);
  if (ripstop_scale_read(scale, measure, text, &out, NULL, &err)) fail_msg("%s", err.text);
  return out;
}

static void every_unit_has_its_size(void **state) {
  (void)state;
  static const struct {
    const char *text;
    ripstop_measure measure;
    double number;
  } cases[] = {{"8b", RIPSTOP_MEASURE_BYTES, 1},
               {"9b", RIPSTOP_MEASURE_BYTES, 2},
               {"3B", RIPSTOP_MEASURE_BYTES, 3},
               {"2Kb", RIPSTOP_MEASURE_BYTES, 250},
               {"2KB", RIPSTOP_MEASURE_BYTES, 2000},
               {"2KiB", RIPSTOP_MEASURE_BYTES, 2048},
               {"1.5KiB", RIPSTOP_MEASURE_BYTES, 1536},
               {"1Mb", RIPSTOP_MEASURE_BYTES, 125000},
               {"1MB", RIPSTOP_MEASURE_BYTES, 1000000},
               {"1MiB", RIPSTOP_MEASURE_BYTES, 1048576},
               {"1Gb", RIPSTOP_MEASURE_BYTES, 125000000},
               {"1GB", RIPSTOP_MEASURE_BYTES, 1000000000},
               {"1GiB", RIPSTOP_MEASURE_BYTES, 1073741824},
               {"1e3KB", RIPSTOP_MEASURE_BYTES, 1000000},
               {"128ns", RIPSTOP_MEASURE_CYCLES, 100},
               {"1.28us", RIPSTOP_MEASURE_CYCLES, 1000},
               {"1.28ms", RIPSTOP_MEASURE_CYCLES, 1000000},
               {"1.28s", RIPSTOP_MEASURE_CYCLES, 1000000000},
               {"500ns", RIPSTOP_MEASURE_CYCLES, 391}, /* 390.625 */
               {"0ns", RIPSTOP_MEASURE_CYCLES, 0},
               {"500ns", RIPSTOP_MEASURE_TIME, 390.625},
               {"4KiB", RIPSTOP_MEASURE_FLITS, 64},
               {"65B", RIPSTOP_MEASURE_FLITS, 2},
               {"127B", RIPSTOP_MEASURE_SPACE, 1},
               {"63B", RIPSTOP_MEASURE_SPACE, 0},
               {"32KiB", RIPSTOP_MEASURE_SPACE, 512},
               {"100Gb/s", RIPSTOP_MEASURE_LOAD, 0.25},
               {"5GB/s", RIPSTOP_MEASURE_LOAD, 0.1},
               {"40Mb/s", RIPSTOP_MEASURE_LOAD, 0.0001},
               {"400Kb/s", RIPSTOP_MEASURE_LOAD, 1e-6},
               {"400b/s", RIPSTOP_MEASURE_LOAD, 1e-9},
               {"50B/s", RIPSTOP_MEASURE_LOAD, 1e-9},
               {"50KB/s", RIPSTOP_MEASURE_LOAD, 1e-6},
               {"50MB/s", RIPSTOP_MEASURE_LOAD, 0.001},
               {"1KiB/s", RIPSTOP_MEASURE_LOAD, 8192 / 400e9},
               {"1MiB/s", RIPSTOP_MEASURE_LOAD, 8388608 / 400e9},
               {"1GiB/s", RIPSTOP_MEASURE_LOAD, 8589934592 / 400e9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double number = number_of(&usual, cases[i].measure, cases[i].text);
    if (fabs(number - cases[i].number) > 1e-15 * cases[i].number)
      fail_msg("%s is %.17g, not %.17g", cases[i].text, number, cases[i].number);
  }
}

/* A whole number of cycles stays that number, however its length divides; a little more is a cycle more. */
static void whole_numbers_of_cycles_stay(void **state) {
  (void)state;
  static const double rates[] = {1e9, 10e9, 25e9, 100e9, 112e9, 200e9, 400e9, 800e9, 1.6e12};
  char text[40];
  for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
    for (int flit = 1; flit <= 256; flit += 5)
      for (int cycles = 1; cycles < 100000; cycles = cycles * 3 + 1) {
        const ripstop_scale scale = {rates[r], flit};
        const double time = cycles * flit * 8e9 / rates[r];
        snprintf(text, sizeof text, "%.13gns", time);
        assert_int_equal((int)number_of(&scale, RIPSTOP_MEASURE_CYCLES, text), cycles);
        snprintf(text, sizeof text, "%.13gns", time * (1 + 1e-9));
        assert_int_equal((int)number_of(&scale, RIPSTOP_MEASURE_CYCLES, text), cycles + 1);
      }
}

static void wrong_quantities_are_refused(void **state) {
  (void)state;
  static const ripstop_scale no_rate = {.flit = 64}, no_flit = {.rate = 400e9};
  static const struct {
    const ripstop_scale *scale;
    ripstop_measure measure;
    const char *text, *message;
  } cases[] = {{&usual, RIPSTOP_MEASURE_CYCLES, "5nz", "'5nz': unknown unit 'nz'; did you mean 'ns'?"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "5NS", "unknown unit 'NS'; did you mean 'ns'?"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "5parsecs", "unknown unit 'parsecs'; a time is in ns, us, ms or s"},
               {&usual, RIPSTOP_MEASURE_BYTES, "5kB", "unknown unit 'kB'; did you mean 'KB'?"},
               {&usual, RIPSTOP_MEASURE_BYTES, "5kb", "unknown unit 'kb'; did you mean 'Kb'?"},
               {&usual, RIPSTOP_MEASURE_BYTES, "5kib", "unknown unit 'kib'; did you mean 'KiB'?"},
               {&usual, RIPSTOP_MEASURE_BYTES, "5flits",
                "unknown unit 'flits'; a size is in b, B, Kb, KB, KiB, Mb, MB, MiB, Gb, GB or GiB"},
               {&usual, RIPSTOP_MEASURE_LOAD, "5gb/s", "unknown unit 'gb/s'; did you mean 'Gb/s'?"},
               {&usual, RIPSTOP_MEASURE_LOAD, "5Gbps", "unknown unit 'Gbps'; did you mean 'Gb/s'?"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "5KiB", "'5KiB': KiB is a unit of size; a time is in ns, us, ms or s"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "5Gb/s", "Gb/s is a unit of rate; a time is in"},
               {&usual, RIPSTOP_MEASURE_SPACE, "5us", "us is a unit of time; a size is in"},
               {&usual, RIPSTOP_MEASURE_LOAD, "5Gb", "Gb is a unit of size; did you mean 'Gb/s'?"},
               {&usual, RIPSTOP_MEASURE_LOAD, "5us", "us is a unit of time; a rate is in b/s to GiB/s"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "1.2.3us", "'1.2.3' is not a number"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "1e9s", "'1e9s' is too large"},
               {&usual, RIPSTOP_MEASURE_CYCLES, "1e999s", "1e999 is too large"},
               {&usual, RIPSTOP_MEASURE_BYTES, "11111111111111111111111111111111111111111111B", "too many digits"},
               {&no_rate, RIPSTOP_MEASURE_CYCLES, "5us",
                "'5us' needs the length of a cycle: give link.rate, such as link.rate=400Gb/s"},
               {&no_rate, RIPSTOP_MEASURE_LOAD, "5Gb/s", "needs the length of a cycle"},
               {&no_flit, RIPSTOP_MEASURE_CYCLES, "5us", "'5us' needs the size of a flit: give link.flit"},
               {&no_flit, RIPSTOP_MEASURE_SPACE, "5KiB", "needs the size of a flit"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double out = -1;
    ripstop_error err = {0};
    if (!ripstop_scale_read(cases[i].scale, cases[i].measure, cases[i].text, &out, NULL, &err))
      fail_msg("accepted: %s", cases[i].text);
    if (!strstr(err.text, cases[i].message)) fail_msg("'%s' does not contain '%s'", err.text, cases[i].message);
    assert_true(out == -1);
  }
}

static void texts_without_units_are_no_quantities(void **state) {
  (void)state;
  static const char *const texts[] = {"",     "5",    "-5ns",         "5e3",   "1e-9", "ns",
                                      "auto", "5 ns", "0.1..0.9/0.1", "3:0.8", "5ns,"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_false(ripstop_scale_has_unit(texts[i]));
}

static void rates_sizes_and_times_stand_alone(void **state) {
  (void)state;
  double out = 0;
  char text[32];
  ripstop_error err = {0};
  assert_int_equal(ripstop_scale_rate("400Gb/s", &out, &err), 0);
  assert_true(out == 400e9);
  assert_int_equal(ripstop_scale_rate("400", &out, &err), -1);
  assert_string_equal(err.text, "'400' is no rate; a rate has a unit, as in 400Gb/s");
  assert_int_equal(ripstop_scale_rate("0Gb/s", &out, &err), -1);
  assert_string_equal(err.text, "'0Gb/s': a rate is 1b/s or more");
  assert_int_equal(ripstop_scale_size("64B", &out, &err) || out != 64, 0);
  assert_int_equal(ripstop_scale_size("64", &out, &err) || out != 64, 0);
  assert_int_equal(ripstop_scale_size("0", &out, &err), -1);
  assert_int_equal(ripstop_scale_size("1.5", &out, &err), -1);
  assert_string_equal(err.text, "'1.5' is no whole number of bytes, 1 or more");
  assert_true(fabs(ripstop_scale_cycle(&usual) - 1.28e-9) < 1e-24);
  assert_true(ripstop_scale_cycle(&(ripstop_scale){.flit = 64}) == 0);
  static const struct {
    double seconds;
    const char *text;
  } times[] = {{1.3427e-3, "1.343 ms"}, {0, "0 ns"},     {1.28e-9, "1.28 ns"}, {999.96e-9, "1 us"}, {12.5, "12.5 s"},
               {999.94e-6, "999.9 us"}, {-2e-6, "-2 us"}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    ripstop_scale_time(times[i].seconds, text, sizeof text);
    assert_string_equal(text, times[i].text);
  }
}

/* ------------------------------------------------------------------ experiments */

#define JOBS "fabric: kary-ntree:k=2,n=2\nmethod: updown\n"
#define LOAD JOBS "traffic: {load: 0.1}\n"

static ripstop_spec *read_spec(const char *text, const ripstop_variant *variant, ripstop_error *err) {
  return ripstop_spec_read_memory("x.yaml", text, strlen(text), variant, err);
}

/* The canonical text of the only run. */
static void canonical(const char *text, const ripstop_variant *variant, ripstop_text *out) {
  ripstop_error err = {0};
  ripstop_spec *spec = read_spec(text, variant, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s\n%s", err.text, text);
  assert_int_equal(runs->count, 1);
  out->length = 0;
  ripstop_run_canonical(&runs->run[0], out);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

static void runs_with_units_are_those_with_numbers(void **state) {
  (void)state;
  static const struct {
    const char *with, *without;
  } cases[] = {
      {LOAD "link: {rate: 400Gb/s, delay: 500ns, flit: 64B}\n", LOAD "switch: {link: 391}\n"},
      {LOAD "link: {delay: 7}\n", LOAD "switch: {link: 7}\n"},
      {LOAD "link: {rate: 100Gb/s}\nswitch: {pipeline: 100ns, credit: 5.12ns}\n",
       LOAD "switch: {pipeline: 20, credit: 1}\n"},
      {LOAD "link: {ber: 1e-6}\n", LOAD "switch: {flit_errors: 0.00051186920623589}\n"},
      {LOAD "link: {ber: [1e-9], flit: 32}\n", LOAD "switch: {flit_errors: 2.55999967360003e-07}\n"},
      {LOAD "link: {ber: '0 0/0/2~1e-3  0/0/3~1'}\n",
       LOAD "switch: {flit_errors: '0 0/0/2~0.400857714570478 0/0/3~1'}\n"},
      {LOAD "switch: {in_queue: 4KiB, out_queue: 2KiB}\n", LOAD "switch: {unit: flits, in_queue: 64, out_queue: 32}\n"},
      {LOAD "link: {flit: 32}\nswitch: {in_queue: 4KiB}\n", LOAD "switch: {unit: flits, in_queue: 128}\n"},
      {LOAD "link: {rate: 400Gb/s}\nmeasure: {warmup: 2us, cycles: 10us, window: 1us, check: 1us}\n",
       LOAD "measure: {warmup: 1563, cycles: 7813, window: 782, check: 782}\n"},
      {LOAD "link: {rate: 400Gb/s}\nreaction: {model: static, detect: 1us, recompute: 2us, resume: 3us}\n",
       LOAD "reaction: {model: static, detect: 782, recompute: 1563, resume: 2344}\n"},
      {JOBS "link: {rate: 400Gb/s}\ntraffic: {load: 100Gb/s, packet: '1KiB:0.8/100B:0.2', process: "
            "'on-off:on=1.28us,off=640ns'}\n",
       JOBS "traffic: {load: 0.25, packet: '16:0.8/2:0.2', process: 'on-off:on=1000,off=500'}\n"},
      {LOAD "link: {rate: 400Gb/s}\nfaults: {schedule: '0/0/2@1.28us 0/0/2+@2.56us'}\n",
       LOAD "faults: {schedule: '0/0/2@1000 0/0/2+@2000'}\n"},
      {LOAD "link: {rate: 400Gb/s}\nfaults: {schedule: 'random:2,from=1.28us,every=128ns'}\n",
       LOAD "faults: {schedule: 'random:2,from=1000,every=100'}\n"},
      {"fabric: torus:4x4\ntraffic: {load: 0.1}\nmethod: 'ordered:hold_cycles=1.28us,control_flits=192B'\nlink: {rate: "
       "400Gb/s}\n",
       "fabric: torus:4x4\ntraffic: {load: 0.1}\nmethod: 'ordered:hold_cycles=1000,control_flits=3'\n"},
      {JOBS "link: {rate: 400Gb/s, flit: 64}\nworkload: {jobs: 'incast:bytes=64KiB on spread:4 at 1.28us class 1', "
            "packet: 4KiB}\n",
       JOBS "workload: {jobs: 'incast:bytes=65536 on spread:4 at 1000 class 1', packet: 4096, flit: 64}\n"},
      {JOBS "link: {rate: 400Gb/s}\nworkload: 'incast:bytes=1'\n",
       JOBS "workload: {jobs: 'incast:bytes=1', flit: 64}\n"},
      {JOBS "link: {rate: 400Gb/s}\nworkload: {jobs: 'incast:bytes=1', flit: 32}\n",
       JOBS "workload: {jobs: 'incast:bytes=1', flit: 32}\n"},
      {JOBS "link: {flit: 32}\nworkload: 'incast:bytes=1'\n", JOBS "workload: {jobs: 'incast:bytes=1', flit: 32}\n"},
      {JOBS "workload: 'incast:bytes=1KB on packed:2 + barrier'\n",
       JOBS "workload: 'incast:bytes=1000 on packed:2 + barrier'\n"},
      {JOBS "link: {rate: 400Gb/s}\nworkload: {jobs: 'stencil:grid=2x2,compute=1.28us', transport: selective, timeout: "
            "128us, "
            "congestion: dcqcn, kmin: 4KiB, kmax: 16KiB, additive: 40Mb/s, rise_flits: 64KB, header: 64B, ack: 64B}\n"
            "switch: {in_queue: 64KiB}\n",
       JOBS
       "workload: {jobs: 'stencil:grid=2x2,compute=1000', transport: selective, timeout: 100000, congestion: dcqcn, "
       "kmin: 64, kmax: 256, additive: 0.0001, rise_flits: 1000, flit: 64, header: 1, ack: 1}\n"
       "switch: {in_queue: 1024, unit: flits}\n"},
  };
  ripstop_text with = {0}, without = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    canonical(cases[i].with, NULL, &with);
    canonical(cases[i].without, NULL, &without);
    assert_string_equal(with.data, without.data);
  }
  ripstop_text_free(&with);
  ripstop_text_free(&without);
}

/* --set and quick: take the keys of the section too, and go before the file. */
static void link_keys_can_be_replaced(void **state) {
  (void)state;
  static const char file[] = LOAD "link: {rate: 400Gb/s, delay: 500ns}\nswitch: {pipeline: 128ns}\n"
                                  "quick: {link.rate: 200Gb/s, link.delay: 256ns}\n";
  static const char *const set[] = {"link.rate=100Gb/s", "link.flit=128B", "link.delay=1us", "link.ber=1"};
  const ripstop_variant quick = {.quick = true}, both = {.quick = true, .sets = 4, .set = set};
  ripstop_text out = {0}, wanted = {0};
  canonical(file, NULL, &out);
  canonical(LOAD "switch: {link: 391, pipeline: 100}\n", NULL, &wanted);
  assert_string_equal(out.data, wanted.data);
  canonical(file, &quick, &out);
  canonical(LOAD "switch: {link: 100, pipeline: 50}\n", NULL, &wanted);
  assert_string_equal(out.data, wanted.data);
  canonical(file, &both, &out);
  canonical(LOAD "switch: {link: 98, pipeline: 13, flit_errors: 1}\n", NULL, &wanted);
  assert_string_equal(out.data, wanted.data);
  ripstop_text_free(&out);
  ripstop_text_free(&wanted);
}

static void wrong_links_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *file, *message;
  } cases[] = {
      {LOAD "link: {rat: 400Gb/s}\n", "x.yaml:4: key 'rat' is unknown; did you mean 'rate'?"},
      {LOAD "link: {delay: 500ns}\n", "x.yaml:4: switch.link: '500ns' needs the length of a cycle: give link.rate"},
      {LOAD "link: {rate: 400}\n", "x.yaml:4: link.rate: '400' is no rate"},
      {LOAD "link: {rate: 400Gb}\n", "x.yaml:4: link.rate: '400Gb': Gb is a unit of size; did you mean 'Gb/s'?"},
      {LOAD "link: {rate: [400Gb/s, 800Gb/s]}\n", "x.yaml:4: link.rate is one rate, the fastest link's, no list"},
      {LOAD "link: {delay: 5}\nswitch: {link: 5}\n", "x.yaml:4: link.delay and switch.link are the same"},
      {LOAD "link: {ber: 1e-6}\nswitch: {flit_errors: 0}\n",
       "x.yaml:4: link.ber and switch.flit_errors are the same; give one of them"},
      {LOAD "link: {ber: 2}\n", "x.yaml:4: link.ber: 2 is no bit-error rate from 0 to 1"},
      {LOAD "link: {ber: 0 0/0/2~x}\n", "x.yaml:4: link.ber: 'x' is not a number"},
      {JOBS "link: {ber: 1e-6}\nworkload: {jobs: barrier, flit: [64, 32]}\n",
       "x.yaml:3: link.ber is the rate of wrong bits, and workload.flit has several values: give switch.flit_errors"},
      {LOAD "link: {flit: 0}\n", "x.yaml:4: link.flit: '0' is no whole number of bytes, 1 or more"},
      {LOAD "link: {flit: 1us}\n", "x.yaml:4: link.flit: '1us': us is a unit of time"},
      {LOAD "switch:\n  pipeline: 4KiB\n", "x.yaml:5: switch.pipeline: '4KiB': KiB is a unit of size; a time is in"},
      {LOAD "switch: {in_queue: 10B}\n", "x.yaml:4: 10B is 0: switch: option 'in_queue': 0 is out of range"},
      {LOAD "switch: {in_queue: 4KiB, unit: packets}\n",
       "x.yaml:4: switch.in_queue = 4KiB is a size, and switch.unit = packets: only queues that count flits have one"},
      {LOAD "switch: {in_queue: 4KiB, out_queue: 8}\n",
       "x.yaml:4: switch.in_queue = 4KiB is a size, and switch.out_queue = 8 counts packets: give it as a size, too"},
      {LOAD "switch: {out_queue: 4KiB}\n", "switch.out_queue = 4KiB is a size, and switch.in_queue = 4 counts packets"},
      {JOBS "link: {flit: 64}\nworkload: {jobs: barrier, flit: 32}\n",
       "x.yaml:3: link.flit is 64 bytes and workload.flit 32; give one of them"},
      {JOBS "link: {flit: 64}\nworkload: {jobs: barrier, flit: [64, 32]}\n",
       "x.yaml:3: link.flit: workload.flit has several values beside it"},
      {JOBS "workload: {jobs: barrier, flit: [64, 32], ack: 64B}\n",
       "x.yaml:3: workload.ack: '64B' needs the size of a flit"},
      {JOBS "workload: {jobs: 'incast:bytes=4kB'}\n",
       "x.yaml:3: workload kind incast: option 'bytes': '4kB': unknown unit 'kB'; did you mean 'KB'?"},
      {JOBS "workload: {jobs: 'incast:bytes=4 at 5us'}\n",
       "x.yaml:3: workload.jobs: at: '5us' needs the length of a cycle"},
      {JOBS "workload: {jobs: 'incast:bytes=4,rounds=5us'}\n", "'5us' is not a whole number, 1 to 1000000"},
      {LOAD "faults: {schedule: '0/0/2@5us'}\n", "x.yaml:4: faults.schedule: '5us' needs the length of a cycle"},
      {"fabric: kary-ntree:k=2,n=2\nmethod: updown\nprove: {sets: 1}\nlink: {rate: 1Gb/s}\n",
       "x.yaml:4: link says nothing of a proof"},
      {"fabric: kary-ntree:k=2,n=2\nmethod: updown\nprogram: {kernel: fft}\nlink: {rate: 1Gb/s}\n",
       "x.yaml:4: link.rate does not go with a program, whose program.router is its clock"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ripstop_error err = {0};
    ripstop_spec *spec = read_spec(cases[i].file, NULL, &err);
    ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
    if (runs) fail_msg("accepted: %s", cases[i].file);
    if (!strstr(err.text, cases[i].message)) fail_msg("'%s' does not contain '%s'", err.text, cases[i].message);
    ripstop_spec_free(spec);
  }
}

/* A trace's computations are in nanoseconds where cycles have a length, and so its runs have another name. */
static void traces_count_nanoseconds(void **state) {
  (void)state;
  static const char with[] = JOBS "link: {rate: 400Gb/s}\nworkload: 'goal:file=%s'\n";
  static const char without[] = JOBS "workload: {jobs: 'goal:file=%s', flit: 64, tick: 1.28}\n";
  static const char plain[] = JOBS "workload: {jobs: 'goal:file=%s', flit: 64}\n";
  static const char trace[] = "num_ranks 1\nrank 0 {\na: calc 1280\nb: calc 1281\nb requires a\n}\n";
  static const char *const texts[] = {with, without, plain};
  double cycles[3];
  ripstop_text canonicals[3] = {{0}, {0}, {0}};
  char path[] = "/tmp/units-XXXXXX", file[600];
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, trace, sizeof trace - 1) == (ssize_t)sizeof trace - 1);
  close(fd);
  for (int i = 0; i < 3; i++) {
    snprintf(file, sizeof file, texts[i], path);
    ripstop_error err = {0};
    ripstop_outcome out;
    ripstop_spec *spec = read_spec(file, NULL, &err);
    ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
    if (!runs) fail_msg("%s", err.text);
    ripstop_run_canonical(&runs->run[0], &canonicals[i]);
    assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &out), 0);
    cycles[i] = ripstop_outcome_value(&out, "workload.cycles")->value;
    ripstop_outcome_free(&out);
    ripstop_runs_free(runs);
    ripstop_spec_free(spec);
  }
  unlink(path);
  assert_string_equal(canonicals[0].data, canonicals[1].data);
  assert_string_not_equal(canonicals[0].data, canonicals[2].data);
  assert_true(cycles[0] == cycles[1] && cycles[2] - cycles[0] == 2561 - (1000 + 1001));
  for (int i = 0; i < 3; i++) ripstop_text_free(&canonicals[i]);
}

/* A packet carries any number of bytes; its last flit may be in part empty. */
static void packets_have_any_length(void **state) {
  (void)state;
  static const struct {
    int64_t flit, packet, header;
    uint64_t bytes, packets, flits;
  } cases[] = {{64, 4096, 0, 0, 1, 1},     {64, 4096, 0, 1, 1, 1},
               {64, 4096, 0, 4096, 1, 64}, {64, 4096, 0, 4097, 2, 65},
               {64, 1500, 0, 1500, 1, 24}, {64, 1500, 0, 1501, 2, 25},
               {64, 1500, 1, 4500, 3, 75}, {64, 1500, 2, 4564, 4, 72 + 1 + 8},
               {64, 10, 0, 95, 10, 10},    {1, 4096, 3, 8193, 3, 8202},
               {64, 4096, 2, 0, 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ripstop_workload_config c = {.flit = cases[i].flit, .packet = cases[i].packet, .header = cases[i].header};
    uint64_t packets = 0;
    assert_int_equal(stage_flits(&c, cases[i].bytes, &packets), cases[i].flits);
    assert_int_equal(packets, cases[i].packets);
  }
}

/* A message of 16 packets of 1,500 bytes: 16 x 24 flits. */
static void messages_travel_in_such_packets(void **state) {
  (void)state;
  static const char file[] = JOBS "workload: {jobs: 'incast:bytes=24000 on packed:2', flit: 64, packet: 1500}\n";
  ripstop_error err = {0};
  ripstop_outcome out;
  ripstop_spec *spec = read_spec(file, NULL, &err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, &err) : NULL;
  if (!runs) fail_msg("%s", err.text);
  assert_int_equal(ripstop_run_execute(&runs->run[0], NULL, &out), 0);
  assert_true(ripstop_outcome_value(&out, "workload.complete")->value == 1);
  assert_true(ripstop_outcome_value(&out, "account.delivered")->value == 16);
  assert_true(ripstop_outcome_value(&out, "workload.ideal.ports")->value >= 16 * 24);
  assert_true(ripstop_outcome_value(&out, "workload.ideal.ports")->value < 16 * 24 + 8);
  ripstop_outcome_free(&out);
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
}

static void rounding_of_more_than_a_percent_is_noted(void **state) {
  (void)state;
  static const char file[] =
      LOAD "link: {rate: 400Gb/s, delay: 500ns}\nswitch: {pipeline: [2ns, 128ns, 1us], in_queue: 1000B}\n";
  ripstop_error err = {0};
  ripstop_spec *spec = read_spec(file, NULL, &err);
  if (!spec) fail_msg("%s", err.text);
  assert_string_equal(spec->notes, "switch.in_queue = 1000B is 15 flits after rounding, 4 % less\n"
                                   "switch.pipeline = 2ns is 2 cycles after rounding, 28 % more\n");
  ripstop_spec_free(spec);
}

/* ------------------------------------------------------------------ all options */

/* True if the help begins by saying what the number counts. */
static bool says(const char *help, const char *word) {
  const size_t length = strlen(word);
  return !strncmp(help, word, length) && strchr(" ,:", help[length]);
}

/* A number that counts cycles, flits or bytes takes units. */
static size_t check_options(const char *section, const ripstop_option *options) {
  size_t wrong = 0;
  for (; options->name; options++) {
    const bool number = options->type == RIPSTOP_OPTION_INTEGER || options->type == RIPSTOP_OPTION_REAL;
    const ripstop_measure measure = units_measure(section, options->name);
    const bool time = measure == RIPSTOP_MEASURE_CYCLES || measure == RIPSTOP_MEASURE_TIME;
    if (!number || !strcmp(options->name, "speedup")) continue; /* a ratio */
    if ((says(options->help, "cycles") || says(options->help, "cycle")) && !time)
      print_error("%s: %s counts cycles and takes no time\n", section, options->name), wrong++;
    if (says(options->help, "bytes") && measure != RIPSTOP_MEASURE_BYTES)
      print_error("%s: %s counts bytes and takes no size\n", section, options->name), wrong++;
    if (says(options->help, "flits") && measure != RIPSTOP_MEASURE_FLITS)
      print_error("%s: %s counts flits and takes no size\n", section, options->name), wrong++;
  }
  return wrong;
}

static void options_that_count_take_units(void **state) {
  (void)state;
  size_t wrong = 0;
  wrong += check_options("switch", ripstop_switch_options);
  wrong += check_options("traffic", ripstop_traffic_options);
  wrong += check_options("workload", ripstop_workload_options);
  wrong += check_options("measure", ripstop_measure_options);
  wrong += check_options("reaction", ripstop_reconfiguration_options);
  for (size_t i = 0; ripstop_workloads[i]; i++) wrong += check_options("workload kind", ripstop_workloads[i]->options);
  for (size_t i = 0; ripstop_processes[i]; i++) wrong += check_options("process", ripstop_processes[i]->options);
  for (size_t i = 0; ripstop_methods[i]; i++) wrong += check_options("method", ripstop_methods[i]->options);
  assert_int_equal(wrong, 0);
}

/* A claim's x is a number as points have it, or the value as the key's list has it. */
static void claims_take_values_with_units(void **state) {
  (void)state;
  static const struct {
    const char *measure, *message;
    double from, to;
  } cases[] = {{"value: 8KiB", NULL, 128, 0},
               {"value: 128", NULL, 128, 0},
               {"ratio: [4KiB, 8KiB]", NULL, 64, 128},
               {"value: 9KiB", "x.yaml:6: value: '9KiB' is not a number", 0, 0},
               {"value: 0", "x.yaml:6: value: no run has switch.in_queue = 0; there are 4KiB, 8KiB", 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    ripstop_error err = {0};
    snprintf(text, sizeof text,
             LOAD "switch: {in_queue: [4KiB, 8KiB]}\nfigures: [{id: a, x: switch.in_queue, y: accepted}]\n"
                  "claims: [{id: c, says: s, paper: none, figure: a, measure: {%s}, published: 1}]\n",
             cases[i].measure);
    ripstop_spec *spec = read_spec(text, NULL, &err);
    if (!spec && !cases[i].message) fail_msg("%s: %s", cases[i].measure, err.text);
    if (cases[i].message && !strstr(err.text, cases[i].message)) fail_msg("%s: %s", cases[i].measure, err.text);
    if (!cases[i].message) assert_true(spec->claim->from == cases[i].from && spec->claim->to == cases[i].to);
    ripstop_spec_free(spec);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_has_its_size),           cmocka_unit_test(whole_numbers_of_cycles_stay),
      cmocka_unit_test(wrong_quantities_are_refused),      cmocka_unit_test(texts_without_units_are_no_quantities),
      cmocka_unit_test(rates_sizes_and_times_stand_alone), cmocka_unit_test(runs_with_units_are_those_with_numbers),
      cmocka_unit_test(link_keys_can_be_replaced),         cmocka_unit_test(wrong_links_are_refused),
      cmocka_unit_test(traces_count_nanoseconds),          cmocka_unit_test(packets_have_any_length),
      cmocka_unit_test(messages_travel_in_such_packets),   cmocka_unit_test(rounding_of_more_than_a_percent_is_noted),
      cmocka_unit_test(options_that_count_take_units),     cmocka_unit_test(claims_take_values_with_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
