// The time and lengths of a request in one line of JSON, wherever a provider's log puts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadfactor::demand {

// Raw texts of the values; empty where the line has none.
struct RequestValues {
  std::string_view time_name;
  std::string_view time;
  std::string_view input;
  std::string_view cached_input;   // Read from a cache, and not counted in the input.
  std::string_view written_input;  // Written to a cache, and not counted in the input.
  std::string_view output;
  std::string_view session;
  std::string_view prefix;

  bool has_lengths() const { return !input.empty() && !output.empty(); }
  // The whole input, what came from a cache included; nothing if a number cannot be read.
  std::optional<std::int32_t> input_tokens() const;
};

// Values at the top level win over those of objects inside it (`usage`, `response.body.usage`).
// Nothing if the text is no JSON object.
std::optional<RequestValues> find_request_values(std::string_view text);

}  // namespace loadfactor::demand
