// Which layout a training job gets: what is written is checked, what is left blank is chosen.
#pragma once

#include <optional>
#include <string>

#include "engine/train_setup.h"
#include "training/memory_plan_resolve.h"
#include "training/step_time.h"

namespace loadfactor::engine {

struct ChosenLayout {
  training::TrainingJob job;  // Complete.
  training::MemoryPlan plan;
  training::StepTime time;  // Only where it fits.
  int considered = 0;

  bool fits() const { return plan.verdict != training::Verdict::kDoesNotFit; }
};

// Reports what divides nothing or contradicts itself, with the nearest legal value; a layout that
// is legal but unwise gets a notice.
void check_layout(TrainSetup& setup, Diagnostics& diagnostics);

// Of all layouts that agree with `asked`, the one with the shortest step among those that fit;
// where none fits, the one that lacks the least memory. A layout whose memory is tight must be
// 5 % faster to win. Nothing where none is legal.
//
// Blank is filled from short lists: tp from the legal degrees within the scale-up domain, pp from
// the divisors of the layers and powers of two, vp up to 8 where the stack interleaves,
// micro-batches of 1, 2, 4 and 8 sequences, cp 1, ep the most experts-parallel ranks within the
// domain, dp from what is left, the least recomputation that fits. Without `gpus`: the limit of the
// scenario, else the smallest power of two that fits.
std::optional<ChosenLayout> choose_layout(const TrainSetup& setup, const config::Layout& asked);

// The layout closest to what was asked that fits, as its keys; empty if we find none.
std::string nearest_that_fits(const TrainSetup& setup);

// Words of the scenario's own language.
std::string recompute_words(const training::Recompute& recompute);
std::string sharding_words(training::Sharding sharding);
std::string schedule_words(const training::Layout& layout);

}  // namespace loadfactor::engine
