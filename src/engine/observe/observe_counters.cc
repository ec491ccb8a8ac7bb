// Training runs by the counters of the GPUs that they hold, beside what the model predicts of them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/observe/observe.h"

namespace loadfactor::engine {
namespace {

using observe::Cause;
using observe::Loss;
using observe::WorkloadUse;

bool is_run(const WorkloadUse& use) {
  return use.workload >= 0 && !use.is_service && use.active_seconds > 0;
}

// What a run did on most of its GPUs; nothing where no workload is its. One that is called like the
// scenario is; so is the only one of the cluster, where the scenario is the only one of a run.
const WorkloadUse* use_of_scenario(const std::string& name, bool is_only,
                                   const observe::Account& account) {
  const WorkloadUse* most = nullptr;
  const WorkloadUse* only = nullptr;
  bool has_others = false;
  for (const WorkloadUse& use : account.uses) {
    if (!is_run(use)) continue;
    has_others = has_others || (only != nullptr && only->workload != use.workload);
    const auto larger = [&](const WorkloadUse* than) {
      return than == nullptr || use.use.total() > than->use.total() ? &use : than;
    };
    only = larger(only);
    if (use.name == name || use.team + "/" + use.name == name) most = larger(most);
  }
  return most != nullptr ? most : is_only && !has_others ? only : nullptr;
}

// Work of any pace advances a run; what nothing tells of may do so or not, and is left out.
void set_goodput(const WorkloadUse& use, TrainingRow& row) {
  const double unseen = use.use[Cause::kHeldUnseen];
  const double told = use.use.total() - unseen;
  if (told <= 0) return;
  row.goodput = (use.use.of(Loss::kLoad) - unseen + use.use.of(Loss::kUnsaturated)) / told;
  row.lost = use.use[Cause::kFailed] / told;
}

TrainingRow row_of(const WorkloadUse& use, const TrainAnswer& predicted) {
  TrainingRow row;
  row.framework = "counters";
  row.scenario = predicted.scenario;
  row.accelerator = predicted.accelerator;
  row.gpus = static_cast<int>(std::lround(use.mean_gpus));
  row.wall = Seconds::from_base(use.held_seconds);
  row.has_stamps = true;
  set_goodput(use, row);
  if (predicted.fits) row.predicted = predicted_run(predicted);
  return row;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

// Figures of one run that do not fit together say that one of them is of something else.
void note_mfu(const TrainingRow& row, std::vector<Notice>& notices) {
  if (!row.mfu) return;
  constexpr double kNoticeable = 0.1;
  const std::string& run = row.scenario;
  if (row.logged_mfu && std::abs(*row.logged_mfu / *row.mfu - 1) > kNoticeable)
    notices.push_back(
        {.id = "mfu-by-log",
         .arguments = {
             {"run", run}, {"logged", percent(*row.logged_mfu)}, {"modelled", percent(*row.mfu)}}});
  if (row.tensor && *row.mfu > *row.tensor * (1 + kNoticeable))
    notices.push_back(
        {.id = "mfu-above-counter",
         .arguments = {
             {"run", run}, {"tensor", percent(*row.tensor)}, {"modelled", percent(*row.mfu)}}});
}

}  // namespace

void add_counters(const observe::Account& account, const ObserveInputs& inputs, const Core& engine,
                  ObserveAnswer& answer) {
  for (const TrainInputs& asked : inputs.runs) {
    const std::string& name = asked.scenario.name.value;
    const WorkloadUse* use = use_of_scenario(name, inputs.runs.size() == 1, account);
    if (use == nullptr) continue;
    const auto is_its = [&](const TrainingRow& row) { return row.scenario == name; };
    auto row = std::find_if(answer.training.begin(), answer.training.end(), is_its);
    if (row == answer.training.end()) {
      Diagnostics refused;
      const auto predicted = engine.train(asked, refused);
      if (!predicted) continue;
      row = answer.training.insert(answer.training.end(), row_of(*use, *predicted));
    }
    row->tensor = use->tensor.at_work();
  }
  for (const TrainingRow& row : answer.training) note_mfu(row, answer.notices);
}

}  // namespace loadfactor::engine
