#include <array>

#include "facade/forms/makers.h"

namespace loadfactor::facade {

std::span<const VerbRow> verb_rows() {
  static constexpr std::array kRows{
      VerbRow{"plan", "should I have these GPUs? One thing to do, and why", plan_form},
      VerbRow{"diff", "what changed between two plans, and what it costs", diff_form},
      VerbRow{"audit",
              "does a blueprint or vendor claim agree with arithmetic, physics and the record?",
              audit_form},
      VerbRow{"fit", "does a model fit, and how many sequences?", fit_form},
      VerbRow{"train", "how long does a training step take, and why?", train_form},
      VerbRow{"serve", "what does a deployment deliver, and what limits it?", serve_form},
      VerbRow{"cost", "rent, own, reserve, spot, API or a mix?", cost_form},
      VerbRow{"demand", "what is this traffic like?", demand_form},
      VerbRow{"fill", "can I keep these GPUs full?", fill_form},
      VerbRow{"fleet", "many workloads on one fleet: who runs where and when, and who pays?",
              fleet_form},
      VerbRow{"validate", "how accurate is this tool?", validate_form},
      VerbRow{"calibrate", "make the model match measurements", calibrate_site_form},
      VerbRow{"calibrate training", "refit the step model to the published runs, fold by fold",
              calibrate_training_form},
      VerbRow{"calibrate kernels", "fit kernel costs to measured tables, and say how well",
              calibrate_kernels_form},
      VerbRow{"calibrate serving", "refit the serving model to published results",
              calibrate_serving_form},
      VerbRow{"calibrate collectives", "fit collectives to measured tables, and say how well",
              calibrate_collectives_form},
      VerbRow{"emit", "the files that launch it, by a framework, an engine or a batch system",
              emit_form},
      VerbRow{"read", "what is launched today, as a scenario", read_form},
      VerbRow{"observe", "how full are we now, who flies empty, and what would mend it?",
              observe_form},
      VerbRow{"catalog", "what is known, where from, and how to add to it", catalog_form},
      VerbRow{"explain", "where a number comes from; what a code or a word means", explain_form},
  };
  return kRows;
}

}  // namespace loadfactor::facade
