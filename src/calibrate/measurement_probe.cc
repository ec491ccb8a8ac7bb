// Reads the JSON of loadfactor-probe.
#include <cmath>

#include "base/error_codes.h"
#include "calibrate/measurement.h"
#include "calibrate/measurement_json.h"

namespace loadfactor::calibrate {

std::optional<double> finite_number(const config::Node* node) {
  if (node == nullptr || node->kind != config::NodeKind::kScalar || node->scalar.empty())
    return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(node->scalar.c_str(), &end);
  if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> ProbeRow::number(std::string_view name) const {
  for (const auto& [key, value] : numbers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string_view ProbeRow::word(std::string_view name) const {
  for (const auto& [key, value] : words) {
    if (key == name) return value;
  }
  return {};
}

const std::vector<ProbeRow>& ProbeFile::section(std::string_view name) const {
  static const std::vector<ProbeRow> kNone;
  for (const auto& [key, rows] : sections) {
    if (key == name) return rows;
  }
  return kNone;
}

namespace {

ProbeRow read_row(const config::Node& node) {
  ProbeRow row;
  for (const config::Member& cell : node.members) {
    if (cell.value.kind != config::NodeKind::kScalar) continue;
    if (cell.value.style == config::ScalarStyle::kQuoted) {
      row.words.emplace_back(cell.key, cell.value.scalar);
    } else if (const auto number = finite_number(&cell.value)) {
      row.numbers.emplace_back(cell.key, *number);
    }
  }
  return row;
}

// A row that its own probe found wrong says nothing.
bool is_right(const ProbeRow& row, const config::Node& node) {
  constexpr double kWorstError = 0.05;
  const config::Node* correct = member(&node, "correct");
  if (correct != nullptr && correct->scalar == "false") return false;
  const config::Node* error = member(&node, "error");
  if (error != nullptr && error->kind == config::NodeKind::kNull) return false;
  return row.number("error").value_or(0) < kWorstError && row.number("unwritten").value_or(0) == 0;
}

}  // namespace

Result<ProbeFile> read_probe(const std::string& file, const std::string& text) {
  TRY(const auto document, config::parse_json(file, text));
  const config::Node* root = &document.root;
  const std::string schema = text_or_empty(member(root, "schema"));
  if (schema != "probe/1")
    return document.error(lf::kWrongSchema, root->position,
                          "a probe's file is 'probe/1', not '" + schema + "'");
  ProbeFile probe;
  probe.device = text_or_empty(member(root, "machine", "device"));
  probe.date = text_or_empty(member(root, "machine", "date")).substr(0, 10);
  probe.power_limit_w = number_or_zero(member(root, "machine", "power_limit_w"));
  const config::Node* measurements = member(root, "measurements");
  std::size_t rows = 0;
  if (measurements != nullptr) {
    for (const config::Member& section : measurements->members) {
      probe.sections.emplace_back(section.key, std::vector<ProbeRow>());
      for (const config::Node& node : section.value.items) {
        ProbeRow row = read_row(node);
        if (!is_right(row, node)) continue;
        probe.sections.back().second.push_back(std::move(row));
        ++rows;
      }
    }
  }
  if (rows == 0 || probe.device.empty())
    return document.error(lf::kNoMeasurement, root->position,
                          "the probe measured nothing, or does not say on what");
  return probe;
}

}  // namespace loadfactor::calibrate
