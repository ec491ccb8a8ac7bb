// A scenario as a value: copies with edits, values by path, and where they came from.
#include <charconv>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "config/scenario/refused_edit.h"
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
  static const auto kByPath = [] {
    std::unordered_map<std::string_view, const Slot*> by_path;
    for (const Slot& slot : all_slots()) by_path.emplace(slot.path, &slot);
    return by_path;
  }();
  const auto found = kByPath.find(key.path);
  LF_CHECK(found != kByPath.end(), "an edit of a key that a scenario does not have");
  return *found->second;
}

// False where the key cannot have the value.
bool apply(const Edit& edit, Scenario& scenario) {
  const KeyPath key = key_path(edit.path);
  const Walk walk{.makes = !std::holds_alternative<Blank>(edit.value), .items = key.items};
  return slot_of(key).access->set(scenario, walk, edit.value);
}

}  // namespace

const Edit* first_refused(const Scenario& scenario, std::span<const Edit> edits) {
  Scenario copy = scenario;
  for (const Edit& edit : edits)
    if (!apply(edit, copy)) return &edit;
  return nullptr;
}

Scenario Scenario::with(const Edit& edit) const {
  return with(std::span(&edit, 1));
}

Scenario Scenario::with(std::span<const Edit> edits) const {
  Scenario copy = *this;
  for (const Edit& edit : edits)
    LF_CHECK(apply(edit, copy), "an edit with a value that its key cannot have");
  return copy;
}

AnyValue Scenario::value(std::string_view path) const {
  const KeyPath key = key_path(path);
  auto& self = const_cast<Scenario&>(*this);  // A walk that makes nothing changes nothing.
  return slot_of(key).access->get(self, {.makes = false, .items = key.items});
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

Origin Scenario::origin(std::string_view path) const {
  const KeyPath key = key_path(path);
  auto& self = const_cast<Scenario&>(*this);  // A walk that makes nothing changes nothing.
  const Walk walk{.makes = false, .items = key.items};
  const Slot& slot = slot_of(key);
  if (std::holds_alternative<Blank>(slot.access->get(self, walk)))
    return origin({.giver = Giver::kDefault});
  if (const auto place = slot.access->where(self, walk)) return origin(*place);
  // A field that keeps no place of its own stands where its text does.
  if (source)
    for (const WrittenValue& value : source->values)
      if (value.path == path || value.path.starts_with(std::string(path) + "."))
        return origin(value.position);
  return origin({.giver = Giver::kPlanner});
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
