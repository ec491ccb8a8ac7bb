// What the metrics of all exporters mean to us: one role for each, by name, from
// data/integrations/observe.csv. A metric that was renamed has a row for each of its names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::observe {

enum class Role : std::uint8_t {
  // A GPU's, over time.
  kBusy,    // Share of time with any kernel running.
  kTensor,  // Share of cycles in which the tensor cores work.
  kDram,    // Share of cycles in which memory moves data.
  kPower,
  kClock,
  // A GPU's, as a count or a state.
  kXid,
  kEcc,
  kRemappedRows,
  kRemapFailure,
  kNvlinkErrors,
  kThermalThrottle,
  kPowerThrottle,
  // A replica's, over time.
  kRunning,
  kWaiting,
  kCache,
  kTokensIn,
  kTokensOut,
  kRequests,
  kRequestsElse,  // What comes as often as requests, where these are not counted.
  // A replica's, as a count.
  kPrefixHits,
  kPrefixQueries,
  kPreemptions,
  kFirstToken,
  kNextToken,
  kQueue,
  // What pods, nodes and targets tell.
  kPodInfo,
  kPodLabels,
  kPodPhase,
  kNodeInfo,
  kUp,
};

enum class SignalKind : std::uint8_t { kGauge, kCounter, kHistogram };

struct Signal {
  std::string program;
  std::string metric;
  Role role = Role::kBusy;
  SignalKind kind = SignalKind::kGauge;
  double factor = 1;
  int rank = 0;  // Place in the table: of two names for one thing the first is believed.
};

bool is_gpu_role(Role role);
bool is_replica_role(Role role);

class SignalTable {
 public:
  // The table that was built into the program.
  SignalTable();
  // Nothing for a metric that says nothing to us.
  const Signal* find(std::string_view metric) const;
  // That of a metric whose colon a collector made an underscore of: `vllm_num_requests_running`.
  const Signal* find_renamed(std::string_view metric) const;
  const std::vector<Signal>& signals() const { return signals_; }

 private:
  std::vector<Signal> signals_;
};

// Exporters write these where a sensor is absent, and so do NaN and infinity.
bool is_absent(double value);

}  // namespace loadfactor::observe
