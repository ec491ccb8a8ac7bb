// The demand of a scenario: the one place where its words become rates and lengths.
//
// `serve --simulate`, `serve --search`, `fill` and `plan` all ask here, so that they speak of the
// same requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "demand/deferral.h"
#include "demand/describe/characterise.h"
#include "demand/traffic_model.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// The demand of a scenario, as windows of equal length and as a model to make more of it.
struct FleetDemand {
  std::string words;          // What it is, for a heading.
  std::vector<double> rates;  // Requests per second of ten-minute windows; < 0: missing.
  double windows_per_hour = 6;
  demand::WeekProfile week;
  double mean_rate = 0;  // As it was written or recorded.
  double input = 0;
  double output = 0;           // 0: requests are answered without tokens, by a vector or a score.
  demand::TrafficModel model;  // Its mean over many weeks is the mean rate.
  // The same, so that the very week of `rates` comes out of it with the scenario's seed.
  demand::TrafficModel week_model;
  bool has_shape = false;                      // Described with a shape, or held by a queue.
  std::optional<demand::Deferral> queue;       // Where the work has a deadline and may wait.
  std::optional<demand::Trace> trace;          // Where single requests are known,
  std::optional<demand::RateProfile> profile;  // or a recorded rate.

  double mean() const { return mean_rate; }
  double peak() const;
};

struct DemandSource {
  const config::Scenario* scenario = nullptr;  // For complaints.
  const config::ServeSection* serve = nullptr;
  const catalog::Catalog* catalog = nullptr;
  std::string_view trace_bytes;  // The file that `demand: {trace: …}` or its shape names.
  std::uint64_t seed = 1;
  bool fits_trace = true;  // Whether a trace needs a model to make more of it.
};

// Nothing, and the reasons, where it cannot be read: LF136 where the service has no demand.
// Requests of a week without a shape come at one rate, and the notices say so.
std::optional<FleetDemand> derive_demand(const DemandSource& ask, std::vector<Notice>& notices,
                                         Diagnostics& diagnostics);

// Cuts made lengths at the context of who reads them (0: none), of which an answer has a quarter at
// most where one is written: nobody sends what the model cannot take.
void clip_lengths(const catalog::ModelSpec& reader, FleetDemand& demand);

// How much of a deadline a request may wait before the fleet; its replica has the rest.
inline constexpr double kQueueShare = 0.9;

// LF527 at its place where the demand names a shape that does not exist.
bool check_shape(const DemandSource& ask, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
