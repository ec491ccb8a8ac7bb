// LiteLLM's price map (model_prices_and_context_window.json) as API prices of ours.
//
// The map gives dollars per token. Entries that price no text tokens, or none at all, are left
// out and counted by reason; unknown fields are ignored, because new ones appear all the time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/import/import_report.h"
#include "catalog/spec/price_book.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// What a prompt longer than `above_tokens` costs instead.
struct ApiPriceTier {
  std::string provider;
  std::string model_id;
  std::int64_t above_tokens = 0;
  std::optional<DollarsPerToken> input;
  std::optional<DollarsPerToken> cached;
  std::optional<DollarsPerToken> output;
};

struct LiteLlmPrices {
  std::vector<ApiPrice> prices;  // In file order.
  std::vector<ApiPriceTier> tiers;
  std::vector<std::string> past_deprecation;  // Model ids no longer sold on the day of import.
  ImportReport report;
};

struct LiteLlmInput {
  std::string file;
  std::string text;
  std::string as_of;  // Date of the file, YYYY-MM-DD.
  std::string today;  // Deprecations up to this day are flagged; empty: none are.
  // Our name of an open model for an id such as "together_ai/meta-llama/Llama-3.3-70B", or "".
  std::function<std::string(std::string_view)> find_model;
};

// Nothing exactly when something was reported: LF205 a price that cannot be per token, LF207 a
// negative one, LF504 no provider, LF505 a wrong type, LF510 a date, LF518 no usable entry.
// A price far below its siblings and equal for input and output is a placeholder: left out, with
// an LF304 notice.
std::optional<LiteLlmPrices> import_litellm_prices(LiteLlmInput input, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
