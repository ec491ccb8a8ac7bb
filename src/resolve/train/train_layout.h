// Which layout a training job gets: what is written is checked, what is left blank is chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resolve/train/train_setup.h"
#include "training/memory/memory_plan_resolve.h"
#include "training/step/step_scene.h"
#include "training/step/step_time.h"

namespace loadfactor::engine {

// Tokens of a step where the scenario gives no batch.
inline constexpr double kUsualBatchTokens = 4'194'304;

// The same for a run, which has one step at least.
double usual_batch_tokens(const TrainSetup& setup);

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

// Refuses what the software cannot do, at the key that asks for it, and a chip it is not made for.
void check_software(TrainSetup& setup, Diagnostics& diagnostics);

// What a search of all layouts leaves out because the software cannot run it; nothing where it can
// run all that is open.
std::optional<Notice> note_abilities(const TrainSetup& setup);

// The layout with the shortest step among those that agree with `asked` and fit;
// where none fits, the one that lacks the least memory. A layout whose memory is tight must be
// 5 % faster to win. Nothing where none is legal.
//
// Blank is filled from short lists: tp from the legal degrees within the scale-up domain, pp from
// the divisors of the layers and powers of two (any depth where none of those is legal), vp up to
// 8 where the stack interleaves and micro-batches come in whole rounds of pp,
// micro-batches of 1, 2, 4 and 8 sequences, cp 1, ep the most experts-parallel ranks within the
// domain, dp from what is left, the least recomputation that fits. Without `gpus`: the limit of the
// scenario, or the most below it that divide; else the smallest that fits, doubling.
std::optional<ChosenLayout> choose_layout(const TrainSetup& setup, const config::Layout& asked);

// The layout closest to what was asked that fits, within the limits of the scenario.
struct NearestLayout {
  std::string keys;     // As keys of a layout; empty if we find none.
  std::string changes;  // Which written keys it changes, or what it would take; may be empty.
};
NearestLayout nearest_that_fits(const TrainSetup& setup);

// Words of the scenario's own language.
std::string recompute_words(const training::Recompute& recompute);
std::string sharding_words(training::Sharding sharding);
std::string schedule_words(const training::Layout& layout);
std::string offload_words(const training::Offload& offload);
training::Offload asked_offload(const config::Layout& asked);

// The whole layout as keys of a scenario: read back, they give the same layout.
struct LayoutKey {
  std::string key;
  std::string value;  // As text.
  config::Edit edit;  // That gives a scenario this key.
};
std::vector<LayoutKey> layout_keys(const training::TrainingJob& job);
// What makes this the layout of a scenario, whatever it had before.
std::vector<config::Edit> layout_edits(const training::TrainingJob& job);
// `gpus: 8, tp: 2, …`.
std::string keys_text(const std::vector<LayoutKey>& keys);
// The keys that somebody wrote.
std::vector<LayoutKey> written_keys(const config::Layout& asked);

// A job as steps are computed from it, with the constants of its chip.
training::StepScene scene_of(const TrainSetup& setup, const training::TrainingJob& job);

}  // namespace loadfactor::engine
