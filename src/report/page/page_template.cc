#include "report/page/page_template.h"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace loadfactor::report {
namespace {

using Places = std::vector<const Value*>;

struct Mark {
  char kind = ' ';  // `#`, `^`, `/`, or a blank for a text.
  std::string_view name;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The next mark from a place on; its end is the end of the text where there is none.
Mark next_mark(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find("{{", from);
  const std::size_t end = begin == text.npos ? text.npos : text.find("}}", begin);
  if (end == text.npos) return {.begin = text.size(), .end = text.size()};
  Mark mark{.name = text.substr(begin + 2, end - begin - 2), .begin = begin, .end = end + 2};
  if (!mark.name.empty() && std::string_view("#^/").find(mark.name[0]) != std::string_view::npos) {
    mark.kind = mark.name[0];
    mark.name.remove_prefix(1);
  }
  return mark;
}

const Value* look_up(std::string_view name, const Places& places) {
  std::size_t up = 0;
  for (; name.starts_with("../"); name.remove_prefix(3)) ++up;
  const Value* value = up < places.size() ? places[places.size() - 1 - up] : nullptr;
  while (value != nullptr && !name.empty()) {
    const std::size_t dot = name.find('.');
    value = value->find(name.substr(0, dot));
    name = dot == name.npos ? std::string_view() : name.substr(dot + 1);
  }
  return value;
}

bool is_there(const Value* value) {
  if (value == nullptr || value->is_null()) return false;
  if (const auto* flag = std::get_if<bool>(&value->data)) return *flag;
  if (const auto* text = value->text()) return !text->empty();
  if (const auto* list = value->list()) return !list->empty();
  return true;
}

std::string shown(const Value* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->text()) return escape_html(*text);
  if (const auto* count = std::get_if<std::int64_t>(&value->data)) return fmt::format("{}", *count);
  if (const auto* number = std::get_if<double>(&value->data)) {
    std::string text = fmt::format("{:.2f}", *number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  return {};
}

class Filling {
 public:
  explicit Filling(std::string_view text) : text_(text) {}

  // Writes until the section that is open ends.
  void fill(Places& places, bool writes) {
    while (at_ < text_.size()) {
      const Mark mark = next_mark(text_, at_);
      if (writes) out_ += text_.substr(at_, mark.begin - at_);
      at_ = mark.end;
      if (mark.kind == '/') return;
      if (mark.kind == ' ' && writes && mark.begin < text_.size())
        out_ += shown(look_up(mark.name, places));
      if (mark.kind == '#' || mark.kind == '^') section(mark, places, writes);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void section(const Mark& mark, Places& places, bool writes) {
    const Value* value = writes ? look_up(mark.name, places) : nullptr;
    const std::size_t inside = at_;
    const auto* rows = value != nullptr && mark.kind == '#' ? value->list() : nullptr;
    if (rows != nullptr && !rows->empty()) {
      for (const Value& row : *rows) once(inside, &row, places, true);
      return;
    }
    const bool shows = writes && is_there(value) == (mark.kind == '#');
    const bool goes_in = shows && mark.kind == '#' && value->object() != nullptr;
    once(inside, goes_in ? value : nullptr, places, shows);
  }
  void once(std::size_t from, const Value* place, Places& places, bool writes) {
    at_ = from;
    if (place != nullptr) places.push_back(place);
    fill(places, writes);
    if (place != nullptr) places.pop_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#x27;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string fill_template(std::string_view text, const Value& page) {
  Filling filling(text);
  Places places{&page};
  filling.fill(places, true);
  return filling.take();
}

}  // namespace loadfactor::report
