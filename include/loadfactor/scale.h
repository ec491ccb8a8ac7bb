/// How far can a training job scale, what binds it, and what is the next dollar best spent on?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/answer.h"
#include "loadfactor/search.h"
#include "loadfactor/train.h"

namespace loadfactor {

struct ScaleRequest {
  SearchRequest search;              ///< Its `gpus` are the sizes; empty: doubling up to the limit.
  double efficiency = 0.8;           ///< The line that "how far" asks about.
  std::optional<Dollars> day_value;  ///< What a day earlier is worth.
};

/// The best layout at one size.
struct ScalePoint {
  TrainAnswer train;
  double efficiency = 0;  ///< Useful tokens per GPU, over those of the smallest size that fits.
  double weak_efficiency = 0;  ///< The same with a batch that grows with the GPUs; 0: not known.
  double communication = 0;    ///< Share of the step: traffic that is not hidden.
  std::string binding;         ///< What costs most compared with the smallest size.
  std::optional<Dollars> day_break_even;  ///< Value of a day from which this size pays, over the
                                          ///< next smaller one.
  std::optional<Dollars> marginal;  ///< Saved days × their value − added cost, per added GPU.
};

struct ScaleCurve {
  std::string accelerator;
  std::string title;
  std::vector<ScalePoint> points;  ///< Rising GPUs; only sizes that fit.
  std::vector<int> too_small;      ///< Sizes on which nothing fits.
  std::vector<ExcludedMachine> excluded;
  int largest = 0;  ///< Largest size above the line.
  int fastest = 0;
  int cheapest = 0;
};

/// A change to the machine, and what it brings.
struct ScaleOption {
  std::string what;
  double gain = 0;              ///< In useful tokens per second.
  std::optional<double> worth;  ///< Dollars per GPU-hour up to which it pays; where priced.
  std::string why;
};

struct ScaleAnswer {
  std::string scenario;
  std::string model;
  std::string title;
  std::int64_t sequence = 0;
  double line = 0.8;
  std::string verdict;  ///< Says first when a smaller machine is better.
  std::vector<ScaleCurve> curves;
  std::vector<ScaleOption> next_dollar;  ///< At the largest size, the best first.
  std::vector<std::string> decisions;    ///< One against several, taller against wider, links.
  std::vector<Notice> notices;
  std::vector<UsedFact> facts;
};

}  // namespace loadfactor
