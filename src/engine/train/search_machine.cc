// What one machine of a search takes and costs, by the time of its step.
#include <fmt/format.h>

#include "base/plural.h"
#include "engine/train/search_machines.h"
#include "resolve/train/unkept_keys.h"
#include "search/layout_space.h"

namespace loadfactor::engine {

double SearchMachine::tokens_of_step() const {
  const auto& job = scene.scene.job;
  return static_cast<double>(job.global_batch) * static_cast<double>(job.sequence);
}

std::optional<Seconds> SearchMachine::work_time(Seconds step) const {
  const auto& tokens = setup->ask().tokens;
  if (!tokens) return std::nullopt;
  return step * (tokens->value.base() / tokens_of_step()) + later.work;
}

double SearchMachine::dollars(Seconds step) const {
  const auto work = work_time(step);
  const RunPrice* way = prices.chosen(work, rule);
  if (way == nullptr) return 0.0;
  if (work) return way->cost(*work).base();
  const double rate = way->rate.value().base() * way->paid.paid_gpus();
  return rate * way->paid.run(step).base() / tokens_of_step();
}

double SearchMachine::score(Objective objective, Seconds step) const {
  if (objective == Objective::kCost || objective == Objective::kCostByDeadline)
    return dollars(step);
  const PaidTime& of_run = paid(step);
  const auto work = work_time(step);
  const double pace = work ? of_run.run(*work).base() : of_run.run(step).base() / tokens_of_step();
  return objective == Objective::kTime ? pace : pace * gpu_power.base() * of_run.paid_gpus();
}

std::optional<DollarsPerGpuSecond> SearchMachine::rent() const {
  const RunPrice* way = prices.chosen(std::nullopt, rule);
  return way != nullptr ? std::optional(way->rate.value()) : std::nullopt;
}

PayRule pay_rule(Objective objective) {
  const bool timed = objective == Objective::kTime || objective == Objective::kEnergy;
  return timed ? PayRule::kSoonest : PayRule::kCheapest;
}

std::string SearchMachine::words() const {
  std::string text = fmt::format("{} × {}", gpus(), setup->job.chip->title);
  return several_precisions ? text + " in " + setup->precision : text;
}

bool SearchMachine::has_layouts() const {
  return !search::LayoutSpace(scene.scene.job, scene.asked, scene.limits).slices().empty();
}

ExcludedMachine SearchMachine::undivided() const {
  const auto& job = scene.scene.job;
  const auto unkept = unkept_keys(scene.asked, [&](const config::Layout& open) {
    return !search::LayoutSpace(job, open, scene.limits).slices().empty();
  });
  MachineObjection why{.global_batch = job.global_batch};
  if (!unkept.empty()) {
    why.kind = MachineObjection::Kind::kUnkept;
    why.refusal = unkept_words(unkept);
  } else {
    for (const auto& key : written_keys(scene.asked))
      if (key.key != "gpus") why.fixed.push_back(key.key + " " + key.value);
  }
  return {words(), std::move(why), job.chip->name, gpus(), false};
}

}  // namespace loadfactor::engine
