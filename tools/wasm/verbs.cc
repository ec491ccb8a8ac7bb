// What the module answers: the verbs behind the sliders of a page. The others are for the program,
// and left out with everything that only they need.
#include "facade/verbs.h"

#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/launch/launch_plan.h"
#include "facade/fleets.h"
#include "facade/forms/makers.h"
#include "facade/launches.h"
#include "facade/plan_accuracy.h"
#include "report/plan/workbook/plan_workbook.h"

namespace loadfactor::facade {

std::span<const VerbRow> verb_rows() {
  static constexpr std::array kRows{
      VerbRow{"plan", "should I have these GPUs? One thing to do, and why", plan_form},
      VerbRow{"fit", "does a model fit, and how many sequences?", fit_form},
      VerbRow{"serve", "what does a deployment deliver, and what limits it?", serve_form},
      VerbRow{"cost", "rent, own, reserve, spot, API or a mix?", cost_form},
  };
  return kRows;
}

#define LF_LEFT_OUT(Kind)                                                                         \
  std::optional<Answer> ask(const Desk& desk, const Kind& question) {                             \
    return desk.refuse(                                                                           \
        {.code = lf::kUsage,                                                                      \
         .message = fmt::format("the engine in a page does not {}", verb_of(Question(question))), \
         .hint = "ask the program"});                                                             \
  }
LF_LEFT_OUT(TrainQuestion)
LF_LEFT_OUT(SearchQuestion)
LF_LEFT_OUT(ScaleQuestion)
LF_LEFT_OUT(SizeQuestion)
LF_LEFT_OUT(FillQuestion)
LF_LEFT_OUT(DemandQuestion)
LF_LEFT_OUT(AuditQuestion)
LF_LEFT_OUT(ExplainQuestion)
LF_LEFT_OUT(DiffQuestion)
LF_LEFT_OUT(ValidateQuestion)
LF_LEFT_OUT(CalibrateQuestion)
LF_LEFT_OUT(CatalogQuestion)
LF_LEFT_OUT(EmitQuestion)
LF_LEFT_OUT(ReadQuestion)
LF_LEFT_OUT(ObserveQuestion)
LF_LEFT_OUT(FleetQuestion)
#undef LF_LEFT_OUT

// The parts of `plan` that size a pool of several services, write files to launch and score the
// models.
std::optional<Answer> ask_shared_pool(const Desk& desk, std::string_view /*verb*/,
                                      const ScenarioWithFiles& /*about*/,
                                      const Settings& /*settings*/) {
  return desk.refuse({.code = lf::kUsage,
                      .message = "the engine in a page sizes no pool of several services",
                      .hint = "ask the program"});
}
std::optional<engine::EmitAnswer> emit_files(const Desk& desk, const ScenarioWithFiles& /*about*/,
                                             const Settings& /*settings*/,
                                             const std::string& /*target*/,
                                             const std::string& /*way*/) {
  return desk.refuse({.code = lf::kUsage,
                      .message = "the engine in a page writes no files",
                      .hint = "ask the program"});
}
std::vector<OutputFile> output_files(const engine::EmitAnswer& /*answer*/) {
  return {};
}
std::string plan_accuracy(const engine::Core& /*engine*/, const engine::PlanAnswer& /*answer*/) {
  return {};
}

}  // namespace loadfactor::facade

namespace loadfactor::engine {

std::vector<config::Edit> recommended_edits(const PlanAnswer& /*plan*/) {
  return {};
}
config::Scenario with_changes(const config::Scenario& scenario,
                              std::vector<config::Edit> /*edits*/) {
  return scenario;
}
std::vector<std::string> keys_open_to_advice(const config::Scenario& /*scenario*/) {
  return {};
}

}  // namespace loadfactor::engine

namespace loadfactor::report {

std::string plan_workbook(const engine::PlanAnswer& /*answer*/, const std::string& /*file*/) {
  return {};
}

}  // namespace loadfactor::report
