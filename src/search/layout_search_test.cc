#include "search/layout_search.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "search/testing/search_fixture.h"

namespace loadfactor::search {
namespace {

const Library& library() {
  static const Library kLibrary;
  return kLibrary;
}

void expect_same(const SearchResult& a, const SearchResult& b, const std::string& what) {
  ASSERT_EQ(a.best.size(), b.best.size()) << what;
  for (std::size_t i = 0; i < a.best.size(); ++i) {
    EXPECT_EQ(a.best[i].score, b.best[i].score) << what << " rank " << i;
    EXPECT_EQ(a.best[i].layout, b.best[i].layout) << what << " rank " << i;
    EXPECT_EQ(a.best[i].needed, b.best[i].needed) << what << " rank " << i;
  }
}

// Small enough for brute force: no more than some ten thousand layouts.
SpaceLimits small_limits(RandomStream& draw) {
  SpaceLimits limits;
  limits.most_tp = 4;
  limits.most_cp = 2;
  limits.most_micro_batch = 4;
  limits.most_chunks = 3;
  limits.offload = draw.below(4) == 0;
  return limits;
}

// Which dimensions the layouts of the random spaces differ in.
struct Coverage {
  std::set<std::string> seen;

  void add(const training::Layout& layout, const training::TrainingJob& job) {
    const auto mark = [this](bool there, const char* what) {
      if (there) seen.insert(what);
    };
    const int layers = job.model->num_layers();
    mark(layout.tp > 1, "tp");
    mark(layout.sequence_parallel, "sp");
    mark(layout.pp > 1 && layers % layout.pp != 0, "uneven stages");
    mark(layout.first_layers > 0, "own ends");
    mark(layout.first_layers > 0 && layout.vp > 1, "own ends of chunks");
    mark(layout.vp > 1, "vp");
    mark(layout.cp > 1, "cp");
    mark(layout.ep > 1, "ep");
    mark(layout.etp > 1, "etp");
    mark(layout.micro_batch > 1, "micro-batch");
    mark(layout.sharding == training::Sharding::kHybrid, "hybrid sharding");
    mark(layout.sharding == training::Sharding::kFull, "full sharding");
    mark(layout.recompute.kind == training::RecomputeKind::kFull &&
             layout.recompute.layers_per_stage > 0,
         "recomputed layers");
    mark(layout.recompute.kind == training::RecomputeKind::kSelective, "selective");
    mark(layout.offload.optimizer, "offloaded optimizer");
    mark(layout.offload.parameters, "offloaded parameters");
    mark(layout.offload.activation_layers > 0, "offloaded activations");
    mark(layout.schedule == training::Schedule::kZeroBubbleV, "zero-bubble-v");
    mark(layout.schedule == training::Schedule::kDualPipe, "dualpipe");
    mark(job.precision.compute == catalog::Dtype::kFp8, "fp8");
  }
};

TEST(LayoutSearch, TheRandomSpacesOpenEveryDimension) {
  RandomStream draw(7, "search test");
  Coverage coverage;
  for (int i = 0; i < 60; ++i) {
    const auto problem = random_problem(library(), draw);
    SearchScene scene = library().scene(problem->job);
    scene.limits = small_limits(draw);
    visit_layouts(scene, [&](const auto& layout) { coverage.add(layout, problem->job); });
  }
  EXPECT_EQ(coverage.seen.size(), 20U);
}

// A machine somebody measured: some parts take less than the model says, some more.
training::PartFactors measured_parts(RandomStream& draw) {
  training::PartFactors factors;
  for (std::size_t i = 0; i < training::kNumParts; ++i)
    factors[static_cast<training::Part>(i)] = 0.7 + 0.8 * draw.uniform();
  return factors;
}

// The fastest that leave a quarter and half of the memory free, found at once, are the first of all
// plans that do.
void expect_leanest(SearchScene scene, const SearchResult& every, const std::string& what) {
  SearchOptions options;
  options.keep = 1;
  options.shares = {0.75, 0.5};
  scene.fullest = 0.75;
  const auto both = search_layouts(scene, options);
  ASSERT_EQ(both.lean.size(), 2U) << what;
  const Bytes capacity = training::memory_question(scene.scene.job).capacity;
  for (std::size_t i = 0; i < 2; ++i) {
    SearchResult first;
    const auto lean = std::find_if(
        every.best.begin(), every.best.end(),
        [&](const FoundPlan& plan) { return plan.needed <= capacity * options.shares[i]; });
    if (lean != every.best.end()) first.best.push_back(*lean);
    SearchResult one;
    one.best = both.lean[i];
    expect_same(first, one, what + " lean " + std::to_string(i));
  }
}

TEST(LayoutSearch, AgreesWithBruteForceOnRandomSpaces) {
  RandomStream draw(7, "search test");
  RandomStream site(8, "measured parts");
  int with_answer = 0;
  int pruned_something = 0;
  for (int i = 0; i < 60; ++i) {
    const auto problem = random_problem(library(), draw);
    if (i % 4 == 3) problem->job.measured = measured_parts(site);
    SearchScene scene = library().scene(problem->job);
    scene.limits = small_limits(draw);
    const auto every = brute_force(library(), scene, std::numeric_limits<std::size_t>::max());
    auto brute = every;
    brute.best.resize(std::min<std::size_t>(brute.best.size(), 40));
    SearchOptions options;
    options.prune = false;
    const auto all = search_layouts(scene, options);
    options.prune = true;
    const auto pruned = search_layouts(scene, options);
    options.threads = 3;
    const auto threaded = search_layouts(scene, options);
    const std::string what = "problem " + std::to_string(i);
    expect_same(brute, all, what + " exhaustive");
    expect_same(brute, pruned, what + " pruned");
    expect_same(brute, threaded, what + " threaded");
    expect_leanest(scene, every, what);
    EXPECT_EQ(all.enumerated, brute.enumerated) << what;
    EXPECT_EQ(all.evaluated, all.enumerated) << what;
    EXPECT_EQ(pruned.enumerated, brute.enumerated) << what;
    EXPECT_EQ(threaded.enumerated, pruned.enumerated) << what;
    EXPECT_EQ(threaded.evaluated, pruned.evaluated) << what;
    with_answer += brute.best.empty() ? 0 : 1;
    pruned_something += pruned.evaluated < all.evaluated ? 1 : 0;
  }
  EXPECT_GE(with_answer, 40);
  EXPECT_GE(pruned_something, 40);
}

SearchScene gpt3(int gpus, std::int64_t batch) {
  auto job = library().job("gpt3-175b", "a100-80gb-sxm", "megatron-core");
  job.sequence = 2048;
  job.global_batch = batch;
  job.layout.gpus = gpus;
  return library().scene(job);
}

TEST(LayoutSearch, AThousandRandomLayoutsAreTheSameBytesAsTheStepAndThePlan) {
  SearchScene scene = gpt3(256, 256);
  scene.limits.most_cp = 2;
  RandomStream draw(11, "spot check");
  std::vector<FoundPlan> sample;
  std::uint64_t seen = 0;
  SearchOptions options;
  options.prune = false;
  options.visit = [&](const FoundPlan& plan) {
    ++seen;
    if (sample.size() < 1000) {
      sample.push_back(plan);
    } else if (const auto at = draw.below(seen); at < 1000) {
      sample[at] = plan;
    }
  };
  const auto evaluated = search_layouts(scene, options).evaluated;
  EXPECT_EQ(evaluated, static_cast<std::int64_t>(seen));
  ASSERT_EQ(sample.size(), 1000U);
  for (const auto& plan : sample) {
    training::TrainingJob job = scene.scene.job;
    job.layout = plan.layout;
    EXPECT_EQ(plan.time, library().step(job).total());
    EXPECT_EQ(plan.needed, training::plan_memory(training::memory_question(job)).needed);
  }
}

TEST(LayoutSearch, EnumeratesEveryLegalLayoutOnce) {
  const SearchScene scene = gpt3(32, 32);
  std::int64_t count = 0;
  std::vector<training::Layout> sample;
  visit_layouts(scene, [&](const training::Layout& layout) {
    ++count;
    EXPECT_EQ(layout.tp * layout.pp * layout.cp * layout.dp, layout.gpus);
    EXPECT_EQ(32 % (layout.dp * layout.micro_batch), 0);
    if (count % 997 == 0) sample.push_back(layout);
  });
  for (std::size_t i = 0; i < sample.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(sample[i], sample[j]);
      EXPECT_NE(is_plainer(sample[i], sample[j]), is_plainer(sample[j], sample[i]));
    }
  EXPECT_EQ(search_layouts(scene, {}).enumerated, count);
}

TEST(LayoutSearch, WhatIsWrittenIsKept) {
  SearchScene scene = gpt3(512, 512);
  scene.asked.tp = config::Placed<int>{4, {}};
  scene.asked.micro_batch = config::Placed<std::int64_t>{2, {}};
  scene.asked.recompute = config::Placed<config::RecomputeWord>{config::RecomputeWord::kFull, {}};
  const auto found = search_layouts(scene, {});
  ASSERT_FALSE(found.best.empty());
  for (const auto& plan : found.best) {
    EXPECT_EQ(plan.layout.tp, 4);
    EXPECT_EQ(plan.layout.micro_batch, 2);
    EXPECT_EQ(plan.layout.recompute.kind, training::RecomputeKind::kFull);
  }
}

TEST(LayoutSearch, EndsThatAreWrittenAreKept) {
  SearchScene scene = gpt3(512, 512);
  scene.asked.first_layers = config::Placed<int>{10, {}};
  scene.asked.last_layers = config::Placed<int>{8, {}};
  const auto found = search_layouts(scene, {});
  ASSERT_FALSE(found.best.empty());
  for (const auto& plan : found.best) {
    EXPECT_EQ(plan.layout.first_layers, 10);
    EXPECT_EQ(plan.layout.last_layers, 8);
    EXPECT_EQ((96 - 18) % (plan.layout.pp - 2), 0);
  }
}

// A vocabulary that weighs as much as two layers and a half: with eight layers on each of four
// stages the last one sets the pace; nine between the ends relieve it.
TEST(LayoutSearch, AHeavyHeadIsWorthAShorterLastStage) {
  auto job = library().job("llama-3.1-8b", "h100-sxm", "megatron-core");
  job.sequence = 4096;
  job.global_batch = 256;
  job.layout.gpus = 16;
  SearchScene scene = library().scene(job);
  scene.asked.tp = config::Placed<int>{4, {}};
  scene.asked.pp = config::Placed<int>{4, {}};
  scene.asked.vp = config::Placed<int>{1, {}};
  scene.asked.schedule =
      config::Placed<config::ScheduleWord>{config::ScheduleWord::kOneForwardOneBackward, {}};
  const auto free = search_layouts(scene, {});
  scene.limits.ends = false;
  const auto rule = search_layouts(scene, {});
  ASSERT_FALSE(free.best.empty());
  ASSERT_FALSE(rule.best.empty());
  EXPECT_LT(free.best[0].layout.last_layers, 8);
  EXPECT_GT(free.best[0].layout.last_layers, 0);
  EXPECT_LT(free.best[0].score, rule.best[0].score);
  EXPECT_LT(rule.enumerated, free.enumerated);
}

TEST(LayoutSearch, ADeadlineAndALineForTheMemoryAreKept) {
  SearchScene scene = gpt3(512, 512);
  const auto free = search_layouts(scene, {});
  ASSERT_FALSE(free.best.empty());
  scene.fullest = 0.5;
  const auto roomy = search_layouts(scene, {});
  ASSERT_FALSE(roomy.best.empty());
  const Bytes capacity = training::memory_question(scene.scene.job).capacity;
  for (const auto& plan : roomy.best) EXPECT_LE(plan.needed, capacity * 0.5);
  EXPECT_GE(roomy.best[0].score, free.best[0].score);
  scene.fullest = 1.0;
  scene.longest = free.best[0].time * 0.99;
  EXPECT_TRUE(search_layouts(scene, {}).best.empty());
}

TEST(LayoutSearch, StopsWithTheBestSoFar) {
  const SearchScene scene = gpt3(512, 512);
  std::atomic<bool> stop{false};
  SearchOptions options;
  options.prune = false;
  options.stop = &stop;
  options.progress = [&stop](double) { stop = true; };
  const auto found = search_layouts(scene, options);
  EXPECT_TRUE(found.stopped);
  EXPECT_LT(found.enumerated, search_layouts(scene, {}).enumerated);
}

TEST(LayoutSearch, StopsInTheMiddleOfARound) {
  const SearchScene scene = gpt3(512, 512);
  const std::int64_t half = search_layouts(scene, {}).enumerated / 2;
  std::atomic<bool> stop{false};
  std::int64_t seen = 0;
  SearchOptions options;
  options.prune = false;
  options.stop = &stop;
  options.visit = [&](const FoundPlan&) { stop = ++seen >= half; };
  const auto found = search_layouts(scene, options);
  EXPECT_TRUE(found.stopped);
  EXPECT_FALSE(found.best.empty());
  EXPECT_EQ(found.enumerated, seen);
  // The slice under way is finished, and no slice is a tenth of the space.
  EXPECT_LT(found.enumerated, half + half / 5);
}

TEST(LayoutSearch, WhereNothingFitsTheNearestMissIsNamed) {
  auto job = library().job("gpt3-175b", "a100-80gb-sxm", "megatron-core");
  job.sequence = 2048;
  job.global_batch = 8;
  job.layout.gpus = 2;
  SearchScene scene = library().scene(job);
  scene.limits.offload = false;
  const auto found = search_layouts(scene, {});
  EXPECT_TRUE(found.best.empty());
  ASSERT_EQ(found.close.size(), 1U);
  EXPECT_GT(found.close[0].needed, training::memory_question(job).capacity);
}

// An offload that gains less than a prediction can tell does not push a plainer layout aside.
TEST(LayoutSearch, AnOffloadMustGainMoreThanAHair) {
  training::Layout plain;
  training::Layout away;
  away.offload.optimizer = true;
  const auto score = [](const training::Layout& layout, double seconds) {
    return seconds * handicap(layout, false);
  };
  EXPECT_LT(score(plain, 1.005), score(away, 1.0));
  EXPECT_GT(score(plain, 1.02), score(away, 1.0));
  EXPECT_GT(handicap(away, true), handicap(away, false));
  EXPECT_EQ(handicap(plain, false), 1.0);
}

}  // namespace
}  // namespace loadfactor::search
