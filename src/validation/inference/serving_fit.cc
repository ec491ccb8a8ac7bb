#include "validation/inference/serving_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "calibrate/robust_fit.h"

namespace loadfactor::validation {
namespace {

using serving::Constants;

constexpr double kDifference = 0.02;  // Change of a logarithm, for derivatives.
constexpr double kMostResidual = 1.5;
constexpr double kLongestStep = 0.5;

// Which constants a run can depend on.
bool concerns(std::size_t place, const InferenceRun& run) {
  if (place < serving::kNumConstants) return true;
  if (place < Constants::kNumShared) return place == Constants::place_of_family(run.family);
  const std::size_t engine = place - Constants::kNumShared;
  return engine / serving::kNumEngineConstants == run.engine->index;
}

double residual(const InferenceRun& run, const Constants& constants) {
  const double predicted = run.predict(constants);
  if (!(predicted > 0) || !std::isfinite(predicted)) return kMostResidual;
  return std::clamp(std::log(predicted / run.measured), -kMostResidual, kMostResidual);
}

double loss(double r, double scale) {
  const double x = r / scale;
  return 2 * scale * scale * (std::sqrt(1 + x * x) - 1);
}

// Constants with room to move on which some of the runs depend.
std::vector<std::size_t> free_constants(std::span<const WeightedRun> runs,
                                        const serving::ServingCalibration& calibration) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < calibration.constants.size(); ++i) {
    if (calibration.constants[i].width <= 0) continue;
    const bool used = std::any_of(runs.begin(), runs.end(),
                                  [&](const auto& row) { return concerns(i, *row.run); });
    if (used) found.push_back(i);
  }
  return found;
}

class Fitter {
 public:
  Fitter(std::span<const WeightedRun> runs, const serving::ServingCalibration& calibration,
         const ServingFitOptions& options)
      : runs_(runs),
        calibration_(calibration),
        options_(options),
        free_(free_constants(runs, calibration)) {}

  Constants run(Constants constants) {
    // A constant nobody measures stays at its prior.
    for (std::size_t i = 0; i < constants.values.size(); ++i) {
      if (std::find(free_.begin(), free_.end(), i) == free_.end())
        constants.values[i] = calibration_.constants[i].prior;
    }
    double best = objective(constants);
    for (int round = 0; round < options_.rounds; ++round) {
      const std::vector<double> step = direction(constants);
      bool moved = false;
      for (double share = 1.0; share > 0.1 && !moved; share *= 0.5) {
        Constants trial = constants;
        for (std::size_t i = 0; i < free_.size(); ++i)
          trial.values[free_[i]] *=
              std::exp(std::clamp(share * step[i], -kLongestStep, kLongestStep));
        const double value = objective(trial);
        if (value < best) {
          moved = best - value > 1e-4 * best;
          best = value;
          constants = trial;
          if (!moved) return constants;
        }
      }
      if (!moved) break;
    }
    return constants;
  }

 private:
  double pull(std::size_t place, const Constants& constants) const {
    const auto& c = calibration_.constants[place];
    return std::log(constants.values[place] / c.prior) / c.width;
  }
  double objective(const Constants& constants) const {
    double sum = 0;
    for (const auto& [run, weight] : runs_)
      sum += weight * loss(residual(*run, constants), options_.scale);
    sum /= options_.spread * options_.spread;
    for (const std::size_t i : free_) sum += std::pow(pull(i, constants), 2);
    return sum;
  }
  std::vector<double> direction(const Constants& constants) const {
    const std::size_t n = free_.size();
    std::vector<double> matrix(n * n, 0.0), right(n, 0.0);
    const double unit = 1 / (options_.spread * options_.spread);
    std::vector<std::size_t> mine;
    std::vector<double> slope;
    for (const auto& [run, weight] : runs_) {
      const double r = residual(*run, constants);
      const double w = weight * unit / std::sqrt(1 + std::pow(r / options_.scale, 2));
      mine.clear();
      slope.clear();
      for (std::size_t i = 0; i < n; ++i) {
        if (!concerns(free_[i], *run)) continue;
        Constants moved = constants;
        moved.values[free_[i]] *= std::exp(kDifference);
        const double d = (residual(*run, moved) - r) / kDifference;
        if (d == 0) continue;
        mine.push_back(i);
        slope.push_back(d);
      }
      for (std::size_t a = 0; a < mine.size(); ++a) {
        right[mine[a]] -= w * slope[a] * r;
        for (std::size_t b = 0; b < mine.size(); ++b)
          matrix[mine[a] * n + mine[b]] += w * slope[a] * slope[b];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double width = calibration_.constants[free_[i]].width;
      matrix[i * n + i] += 1 / (width * width) + 1e-9;
      right[i] -= pull(free_[i], constants) / width;
    }
    if (!calibrate::solve_positive(matrix, right)) right.assign(n, 0.0);
    return right;
  }

  std::span<const WeightedRun> runs_;
  const serving::ServingCalibration& calibration_;
  ServingFitOptions options_;
  std::vector<std::size_t> free_;
};

serving::Constants moved(const serving::Constants& from, std::span<const std::size_t> places,
                         std::span<const double> logarithms) {
  serving::Constants to = from;
  for (std::size_t i = 0; i < places.size(); ++i)
    to.values[places[i]] *= std::exp(std::clamp(logarithms[i], -kLongestStep, kLongestStep));
  return to;
}

}  // namespace

NearbyFits::NearbyFits(std::span<const WeightedRun> runs,
                       const serving::ServingCalibration& calibration, const Constants& optimum,
                       const ServingFitOptions& options)
    : runs_(runs),
      calibration_(&calibration),
      optimum_(&optimum),
      options_(options),
      free_(free_constants(runs, calibration)) {
  for (const auto& row : runs_) {
    const double r = residual(*row.run, optimum);
    residuals_.push_back(r);
    std::vector<Slope>& slopes = slopes_.emplace_back();
    Constants nearby = optimum;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (!concerns(free_[i], *row.run)) continue;
      double& value = nearby.values[free_[i]];
      const double before = value;
      value *= std::exp(kDifference);
      const double slope = (residual(*row.run, nearby) - r) / kDifference;
      value = before;
      if (slope != 0) slopes.push_back({i, slope});
    }
  }
}

std::vector<double> NearbyFits::step(std::span<const double> residuals, const Kept& is_kept,
                                     const Constants& at, std::span<const double> so_far) const {
  const std::size_t n = free_.size();
  std::vector<double> matrix(n * n, 0.0), right(n, 0.0);
  const double unit = 1 / (options_.spread * options_.spread);
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    if (!is_kept[k]) continue;
    double r = residuals[k];
    for (const Slope& slope : slopes_[k]) r += slope.value * so_far[slope.constant];
    const double w = runs_[k].weight * unit / std::sqrt(1 + std::pow(r / options_.scale, 2));
    for (const Slope& a : slopes_[k]) {
      right[a.constant] -= w * a.value * residuals[k];
      for (const Slope& b : slopes_[k])
        matrix[a.constant * n + b.constant] += w * a.value * b.value;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto& c = calibration_->constants[free_[i]];
    matrix[i * n + i] += 1 / (c.width * c.width) + 1e-9;
    right[i] -= std::log(at.values[free_[i]] / c.prior) / (c.width * c.width);
  }
  if (!calibrate::solve_positive(matrix, right)) right.assign(n, 0.0);
  return right;
}

std::vector<double> NearbyFits::solve(std::span<const double> residuals, const Kept& is_kept,
                                      const Constants& at) const {
  constexpr int kReweighted = 6;
  constexpr double kSettled = 1e-3;
  std::vector<double> logarithms(free_.size(), 0.0);
  for (int round = 0; round < kReweighted; ++round) {
    const std::vector<double> next = step(residuals, is_kept, at, logarithms);
    double change = 0;
    for (std::size_t i = 0; i < next.size(); ++i)
      change = std::max(change, std::abs(next[i] - logarithms[i]));
    logarithms = next;
    if (change < kSettled) break;
  }
  return logarithms;
}

Constants NearbyFits::without(const Selection& is_left_out) const {
  Kept is_kept;
  for (const auto& row : runs_) is_kept.push_back(!is_left_out(*row.run));
  if (std::find(is_kept.begin(), is_kept.end(), true) == is_kept.end()) return *optimum_;
  const Constants first = moved(*optimum_, free_, solve(residuals_, is_kept, *optimum_));
  std::vector<double> there(runs_.size(), 0.0);
  for (std::size_t k = 0; k < runs_.size(); ++k)
    if (is_kept[k]) there[k] = residual(*runs_[k].run, first);
  return moved(first, free_, solve(there, is_kept, first));
}

serving::Constants fit_serving(std::span<const WeightedRun> runs,
                               const serving::ServingCalibration& calibration,
                               const serving::Constants& start, const ServingFitOptions& options) {
  return Fitter(runs, calibration, options).run(start);
}

std::vector<WeightedRun> thinned(std::span<const InferenceRun* const> runs, int most) {
  std::map<std::string, std::vector<const InferenceRun*>> cells;
  for (const auto* run : runs)
    cells[run->source + "|" + run->row.model + "|" + run->chip + "|" + run->row.metric].push_back(
        run);
  std::vector<WeightedRun> kept;
  for (const auto& [key, members] : cells) {
    const auto size = static_cast<double>(members.size());
    const double stride = std::max(1.0, size / most);
    double all = 0, chosen = 0;
    for (const auto* run : members) all += run->weight;
    const std::size_t first = kept.size();
    for (double at = 0.5 * stride; at < size; at += stride) {
      kept.push_back({members[static_cast<std::size_t>(at)], 1.0});
      chosen += 1;
    }
    for (std::size_t i = first; i < kept.size(); ++i) kept[i].weight = all / chosen;
  }
  return kept;
}

}  // namespace loadfactor::validation
