// Reads the JSON of loadfactor-probe.
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"
#include "calibrate/measurement/measurement_json.h"

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

// A load that is held has its length there, and the idle one has none.
bool is_timed(const ProbeRow& row, std::string_view section) {
  const auto seconds = row.number("seconds");
  return section == "power" || !seconds || *seconds > 0;
}

// Sections that the kernels of a chip are fitted to.
bool is_of_kernels(std::string_view section) {
  return section == "gemm" || section == "memory" || section == "attention";
}

// Rows of one section that say nothing, for one reason.
struct LeftOut {
  int count = 0;
  std::uint32_t first = 0;

  void add(const config::Node& node) {
    if (count++ == 0) first = node.position.line;
  }
  void tell(ProbeFile& probe, const std::string& section, std::size_t of, const char* why) const {
    if (count == 0) return;
    probe.notices.push_back({"rows-left-out", Severity::kCaution,
                             fmt::format("{}:{}: {} of {} rows of '{}' {} and are left out",
                                         probe.file, first, count, of, section, why)});
  }
};

std::size_t read_section(const config::Member& section, ProbeFile& probe) {
  LeftOut wrong;
  LeftOut timeless;
  auto& rows = probe.sections.emplace_back(section.key, std::vector<ProbeRow>()).second;
  for (const config::Node& node : section.value.items) {
    ProbeRow row = read_row(node);
    if (!is_right(row, node)) {
      wrong.add(node);
    } else if (!is_timed(row, section.key)) {
      timeless.add(node);
    } else {
      rows.push_back(std::move(row));
    }
  }
  const std::size_t all = section.value.items.size();
  wrong.tell(probe, section.key, all, "have wrong results by the probe's own check");
  timeless.tell(probe, section.key, all, "have no time above 0");
  return rows.size();
}

// What the probe itself was not content with.
void tell_troubles(const config::Node* root, ProbeFile& probe) {
  const auto add = [&](const std::string& words) {
    probe.notices.push_back(
        {"probe-warning", Severity::kCaution, fmt::format("{}: {}", probe.file, words)});
  };
  if (const config::Node* warnings = member(root, "warnings")) {
    for (const config::Node& warning : warnings->items)
      add("the probe warns: " + text_or_empty(&warning));
  }
  if (const config::Node* failures = member(root, "failures")) {
    for (const config::Node& failure : failures->items) {
      std::string reason = text_or_empty(member(&failure, "reason"));
      if (reason.empty()) reason = text_or_empty(member(&failure, "what"));
      add(fmt::format("'{}' broke off: {}", text_or_empty(member(&failure, "section")), reason));
    }
  }
  const double usual = number_or_zero(member(root, "machine", "power_limit_default_w"));
  if (probe.power_limit_w > 0 && probe.power_limit_w < usual)
    add(fmt::format("the device was held to {:.0f} W of {:.0f} W, and so is what was measured",
                    probe.power_limit_w, usual));
}

}  // namespace

Result<ProbeFile> read_probe(const std::string& file, const std::string& text) {
  TRY(const auto document, config::parse_json(file, text));
  const config::Node* root = &document.root;
  const std::string schema = text_or_empty(member(root, "schema"));
  if (schema != "probe/1")
    return document.error(lf::kWrongSchema, root->position,
                          "a probe's file is 'probe/1', not '" + schema + "'",
                          "probe again with the probe of this release");
  ProbeFile probe;
  probe.file = file;
  probe.device = text_or_empty(member(root, "machine", "device"));
  probe.date = text_or_empty(member(root, "machine", "date")).substr(0, 10);
  probe.power_limit_w = number_or_zero(member(root, "machine", "power_limit_w"));
  const config::Node* partitioned = member(root, "machine", "partitioned");
  if (partitioned != nullptr && partitioned->scalar == "true")
    return document.error(lf::kNoMeasurement, partitioned->position,
                          "the device was partitioned: a slice is not the chip",
                          "probe the whole device");
  std::size_t rows = 0;
  std::size_t kernels = 0;
  std::size_t offered = 0;
  if (const config::Node* measurements = member(root, "measurements")) {
    for (const config::Member& section : measurements->members) {
      const std::size_t kept = read_section(section, probe);
      rows += kept;
      if (!is_of_kernels(section.key)) continue;
      kernels += kept;
      offered += section.value.items.size();
    }
  }
  if (kernels == 0 && offered > 0)
    return document.error(
        lf::kNoMeasurement, root->position,
        fmt::format("none of its {} kernels has a right result and a time above 0", offered),
        "probe again: `loadfactor probe -o probe.json`");
  if (rows == 0 || probe.device.empty())
    return document.error(lf::kNoMeasurement, root->position,
                          "the probe measured nothing, or does not say on what");
  tell_troubles(root, probe);
  return probe;
}

}  // namespace loadfactor::calibrate
