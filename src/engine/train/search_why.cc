#include "engine/train/search_why.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/plural.h"

namespace loadfactor::engine {
namespace {

using training::Part;

struct PartWords {
  Part part;
  std::string_view words;
};
constexpr std::array kWords{
    PartWords{Part::kGemm, "slower matrix products"},
    PartWords{Part::kAttention, "slower attention"},
    PartWords{Part::kPointwise, "more pointwise traffic"},
    PartWords{Part::kHead, "embedding and head"},
    PartWords{Part::kRecompute, "recomputation"},
    PartWords{Part::kTp, "tensor-parallel collectives not hidden"},
    PartWords{Part::kCp, "keys and values on the ring"},
    PartWords{Part::kEp, "expert all-to-all"},
    PartWords{Part::kFsdp, "all-gather not hidden"},
    PartWords{Part::kDp, "gradient reduction not hidden"},
    PartWords{Part::kP2p, "pipeline sends"},
    PartWords{Part::kBubble, "bubble"},
    PartWords{Part::kImbalance, "uneven stages"},
    PartWords{Part::kOptimizer, "optimizer"},
    PartWords{Part::kOffload, "offload traffic"},
    PartWords{Part::kHost, "host"},
    PartWords{Part::kData, "waiting for input"},
    PartWords{Part::kStraggler, "stragglers"},
};
static_assert(kWords.size() == training::kNumParts);

double tokens_of(const ChosenLayout& chosen) {
  return static_cast<double>(chosen.job.global_batch) * static_cast<double>(chosen.job.sequence);
}

bool leaves_domain(const ChosenLayout& chosen) {
  return chosen.job.layout.tp > domain_of(chosen.job);
}

}  // namespace

int domain_of(const training::TrainingJob& job) {
  return std::max(1, job.fabric.scale_up_domain.value_or(job.chip->scale_up.domain));
}

// Of machines of different sizes the time of all their GPUs together.
std::string why_not(const ChosenLayout& best, const ChosenLayout& other) {
  const int gpus = best.job.layout.gpus;
  const int others = other.job.layout.gpus;
  const double scale = tokens_of(best) / tokens_of(other) * others / gpus;
  const Seconds total = best.time.total();
  std::vector<std::pair<double, std::string_view>> losses;
  for (const auto& row : kWords) {
    const double more = (other.time[row.part] * scale - best.time[row.part]) / total;
    if (more > 0.0005) losses.emplace_back(more, row.words);
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  if (others != gpus) words.push_back(fmt::format("{}, not {}", counted(others, "GPU"), gpus));
  if (leaves_domain(other) && !leaves_domain(best))
    words.push_back(fmt::format("tp {} crosses the scale-up domain of {}", other.job.layout.tp,
                                domain_of(other.job)));
  if (other.plan.verdict == training::Verdict::kTight &&
      best.plan.verdict != training::Verdict::kTight)
    words.emplace_back("memory is tight");
  constexpr std::size_t kMost = 2;
  for (std::size_t i = 0; i < std::min(kMost, losses.size()); ++i)
    words.push_back(fmt::format("{} +{:.1f} %", losses[i].second, 100.0 * losses[i].first));
  return words.empty() ? "as fast; less plain" : fmt::format("{}", fmt::join(words, ", "));
}

std::string why_best(const ChosenLayout& best) {
  const auto& layout = best.job.layout;
  const int domain = domain_of(best.job);
  std::vector<std::string> words;
  if (layout.tp > 1)
    words.push_back(layout.tp <= domain
                        ? fmt::format("tp {} stays in the scale-up domain of {}", layout.tp, domain)
                        : fmt::format("tp {} leaves the scale-up domain of {}: smaller ones "
                                      "do not fit or starve",
                                      layout.tp, domain));
  if (layout.pp > 1)
    words.push_back(fmt::format("pp {} {}, bubble {:.1f} %", layout.pp,
                                layout.gpus > domain ? "across nodes" : "inside the domain",
                                100.0 * (best.time[Part::kBubble] / best.time.total())));
  if (layout.dp > 1) words.push_back(fmt::format("dp {} outermost", layout.dp));
  words.push_back(fmt::format("{:.0f} % of the memory needed", 100.0 * best.plan.fill()));
  return fmt::format("{}", fmt::join(words, ", "));
}

double communication_share(const training::StepTime& time) {
  Seconds sum;
  for (const Part part : {Part::kTp, Part::kCp, Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p})
    sum += time[part];
  return sum / time.total();
}

}  // namespace loadfactor::engine
