#include "calibrate/kernels/collectives_file.h"

#include <algorithm>
#include <vector>

#include "calibrate/kernels/kernels_collectives.h"

namespace loadfactor::calibrate {
namespace {

constexpr std::string_view kRowStart = "  - {link: ";
constexpr std::string_view kNotMeasured = "points: 0,";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// A row is its first line and the deeper ones below it.
bool continues_row(std::string_view line) {
  return line.starts_with("     ");
}

bool is_replaced(std::string_view row, std::span<const catalog::CollectiveRow> fitted) {
  if (row.find(kNotMeasured) != std::string_view::npos) return false;
  const std::string_view rest = row.substr(kRowStart.size());
  const std::string_view link = rest.substr(0, rest.find(','));
  return std::any_of(fitted.begin(), fitted.end(),
                     [link](const catalog::CollectiveRow& other) { return other.link == link; });
}

}  // namespace

std::string replace_fitted_rows(std::string_view file,
                                std::span<const catalog::CollectiveRow> fitted,
                                std::string_view date) {
  std::string out;
  const auto lines = lines_of(file);
  for (std::size_t i = 0; i < lines.size();) {
    std::string block(lines[i]);
    const bool is_row = block.starts_with(kRowStart);
    const bool is_list = lines[i] == "rows:\n";
    for (++i; is_row && i < lines.size() && continues_row(lines[i]); ++i) block += lines[i];
    if (!is_row || !is_replaced(block, fitted)) out += block;
    if (is_list) out += collective_rows_yaml(fitted, date);
  }
  return out;
}

}  // namespace loadfactor::calibrate
