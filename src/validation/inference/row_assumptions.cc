#include "validation/inference/row_assumptions.h"

#include <algorithm>

#include <fmt/format.h>

#include "serving/precision.h"
#include "validation/inference/published_engine.h"
#include "validation/row_text.h"

namespace loadfactor::validation {
namespace {

// A count, or one of the words the column has beside counts.
bool is_count(const std::string& text, std::initializer_list<std::string_view> words) {
  if (text.empty() || text == "unknown") return true;
  if (std::find(words.begin(), words.end(), text) != words.end()) return true;
  const auto value = number_in(text);
  return value && *value > 0;
}

}  // namespace

std::vector<std::string> assumptions_of(const InferenceRow& row, const catalog::Catalog& catalog) {
  std::vector<std::string> all = row.unread;
  if (!row.precision.empty() && !serving::is_known_precision(row.precision))
    all.push_back(
        fmt::format("precision '{}' is not known: the model's own is taken", row.precision));
  const auto engine = find_published(catalog, row);
  if (!row.engine.empty() && engine && !engine->is_known)
    all.push_back(
        fmt::format("engine '{}' is not known: taken for {}", row.engine, engine->engine->title));
  if (!is_count(row.batch, {"max"}))
    all.push_back(fmt::format("batch_or_concurrency '{}' is no count: 1 is taken", row.batch));
  if (!is_count(row.rate, {"inf", "closed-loop"}))
    all.push_back(fmt::format("request_rate '{}' is no rate: left out", row.rate));
  if (!row.output && row.load != "prefill") all.emplace_back("no osl: 128 tokens are taken");
  return all;
}

}  // namespace loadfactor::validation
