#include "launch/vocabulary/layer_pattern.h"

#include <cctype>
#include <cstdint>

namespace loadfactor::launch {
namespace {

constexpr std::size_t kMaxLayers = 10'000;
constexpr int kMaxDepth = 8;  // Brackets within each other.

using Layers = std::vector<bool>;

// Sums of lists and lists times whole numbers, as Python evaluates them.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  std::optional<Layers> parse() {
    auto layers = sum(0);
    skip_blanks();
    return at_ == text_.size() ? std::move(layers) : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  std::optional<std::size_t> number() {
    skip_blanks();
    const std::size_t from = at_;
    std::size_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      value = value * 10 + static_cast<std::size_t>(text_[at_++] - '0');
      if (value > kMaxLayers) return std::nullopt;
    }
    return at_ > from ? std::optional(value) : std::nullopt;
  }
  std::optional<Layers> sum(int depth) {
    auto all = product(depth);
    while (all && take('+')) {
      const auto more = product(depth);
      if (!more || all->size() + more->size() > kMaxLayers) return std::nullopt;
      all->insert(all->end(), more->begin(), more->end());
    }
    return all;
  }
  std::optional<Layers> product(int depth) {
    auto once = list(depth);
    while (once && take('*')) {
      const auto times = number();
      if (!times || once->size() * *times > kMaxLayers) return std::nullopt;
      Layers all;
      for (std::size_t i = 0; i < *times; ++i) all.insert(all.end(), once->begin(), once->end());
      once = std::move(all);
    }
    return once;
  }
  std::optional<Layers> list(int depth) {
    if (depth >= kMaxDepth) return std::nullopt;
    if (take('(')) {
      auto inner = sum(depth + 1);
      return take(')') ? std::move(inner) : std::nullopt;
    }
    if (!take('[')) return std::nullopt;
    Layers layers;
    do {
      const auto value = number();
      if (!value || *value > 1 || layers.size() >= kMaxLayers) return std::nullopt;
      layers.push_back(*value == 1);
    } while (take(','));
    return take(']') ? std::optional(std::move(layers)) : std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<bool>> layer_pattern(std::string_view text) {
  return PatternParser(text).parse();
}

}  // namespace loadfactor::launch
