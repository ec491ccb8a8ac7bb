// Every key of a scenario once: its path, what it means, and its typed place.
//
// Edits find their places here. A place is reached from section to section, because most sections
// are optional and some stand in lists.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

// How one key of a scenario is read, written and placed.
class Access {
 public:
  Access() = default;
  virtual ~Access() = default;
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  virtual AnyValue get(Scenario& scenario, Walk walk) const = 0;
  virtual std::optional<Position> where(Scenario& scenario, Walk walk) const = 0;
  // False for a value of another type. A blank is never put into a section that is missing.
  virtual bool set(Scenario& scenario, Walk walk, const AnyValue& value) const = 0;
};

struct Slot {
  std::string path;  // `#` for the number of an item.
  std::string meaning;
  bool is_section = false;
  std::unique_ptr<const Access> access;
};

// The same for a key of a section: the part is found here, its field by those that inherit. There
// are hundreds of them, so that what does not depend on the field's type stands here once for a
// section's.
template <typename T>
class AccessIn : public Access {
 public:
  explicit AccessIn(const Section<T>& section) : find_(section.find) {}
  AnyValue get(Scenario& scenario, Walk walk) const final {
    const T* const part = find_(scenario, walk);
    return part == nullptr ? AnyValue() : get_from(*part);
  }
  std::optional<Position> where(Scenario& scenario, Walk walk) const final {
    const T* const part = find_(scenario, walk);
    return part == nullptr ? std::nullopt : where_in(*part);
  }
  bool set(Scenario& scenario, Walk walk, const AnyValue& value) const final {
    T* const part = find_(scenario, walk);
    return part == nullptr ? !walk.makes : set_in(*part, value);
  }

 protected:
  // A section as it is made.
  static const T& fresh() {
    static const T kFresh{};
    return kFresh;
  }

 private:
  virtual AnyValue get_from(const T& part) const = 0;
  virtual std::optional<Position> where_in(const T& part) const = 0;
  virtual bool set_in(T& part, const AnyValue& value) const = 0;

  std::function<T*(Scenario&, Walk&)> find_;
};

// A key whose field is a member. A blank gives a field that is always there its first value.
template <typename T, typename Member>
class MemberAccess final : public AccessIn<T> {
 public:
  MemberAccess(const Section<T>& section, Member T::*member)
      : AccessIn<T>(section), member_(member) {}

 private:
  AnyValue get_from(const T& part) const override { return read(part.*member_); }
  std::optional<Position> where_in(const T& part) const override { return place_of(part.*member_); }
  bool set_in(T& part, const AnyValue& value) const override {
    if (!std::holds_alternative<Blank>(value)) return write(part.*member_, value);
    part.*member_ = this->fresh().*member_;
    return true;
  }

  Member T::*member_;
};

// A section in another one: only a blank can be put there, which takes it away.
template <typename T, typename Member>
class SectionAccess final : public AccessIn<T> {
 public:
  SectionAccess(const Section<T>& parent, Member T::*member)
      : AccessIn<T>(parent), member_(member) {}

 private:
  AnyValue get_from(const T& /*part*/) const override { return {}; }
  std::optional<Position> where_in(const T& /*part*/) const override { return std::nullopt; }
  bool set_in(T& part, const AnyValue& value) const override {
    if (!std::holds_alternative<Blank>(value)) return false;
    part.*member_ = Member();
    return true;
  }

  Member T::*member_;
};

// The functions that read, write and place a field.
template <typename T>
struct Field {
  std::function<AnyValue(const T&)> get;
  std::function<bool(T&, const AnyValue&)> set;
  std::function<std::optional<Position>(const T&)> where;
};

template <typename T>
class FieldAccess final : public AccessIn<T> {
 public:
  FieldAccess(const Section<T>& section, Field<T> field)
      : AccessIn<T>(section), field_(std::move(field)) {}

 private:
  AnyValue get_from(const T& part) const override { return field_.get(part); }
  std::optional<Position> where_in(const T& part) const override { return field_.where(part); }
  bool set_in(T& part, const AnyValue& value) const override { return field_.set(part, value); }

  Field<T> field_;
};

inline std::string path_in(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : std::string(section) + "." + std::string(key);
}

class SlotTable {
 public:
  const std::vector<Slot>& slots() const { return slots_; }

  template <typename T>
  void add(const Section<T>& section, std::string_view key, std::string meaning, Field<T> field) {
    put(section.path, key, std::move(meaning), false,
        std::make_unique<FieldAccess<T>>(section, std::move(field)));
  }
  template <typename T, typename Member>
  void add(const Section<T>& section, std::string_view key, std::string meaning,
           Member T::*member) {
    put(section.path, key, std::move(meaning), false,
        std::make_unique<MemberAccess<T, Member>>(section, member));
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
  void put(std::string_view section, std::string_view key, std::string meaning, bool is_section,
           std::unique_ptr<const Access> access) {
    slots_.push_back({path_in(section, key), std::move(meaning), is_section, std::move(access)});
  }
  template <typename T, typename Member>
  void add_section(const Section<T>& parent, std::string_view key, std::string meaning,
                   Member T::*member) {
    put(parent.path, key, std::move(meaning), true,
        std::make_unique<SectionAccess<T, Member>>(parent, member));
  }

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

template <typename T, typename Part>
Section<Part> SlotTable::section(const Section<T>& parent, std::string_view key,
                                 std::string meaning, std::optional<Part> T::*member) {
  add_section(parent, key, std::move(meaning), member);
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
  add_section(parent, key, std::move(meaning), member);
  Section<Part> found = inside(parent, member);
  found.path = path_in(parent.path, key);
  return found;
}

template <typename T, typename Part>
Section<Part> SlotTable::section(const Section<T>& parent, std::string_view key,
                                 std::string meaning, std::vector<Part> T::*member) {
  add_section(parent, key, std::move(meaning), member);
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
