// Any demand file in, one value out: the format is told by its content, never by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "demand/read/import_report.h"
#include "demand/read/metrics.h"
#include "demand/trace.h"
#include "loadfactor/result.h"

namespace loadfactor::demand {

struct ReadOptions {
  StampOptions stamps;
  int block_tokens = 512;     // Tokens of one block of a prefix.
  bool needs_answers = true;  // False: requests may be without output tokens, and have none then.
};

using DemandData = std::variant<Trace, RateProfile, JobTrace, MetricsSnapshot>;

struct Import {
  ImportReport report;
  DemandData data;
};

// LF525 for a file of no known kind, LF526 for a broken archive, LF513 for a missing column,
// LF518 where no row could be used or all have one stamp, LF512 for an empty file, LF528 where
// month and day cannot be told apart, LF529 for a request longer than any can be.
Result<Import> import_demand(const std::string& file, std::string_view bytes,
                             const ReadOptions& options = {});

}  // namespace loadfactor::demand
