/* experiment.c - does an experiment and prints its tables, as `ripstop run FILE` does: what is stored is not done
 * again, and after an interrupt the same call goes on. */
#include <stdio.h>

#include <ripstop/kit/report.h>

static void print(void *context, const ripstop_campaign_event *event) {
  (void)context;
  if (event->kind == RIPSTOP_CAMPAIGN_RAN) printf("%s %s\n", event->run->id, event->outcome->verdict);
  if (event->kind == RIPSTOP_CAMPAIGN_WARNS) fprintf(stderr, "experiment: %s\n", event->text);
}

int main(int argc, char **argv) {
  ripstop_error err = {0};
  ripstop_data data;
  ripstop_campaign_settings settings = ripstop_campaign_defaults(argc == 2 ? argv[1] : "-");
  settings.progress = print;
  ripstop_campaign *campaign = ripstop_campaign_open(&settings, &err);
  int status = campaign ? ripstop_campaign_run(campaign, &err) : -1;
  if (!status) status = ripstop_report_load(campaign, RIPSTOP_LOAD_TABLES, &data, &err);
  if (!status) ripstop_report_text(stdout, &data);
  if (status) fprintf(stderr, "experiment: %s\n", err.text);
  ripstop_campaign_close(campaign);
  return status ? 1 : 0;
}
