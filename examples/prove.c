/* prove.c - a proof: whether a method survives dead links, and where it does not, why.
 *
 * usage: prove FABRIC METHOD [FAULTS]    prove kary-ntree:k=4,n=3 misroute '0/2.1/3 0/2.1/5' */
#include <stdio.h>
#include <string.h>

#include <ripstop/ripstop.h>

static int prove(const ripstop_plan *plan, ripstop_error *err) {
  ripstop_proof proof;
  ripstop_prover *prover = ripstop_prover_new(plan->fabric);
  int status = prover ? ripstop_prove(prover, plan, &proof, err) : ripstop_fail(err, "out of memory");
  if (!status) {
    printf("%s, %s, deadlock %s\n", proof.tolerated ? "tolerated" : "not tolerated",
           proof.livelock_free ? "free of livelock" : "livelocks", ripstop_deadlock_words[proof.deadlock]);
    printf("%llu of %llu pairs can be lost, %llu states\n", (unsigned long long)proof.lost_pairs_some_choice,
           (unsigned long long)proof.pairs, (unsigned long long)proof.states);
    if (proof.lost_walk) printf("lost, for example: %s\n", proof.lost_walk);
  }
  ripstop_prover_free(prover);
  return status;
}

static int prove_with(const ripstop_fabric *fabric, const char *method, const char *text, ripstop_error *err) {
  ripstop_faults faults;
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_names *names = ripstop_names_new(fabric);
  int status = ripstop_faults_parse(arena, names, text, strlen(text), &faults, err);
  ripstop_view *view = status ? NULL : ripstop_view_new(fabric, &faults);
  ripstop_plan *plan = view ? ripstop_plan_open(view, method, NULL, err) : NULL;
  status = plan ? prove(plan, err) : -1;
  ripstop_plan_free(plan);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_arena_free(arena);
  return status;
}

int main(int argc, char **argv) {
  ripstop_error err = {.text = "usage: prove FABRIC METHOD [FAULTS]"};
  ripstop_fabric *fabric = argc > 2 ? ripstop_fabric_open(argv[1], &err) : NULL;
  int status = fabric ? prove_with(fabric, argv[2], argc > 3 ? argv[3] : "", &err) : -1;
  if (status) fprintf(stderr, "prove: %s\n", err.text);
  ripstop_fabric_free(fabric);
  return status ? 1 : 0;
}
