#include "calibrate/training_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "base/statistics.h"
#include "calibrate/linear_solve.h"
#include "training/step/step_time.h"

namespace loadfactor::calibrate {

namespace {

using training::Calibration;
using training::CalibrationFile;
using training::Fitted;
using training::kNumConstants;
using training::kNumWidths;

constexpr double kStep = 1e-3;        // The numeric derivative's, in fitted coordinates.
constexpr double kLargestMove = 0.5;  // The most that one iteration moves.

// One number to fit, and where it lives in a Calibration.
struct Parameter {
  double prior = 0;  // This and `width` are in fitted coordinates.
  double width = 0;
  bool share = false;    // Lies between 0 and 1: logit instead of logarithm.
  int chip = -1;         // Index of the chip, or -1 for a shared constant.
  int family = -1;       // Index of a family of software whose level it is, or -1.
  std::size_t slot = 0;  // Index of a constant, or of a width class of the chip.

  double to_fitted(double value) const {
    return share ? std::log(value / (1.0 - value)) : std::log(value);
  }
  double to_value(double fitted) const {
    return share ? 1.0 / (1.0 + std::exp(-fitted)) : std::exp(fitted);
  }
};

Parameter make_parameter(const Fitted& fitted, bool share) {
  Parameter p;
  p.share = share;
  p.prior = p.to_fitted(fitted.prior);
  p.width = share ? fitted.width / (1.0 - fitted.prior) : fitted.width;
  return p;
}

std::vector<Parameter> make_parameters(const CalibrationFile& file) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < kNumConstants; ++i) {
    parameters.push_back(
        make_parameter(file.constants[i].fitted, file.constants[i].unit == "share"));
    parameters.back().slot = i;
  }
  for (std::size_t c = 0; c < file.chips.size(); ++c) {
    for (std::size_t w = 0; w < kNumWidths; ++w) {
      parameters.push_back(make_parameter(file.chips[c].sustained[w], true));
      parameters.back().chip = static_cast<int>(c);
      parameters.back().slot = w;
    }
  }
  return parameters;
}

// The level of a family of software: what all of its runs are slower or faster by. It keeps what
// one code base does worse out of the constants that all share. Rows of no family have none.
void add_levels(std::size_t families, double width, std::vector<Parameter>& parameters) {
  for (std::size_t f = 0; f < families; ++f) {
    Parameter level;
    level.width = width;
    level.family = static_cast<int>(f);
    parameters.push_back(level);
  }
}

double& slot_of(Calibration& calibration, const Parameter& p) {
  if (p.chip < 0) return calibration.shared.values[p.slot];
  return calibration.chips[static_cast<std::size_t>(p.chip)].sustained[p.slot];
}

Fitted& slot_of(CalibrationFile& file, const Parameter& p) {
  if (p.chip < 0) return file.constants[p.slot].fitted;
  return file.chips[static_cast<std::size_t>(p.chip)].sustained[p.slot];
}

// Which parameters change the prediction of a row. One that does not at the optimum of all rows is
// taken not to change it near that optimum either.
using Sensitivity = std::vector<bool>;

// Rows with their chip resolved, so that a derivative touches only rows that it changes.
struct Problem {
  std::span<const FitRow> rows;
  std::vector<const training::ChipConstants*> chip;  // Points into `calibration`.
  std::vector<int> chip_index;
  std::vector<int> family_index;
  std::vector<std::string> families;
  std::vector<double> levels;  // Natural logarithms, by family.
  Calibration calibration;
  std::vector<Parameter> parameters;
  std::vector<double> x;
  std::vector<const Sensitivity*> sensitivities;  // One per row; empty: any parameter may count.
  training::PipelineWorkspace workspace;
};

double log_residual(Problem& problem, std::size_t row) {
  const training::TrainingJob& job = *problem.rows[row].job;
  const training::ChipConstants& chip = *problem.chip[row];
  const auto scene = training::make_scene(job, problem.calibration.shared, chip,
                                          problem.calibration.families[chip.family]);
  const Seconds step =
      training::step_time(scene, {job.layout, job.global_batch}, problem.workspace).total();
  const double tokens = static_cast<double>(job.global_batch) * static_cast<double>(job.sequence);
  const int family = problem.family_index[row];
  const double level = family < 0 ? 0.0 : problem.levels[static_cast<std::size_t>(family)];
  return level + std::log(tokens / job.layout.gpus / step.base() / problem.rows[row].measured);
}

// Levels are parameters of the problem and no longer of its calibration.
void set_levels(std::span<const FitRow> rows, const FitOptions& options, Problem& problem) {
  const training::Constants known = problem.calibration.shared;
  problem.calibration.shared.levels.clear();
  std::map<std::string, int> index;
  for (const FitRow& row : rows) {
    if (row.family.empty()) {
      problem.family_index.push_back(-1);
      continue;
    }
    if (index.emplace(row.family, static_cast<int>(index.size())).second)
      problem.families.push_back(row.family);
    problem.family_index.push_back(index.at(row.family));
  }
  add_levels(problem.families.size(), options.level_width, problem.parameters);
  for (const std::string& family : problem.families) {
    problem.levels.push_back(std::log(known.level(family)));
    problem.x.push_back(problem.levels.back());
  }
}

Problem make_problem(const CalibrationFile& start, std::span<const FitRow> rows,
                     const FitOptions& options) {
  Problem problem;
  problem.rows = rows;
  problem.calibration = start.calibration();
  problem.parameters = make_parameters(start);
  for (const Parameter& p : problem.parameters) {
    problem.x.push_back(p.to_fitted(slot_of(problem.calibration, p)));
  }
  set_levels(rows, options, problem);
  for (const FitRow& row : rows) {
    const auto* chip = problem.calibration.find(*row.job->chip);
    problem.chip.push_back(chip);
    problem.chip_index.push_back(static_cast<int>(chip - problem.calibration.chips.data()));
  }
  return problem;
}

void set(Problem& problem, std::size_t parameter, double x) {
  problem.x[parameter] = x;
  const int family = problem.parameters[parameter].family;
  if (family >= 0) {
    problem.levels[static_cast<std::size_t>(family)] = x;
    return;
  }
  slot_of(problem.calibration, problem.parameters[parameter]) =
      problem.parameters[parameter].to_value(x);
}

// Derivatives of all residuals, row by row; only the parameters that a row is sensitive to.
struct Derivative {
  std::size_t parameter;
  double value;
};

std::vector<std::vector<Derivative>> jacobian(Problem& problem, const std::vector<double>& at) {
  std::vector<std::vector<Derivative>> result(problem.rows.size());
  for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
    const int family = problem.parameters[p].family;
    if (family >= 0) {
      for (std::size_t row = 0; row < problem.rows.size(); ++row)
        if (problem.family_index[row] == family) result[row].push_back({p, 1.0});
      continue;
    }
    const double x = problem.x[p];
    set(problem, p, x + kStep);
    const int chip = problem.parameters[p].chip;
    for (std::size_t row = 0; row < problem.rows.size(); ++row) {
      if (chip >= 0 && chip != problem.chip_index[row]) continue;
      if (!problem.sensitivities.empty() && !(*problem.sensitivities[row])[p]) continue;
      const double slope = (log_residual(problem, row) - at[row]) / kStep;
      if (slope != 0.0) result[row].push_back({p, slope});
    }
    set(problem, p, x);
  }
  return result;
}

struct NormalEquations {
  SymmetricMatrix matrix;
  std::vector<double> right;
};

NormalEquations normal_equations(Problem& problem, const FitOptions& options) {
  const std::size_t n = problem.parameters.size();
  NormalEquations system{SymmetricMatrix(n), std::vector<double>(n, 0.0)};
  std::vector<double> residual(problem.rows.size());
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = log_residual(problem, i);
  const auto slopes = jacobian(problem, residual);
  const double nu = options.degrees_of_freedom;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const double z = residual[i] / options.scale;
    const double weight =
        problem.rows[i].weight * (nu + 1.0) / (nu + z * z) / (options.scale * options.scale);
    for (const Derivative& a : slopes[i]) {
      system.right[a.parameter] -= weight * a.value * residual[i];
      for (const Derivative& b : slopes[i]) {
        system.matrix.at(a.parameter, b.parameter) += weight * a.value * b.value;
      }
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    const Parameter& parameter = problem.parameters[p];
    const double precision = 1.0 / (parameter.width * parameter.width);
    system.matrix.at(p, p) += precision;
    system.right[p] -= precision * (problem.x[p] - parameter.prior);
  }
  return system;
}

double objective(Problem& problem, const FitOptions& options) {
  double sum = 0;
  const double nu = options.degrees_of_freedom;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const double z = log_residual(problem, i) / options.scale;
    sum += problem.rows[i].weight * 0.5 * (nu + 1.0) * std::log1p(z * z / nu);
  }
  for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
    const Parameter& parameter = problem.parameters[p];
    const double z = (problem.x[p] - parameter.prior) / parameter.width;
    sum += 0.5 * z * z;
  }
  return sum;
}

void move(Problem& problem, const std::vector<double>& from, const std::vector<double>& step,
          double length) {
  for (std::size_t p = 0; p < from.size(); ++p) {
    set(problem, p, from[p] + std::clamp(length * step[p], -kLargestMove, kLargestMove));
  }
}

// Halves the step until the objective falls. Returns by how much it fell.
double line_search(Problem& problem, const std::vector<double>& step, const FitOptions& options) {
  const std::vector<double> from = problem.x;
  const double before = objective(problem, options);
  for (double length = 1.0; length > 0.05; length *= 0.5) {
    move(problem, from, step, length);
    const double after = objective(problem, options);
    if (after < before) return before - after;
  }
  move(problem, from, step, 0.0);
  return 0.0;
}

std::uint64_t stable_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash ^ (hash >> 29U);
}

}  // namespace

double predict(const training::TrainingJob& job, const Calibration& calibration) {
  const auto* chip = calibration.find(*job.chip);
  if (chip == nullptr) return 0.0;
  const Seconds step =
      training::step_time(job, calibration.shared, *chip, calibration.families[chip->family])
          .total();
  const double tokens = static_cast<double>(job.global_batch) * static_cast<double>(job.sequence);
  return tokens / job.layout.gpus / step.base();
}

namespace {

std::vector<Sensitivity> find_sensitivities(Problem problem) {
  std::vector<double> residual(problem.rows.size());
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = log_residual(problem, i);
  const auto slopes = jacobian(problem, residual);
  std::vector<Sensitivity> result(slopes.size(), Sensitivity(problem.parameters.size(), false));
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    for (const Derivative& slope : slopes[i]) result[i][slope.parameter] = true;
  }
  return result;
}

// What one source shows is its site's as well as the software's; several sites average out. Sources
// of one family lie 2 to 3 % apart and families 8 %, a tenth in variance. Few families have several
// sources, so more than twice as much is taken.
constexpr double kSiteVariance = 0.25;  // The variance of sites over that of families.

// The level of a family as far as it is the software's.
void add_level(const Problem& problem, const Parameter& parameter, double error,
               CalibrationFile& result) {
  const std::string& family = problem.families[static_cast<std::size_t>(parameter.family)];
  std::set<std::string> sources;
  for (const FitRow& row : problem.rows)
    if (row.family == family) sources.insert(row.publication);
  const auto sites = static_cast<double>(sources.size());
  const double level =
      problem.levels[static_cast<std::size_t>(parameter.family)] * sites / (sites + kSiteVariance);
  result.levels.push_back({family, {std::exp(level), 1.0, parameter.width, error}});
}

CalibrationFile fit(const CalibrationFile& start, Problem problem, const FitOptions& options) {
  for (int i = 0; i < options.iterations; ++i) {
    const NormalEquations system = normal_equations(problem, options);
    const double gain = line_search(problem, solve(system.matrix, system.right), options);
    if (gain < 0.02) break;
  }
  CalibrationFile result = start;
  result.levels.clear();
  const auto variance = inverse_diagonal(normal_equations(problem, options).matrix);
  for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
    const Parameter& parameter = problem.parameters[p];
    if (parameter.family >= 0) {
      add_level(problem, parameter, std::sqrt(variance[p]), result);
      continue;
    }
    Fitted& fitted = slot_of(result, parameter);
    fitted.value = parameter.to_value(problem.x[p]);
    fitted.error = std::sqrt(variance[p]) * (parameter.share ? 1.0 - fitted.value : 1.0);
  }
  return result;
}

}  // namespace

CalibrationFile fit_training(const CalibrationFile& start, std::span<const FitRow> rows,
                             const FitOptions& options) {
  return fit(start, make_problem(start, rows, options), options);
}

std::vector<double> cross_validate(const CalibrationFile& start, std::span<const FitRow> rows,
                                   std::span<const int> folds, const FitOptions& options) {
  std::vector<double> predictions(rows.size(), 0.0);
  const int last = *std::max_element(folds.begin(), folds.end());
  const std::vector<Sensitivity> sensitivities =
      find_sensitivities(make_problem(start, rows, options));
  for (int fold = 0; fold <= last; ++fold) {
    std::vector<FitRow> seen;
    std::vector<const Sensitivity*> sensitivities_of_rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (folds[i] == fold) continue;
      seen.push_back(rows[i]);
      sensitivities_of_rows.push_back(&sensitivities[i]);
    }
    if (seen.size() == rows.size()) continue;
    Problem problem = make_problem(start, seen, options);
    problem.sensitivities = std::move(sensitivities_of_rows);
    const Calibration fitted = fit(start, std::move(problem), options).calibration();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (folds[i] == fold) predictions[i] = predict(*rows[i].job, fitted);
    }
  }
  return predictions;
}

std::vector<int> folds_by_configuration(std::span<const FitRow> rows, int folds) {
  std::vector<int> result;
  for (const FitRow& row : rows) {
    result.push_back(
        static_cast<int>(stable_hash(row.configuration) % static_cast<std::uint64_t>(folds)));
  }
  return result;
}

namespace {

std::vector<int> folds_by(std::span<const FitRow> rows, std::string FitRow::*field) {
  std::map<std::string, int> index;
  for (const FitRow& row : rows) index.emplace(row.*field, 0);
  int next = 0;
  for (auto& entry : index) entry.second = next++;
  std::vector<int> result;
  for (const FitRow& row : rows) result.push_back(index.at(row.*field));
  return result;
}

}  // namespace

std::vector<int> folds_by_publication(std::span<const FitRow> rows) {
  return folds_by(rows, &FitRow::publication);
}

std::vector<int> folds_by_family(std::span<const FitRow> rows) {
  return folds_by(rows, &FitRow::family);
}

std::vector<int> folds_by_chip(std::span<const FitRow> rows) {
  return folds_by(rows, &FitRow::chip);
}

training::IntervalWidth widths_by(std::string FitRow::*field, std::span<const FitRow> rows,
                                  std::span<const double> predictions, bool moe, Sides sides) {
  std::map<std::string, double> count;
  const auto counts = [moe](const FitRow& row) {
    return (row.job_class == training::JobClass::kMoe) == moe;
  };
  for (const FitRow& row : rows)
    if (counts(row)) count[row.*field] += 1;
  std::vector<double> residuals;
  std::vector<double> weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!counts(rows[i])) continue;
    const double residual = std::log(predictions[i] / rows[i].measured);
    residuals.push_back(sides == Sides::kAlike ? std::abs(residual) : residual);
    weights.push_back(1.0 / count.at(rows[i].*field));
  }
  if (residuals.empty()) return {};
  const auto below = [&](double share) { return quantile_weighted(residuals, weights, share); };
  if (sides == Sides::kApart) return {std::max(0.02, below(0.95)), std::max(0.02, -below(0.05))};
  const double reach = std::max(0.02, below(0.9));
  return {reach, reach};
}

std::array<training::IntervalWidth, training::kNumJobClasses> conformal_widths(
    std::span<const FitRow> rows, std::span<const double> predictions) {
  std::array<training::IntervalWidth, training::kNumJobClasses> widths{};
  for (std::size_t c = 0; c < training::kNumJobClasses; ++c) {
    std::vector<double> residuals;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (static_cast<std::size_t>(rows[i].job_class) == c) {
        residuals.push_back(std::log(predictions[i] / rows[i].measured));
      }
    }
    if (residuals.empty()) continue;
    widths[c].low = std::max(0.02, quantile_nearest_rank(residuals, 0.95));
    widths[c].high = std::max(0.02, -quantile_nearest_rank(residuals, 0.05));
  }
  return widths;
}

}  // namespace loadfactor::calibrate
