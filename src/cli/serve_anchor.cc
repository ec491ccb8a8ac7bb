#include "cli/serve_anchor.h"

#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/files.h"
#include "config/document.h"

namespace loadfactor::cli {
namespace {

// Keys of benchmark files, the steadiest figure first.
struct AnchorKey {
  std::string_view key;
  std::string_view metric;
};
constexpr std::array kFigures{
    AnchorKey{"tpot_ms", "tpot_ms"},       AnchorKey{"mean_tpot_ms", "tpot_ms"},
    AnchorKey{"median_tpot_ms", "tpot_ms"}, AnchorKey{"total_output_tok_s", "total_output_tok_s"},
    AnchorKey{"output_throughput", "total_output_tok_s"}, AnchorKey{"tok_s_per_gpu", "tok_s_per_gpu"},
    AnchorKey{"req_s", "req_s"},           AnchorKey{"request_throughput", "req_s"},
    AnchorKey{"latency_ms", "latency_ms"}, AnchorKey{"ttft_ms", "ttft_ms"},
    AnchorKey{"mean_ttft_ms", "ttft_ms"}};

Error bad_anchor(const std::string& name) {
  return {.code = lf::kBadAnchor,
          .message = fmt::format("'{}' holds no figure of a measured run", name),
          .hint = "write `--anchor tpot_ms=12.5,concurrency=16`, or a JSON file with such keys"};
}

std::map<std::string, double> numbers_of_words(const std::string& text) {
  std::map<std::string, double> numbers;
  std::size_t start = 0;
  while (start <= text.size()) {
    const auto end = std::min(text.find(',', start), text.size());
    const std::string pair = text.substr(start, end - start);
    const auto equals = pair.find('=');
    if (equals != std::string::npos) numbers[pair.substr(0, equals)] = std::strtod(pair.c_str() + equals + 1, nullptr);
    start = end + 1;
  }
  return numbers;
}

}  // namespace

Result<ServeAnchor> parse_anchor(const std::string& name, const std::string& text, bool json) {
  std::map<std::string, double> numbers;
  if (json) {
    TRY(const auto document, config::parse_json(name, text));
    for (const auto& member : document.root.members) {
      if (member.value.kind == config::NodeKind::kScalar)
        numbers[member.key] = std::strtod(member.value.scalar.c_str(), nullptr);
    }
  } else {
    numbers = numbers_of_words(text);
  }
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
  anchor.tokens_in = number("tokens_in");
  anchor.tokens_out = number("tokens_out");
  // A benchmark's totals give its mean lengths.
  const double completed = number("completed");
  if (completed > 0 && anchor.tokens_in <= 0) anchor.tokens_in = number("total_input_tokens") / completed;
  if (completed > 0 && anchor.tokens_out <= 0) anchor.tokens_out = number("total_output_tokens") / completed;
  return anchor;
}

Result<ServeAnchor> read_anchor(const std::string& words) {
  if (words.find('=') != std::string::npos) return parse_anchor(words, words, false);
  TRY(const auto text, read_file(words));
  return parse_anchor(words, text, true);
}

}  // namespace loadfactor::cli
