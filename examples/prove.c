/* prove.c - a proof: whether a method tolerates failed links, and a lost packet's walk if it does not.
 *
 * usage: prove FABRIC METHOD [FAULTS]    prove kary-ntree:k=4,n=3 misroute '0/2.1/3 0/2.1/5' */
#include <stdio.h>

#include <ripstop/ripstop.h>

static void print(const ripstop_result *proof) {
  printf("%s, %s, deadlock %s\n", ripstop_result_value(proof, "tolerated") == 1 ? "tolerated" : "not tolerated",
         ripstop_result_value(proof, "livelock_free") == 1 ? "free of livelock" : "livelocks",
         ripstop_result_text(proof, "verdict"));
  printf("%.0f of %.0f pairs can be lost, %.0f states\n", ripstop_result_value(proof, "lost_pairs_some_choice"),
         ripstop_result_value(proof, "pairs"), ripstop_result_value(proof, "states"));
  const char *walk = ripstop_result_text(proof, "lost");
  if (walk) printf("lost, for example: %s\n", walk);
}

int main(int argc, char **argv) {
  ripstop_error err = {.text = "usage: prove FABRIC METHOD [FAULTS]"};
  ripstop_plan *plan = argc > 2 ? ripstop_plan_of(argv[1], argc > 3 ? argv[3] : NULL, argv[2], &err) : NULL;
  ripstop_result *proof = ripstop_prove(plan, NULL, &err);
  if (proof)
    print(proof);
  else
    fprintf(stderr, "prove: %s\n", err.text);
  const int status = proof ? 0 : 1;
  ripstop_result_free(proof);
  ripstop_plan_free(plan);
  return status;
}
