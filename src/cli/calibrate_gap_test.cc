// `calibrate --where-did-it-go` as its users run it, on steps of which one group takes longer.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibrate/measurement/measurement_json.h"
#include "calibrate/site/site_gap_terms.h"
#include "cli/testing/folder.h"
#include "cli/testing/program.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "resolve/train/train_site.h"

namespace loadfactor::cli {
namespace {

using testing::Folder;
using testing::loadfactor;

struct Layout {
  const char* keys;
  int batch;
};

// What a site may well have tried, of a model that fits one node and of one that does not.
const std::vector<Layout> kSmall{{"gpus: 8, tp: 1, pp: 1, dp: 8, zero: 3, micro_batch: 1", 64},
                                 {"gpus: 8, tp: 2, pp: 1, dp: 4, zero: 1, micro_batch: 1", 16},
                                 {"gpus: 16, tp: 2, pp: 4, dp: 2, zero: 1, micro_batch: 1", 32},
                                 {"gpus: 64, tp: 8, pp: 1, dp: 8, zero: 1, micro_batch: 1", 64},
                                 {"gpus: 256, tp: 4, pp: 2, dp: 32, zero: 1, micro_batch: 1", 512},
                                 {"gpus: 32, tp: 1, pp: 4, dp: 8, zero: 1, micro_batch: 1", 64}};
const std::vector<Layout> kLarge{
    {"gpus: 64, tp: 8, pp: 4, vp: 5, dp: 2, zero: 1, micro_batch: 1", 64},
    {"gpus: 64, tp: 4, pp: 8, dp: 2, zero: 1, micro_batch: 1", 64},
    {"gpus: 128, tp: 8, pp: 8, dp: 2, zero: 1, micro_batch: 1", 32},
    {"gpus: 512, tp: 8, pp: 4, vp: 5, dp: 16, zero: 1, micro_batch: 1", 64},
    {"gpus: 256, tp: 8, pp: 2, dp: 16, zero: 1, micro_batch: 1", 512},
    {"gpus: 32, tp: 8, pp: 4, dp: 1, zero: 1, micro_batch: 1", 16}};

std::string scenario_text(const char* model, const Layout& layout) {
  return fmt::format(
      "loadfactor: 1\nname: step\ntrain:\n  model: {}\n  precision: bf16\n  tokens: 1 T\n"
      "  sequence: 8192\n  global_batch: {}\n  layout: {{{}}}\n"
      "  stack: {{framework: megatron-core-2026}}\nhardware: [h100-sxm]\n",
      model, layout.batch, layout.keys);
}

// A scenario on disk and the terms of its step.
struct Timed {
  std::string file;
  std::vector<double> terms;
};

class Site {
 public:
  Site(const char* model, const std::vector<Layout>& layouts)
      : folder_(std::string("lf-gap-") + model) {
    Diagnostics diagnostics;
    const auto engine = engine::Core::create({}, diagnostics);
    for (const Layout& layout : layouts) {
      const std::string text = scenario_text(model, layout);
      const auto answer = engine->train({.scenario = config::testing::sound(text)}, diagnostics);
      if (!answer || !answer->fits) {
        ADD_FAILURE() << model << " " << layout.keys << "\n" << render(diagnostics);
        continue;
      }
      const auto site = engine::shipped_site(engine->catalog(), diagnostics);
      terms_ = calibrate::gap_terms(*site);
      steps_.push_back({folder_.write(fmt::format("{}.yaml", steps_.size()), text),
                        site->terms_of(engine::step_of(*answer))});
    }
  }

  const std::vector<Timed>& steps() const { return steps_; }

  // The command for steps in which what `longer` holds for takes a fifth longer.
  template <class Longer>
  std::vector<std::string> words(Longer longer) const {
    std::vector<std::string> words{"calibrate", "--where-did-it-go", "--format", "json"};
    for (const Timed& step : steps_) {
      double seconds = 0;
      for (std::size_t t = 0; t < terms_.size(); ++t)
        seconds += (longer(terms_[t]) ? 1.2 : 1.0) * step.terms[t];
      words.insert(words.end(),
                   {"--for", step.file, "--step-time", fmt::format("{:.6g}s", seconds)});
    }
    return words;
  }

 private:
  Folder folder_;
  std::vector<calibrate::GapTerm> terms_;
  std::vector<Timed> steps_;
};

// The share of a group in a JSON answer.
double share_of(const std::string& text, const std::string& group) {
  const auto document = config::parse_json("answer.json", text);
  if (!document) return -1;
  const auto* groups = calibrate::member(&document->root, "answer", "gap", "groups");
  if (groups == nullptr) return -1;
  for (const config::Node& row : groups->items) {
    if (calibrate::text_or_empty(calibrate::member(&row, "group")) == group)
      return calibrate::number_or_zero(calibrate::member(&row, "share", "value"));
  }
  return 0;
}

TEST(CalibrateGapTest, WhatTakesAFifthLongerGetsFourFifthsOfTheGap) {
  for (const Site& site : {Site("llama-3.1-8b", kSmall), Site("llama-3.1-70b", kLarge)}) {
    for (const char* group : {"kernels", "communication", "bubble", "stragglers", "host"}) {
      const auto outcome = loadfactor(
          site.words([&](const calibrate::GapTerm& term) { return term.group == group; }));
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_GE(share_of(outcome.out, group), 0.8) << group << "\n" << site.steps().front().file;
      EXPECT_TRUE(testing::says(outcome.out, "\"settled\": true")) << group;
    }
  }
}

TEST(CalibrateGapTest, OneKindOfKernelIsToldAsKernels) {
  const Site site("llama-3.1-70b", kLarge);
  for (const char* name : {"products", "attention", "traffic"}) {
    const auto outcome =
        loadfactor(site.words([&](const calibrate::GapTerm& term) { return term.name == name; }));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_GE(share_of(outcome.out, "kernels"), 0.8) << name;
  }
}

TEST(CalibrateGapTest, OneStepIsNeverSettledAndSaysSo) {
  const Folder folder("lf-gap-one");
  const std::string file = folder.write("s.yaml", scenario_text("llama-3.1-8b", kSmall[1]));
  for (const char* time : {"1s", "3s", "30s"}) {
    const auto outcome =
        loadfactor({"calibrate", "--for", file, "--step-time", time, "--where-did-it-go"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    testing::expect_narrow(outcome.out);
    EXPECT_TRUE(testing::says(outcome.out, "One layout cannot tell terms apart.") ||
                testing::says(outcome.out, "No term stands out"))
        << outcome.out;
  }
}

}  // namespace
}  // namespace loadfactor::cli
