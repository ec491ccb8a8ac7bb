#include "validation/training/baseline_duel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "training/step/step_time.h"

namespace loadfactor::validation {

namespace {

using training::Part;

struct Member {
  const PublishedRun* run;
  const RowPrediction* row;
};

double off(double said, double measured) {
  return 100.0 * std::abs(said / measured - 1.0);
}

// The value most members have, and how many of them.
template <typename Value>
std::pair<std::string, int> most_common(std::span<const Member> members, const Value& value) {
  std::map<std::string, int> counts;
  for (const Member& m : members) ++counts[value(*m.run)];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first, most->second};
}

// The part of the step, matrix products apart, that takes most of the time of these rows.
std::pair<Part, double> heaviest_part(std::span<const Member> members,
                                      const training::Calibration& calibration) {
  std::array<double, training::kNumParts> sums{};
  for (const Member& m : members) {
    const auto* chip = calibration.find(m.run->chip);
    if (chip == nullptr) continue;
    const auto time = training::step_time(m.run->job, calibration.shared, *chip,
                                          calibration.families[chip->family]);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += time.parts[i] / time.total();
  }
  sums[static_cast<std::size_t>(Part::kGemm)] = 0;
  const auto most = std::max_element(sums.begin(), sums.end());
  return {static_cast<Part>(most - sums.begin()),
          100.0 * *most / static_cast<double>(members.size())};
}

std::string kind_of_run(const PublishedRun& run) {
  constexpr std::array<int, training::kNumWidths> kBits{16, 8, 4};
  const auto width = static_cast<std::size_t>(training::width_of(run.job.precision.compute));
  return fmt::format("{} in {} bit on {} under {}", run.moe ? "mixture of experts" : "dense",
                     kBits[width], run.chip.name, run.job.stack->name);
}

std::string reason_of(std::span<const Member> members, const training::Calibration& calibration) {
  double bias = 0;
  int guessed = 0;
  for (const Member& m : members) {
    bias +=
        100.0 * (m.row->predicted / m.row->measured - 1.0) / static_cast<double>(members.size());
    guessed += m.run->tier == Tier::kFull ? 0 : 1;
  }
  const auto [kind, count] = most_common(members, kind_of_run);
  const auto [part, share] = heaviest_part(members, calibration);
  return fmt::format(
      "{} of {} rows are {}; ours is {:.1f} % too {} on average; besides products, {} takes most "
      "of "
      "their time ({:.0f} %); recomputation or micro-batch had to be guessed for {}",
      count, members.size(), kind, std::abs(bias), bias < 0 ? "slow" : "fast", name(part), share,
      guessed);
}

}  // namespace

BaselineDuel duel_with_baseline(std::span<const PublishedRun* const> runs,
                                std::span<const RowPrediction> predictions,
                                const training::Calibration& calibration) {
  std::map<std::string, std::vector<Member>> sources;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].baseline <= 0) continue;
    sources[runs[i]->publication].push_back({runs[i], &predictions[i]});
  }
  BaselineDuel duel;
  for (const auto& [name, members] : sources) {
    if (static_cast<int>(members.size()) < kFewestRowsOfSource) continue;
    ++duel.sources;
    std::vector<double> ours;
    std::vector<double> baseline;
    for (const Member& m : members) {
      ours.push_back(off(m.row->predicted, m.row->measured));
      baseline.push_back(off(m.row->baseline, m.row->measured));
    }
    LostSource lost{name, static_cast<int>(members.size()), error_figures(ours),
                    error_figures(baseline)};
    lost.by_mean = lost.ours.mean > lost.baseline.mean;
    lost.by_median = lost.ours.median > lost.baseline.median;
    duel.lost_by_mean += lost.by_mean ? 1 : 0;
    duel.lost_by_median += lost.by_median ? 1 : 0;
    if (!lost.by_mean && !lost.by_median) continue;
    lost.reason = reason_of(members, calibration);
    duel.lost.push_back(std::move(lost));
  }
  return duel;
}

}  // namespace loadfactor::validation
