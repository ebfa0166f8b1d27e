/* test_ib_db_csv.c - sections, columns by name and cells of ibdiagnet's file of tables. */
#include "check.h"
#include "formats/infiniband/db_csv.h"

static void columns_are_found_by_name(void **state) {
  (void)state;
  ripstop_arena *arena = ripstop_arena_new();
  uint64_t number;
  ib_csv csv = ib_csv_of(arena, piece_of("# made by a program\r\n"
                                         "START_NODES\r\n"
                                         "NODEDESC, numports ,NodeGuid\r\n"
                                         "\"a, \"b\" c\",40,0xFA\r\n"
                                         "\r\n"
                                         "plain,N/A,-1\r\n"
                                         "short\r\n"
                                         "END_NODES\r\n"
                                         "\r\nSTART_empty\nEND_empty\n"
                                         "START_PORTS\nA,\n1,2\n"));
  assert_true(ib_csv_section(&csv) && ib_csv_is(&csv, "nodes") && !ib_csv_is(&csv, "NODE"));
  const uint32_t text = ib_csv_column(&csv, "NodeDesc"), ports = ib_csv_column(&csv, "Ports NumPorts"),
                 guid = ib_csv_column(&csv, "NodeGUID");
  assert_true(text == 0 && ports == 1 && guid == 2 && ib_csv_column(&csv, "LID") == RIPSTOP_NONE);
  assert_true(ib_csv_row(&csv) && csv.line == 4 && piece_is(ib_csv_cell(&csv, text), "a, \"b\" c"));
  assert_true(ib_csv_number(&csv, ports, &number) && number == 40);
  assert_true(ib_csv_number(&csv, guid, &number) && number == 0xfa);
  assert_true(ib_csv_row(&csv) && piece_is(ib_csv_cell(&csv, text), "plain"));
  assert_false(ib_csv_number(&csv, ports, &number) || ib_csv_number(&csv, guid, &number));
  assert_true(ib_csv_row(&csv) && csv.cells == 1 && piece_is(ib_csv_cell(&csv, ports), ""));
  assert_false(ib_csv_number(&csv, RIPSTOP_NONE, &number));
  assert_false(ib_csv_row(&csv) || csv.open);
  assert_true(ib_csv_section(&csv) && ib_csv_is(&csv, "EMPTY"));
  assert_true(ib_csv_section(&csv) && ib_csv_is(&csv, "PORTS") && csv.titles == 2);
  assert_true(ib_csv_row(&csv) && piece_is(ib_csv_cell(&csv, 1), "2"));
  assert_false(ib_csv_row(&csv));
  assert_true(csv.open); /* the text ends within the section */
  assert_false(ib_csv_section(&csv));
  ripstop_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_found_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
