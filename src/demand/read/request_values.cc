#include "demand/read/request_values.h"

#include <limits>
#include <vector>

#include "demand/read/cell_text.h"
#include "demand/read/columns.h"
#include "demand/read/json_line.h"

namespace loadfactor::demand {
namespace {

constexpr int kDeepest = 4;  // response.body.usage, and one more.

void take(std::string_view& place, std::string_view value) {
  if (place.empty()) place = value;
}

void take_member(std::string_view key, std::string_view value, RequestValues& values) {
  // A provider that counts cached input apart says so beside the rest of the input.
  if (key == "cache_read_input_tokens") return take(values.cached_input, value);
  if (key == "cache_creation_input_tokens") return take(values.written_input, value);
  const auto meaning = meaning_of(key);
  if (!meaning || value == "null") return;
  if (*meaning == Meaning::kTime && values.time.empty()) {
    values.time_name = key;
    values.time = value;
  }
  if (*meaning == Meaning::kInput) take(values.input, value);
  if (*meaning == Meaning::kOutput) take(values.output, value);
  if (*meaning == Meaning::kSession) take(values.session, value);
  if (*meaning == Meaning::kPrefix) take(values.prefix, value);
}

// False if the text is no JSON object. Objects inside it are read after its own members.
bool read_object(std::string_view text, int depth, RequestValues& values) {
  JsonLine members(text);
  std::string_view key;
  std::string_view value;
  std::vector<std::string_view> inner;
  while (members.next(key, value)) {
    if (value.front() == '{')
      inner.push_back(value);
    else
      take_member(key, value, values);
  }
  if (!members.is_sound()) return false;
  if (depth == kDeepest) return true;
  for (const std::string_view object : inner) {
    if (values.has_lengths() && !values.time.empty()) break;
    if (!read_object(object, depth + 1, values)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::int32_t> RequestValues::input_tokens() const {
  std::int64_t sum = 0;
  for (const std::string_view text : {input, cached_input, written_input}) {
    if (text.empty() && text.data() != input.data()) continue;
    if (text == "null") continue;
    const auto count = count_of(text);
    if (!count) return std::nullopt;
    sum += *count;
  }
  if (sum > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(sum);
}

std::optional<RequestValues> find_request_values(std::string_view text) {
  RequestValues values;
  if (!read_object(text, 1, values)) return std::nullopt;
  return values;
}

}  // namespace loadfactor::demand
