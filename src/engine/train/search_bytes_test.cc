// Every layout that a search evaluates is one that `train` takes, and of which it says the same.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "catalog/catalog.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "engine/train/search_machines.h"
#include "search/layout_search.h"
#include "training/memory/memory_plan.h"

namespace loadfactor {
namespace {

// As many of the steps of an exhaustive search that fit as asked, each as likely as any other.
std::vector<search::FoundPlan> sample_of(const search::SearchScene& scene, std::size_t wanted) {
  RandomStream draw(11, "layouts of a search");
  std::vector<search::FoundPlan> sample;
  std::uint64_t seen = 0;
  std::uint64_t fitting = 0;
  const Bytes capacity = training::memory_question(scene.scene.job).capacity;
  search::SearchOptions options;
  options.prune = false;
  options.visit = [&](const search::FoundPlan& plan) {
    ++seen;
    if (plan.needed > capacity) return;
    ++fitting;
    if (sample.size() < wanted) {
      sample.push_back(plan);
    } else if (const auto at = draw.below(fitting); at < wanted) {
      sample[at] = plan;
    }
  };
  const auto found = search_layouts(scene, options);
  EXPECT_EQ(found.evaluated, static_cast<std::int64_t>(seen));
  EXPECT_EQ(found.evaluated, found.enumerated);
  return sample;
}

std::string scenario(const std::string& layout, const std::string& stack) {
  return "loadfactor: 1\nname: t\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
         "  global_batch: 64\n  stack: {framework: " +
         stack + "}\n" + layout + "hardware: [a100-80gb-sxm]\nlimits: {gpus: 64}\n";
}

struct Seen {
  int compared = 0;
  int ends = 0;
  int groups = 0;
};

Seen compare_with_train(const std::string& stack, std::size_t wanted) {
  Seen seen;
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  const auto files = catalog::builtin_files();
  const auto catalog = catalog::Catalog::open(files, diagnostics);
  SearchInputs request;
  request.train = {.scenario = config::testing::sound(scenario("", stack))};
  request.gpus = {64};
  const auto list = engine::list_machines(request, catalog, Objective::kTime, diagnostics);
  EXPECT_TRUE(list && list->machines.size() == 1) << render(diagnostics);
  if (!list) return seen;
  const auto& scene = list->machines[0].scene;
  for (const auto& plan : sample_of(scene, wanted)) {
    training::TrainingJob job = scene.scene.job;
    job.layout = plan.layout;
    const std::string keys = engine::keys_text(engine::layout_keys(job));
    const std::string text = scenario("  layout: {" + keys + "}\n", stack);
    Diagnostics problems;
    const auto answer = engine->train({.scenario = config::testing::sound(text)}, problems);
    EXPECT_TRUE(answer.has_value()) << keys << "\n" << render(problems);
    if (!answer) continue;
    EXPECT_EQ(answer->layout_keys, keys);
    EXPECT_TRUE(answer->fits) << keys;
    EXPECT_EQ(answer->step_time.value(), plan.time) << keys;
    const auto memory = training::plan_memory(training::memory_question(job));
    EXPECT_DOUBLE_EQ(answer->memory.value() / memory.peak().used(), 1.0) << keys;
    ++seen.compared;
    seen.ends += plan.layout.first_layers > 0 ? 1 : 0;
    seen.groups += plan.layout.shard_group > 0 ? 1 : 0;
  }
  return seen;
}

TEST(SearchBytes, TrainSaysTheSameOfAThousandRandomLayoutsOfAnExhaustiveSearch) {
  const Seen seen = compare_with_train("megatron-core", 1000);
  EXPECT_EQ(seen.compared, 1000);
  EXPECT_GE(seen.ends, 50);
}

TEST(SearchBytes, SoftwareWithoutAPipelineIsGivenNoneAndItsGroupsAreRead) {
  const Seen seen = compare_with_train("fsdp", 100);
  EXPECT_EQ(seen.compared, 100);
  EXPECT_EQ(seen.ends, 0);
  EXPECT_GE(seen.groups, 10);
}

}  // namespace
}  // namespace loadfactor
