/* ripstop.h - the whole interface for programs that use the library. Authors of plug-ins also need ripstop/plugin/;
 * programs as large as `ripstop` itself (experiments, stores, reports, judging of tables) also need ripstop/kit/. */
#ifndef RIPSTOP_H
#define RIPSTOP_H

#include "ripstop/error.h"
#include "ripstop/fabric.h"
#include "ripstop/plan.h"
#include "ripstop/prove.h"
#include "ripstop/result.h"
#include "ripstop/routes.h"
#include "ripstop/scale.h"
#include "ripstop/simulate.h"
#include "ripstop/view.h"

#endif
