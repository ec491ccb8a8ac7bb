#include "config/reader.h"

#include <algorithm>
#include <cmath>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "config/number_check.h"
#include "config/number_text.h"

namespace loadfactor::config {
namespace {

bool is_boolean_word(const Node& node) {
  return node.style != ScalarStyle::kQuoted && (node.scalar == "true" || node.scalar == "false");
}

std::string_view kind_in_words(const Node& node) {
  switch (node.kind) {
    case NodeKind::kNull:
      return "nothing";
    case NodeKind::kList:
      return "a list";
    case NodeKind::kMap:
      return "a map";
    case NodeKind::kScalar:
      break;
  }
  if (node.style == ScalarStyle::kNumber) return "a number";
  if (node.style == ScalarStyle::kBoolean || is_boolean_word(node)) return "true or false";
  return "a text";
}

std::string joined(const std::set<std::string, std::less<>>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  });
}

}  // namespace

MapReader::MapReader(const Document& document, const Node& node, std::string what,
                     Diagnostics& diagnostics)
    : document_(&document), node_(&node), what_(std::move(what)), diagnostics_(&diagnostics) {
  if (node.kind != NodeKind::kMap) {
    add(document.error(
        lf::kWrongType, node.position,
        "'" + what_ + "' must be a map of keys, not " + std::string(kind_in_words(node)),
        "write 'key: value' lines, or {key: value}"));
    return;
  }
  report_duplicates();
}

void MapReader::report_duplicates() {
  std::vector<const Member*> sorted;
  sorted.reserve(node_->members.size());
  for (const Member& member : node_->members) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Member* a, const Member* b) { return a->key < b->key; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key != sorted[i - 1]->key) continue;
    add(document_->error(
        lf::kDuplicateKey, sorted[i]->key_position,
        "the key " + in_quotes(sorted[i]->key) + " stands twice in '" + what_ + "'",
        "it is first on line " + std::to_string(sorted[i - 1]->key_position.line) + "; keep one"));
  }
}

const Member* MapReader::find(std::string_view key) const {
  const auto found = std::find_if(node_->members.begin(), node_->members.end(),
                                  [key](const Member& member) { return member.key == key; });
  return found == node_->members.end() ? nullptr : &*found;
}

bool MapReader::has(std::string_view key) const {
  const Member* member = find(key);
  return member != nullptr && member->value.kind != NodeKind::kNull;
}

const Node* MapReader::node(std::string_view key) {
  allow(key);
  const Member* member = find(key);
  return member == nullptr ? nullptr : &member->value;
}

const Node* MapReader::value(std::string_view key, bool required) {
  const Node* found = node(key);
  if (found != nullptr && found->kind != NodeKind::kNull) return found;
  if (required && node_->kind == NodeKind::kMap) {
    const Position place = found == nullptr ? node_->position : found->position;
    add(document_->error(lf::kMissingKey, place,
                         "'" + what_ + "' needs " + in_quotes(key) +
                             (found == nullptr ? "" : ", which has no value here")));
  }
  return nullptr;
}

const Node* MapReader::scalar(std::string_view key, bool required, std::string_view wanted) {
  const Node* found = value(key, required);
  if (found == nullptr || found->kind == NodeKind::kScalar) return found;
  add(wrong_type(*found, key, wanted));
  return nullptr;
}

Error MapReader::wrong_type(const Node& node, std::string_view key, std::string_view wanted) const {
  return document_->error(lf::kWrongType, node.position,
                          in_quotes(key) + " must be " + std::string(wanted) + ", not " +
                              std::string(kind_in_words(node)));
}

std::optional<std::string> MapReader::text_of(const Node& node, std::string_view key) {
  const bool is_number = node.style == ScalarStyle::kNumber;
  if (node.kind == NodeKind::kScalar && !is_number && !is_boolean_word(node)) {
    if (node.scalar.empty())
      add(document_->error(lf::kWrongType, node.position, in_quotes(key) + " is an empty text"));
    else if (has_control_byte(node.scalar))
      add(document_->error(lf::kBadEncoding, node.position,
                           in_quotes(key) + " holds a control character", "remove the escape"));
    else
      return node.scalar;
    return std::nullopt;
  }
  Error error = wrong_type(node, key, "a text");
  if (node.kind == NodeKind::kScalar) error.hint = "put it in quotes if text is meant";
  add(std::move(error));
  return std::nullopt;
}

std::string MapReader::text(std::string_view key) {
  const Node* found = value(key, true);
  return found == nullptr ? std::string() : text_of(*found, key).value_or("");
}

std::optional<std::string> MapReader::maybe_text(std::string_view key) {
  const Node* found = value(key, false);
  return found == nullptr ? std::nullopt : text_of(*found, key);
}

std::optional<std::int64_t> MapReader::integer_of(const Node& node, std::string_view key,
                                                  Range range) {
  if (node.kind != NodeKind::kScalar || is_boolean_word(node)) {
    add(wrong_type(node, key, "a whole number"));
    return std::nullopt;
  }
  auto checked = check_integer(*document_, node, key, range);
  if (checked) return *checked;
  add(std::move(checked).error());
  return std::nullopt;
}

std::int64_t MapReader::integer(std::string_view key, Range range) {
  const Node* found = value(key, true);
  return found == nullptr ? 0 : integer_of(*found, key, range).value_or(0);
}

std::optional<std::int64_t> MapReader::maybe_integer(std::string_view key, Range range) {
  const Node* found = value(key, false);
  return found == nullptr ? std::nullopt : integer_of(*found, key, range);
}

std::optional<bool> MapReader::boolean_of(const Node* node, std::string_view key) {
  if (node == nullptr) return std::nullopt;
  if (is_boolean_word(*node)) return node->scalar == "true";
  add(document_->error(lf::kWrongType, node->position,
                       in_quotes(key) + " must be true or false, not " + in_quotes(node->scalar),
                       "write true or false, in lower case and without quotes"));
  return std::nullopt;
}

bool MapReader::boolean(std::string_view key) {
  return boolean_of(scalar(key, true, "true or false"), key).value_or(false);
}

std::optional<bool> MapReader::maybe_boolean(std::string_view key) {
  return boolean_of(scalar(key, false, "true or false"), key);
}

std::optional<double> MapReader::number(std::string_view key, NumberForm form, Range range,
                                        bool required) {
  const Node* found = scalar(key, required, "a number");
  if (found == nullptr) return std::nullopt;
  if (is_boolean_word(*found)) {
    add(document_->error(lf::kWrongType, found->position, in_quotes(key) + " must be a number"));
    return std::nullopt;
  }
  auto checked = check_number(*document_, *found, {key, form, range});
  if (checked) return *checked;
  add(std::move(checked).error());
  return std::nullopt;
}

double MapReader::ratio(std::string_view key, Range range) {
  return number(key, {kNone, Expect::kRatio}, range, true).value_or(0.0);
}
std::optional<double> MapReader::maybe_ratio(std::string_view key, Range range) {
  return number(key, {kNone, Expect::kRatio}, range, false);
}
double MapReader::count(std::string_view key, Range range) {
  return number(key, {kNone, Expect::kCount}, range, true).value_or(0.0);
}
std::optional<double> MapReader::maybe_count(std::string_view key, Range range) {
  return number(key, {kNone, Expect::kCount}, range, false);
}

std::string MapReader::date(std::string_view key) {
  const Node* found = scalar(key, true, "a date");
  if (found == nullptr || is_date(found->scalar)) return found == nullptr ? "" : found->scalar;
  add(document_->error(lf::kBadDate, found->position, in_quotes(found->scalar) + " is not a date",
                       "write YYYY, YYYY-MM or YYYY-MM-DD"));
  return {};
}

std::vector<std::string> MapReader::texts(std::string_view key) {
  std::vector<std::string> result;
  for (const Node* item : items(key, false)) {
    if (auto text = text_of(*item, key)) result.push_back(*std::move(text));
  }
  return result;
}

std::vector<std::int64_t> MapReader::integers(std::string_view key, Range range) {
  std::vector<std::int64_t> result;
  for (const Node* item : items(key, false)) {
    if (const auto integer = integer_of(*item, key, range)) result.push_back(*integer);
  }
  return result;
}

std::vector<const Node*> MapReader::items(std::string_view key, bool required) {
  const Node* found = value(key, required);
  if (found == nullptr) return {};
  if (found->kind != NodeKind::kList) return {found};
  std::vector<const Node*> result;
  for (const Node& item : found->items) result.push_back(&item);
  return result;
}

std::optional<MapReader> MapReader::map(std::string_view key, bool required) {
  const Node* found = value(key, required);
  if (found == nullptr) return std::nullopt;
  MapReader reader(*document_, *found, std::string(key), *diagnostics_);
  if (found->kind != NodeKind::kMap) return std::nullopt;
  return reader;
}

std::vector<MapReader> MapReader::maps(std::string_view key, bool required) {
  std::vector<MapReader> result;
  for (const Node* item : items(key, required)) {
    MapReader reader(*document_, *item, std::string(key), *diagnostics_);
    if (item->kind == NodeKind::kMap) result.push_back(std::move(reader));
  }
  return result;
}

void MapReader::finish() {
  constexpr std::size_t kMostNamed = 20;
  std::vector<std::string> free;
  for (const std::string& key : known_) {
    if (find(key) == nullptr) free.push_back(key);
  }
  std::size_t unknown = 0;
  for (const Member& member : node_->members) {
    if (known_.contains(member.key) || ++unknown > kMostNamed) continue;
    const auto nearest = suggest(member.key, free);
    add(document_->error(lf::kUnknownKey, member.key_position,
                         "unknown key " + in_quotes(member.key) + " in '" + what_ + "'",
                         nearest ? "did you mean '" + *nearest + "'? Unknown keys are never ignored"
                                 : "known here: " + joined(known_)));
  }
  if (unknown > kMostNamed)
    add(document_->error(
        lf::kUnknownKey, node_->position,
        std::to_string(unknown - kMostNamed) + " further unknown keys in '" + what_ + "'"));
}

void MapReader::report(std::string_view key, int code, std::string message, std::string hint) {
  add(document_->error(code, position_of(key), std::move(message), std::move(hint)));
}

void MapReader::add(Error error) {
  if (diagnostics_->size() >= kMostErrors) return;
  if (diagnostics_->size() + 1 == kMostErrors)
    error.notes.emplace_back("further errors are not shown");
  diagnostics_->add(std::move(error));
}

Position MapReader::position_of(std::string_view key) const {
  const Member* member = find(key);
  return member == nullptr ? node_->position : member->value.position;
}

Error unknown_word(const Document& document, const Node& node, std::string_view what,
                   std::span<const std::string> candidates) {
  std::string all;
  for (const std::string& candidate : candidates) all += (all.empty() ? "" : ", ") + candidate;
  const auto nearest = suggest(node.scalar, candidates);
  return document.error(
      lf::kUnknownWord, node.position,
      in_quotes(node.scalar) + " is not a value of '" + std::string(what) + "'",
      (nearest ? "did you mean '" + *nearest + "'? " : std::string()) + "one of: " + all);
}

}  // namespace loadfactor::config
