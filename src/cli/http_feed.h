// A Prometheus server asked over HTTP, within bounds of time and memory.
#pragma once

#include <memory>
#include <string>

#include "facade/forms/form.h"
#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::cli {

// What is put up with.
struct HttpBounds {
  int connect_seconds = 5;
  int read_seconds = 30;     // Between two pieces of an answer.
  double all_seconds = 120;  // For a whole answer.
  std::size_t bytes = std::size_t{64} << 20;
  int tries = 3;  // Tries of what may pass by itself.
};

// LF603 for an address that is none or that holds a secret; LF601 where a file of `access` cannot
// be read.
Result<std::shared_ptr<MetricFeed>> open_feed(const std::string& address,
                                              const facade::ServerAccess& access,
                                              const HttpBounds& bounds = {});

}  // namespace loadfactor::cli
