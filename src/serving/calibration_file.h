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

// The mean prompt of a public set of requests, for results that name the set alone.
struct RequestSet {
  std::string words;  // As results name it.
  double input = 0;
};

struct ServingCalibration {
  std::vector<FittedConstant> constants;  // In the places of Constants.
  std::vector<std::string> borrowed;      // By generation: whose constants it has; empty: its own.
  double borrowed_width = 1;  // Intervals are so many times as wide where they are borrowed.
  std::vector<IntervalWidth> intervals;
  std::vector<RequestSet> sets;
  std::map<std::string, double> baseline;  // Median efficiency over a roofline, by class.
  std::vector<std::string> results;        // Lines of figures, out of source, for whoever reads it.
  std::string source;
  std::string date;

  Constants values() const;
  bool is_borrowed(const EngineTraits& engine) const {
    return engine.index < borrowed.size() && !borrowed[engine.index].empty();
  }
  // The narrowest group that has a width; the metric as a whole otherwise. Wider where the
  // constants of `engine` are those of another.
  IntervalWidth interval(Metric metric, const std::vector<std::string>& groups,
                         const EngineTraits* engine = nullptr) const;

 private:
  IntervalWidth class_interval(Metric metric, const std::vector<std::string>& groups) const;
};

// Classes of results that a deployment belongs to, narrowest first: their residuals give its
// interval. Chips with kernel tables of their own are known better than those that borrow.
std::vector<std::string> interval_groups(const ServingDeployment& deployment);

// What to say about an engine whose constants are those of another.
std::optional<std::string> borrowed_remark(const ServingCalibration& calibration,
                                           const EngineTraits& engine);

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
