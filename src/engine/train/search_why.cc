#include "engine/train/search_why.h"

#include <algorithm>
#include <string>

namespace loadfactor::engine {
namespace {

using training::Part;

double tokens_of(const ChosenLayout& chosen) {
  return static_cast<double>(chosen.job.global_batch) * static_cast<double>(chosen.job.sequence);
}

bool leaves_domain(const ChosenLayout& chosen) {
  return chosen.job.layout.tp > domain_of(chosen.job);
}

bool is_tight(const ChosenLayout& chosen) {
  return chosen.plan.verdict == training::Verdict::kTight;
}

LayoutReasons described(const ChosenLayout& chosen) {
  const auto& layout = chosen.job.layout;
  LayoutReasons out;
  out.gpus = layout.gpus;
  out.tp = layout.tp;
  out.pp = layout.pp;
  out.dp = layout.dp;
  out.domain = domain_of(chosen.job);
  out.bubble = chosen.time[Part::kBubble] / chosen.time.total();
  out.memory_share = chosen.plan.fill();
  return out;
}

}  // namespace

int domain_of(const training::TrainingJob& job) {
  return std::max(1, job.fabric.scale_up_domain.value_or(job.chip->scale_up.domain));
}

LayoutReasons why_best(const ChosenLayout& best) {
  LayoutReasons out = described(best);
  out.is_best = true;
  out.best_gpus = out.gpus;
  return out;
}

// Machines of different sizes are compared by the time of all their GPUs together.
LayoutReasons why_not(const ChosenLayout& best, const ChosenLayout& other) {
  LayoutReasons out = described(other);
  out.best_gpus = best.job.layout.gpus;
  out.leaves_domain = leaves_domain(other) && !leaves_domain(best);
  out.is_tight = is_tight(other) && !is_tight(best);
  const double scale = tokens_of(best) / tokens_of(other) * out.gpus / out.best_gpus;
  const Seconds total = best.time.total();
  constexpr double kWorthNaming = 0.0005;
  for (std::size_t i = 0; i < training::kNumParts; ++i) {
    const auto part = static_cast<Part>(i);
    const double more = (other.time[part] * scale - best.time[part]) / total;
    if (more > kWorthNaming) out.losses.push_back({std::string(training::name(part)), more});
  }
  std::stable_sort(out.losses.begin(), out.losses.end(),
                   [](const auto& a, const auto& b) { return a.more > b.more; });
  return out;
}

double communication_share(const training::StepTime& time) {
  Seconds sum;
  for (const Part part : {Part::kTp, Part::kCp, Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p})
    sum += time[part];
  return sum / time.total();
}

}  // namespace loadfactor::engine
