#include "report/page/page_words.h"

#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/quantity_text.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kSpace = "\u00a0";

// Two digits after the point in millions, none in whole dollars, two in cents.
std::string size_text(double size) {
  if (size >= 999'500) return fmt::format("{:.2f}{}M", size / 1e6, kSpace);
  if (size >= 9.995) return format_count(std::llround(size));
  return fmt::format("{:.2f}", size);
}

}  // namespace

std::string page_money(Dollars amount) {
  const double dollars = amount.base();
  return fmt::format("{}${}", dollars < 0 ? "−" : "", size_text(std::abs(dollars)));
}

std::string page_range(Dollars low, Dollars high) {
  return fmt::format("{}–{}", page_money(low), size_text(std::abs(high.base())));
}

std::string page_percent(double share, int digits) {
  return fmt::format("{}{:.{}f}{}%", share < 0 ? "−" : "", std::abs(100 * share), digits, kSpace);
}

std::string page_amount(double count) {
  constexpr std::array<std::pair<double, char>, 3> kSizes{{{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}}};
  for (const auto& [size, word] : kSizes)
    if (count >= 0.9995 * size) return fmt::format("{:.3g}{}{}", count / size, kSpace, word);
  return format_count(std::llround(count));
}

std::string page_times(double ratio) {
  return fmt::format("{:.{}f}{}×", ratio, ratio < 9.95 ? 1 : 0, kSpace);
}

std::string count_word(std::int64_t count) {
  constexpr std::array<std::string_view, 11> kWords{
      "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
  if (count >= 0 && count < static_cast<std::int64_t>(kWords.size()))
    return std::string(kWords[static_cast<std::size_t>(count)]);
  return format_count(count);
}

std::string page_date(std::string_view date) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if ((date.size() != 10 && date.size() != 7) || date[4] != '-') return std::string(date);
  const int month = (date[5] - '0') * 10 + (date[6] - '0');
  if (month < 1 || month > 12) return std::string(date);
  std::string text =
      fmt::format("{} {}", kMonths[static_cast<std::size_t>(month - 1)], date.substr(0, 4));
  if (date.size() == 7) return text;
  return fmt::format("{} {}", (date[8] - '0') * 10 + (date[9] - '0'), text);
}

std::string chip_word(std::string_view accelerator) {
  std::string name(accelerator.substr(0, accelerator.find('-')));
  for (char& letter : name)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

std::string unbroken(std::string text) {
  for (auto at = text.find(" %"); at != text.npos; at = text.find(" %", at + 2))
    text.replace(at, 1, "\u00a0");
  return text;
}

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace loadfactor::report
