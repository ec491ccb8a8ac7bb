// Prompts and answers in pools of their own, as candidates of a search.
#include <algorithm>
#include <optional>
#include <utility>

#include "search/candidates.h"
#include "serving/split_plan.h"

namespace loadfactor::search {
namespace {

// One chip and precision: what its layouts can do as prompts and as answers.
class SplitMaker {
 public:
  SplitMaker(const SizingProblem& problem, const Weeks& weeks, SizingAnswer& answer)
      : problem_(problem), weeks_(weeks), answer_(answer) {}

  void add(const serving::ReplicaChoice& choice, std::vector<SizedDeployment>& all) {
    ServingSpace one = problem_.space;
    one.choices = {choice};
    one.own_settings = true;
    for (auto& [chip, layouts] : one.layouts)
      std::erase_if(layouts, [](const auto& layout) { return layout.pp > 1; });
    std::vector<serving::ReplicaPlan> plans;
    for (const auto& layout : enumerate_replicas(one)) {
      ++answer_.enumerated;
      auto plan = serving::plan_replica(layout, *problem_.hardware);
      if (plan && plan->fits()) plans.push_back(*std::move(plan));
    }
    const auto prompts = cheapest_prompts(plans);
    if (!prompts) return;
    for (auto& plan : plans) add_split_plan(std::move(plan), *prompts, all);
  }

  // Pools as they are written.
  void add(const SplitChoice& choice, std::vector<SizedDeployment>& all) {
    ++answer_.enumerated;
    auto prompts = serving::plan_replica(choice.prompts, *problem_.hardware);
    auto answers = serving::plan_replica(choice.answers, *problem_.hardware);
    if (!prompts || !answers || !prompts->fits() || !answers->fits()) return;
    const auto pool = cheapest_prompts({*std::move(prompts)});
    if (pool) return add_split_plan(*std::move(answers), *pool, all);
    ++answer_.fitting;
  }

 private:
  void add_split_plan(serving::ReplicaPlan answers, const PromptPool& prompts,
                      std::vector<SizedDeployment>& all) {
    ++answer_.fitting;
    SizedDeployment d{.plan = std::move(answers), .prompts = prompts};
    d.figures = serving::measure_answers(d.plan, problem_.ask, problem_.constants_of(d.plan));
    d.figures.ttft = prompts.figures.ttft;
    take_closed_form(d);
    if (d.rate <= 0) return;
    size_by_rate(problem_, weeks_, d);
    all.push_back(std::move(d));
  }

  std::optional<PromptPool> cheapest_prompts(const std::vector<serving::ReplicaPlan>& plans) const {
    std::optional<PromptPool> best;
    int fewest = 0;
    for (const auto& plan : plans) {
      SizedDeployment alone{.plan = plan};
      alone.figures = serving::measure_prompts(plan, problem_.ask, problem_.constants_of(plan));
      take_closed_form(alone);
      if (alone.rate <= 0) continue;
      size_by_rate(problem_, weeks_, alone);
      if (best && alone.gpus >= fewest) continue;
      fewest = alone.gpus;
      best = PromptPool{.plan = plan,
                        .figures = alone.figures,
                        .rate = alone.rate,
                        .misses = alone.misses,
                        .replicas = alone.replicas};
    }
    return best;
  }

  const SizingProblem& problem_;
  const Weeks& weeks_;
  SizingAnswer& answer_;
};

}  // namespace

std::vector<SizedDeployment> enumerate_splits(const SizingProblem& problem, const Weeks& weeks,
                                              SizingAnswer& answer) {
  std::vector<SizedDeployment> all;
  SplitMaker maker(problem, weeks, answer);
  for (const SplitChoice& split : problem.space.splits) maker.add(split, all);
  if (!problem.space.has_splits) return all;
  for (const auto& choice : problem.space.choices) maker.add(choice, all);
  return all;
}

}  // namespace loadfactor::search
