// The weak scaling of a published series: ten models, each on the GPUs it was run on.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "search/testing/search_fixture.h"

namespace loadfactor::search {
namespace {

// What was run, as its authors tabulate it. [Narayanan 2021, table 1]
struct PublishedRun {
  const char* model;
  int gpus;
  int tp;
  int pp;
  std::int64_t batch;
  std::int64_t micro_batch;
  int chunks;   // Chunks of a stage.
  double rate;  // TFLOP/s per GPU, as published.
};
constexpr std::array kRuns{
    PublishedRun{"gpt-1.7b", 32, 1, 1, 512, 16, 1, 137},
    PublishedRun{"gpt-3.6b", 64, 2, 1, 512, 16, 1, 138},
    PublishedRun{"gpt-7.5b", 128, 4, 1, 512, 16, 1, 142},
    PublishedRun{"gpt-18b", 256, 8, 1, 1024, 8, 1, 135},
    PublishedRun{"gpt-39b", 512, 8, 2, 1536, 4, 1, 138},
    PublishedRun{"gpt-76b", 1024, 8, 4, 1792, 2, 3, 140},
    PublishedRun{"gpt-145b", 1536, 8, 8, 2304, 2, 2, 148},
    PublishedRun{"gpt-310b", 1920, 8, 16, 2160, 1, 2, 155},
    PublishedRun{"gpt-530b", 2520, 8, 35, 2520, 1, 1, 163},
    PublishedRun{"gpt-1t", 3072, 8, 64, 3072, 1, 1, 163},
};

// As its authors count: forward, backward and the forward again. [Narayanan 2021, equation 3]
double operations(const catalog::ModelSpec& model, double batch, double sequence) {
  const double layers = model.num_layers();
  const double hidden = model.hidden;
  const double vocab = static_cast<double>(model.embedding.vocab);
  return 96.0 * batch * sequence * layers * hidden * hidden *
         (1.0 + sequence / (6.0 * hidden) + vocab / (16.0 * layers * hidden));
}

// Schedules and sequence parallelism are those of the time: what came later is not searched.
// Those of at least 5 G parameters within 5 %; the two smaller ones, fitted beside 800 runs of
// other software, come out up to 13 % fast.
TEST(WeakScaling, EveryRunOfThePublishedSeriesIsPredictedAsClaimed) {
  using config::ScheduleWord;
  const Library library;
  int in_band = 0;
  for (const PublishedRun& run : kRuns) {
    auto job = library.job(run.model, "a100-80gb-sxm", "megatron-2021");
    job.sequence = 2048;
    job.global_batch = run.batch;
    job.layout.gpus = run.gpus;
    job.precision.compute = catalog::Dtype::kFp16;
    job.fabric.gpus_per_node = 8;
    SearchScene scene = library.scene(job);
    const auto fixed = [](int value) { return config::Placed<int>{value, {}}; };
    scene.asked.tp = fixed(run.tp);
    scene.asked.pp = fixed(run.pp);
    scene.asked.vp = fixed(run.chunks);
    scene.asked.micro_batch = config::Placed<std::int64_t>{run.micro_batch, {}};
    if (run.pp > 1)
      scene.asked.schedule = config::Placed<ScheduleWord>{
          run.chunks > 1 ? ScheduleWord::kInterleaved : ScheduleWord::kOneForwardOneBackward, {}};
    scene.asked.sequence_parallel = config::Placed<bool>{false, {}};
    scene.limits.ends = false;
    scene.asked.cp = fixed(1);
    scene.asked.zero = fixed(0);
    scene.asked.recompute = config::Placed<config::RecomputeWord>{config::RecomputeWord::kFull, {}};
    scene.asked.offload = config::Placed<std::vector<config::OffloadWord>>{};
    const auto found = search_layouts(scene, {});
    ASSERT_FALSE(found.best.empty()) << run.model;
    const double seconds = found.best[0].time.base();
    const double rate =
        operations(*job.model, static_cast<double>(run.batch), 2048) / seconds / run.gpus / 1e12;
    const bool is_small = run.gpus < 128;
    EXPECT_NEAR(rate / run.rate, 1.0, is_small ? 0.14 : 0.05) << run.model << " " << rate;
    EXPECT_LE(rate, 170) << run.model;
    in_band += rate >= 133 ? 1 : 0;
  }
  // One comes out 4 % below what was published of it, which was the least of all.
  EXPECT_GE(in_band, 8);
}

}  // namespace
}  // namespace loadfactor::search
