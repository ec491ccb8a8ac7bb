// data/calibration/serving.yaml: constants with priors, and interval widths.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"
#include "serving/closed_form.h"
#include "serving/constants.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// `width` is the standard deviation of the prior's logarithm.
struct FittedConstant {
  std::string name;  // `gemm_16`, `vllm-v1.host_step`, `family.cdna3`.
  double value = 0;
  double prior = 0;
  double width = 0;
  std::string what;
};

enum class Metric : std::uint8_t { kThroughput, kTimePerToken, kFirstToken, kLatency };
inline constexpr std::size_t kNumMetrics = 4;
std::string_view name(Metric metric);

// A measured value lies between predicted · e^low and predicted · e^high in nine cases of ten.
struct IntervalWidth {
  Metric metric = Metric::kThroughput;
  std::string group;  // The rows whose residuals made it; empty: the metric as a whole.
  double low = 0;
  double high = 0;
};

// Groups of results whose chip or engine was left out of the fit.
inline constexpr std::string_view kChipNotSeen = "unseen chip";
inline constexpr std::string_view kEngineNotSeen = "unseen engine";

// `width` as much wider, in squares, as `far` is wider than `near`; never narrower.
IntervalWidth widened(IntervalWidth width, const IntervalWidth& near, const IntervalWidth& far);

// The mean prompt of a public set of requests, for results that name the set alone.
struct RequestSet {
  std::string words;  // As results name it.
  double input = 0;
};

struct ServingCalibration {
  std::vector<FittedConstant> constants;  // In the places of Constants.
  std::vector<std::string> borrowed;      // By generation: whose constants it has; empty: its own.
  double borrowed_width = 1;  // Intervals are so many times as wide where they are borrowed.
  // Logarithm by which they widen, in squares, where nobody says how a group lies on its bus.
  double guessed_bus = 0;
  std::vector<IntervalWidth> intervals;
  std::vector<std::string> chips;  // Those with published results; none: not known which.
  std::vector<RequestSet> sets;
  std::map<std::string, double> baseline;  // Median efficiency over a roofline, by class.
  std::vector<std::string> results;        // Lines of figures, out of source, for whoever reads it.
  std::string source;
  std::string date;

  Constants values() const;
  bool is_borrowed(const EngineTraits& engine) const {
    return engine.index < borrowed.size() && !borrowed[engine.index].empty();
  }
  // The width that results of this very chip ask for; nothing where its class holds enough of them.
  const IntervalWidth* doubt_of(std::string_view chip, Metric metric) const;
  // The narrowest group that has a width; the metric as a whole otherwise. Wider where the
  // constants of `engine` are those of another.
  IntervalWidth interval(Metric metric, const std::vector<std::string>& groups,
                         const EngineTraits* engine = nullptr) const;
  // That of a deployment under a kind of load: of its class, wider where no result is of its chip.
  // `nearer` are groups of what was measured of the deployment itself, which leaves no doubt of its
  // chip.
  IntervalWidth interval_of(Metric metric, const ServingDeployment& deployment, LoadKind kind,
                            const std::vector<std::string>& nearer = {}) const;
  // The same of a figure that the simulator gives: as far as its own figures of such loads were
  // off, where enough sources say so.
  IntervalWidth simulated_interval(Metric metric, const ServingDeployment& deployment,
                                   LoadKind kind) const;

 private:
  IntervalWidth with_doubt_of_chip(Metric metric, const ServingDeployment& deployment,
                                   IntervalWidth width) const;
  IntervalWidth class_interval(Metric metric, const std::vector<std::string>& groups) const;
};

// Classes of results that a figure of a deployment belongs to, narrowest first: their residuals
// give its interval. Chips with kernel tables of their own are known better than those that borrow;
// times of queues that grow and shrink (bursts, arrivals at a rate) less than those of a steady
// load, and so is the throughput of a burst.
std::vector<std::string> interval_groups(const ServingDeployment& deployment, Metric metric,
                                         LoadKind kind);
// The same of a figure of the simulator: first the classes of its own figures, by the kind of load.
std::vector<std::string> simulated_groups(const ServingDeployment& deployment, Metric metric,
                                          LoadKind kind);
// Whether a class is one of loads alone.
bool is_load_group(std::string_view group);
// Whether it is one of the simulator's own figures.
bool is_simulated_group(std::string_view group);

// Constants for these generations (Catalog::generations()); those of others in the file are left
// out. A generation without any has those of the one it is like.
ServingCalibration load_serving_calibration(const catalog::DataFile& file,
                                            std::span<const EngineTraits> generations,
                                            Diagnostics& diagnostics);
// The file named calibration/serving.yaml among `files`.
ServingCalibration find_serving_calibration(const std::vector<catalog::DataFile>& files,
                                            std::span<const EngineTraits> generations,
                                            Diagnostics& diagnostics);
std::string write_serving_calibration(const ServingCalibration& calibration);

}  // namespace loadfactor::serving
