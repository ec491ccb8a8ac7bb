#include "launch/vocabulary/kinds.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "launch/vocabulary/manifest_rules.h"
#include "launch/vocabulary/table.h"

namespace loadfactor::launch {
namespace {

std::string below(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

bool is_whole(const Tree& value) {
  std::int64_t count = 0;
  const char* end = value.scalar.data() + value.scalar.size();
  const auto done = std::from_chars(value.scalar.data(), end, count);
  return value.kind == Tree::Kind::kWord && done.ec == std::errc() && done.ptr == end;
}

bool is_truth(const Tree& value) {
  return value.kind == Tree::Kind::kWord && (value.scalar == "true" || value.scalar == "false");
}

bool is_number(const Tree& value) {
  return value.kind == Tree::Kind::kWord && !is_truth(value);
}

// What is wrong with a plain value of one of the plain types.
std::string scalar_fault(const Tree& value, const std::string& holds) {
  if (holds == "any") return "";
  const bool is_text = value.kind == Tree::Kind::kText;
  if (holds == "string") return is_text ? "" : fmt::format("'{}' is no text", value.scalar);
  if (holds == "integer")
    return is_whole(value) ? "" : fmt::format("'{}' is no whole number", value.scalar);
  if (holds == "number")
    return is_number(value) ? "" : fmt::format("'{}' is no number", value.scalar);
  if (holds == "boolean")
    return is_truth(value) ? "" : fmt::format("'{}' is neither true nor false", value.scalar);
  if (holds == "quantity")
    return is_text || is_number(value) ? "" : fmt::format("'{}' is no quantity", value.scalar);
  return "";
}

}  // namespace

Kinds Kinds::read() {
  Kinds kinds;
  for (auto& row : read_table("kinds.csv")) kinds.kinds_[row[0]] = {row[1], row[2]};
  for (auto& row : read_table("fields.csv"))
    kinds.types_[row[0]][row[1]] = {row[2], row[3] == "yes", split_cell(row[4], '|')};
  const Field text{"string", false, {}};
  const Field texts{"map:string", false, {}};
  kinds.types_["Metadata"] = {{"name", {"string", true, {}}},
                              {"namespace", text},
                              {"labels", texts},
                              {"annotations", texts}};
  return kinds;
}

bool Kinds::has(std::string_view kind, std::string_view api_version) const {
  const auto found = kinds_.find(kind);
  return found != kinds_.end() && found->second.api_version == api_version;
}

std::string Kinds::api_version(std::string_view kind) const {
  const auto found = kinds_.find(kind);
  return found == kinds_.end() ? std::string() : found->second.api_version;
}

void Kinds::check_value(const Tree& value, const Field& field, const std::string& path,
                        std::vector<ManifestFault>& faults) const {
  const std::string_view holds = field.holds;
  if (holds.starts_with("list:")) {
    if (value.kind != Tree::Kind::kList) return faults.push_back({path, "is no list"});
    const Field item{std::string(holds.substr(5)), false, field.choices};
    for (std::size_t i = 0; i < value.items.size(); ++i)
      check_value(value.items[i], item, fmt::format("{}[{}]", path, i), faults);
    return;
  }
  if (holds.starts_with("map:")) {
    if (value.kind != Tree::Kind::kMap) return faults.push_back({path, "is no map"});
    const Field item{std::string(holds.substr(4)), false, field.choices};
    for (const Branch& branch : value.branches)
      check_value(branch.value, item, below(path, branch.key), faults);
    return;
  }
  if (types_.contains(holds)) return check_type(value, field.holds, path, faults);
  const bool is_scalar = value.kind == Tree::Kind::kWord || value.kind == Tree::Kind::kText;
  if (!is_scalar && holds != "any") return faults.push_back({path, "is no plain value"});
  if (auto fault = scalar_fault(value, field.holds); !fault.empty())
    faults.push_back({path, std::move(fault)});
  const auto& choices = field.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value.scalar) == choices.end())
    faults.push_back(
        {path, fmt::format("'{}' is none of {}", value.scalar, fmt::join(choices, ", "))});
}

void Kinds::check_type(const Tree& value, const std::string& type, const std::string& path,
                       std::vector<ManifestFault>& faults) const {
  if (value.kind != Tree::Kind::kMap) return faults.push_back({path, "is no map"});
  const Fields& fields = types_.find(type)->second;
  for (const Branch& branch : value.branches) {
    const auto field = fields.find(branch.key);
    if (field == fields.end()) {
      faults.push_back({below(path, branch.key), "no such field"});
      continue;
    }
    check_value(branch.value, field->second, below(path, branch.key), faults);
  }
  for (const auto& [name, field] : fields)
    if (field.is_required && value.find(name) == nullptr)
      faults.push_back({below(path, name), "is missing"});
}

std::vector<ManifestFault> Kinds::check(const Tree& manifest) const {
  std::vector<ManifestFault> faults;
  const Tree* kind = manifest.find("kind");
  const Tree* version = manifest.find("apiVersion");
  const std::string name = kind == nullptr ? "" : kind->scalar;
  if (version == nullptr || !has(name, version->scalar)) {
    faults.push_back({"kind", fmt::format("no kind '{}' of {}", name,
                                          version == nullptr ? "" : version->scalar)});
    return faults;
  }
  check_type(manifest, kinds_.find(name)->second.type, "", faults);
  check_rules(manifest, faults);
  return faults;
}

}  // namespace loadfactor::launch
