// Why a step is not shorter: its losses against the dense peak.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/train/train_answer.h"

namespace loadfactor::engine {
namespace {

using training::Part;

// All but the products, which are judged together.
constexpr std::array kLosing{Part::kPointwise, Part::kRecompute, Part::kTp,        Part::kCp,
                             Part::kEp,        Part::kFsdp,      Part::kDp,        Part::kP2p,
                             Part::kBubble,    Part::kImbalance, Part::kOptimizer, Part::kOffload,
                             Part::kData,      Part::kHost,      Part::kStraggler};

std::vector<StepLoss> losses_of(const ChosenLayout& chosen, Seconds ideal) {
  const auto& time = chosen.time;
  const Seconds total = time.total();
  const Seconds products = time[Part::kGemm] + time[Part::kAttention] + time[Part::kHead];
  std::vector<StepLoss> losses{
      {std::string(training::name(Part::kGemm)), (products - ideal) / total}};
  for (const Part part : kLosing)
    losses.push_back({std::string(training::name(part)), time[part] / total});
  return losses;
}

}  // namespace

std::vector<StepLoss> reasons_not_faster(const ChosenLayout& chosen, Seconds ideal) {
  constexpr std::size_t kMaxReasons = 3;
  auto losses = losses_of(chosen, ideal);
  std::stable_sort(losses.begin(), losses.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.share > b.share; });
  std::vector<StepLoss> reasons;
  for (StepLoss& loss : losses) {
    if (reasons.size() == kMaxReasons || loss.share <= 0) break;
    const int domain = chosen.job.chip->scale_up.domain;
    const bool is_tensor = loss.part == training::name(Part::kTp);
    if (is_tensor && chosen.job.layout.tp > domain) loss.domain = domain;
    reasons.push_back(std::move(loss));
  }
  return reasons;
}

}  // namespace loadfactor::engine
