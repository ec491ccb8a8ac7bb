#include "observe/signal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "launch/vocabulary/table.h"
#include "observe/sample.h"

namespace loadfactor::observe {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 30> kRoles{
    {{"busy", Role::kBusy},
     {"tensor", Role::kTensor},
     {"dram", Role::kDram},
     {"power", Role::kPower},
     {"clock", Role::kClock},
     {"xid", Role::kXid},
     {"ecc", Role::kEcc},
     {"remapped_rows", Role::kRemappedRows},
     {"remap_failure", Role::kRemapFailure},
     {"nvlink_errors", Role::kNvlinkErrors},
     {"thermal_throttle", Role::kThermalThrottle},
     {"power_throttle", Role::kPowerThrottle},
     {"running", Role::kRunning},
     {"waiting", Role::kWaiting},
     {"cache", Role::kCache},
     {"tokens_in", Role::kTokensIn},
     {"tokens_out", Role::kTokensOut},
     {"requests", Role::kRequests},
     {"requests_else", Role::kRequestsElse},
     {"prefix_hits", Role::kPrefixHits},
     {"prefix_queries", Role::kPrefixQueries},
     {"preemptions", Role::kPreemptions},
     {"ttft", Role::kFirstToken},
     {"tpot", Role::kNextToken},
     {"queue", Role::kQueue},
     {"pod_info", Role::kPodInfo},
     {"pod_labels", Role::kPodLabels},
     {"pod_phase", Role::kPodPhase},
     {"node_info", Role::kNodeInfo},
     {"up", Role::kUp}}};

SignalKind kind_of(std::string_view word) {
  if (word == "counter") return SignalKind::kCounter;
  return word == "histogram" ? SignalKind::kHistogram : SignalKind::kGauge;
}

}  // namespace

std::string_view find_label(std::span<const Label> labels, std::string_view name) {
  for (const Label& label : labels)
    if (label.name == name) return label.value;
  return {};
}

std::string_view find_label(std::span<const Label> labels,
                            std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto value = find_label(labels, name); !value.empty()) return value;
  return {};
}

bool is_gpu_role(Role role) {
  return role <= Role::kPowerThrottle;
}
bool is_replica_role(Role role) {
  return role >= Role::kRunning && role <= Role::kQueue;
}

SignalTable::SignalTable() {
  constexpr std::size_t kProgram = 0, kMetric = 1, kRole = 2, kKind = 3, kFactor = 4;
  for (const auto& row : launch::read_table("observe.csv")) {
    const auto found = std::find_if(kRoles.begin(), kRoles.end(),
                                    [&](const auto& known) { return known.first == row[kRole]; });
    if (found == kRoles.end()) continue;
    Signal signal{row[kProgram], row[kMetric], found->second, kind_of(row[kKind])};
    const std::string& factor = row[kFactor];
    std::from_chars(factor.data(), factor.data() + factor.size(), signal.factor);
    signal.rank = static_cast<int>(signals_.size());
    signals_.push_back(std::move(signal));
  }
  std::sort(signals_.begin(), signals_.end(),
            [](const Signal& a, const Signal& b) { return a.metric < b.metric; });
}

const Signal* SignalTable::find(std::string_view metric) const {
  const auto found =
      std::lower_bound(signals_.begin(), signals_.end(), metric,
                       [](const Signal& row, std::string_view name) { return row.metric < name; });
  return found == signals_.end() || found->metric != metric ? nullptr : &*found;
}

const Signal* SignalTable::find_renamed(std::string_view metric) const {
  const auto mark = metric.find('_');
  if (mark == std::string_view::npos || find(metric) != nullptr) return nullptr;
  std::string known(metric);
  known[mark] = ':';
  return find(known);
}

bool is_absent(double value) {
  if (!std::isfinite(value)) return true;
  // DCGM's blanks of 32 and 64 bits and of floating point.
  constexpr double kBlank32 = 2147483632.0;
  constexpr double kEnd32 = 2147483647.0;
  constexpr double kBlankFloat = 140737488355328.0;
  constexpr double kBlank64 = 9.2e18;
  return (value >= kBlank32 && value <= kEnd32) ||
         (value >= kBlankFloat && value < kBlankFloat + 16) || value >= kBlank64;
}

}  // namespace loadfactor::observe
