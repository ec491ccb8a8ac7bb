/// A server of metrics, which the library asks through its caller.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor {

/// Somebody who can ask a Prometheus server. The library opens no connection itself.
class MetricFeed {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  MetricFeed() = default;
  virtual ~MetricFeed() = default;
  MetricFeed(const MetricFeed&) = delete;
  MetricFeed& operator=(const MetricFeed&) = delete;

  /// How to call it, without anything that is secret.
  virtual std::string name() const = 0;
  /// The body that the server answers for a path below its address, as `/api/v1/query_range`.
  /// LF508 where it is larger than the caller wants to hold.
  virtual Result<std::string> get(const std::string& path, const Parameters& parameters) = 0;
};

}  // namespace loadfactor
