// A scenario as a value: copies with edits, values by path, and where they came from.
#include <charconv>
#include <string>
#include <utility>

#include "base/check.h"
#include "config/scenario/slot_table.h"
#include "config/source_error.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {
namespace {

const std::vector<Slot>& all_slots() {
  static const SlotTable kTable = [] {
    SlotTable table;
    const Section<Scenario> root{"", [](Scenario& scenario, Walk&) { return &scenario; }};
    add_place_slots(table, root);
    add_serve_slots(table, root);
    add_train_slots(table, root);
    add_money_slots(table, root);
    return table;
  }();
  return kTable.slots();
}

// A path of an edit as the table has it, and the numbers that stood in it.
struct KeyPath {
  std::string path;
  std::vector<std::size_t> items;
};

KeyPath key_path(std::string_view written) {
  KeyPath key;
  while (true) {
    const std::string_view part = written.substr(0, written.find('.'));
    std::size_t item = 0;
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), item);
    const bool is_number = failed == std::errc() && end == part.data() + part.size();
    if (is_number) key.items.push_back(item);
    if (!key.path.empty()) key.path += '.';
    key.path += is_number ? "#" : part;
    if (part.size() == written.size()) return key;
    written.remove_prefix(part.size() + 1);
  }
}

const Slot& slot_of(const KeyPath& key) {
  for (const Slot& slot : all_slots())
    if (slot.path == key.path) return slot;
  LF_CHECK(false, "an edit of a key that a scenario does not have");
  return all_slots().front();
}

void apply(const Edit& edit, Scenario& scenario) {
  const KeyPath key = key_path(edit.path);
  const Walk walk{.makes = !std::holds_alternative<Blank>(edit.value), .items = key.items};
  const bool is_set = slot_of(key).set(scenario, walk, edit.value);
  LF_CHECK(is_set, "an edit with a value that its key cannot have");
}

}  // namespace

Scenario Scenario::with(const Edit& edit) const {
  return with(std::span(&edit, 1));
}

Scenario Scenario::with(std::span<const Edit> edits) const {
  Scenario copy = *this;
  for (const Edit& edit : edits) apply(edit, copy);
  return copy;
}

AnyValue Scenario::value(std::string_view path) const {
  const KeyPath key = key_path(path);
  auto& self = const_cast<Scenario&>(*this);  // A walk that makes nothing changes nothing.
  return slot_of(key).get(self, {.makes = false, .items = key.items});
}

const std::string& Scenario::file() const {
  static const std::string kNone;
  return source ? source->file : kNone;
}

Origin Scenario::origin(Position at) const {
  if (at.giver == Giver::kSet) {
    const bool known = source && at.line >= 1 && at.line <= source->assignments.size();
    return {at.giver, {known ? source->assignments[at.line - 1] : "", 1, at.column, at.length}};
  }
  return {at.giver, {at.giver == Giver::kFile ? file() : "", at.line, at.column, at.length}};
}

Error Scenario::error(int code, Position at, std::string message, std::string hint) const {
  static const ScenarioSource kNowhere;
  const ScenarioSource& from = source ? *source : kNowhere;
  const LineIndex lines(from.text);
  return written_error({from.file, from.text, &lines}, from.assignments, code, at,
                       std::move(message), std::move(hint));
}

std::vector<ScenarioKey> scenario_keys() {
  std::vector<ScenarioKey> keys;
  for (const Slot& slot : all_slots()) keys.push_back({slot.path, slot.meaning, slot.is_section});
  return keys;
}

}  // namespace loadfactor::config
