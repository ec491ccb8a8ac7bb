#include "validation/inference/inference_load.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <string_view>

#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

using serving::Load;
using serving::LoadKind;

struct KindWord {
  std::string_view word;
  LoadKind kind;
};
constexpr std::array kKinds{KindWord{"offline", LoadKind::kOffline},
                            KindWord{"static", LoadKind::kStatic},
                            KindWord{"closed-loop", LoadKind::kClosedLoop},
                            KindWord{"open-loop", LoadKind::kOpenLoop},
                            KindWord{"burst", LoadKind::kBurst},
                            KindWord{"split", LoadKind::kSplit},
                            KindWord{"prefill", LoadKind::kPrefillOnly},
                            KindWord{"decode", LoadKind::kDecodeOnly}};

LoadKind kind_of(const InferenceRow& row) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KindWord& k) { return k.word == row.load; });
  return found == kKinds.end() ? LoadKind::kStatic : found->kind;
}

// `0.8-1`: lengths lie evenly between these shares of what isl and osl state.
void set_lengths(const std::string& cell, RowLoad& load) {
  load.varied = cell == "conversation";
  const auto dash = cell.find('-');
  if (load.varied || dash == std::string::npos) return;
  const auto low = number_in(cell.substr(0, dash)), high = number_in(cell.substr(dash + 1));
  if (!low || !high || *low < 0 || *high < *low || *high <= 0) return;
  const double mean = 0.5 * (*low + *high);
  load.input *= mean;
  load.output *= mean;
  load.spread = (*high - *low) / (*high + *low);
}

void set_run(const InferenceRow& row, Load& load) {
  constexpr double kUsualWaves = 10;  // For an offline run whose requests nobody counts.
  const bool offline = load.kind == LoadKind::kOffline;
  load.prompts = row.prompts.value_or(offline ? kUsualWaves * load.concurrency : 0.0);
  if (row.opening)
    load.opening = std::min(1.0, *row.opening);
  else if (load.prompts > 0 && number_in(row.batch))
    load.opening = std::min(1.0, load.concurrency / load.prompts);
}

}  // namespace

PoolShape pool_shape(const std::string& cell) {
  static const std::regex kShape(R"((\d+)xTP(\d+)\.DP(\d+)\.EP(\d+))");
  std::smatch found;
  if (!std::regex_match(cell, found, kShape)) return {};
  const auto number = [&](std::size_t i) { return std::max(1, std::atoi(found[i].str().c_str())); };
  return {number(1), number(2), number(3), number(4)};
}

RowLoad load_of_row(const InferenceRow& row, const serving::ServingCalibration& calibration) {
  RowLoad load;
  load.kind = kind_of(row);
  load.input = row.input.value_or(1000);
  load.output = std::max(1.0, row.output.value_or(128));
  if (!row.input) {
    for (const auto& set : calibration.sets) {
      if (mentions(row.notes, set.words)) {
        load.input = set.input;
        break;
      }
    }
  }
  set_lengths(row.lengths, load);
  load.input = std::max(1.0, load.input);
  load.concurrency = number_in(row.batch).value_or(load.kind == LoadKind::kDecodeOnly ? 128 : 1);
  load.rate = Hertz::from_base(number_in(row.rate).value_or(0));
  set_run(row, load);
  load.streamed = row.client == "groups";
  load.mean_gap = row.tpot_of == "gaps";
  load.ttft_bound = Seconds::from_base(row.ttft_bound_ms.value_or(0) * 1e-3);
  load.tpot_bound = Seconds::from_base(row.tpot_bound_ms.value_or(0) * 1e-3);
  load.cached = std::clamp(row.prefix_hits.value_or(0), 0.0, 1.0);
  return load;
}

}  // namespace loadfactor::validation
