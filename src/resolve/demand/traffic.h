// Traffic models by name, and from a file of real traffic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "demand/describe/traffic_fit.h"
#include "demand/traffic_model.h"
#include "loadfactor/result.h"
#include "resolve/demand/demand.h"

namespace loadfactor::engine {

// Names of data/demand, in order.
std::vector<std::string> traffic_names(const catalog::Catalog& catalog);

// LF527 with the nearest name for one that does not exist.
Result<demand::TrafficModel> find_traffic(const catalog::Catalog& catalog, const std::string& name);

// How far rates are apart: the mean, and the busiest window over it.
struct RateDistance {
  struct Part {
    double real_mean = 0;
    double made_mean = 0;
    double real_peak = 0;
    double made_peak = 0;
  };
  Part fitted;  // All that was fitted,
  Part unseen;  // and the second half by a fit to the first.
  int seeds = 0;
};

// A fit, and how far it is from the second half of the trace when it saw only the first.
struct TrafficFitAnswer {
  demand::TrafficModel model;
  std::optional<demand::TrafficDistance> unseen;  // Nothing for a rate profile,
  std::optional<demand::TrafficDistance> fitted;  // and of the whole, which was fitted.
  std::optional<RateDistance> rates;              // For a rate profile.
  int numbers = 0;
  bool lengths_assumed = false;  // The file says nothing of lengths; usual ones stand in.
};
// An error where there is no rate to fit: lengths alone, jobs, snapshots of metrics.
Result<TrafficFitAnswer> fit_demand(const DemandAnswer& answer, std::uint64_t seed);

// More than this factor off, what is made is not like the file.
inline constexpr double kFarTraffic = 1.5;
struct FarFigure {
  enum class Which : std::uint8_t {
    kGaps,        // Coefficient of variation of the gaps.
    kMinutePeak,  // Busiest minute over the mean, by the hour.
    kWholePeak,   // The same over the whole.
    kWindowPeak,  // Busiest window of a rate profile over the mean.
    kRate,        // Requests, or the mean rate of a profile.
  };
  Which which = Which::kGaps;
  double real = 0;
  double made = 0;
  bool unseen = false;  // A fit to the first half misses the second: not stationary.
};
// What made traffic is that far off in, of all of the file and of its second half.
std::vector<FarFigure> far_figures(const TrafficFitAnswer& fit);

// Requests as our own CSV: timestamp where there are dates, else arrival_s; input_tokens,
// output_tokens, and client and session where known.
std::string requests_csv(const demand::Trace& trace);
// The same with the blocks of the prompts, one JSON object a line. There must be blocks.
std::string requests_jsonl(const demand::Trace& trace);
std::string rates_csv(const demand::RateProfile& profile);

}  // namespace loadfactor::engine
