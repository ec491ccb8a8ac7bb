#include "engine/method/whole_run.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/figure_text.h"
#include "engine/train/missed_limits.h"
#include "engine/train/train_goodput.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {
namespace {

// What is said of the trainer's own failures and prices, and said again of the run's.
bool is_of_paid_time(const Notice& notice) {
  constexpr std::array<std::string_view, 5> kIds{"ways-to-pay", "few-spares", "no-progress",
                                                 "goodput-counted", "checkpoint-interval"};
  return std::find(kIds.begin(), kIds.end(), notice.id) != kIds.end();
}

// A limit that the run as a whole must keep, and not the trainer alone.
bool is_of_the_run(const MissedLimit& limit) {
  return limit.key != MissedLimit::Key::kHeadroom;
}

// All steps of the run on all its GPUs, as failures and prices see them.
TrainAnswer paid_run(const catalog::Catalog& catalog, const TrainSetup& setup,
                     const TrainAnswer& answer) {
  const MethodAnswer& method = *answer.method;
  TrainAnswer run;
  run.accelerator = answer.accelerator;
  run.accelerator_title = answer.accelerator_title;
  run.layout.gpus = method.gpus;
  run.step_time = method.step;
  run.tokens_per_s = answer.tokens_per_s * (answer.step_time.value() / method.step.value());
  if (method.steps) run.duration = method.step * static_cast<double>(*method.steps);
  add_goodput(catalog, setup, run);
  return run;
}

void replace_notices(const catalog::Catalog& catalog, const TrainSetup& setup,
                     const TrainAnswer& run, std::vector<Notice>& notices) {
  std::erase_if(notices, is_of_paid_time);
  notices.insert(notices.end(), run.notices.begin(), run.notices.end());
  if (!run.goodput) return;
  if (run.duration)
    notices.push_back(
        {.id = "goodput-counted", .arguments = {{"share", percent_text(1.0 - run.paid_share())}}});
  if (run.stalled) return;
  if (auto often = note_interval(catalog, setup, *run.goodput))
    notices.push_back(*std::move(often));
}

}  // namespace

void extend_to_the_run(const catalog::Catalog& catalog, const TrainInputs& whole,
                       TrainAnswer& answer) {
  Diagnostics unread;
  const auto setup = make_train_setup(whole, catalog, unread);
  if (!setup) return;
  TrainAnswer run = paid_run(catalog, *setup, answer);
  replace_notices(catalog, *setup, run, answer.notices);
  MethodAnswer& method = *answer.method;
  method.duration = run.duration;
  method.cost = run.cost;
  if (run.duration)
    method.idle_gpu_hours = method.idle * method.gpus * run.duration->value().base() / 3600.0;
  std::erase_if(answer.missed, is_of_the_run);
  std::move(run.missed.begin(), run.missed.end(), std::back_inserter(answer.missed));
  for (auto& limit : missed_power(catalog, *setup, run.paid_gpus, method.gpus))
    answer.missed.push_back(std::move(limit));
  answer.goodput = std::move(run.goodput);
  answer.whole = std::move(run.whole);
  answer.stalled = std::move(run.stalled);
  answer.options = std::move(run.options);
  answer.option = run.option;
  answer.commitment = run.commitment;
}

}  // namespace loadfactor::engine
