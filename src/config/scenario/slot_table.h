// Every key of a scenario once: its path, what it means, and its typed place.
//
// Edits find their places here. A place is reached from section to section, because most sections
// are optional and some stand in lists.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/scenario/field_type.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

// A way through a scenario: whether missing sections are made, and which items of lists are meant.
struct Walk {
  bool makes = false;
  std::span<const std::size_t> items = {};

  // The number of the next list's item; 0 where none was named.
  std::size_t next() {
    if (items.empty()) return 0;
    const std::size_t item = items.front();
    items = items.subspan(1);
    return item;
  }
};

// A part of a scenario. `find` gives nullptr where it is missing and not to be made.
template <typename T>
struct Section {
  std::string path;
  std::function<T*(Scenario&, Walk&)> find;
};

struct Slot {
  std::string path;  // `#` for the number of an item.
  std::string meaning;
  bool is_section = false;
  std::function<AnyValue(Scenario&, Walk)> get;
  std::function<std::optional<Position>(Scenario&, Walk)> where;
  // False for a value of another type. A blank is never put into a section that is missing.
  std::function<bool(Scenario&, Walk, const AnyValue&)> set;
};

class SlotTable {
 public:
  const std::vector<Slot>& slots() const { return slots_; }

  // A key with the functions that read, write and place its field.
  template <typename T>
  struct Field {
    std::function<AnyValue(const T&)> get;
    std::function<bool(T&, const AnyValue&)> set;
    std::function<std::optional<Position>(const T&)> where;
  };
  template <typename T>
  void add(const Section<T>& section, std::string_view key, std::string meaning, Field<T> field);

  // A key whose field is a member. A blank gives a field that is always there its first value.
  template <typename T, typename Member>
  void add(const Section<T>& section, std::string_view key, std::string meaning,
           Member T::*member) {
    add<T>(section, key, std::move(meaning),
           {[member](const T& part) { return read(part.*member); },
            [member](T& part, const AnyValue& value) {
              if (std::holds_alternative<Blank>(value)) return part.*member = T().*member, true;
              return write(part.*member, value);
            },
            [member](const T& part) { return place_of(part.*member); }});
  }

  // A section that can be missing, one that is always there, and the items of a list.
  template <typename T, typename Part>
  Section<Part> section(const Section<T>& parent, std::string_view key, std::string meaning,
                        std::optional<Part> T::*member);
  template <typename T, typename Part>
  Section<Part> section(const Section<T>& parent, std::string_view key, std::string meaning,
                        Part T::*member);
  template <typename T, typename Part>
  Section<Part> section(const Section<T>& parent, std::string_view key, std::string meaning,
                        std::vector<Part> T::*member);

 private:
  template <typename T>
  void add_section(const Section<T>& parent, std::string_view key, std::string meaning,
                   std::function<void(T&)> clear);

  std::vector<Slot> slots_;
};

// A part of a section whose keys stand among those of the section itself.
template <typename T, typename Part>
Section<Part> inside(const Section<T>& section, Part T::*member) {
  return {section.path, [find = section.find, member](Scenario& scenario, Walk& walk) {
            T* const part = find(scenario, walk);
            return part == nullptr ? nullptr : &(part->*member);
          }};
}

inline std::string path_in(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : std::string(section) + "." + std::string(key);
}

template <typename T>
void SlotTable::add(const Section<T>& section, std::string_view key, std::string meaning,
                    Field<T> field) {
  Slot slot{path_in(section.path, key), std::move(meaning)};
  slot.get = [find = section.find, get = std::move(field.get)](Scenario& scenario, Walk walk) {
    const T* const part = find(scenario, walk);
    return part == nullptr ? AnyValue() : get(*part);
  };
  slot.where = [find = section.find, where = std::move(field.where)](Scenario& scenario,
                                                                     Walk walk) {
    const T* const part = find(scenario, walk);
    return part == nullptr ? std::nullopt : where(*part);
  };
  slot.set = [find = section.find, set = std::move(field.set)](Scenario& scenario, Walk walk,
                                                               const AnyValue& value) {
    T* const part = find(scenario, walk);
    return part == nullptr ? !walk.makes : set(*part, value);
  };
  slots_.push_back(std::move(slot));
}

template <typename T>
void SlotTable::add_section(const Section<T>& parent, std::string_view key, std::string meaning,
                            std::function<void(T&)> clear) {
  add<T>(parent, key, std::move(meaning),
         {[](const T& /*part*/) { return AnyValue(); },
          [clear = std::move(clear)](T& part, const AnyValue& value) {
            if (!std::holds_alternative<Blank>(value)) return false;
            clear(part);
            return true;
          },
          [](const T& /*part*/) { return std::nullopt; }});
  slots_.back().is_section = true;
}

template <typename T, typename Part>
Section<Part> SlotTable::section(const Section<T>& parent, std::string_view key,
                                 std::string meaning, std::optional<Part> T::*member) {
  add_section<T>(parent, key, std::move(meaning), [member](T& part) { (part.*member).reset(); });
  return {path_in(parent.path, key),
          [find = parent.find, member](Scenario& scenario, Walk& walk) -> Part* {
            T* const part = find(scenario, walk);
            if (part == nullptr) return nullptr;
            auto& field = part->*member;
            if (!field && walk.makes) field.emplace();
            return field ? &*field : nullptr;
          }};
}

template <typename T, typename Part>
Section<Part> SlotTable::section(const Section<T>& parent, std::string_view key,
                                 std::string meaning, Part T::*member) {
  add_section<T>(parent, key, std::move(meaning), [member](T& part) { part.*member = Part(); });
  Section<Part> found = inside(parent, member);
  found.path = path_in(parent.path, key);
  return found;
}

template <typename T, typename Part>
Section<Part> SlotTable::section(const Section<T>& parent, std::string_view key,
                                 std::string meaning, std::vector<Part> T::*member) {
  add_section<T>(parent, key, std::move(meaning), [member](T& part) { (part.*member).clear(); });
  return {path_in(parent.path, key) + ".#",
          [find = parent.find, member](Scenario& scenario, Walk& walk) -> Part* {
            T* const part = find(scenario, walk);
            const std::size_t item = walk.next();
            if (part == nullptr || item >= (part->*member).size()) return nullptr;
            return &(part->*member)[item];
          }};
}

// The keys of the sections, each in a file of its own.
void add_serve_slots(SlotTable& table, const Section<Scenario>& root);
void add_train_slots(SlotTable& table, const Section<Scenario>& root);
void add_money_slots(SlotTable& table, const Section<Scenario>& root);
void add_place_slots(SlotTable& table, const Section<Scenario>& root);
void add_model_slots(SlotTable& table, const Section<ModelSection>& model);

}  // namespace loadfactor::config
