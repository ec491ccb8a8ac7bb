#include "catalog/import/prices/price_placeholder.h"

#include <map>

#include "catalog/import/prices/price_statistics.h"

namespace loadfactor::catalog {
namespace {

constexpr double kFarBelow = 0.2;
constexpr std::size_t kFewestSiblings = 2;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// Words of letters, digits and points, in lower case.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (is_digit(c) || is_letter(c) || c == '.') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// `405b`, `1.5b` and `8x7b`.
bool is_size(std::string_view word) {
  if (word.size() < 2 || word.back() != 'b' || !is_digit(word.front())) return false;
  for (const char c : word.substr(0, word.size() - 1)) {
    if (!is_digit(c) && c != '.' && c != 'x') return false;
  }
  return true;
}

std::string leading_letters(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && is_letter(word[end])) ++end;
  return std::string(word.substr(0, end));
}

bool is_far_below(double price, const std::vector<double>& all) {
  std::vector<double> others = all;
  for (auto other = others.begin(); other != others.end(); ++other) {
    if (*other != price) continue;
    others.erase(other);
    break;
  }
  return others.size() >= kFewestSiblings && price < kFarBelow * median_of(others);
}

}  // namespace

std::string sibling_key(std::string_view model_id) {
  const std::size_t slash = model_id.rfind('/');
  if (slash != std::string_view::npos) model_id.remove_prefix(slash + 1);
  std::string family;
  std::string size;
  for (const std::string& word : words_in(model_id)) {
    if (size.empty() && is_size(word)) size = word;
    const std::string letters = leading_letters(word);
    if (family.empty() && letters.size() >= 3 && letters != "meta") family = letters;
  }
  return family.empty() || size.empty() ? std::string() : family + " " + size;
}

std::vector<std::size_t> find_placeholders(std::span<const ApiPrice> prices) {
  std::map<std::string, std::vector<double>> siblings;
  std::vector<std::string> keys;
  for (const ApiPrice& price : prices) {
    keys.push_back(sibling_key(price.model_id));
    if (!keys.back().empty() && price.input) siblings[keys.back()].push_back(price.input->base());
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    if (keys[i].empty() || !prices[i].input || prices[i].input != prices[i].output) continue;
    if (is_far_below(prices[i].input->base(), siblings[keys[i]])) found.push_back(i);
  }
  return found;
}

}  // namespace loadfactor::catalog
