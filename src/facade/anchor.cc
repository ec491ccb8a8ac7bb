#include "facade/anchor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"

namespace loadfactor::facade {
namespace {

// Keys of benchmark files, the steadiest figure first.
struct AnchorKey {
  std::string_view key;
  std::string_view metric;
};
constexpr std::array kFigures{AnchorKey{"tpot_ms", "tpot_ms"},
                              AnchorKey{"mean_tpot_ms", "tpot_ms"},
                              AnchorKey{"median_tpot_ms", "tpot_ms"},
                              AnchorKey{"total_output_tok_s", "total_output_tok_s"},
                              AnchorKey{"output_throughput", "total_output_tok_s"},
                              AnchorKey{"tok_s_per_gpu", "tok_s_per_gpu"},
                              AnchorKey{"req_s", "req_s"},
                              AnchorKey{"request_throughput", "req_s"},
                              AnchorKey{"latency_ms", "latency_ms"},
                              AnchorKey{"ttft_ms", "ttft_ms"},
                              AnchorKey{"mean_ttft_ms", "ttft_ms"}};

// What else a run may say of itself.
constexpr std::array<std::string_view, 5> kLoads{"concurrency", "rate", "request_rate", "tokens_in",
                                                 "tokens_out"};

Error bad_anchor(const std::string& name) {
  return {.code = lf::kBadAnchor,
          .message = fmt::format("'{}' holds no figure of a measured run", name),
          .hint = "write `--anchor tpot_ms=12.5,concurrency=16`, or a JSON file with such keys"};
}

Error bad_pair(const std::string& pair) {
  std::string known;
  for (const auto& figure : kFigures) known += fmt::format("{}, ", figure.key);
  return {.code = lf::kBadAnchor,
          .message =
              fmt::format("'{}' in --anchor is not `key=positive number` with a known key", pair),
          .hint = fmt::format("figures: {}and the load: {}", known, fmt::join(kLoads, ", "))};
}

Error said_twice(const std::string& key) {
  return {.code = lf::kBadAnchor,
          .message = fmt::format("--anchor says '{}' twice", key),
          .hint = "one run has one figure of a kind; keep the one that is meant"};
}

bool is_known(const std::string& key) {
  return std::any_of(kFigures.begin(), kFigures.end(),
                     [&](const AnchorKey& figure) { return figure.key == key; }) ||
         std::find(kLoads.begin(), kLoads.end(), key) != kLoads.end();
}

Result<std::map<std::string, double>> numbers_of_words(const std::string& text) {
  std::map<std::string, double> numbers;
  std::size_t start = 0;
  while (start <= text.size()) {
    const auto end = std::min(text.find(',', start), text.size());
    const std::string pair = text.substr(start, end - start);
    const auto equals = std::min(pair.find('='), pair.size());
    const std::string key = pair.substr(0, equals);
    char* rest = nullptr;
    const double value = equals < pair.size() ? std::strtod(pair.c_str() + equals + 1, &rest) : 0.0;
    if (!is_known(key) || !(value > 0) || !std::isfinite(value) || *rest != '\0')
      return bad_pair(pair);
    if (!numbers.emplace(key, value).second) return said_twice(key);
    start = end + 1;
  }
  return numbers;
}

// What a run says of itself, by its keys.
Result<ServeAnchor> make_anchor(const std::string& name,
                                const std::map<std::string, double>& numbers) {
  ServeAnchor anchor;
  anchor.source = name;
  const auto number = [&](std::string_view key) {
    const auto found = numbers.find(std::string(key));
    return found != numbers.end() && found->second > 0 ? found->second : 0.0;
  };
  for (const auto& figure : kFigures) {
    if (anchor.value > 0 || number(figure.key) <= 0) continue;
    anchor.metric = std::string(figure.metric);
    anchor.value = number(figure.key);
  }
  if (anchor.value <= 0) return bad_anchor(name);
  anchor.concurrency = std::max(number("concurrency"), number("max_concurrency"));
  anchor.rate = std::max(number("rate"), number("request_rate"));
  const bool is_rate = anchor.metric == "total_output_tok_s" || anchor.metric == "req_s" ||
                       anchor.metric == "tok_s_per_gpu";
  if (!is_rate && anchor.concurrency <= 0 && anchor.rate <= 0) {
    return Error{.code = lf::kBadAnchor,
                 .message = fmt::format("'{}' does not say under which load it was measured", name),
                 .hint = "add `concurrency=16` (requests at a time) or `rate=4` (per second)"};
  }
  anchor.tokens_in = number("tokens_in");
  anchor.tokens_out = number("tokens_out");
  // A benchmark's totals give its mean lengths.
  const double completed = number("completed");
  if (completed > 0 && anchor.tokens_in <= 0)
    anchor.tokens_in = number("total_input_tokens") / completed;
  if (completed > 0 && anchor.tokens_out <= 0)
    anchor.tokens_out = number("total_output_tokens") / completed;
  return anchor;
}

}  // namespace

Result<ServeAnchor> parse_anchor(const std::string& words) {
  TRY(const auto numbers, numbers_of_words(words));
  return make_anchor(words, numbers);
}

Result<ServeAnchor> parse_anchor_file(const std::string& name, const std::string& text) {
  std::map<std::string, double> numbers;
  std::string model;
  TRY(const auto document, config::parse_json(name, text));
  for (const auto& member : document.root.members) {
    if (member.value.kind != config::NodeKind::kScalar) continue;
    numbers[member.key] = std::strtod(member.value.scalar.c_str(), nullptr);
    if (member.key == "model_id" || (member.key == "model" && model.empty()))
      model = member.value.scalar;
  }
  TRY(ServeAnchor anchor, make_anchor(name, numbers));
  anchor.model = model;
  return anchor;
}

}  // namespace loadfactor::facade
