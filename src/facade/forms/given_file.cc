#include "facade/forms/given_file.h"

#include <cstdint>
#include <utility>

#include "base/display_width.h"
#include "config/reading/scenario_reader.h"

namespace loadfactor::facade {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kMostItems = 64;

bool is_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint character = decode_utf8(bytes, at);
    if (!character.valid) return false;
    at += character.size;
  }
  return true;
}

// Paths of a key with a number for every `#`, as long as either scenario has such an item.
void add_edits(const std::string& path, const config::Scenario& before,
               const config::Scenario& after, std::vector<config::Edit>& edits) {
  const auto mark = path.find('#');
  if (mark == std::string::npos) {
    config::AnyValue value = after.value(path);
    if (value != before.value(path)) edits.push_back({path, std::move(value)});
    return;
  }
  for (std::size_t i = 0; i < kMostItems; ++i) {
    std::string numbered = path;
    numbered.replace(mark, 1, std::to_string(i));
    const std::size_t found = edits.size();
    add_edits(numbered, before, after, edits);
    if (edits.size() == found && after.value(numbered) == config::AnyValue()) return;
  }
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kDigits[bits >> (18U - 6U * j) & 63U];
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned kept = 0;
  if (text.size() % 4 != 0) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(digit);
    kept += 6;
    if (kept < 8) continue;
    kept -= 8;
    bytes += static_cast<char>(bits >> kept & 255U);
  }
  return bytes;
}

Value value_of(const InputFile& file, const std::string& key, const std::vector<std::string>& set) {
  const bool is_text = is_utf8(file.bytes);
  const bool is_shown_so = file.shown() == key;
  if (is_text && is_shown_so && !file.size && set.empty()) return std::string(file.bytes);
  Value::Object value;
  if (is_text)
    value.push_back({"text", std::string(file.bytes)});
  else
    value.push_back({"base64", to_base64(file.bytes)});
  if (!is_shown_so) value.push_back({"shown_as", file.shown()});
  if (file.size) value.push_back({"size", *file.size});
  if (!set.empty()) value.push_back({"set", Value::List(set.begin(), set.end())});
  return value;
}

std::vector<config::Edit> edits_of(const config::Scenario& scenario) {
  std::vector<config::Edit> edits;
  Diagnostics ignored;
  const auto& source = *scenario.source;
  const auto written =
      config::parse_scenario(source.file, source.text, source.assignments, ignored);
  if (!written) return edits;
  for (const config::ScenarioKey& key : config::scenario_keys())
    if (!key.is_section) add_edits(key.path, *written, scenario, edits);
  return edits;
}

}  // namespace loadfactor::facade
