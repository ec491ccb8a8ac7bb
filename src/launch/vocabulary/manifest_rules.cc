#include "launch/vocabulary/manifest_rules.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace loadfactor::launch {
namespace {

using Faults = std::vector<ManifestFault>;

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view value) {
  constexpr std::size_t kLongest = 63;
  if (value.empty()) return true;
  if (value.size() > kLongest) return false;
  if (!is_alphanumeric(value.front()) || !is_alphanumeric(value.back())) return false;
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void check_metadata(const Tree& manifest, Faults& faults) {
  const Tree* name = manifest.path("metadata.name");
  if (name != nullptr && !is_dns_name(name->scalar))
    faults.push_back({"metadata.name", fmt::format("'{}' is no name of Kubernetes", name->scalar)});
  const Tree* labels = manifest.path("metadata.labels");
  if (labels == nullptr) return;
  for (const Branch& label : labels->branches)
    if (!is_label(label.value.scalar))
      faults.push_back({"metadata.labels." + label.key,
                        fmt::format("'{}' is no value of a label", label.value.scalar)});
}

// Every label that a selector asks for stands on the template.
void check_selector(const Tree& manifest, Faults& faults) {
  const Tree* wanted = manifest.path("spec.selector.matchLabels");
  const Tree* carried = manifest.path("spec.template.metadata.labels");
  if (wanted == nullptr || manifest.path("spec.template") == nullptr) return;
  for (const Branch& label : wanted->branches) {
    const Tree* there = carried == nullptr ? nullptr : carried->find(label.key);
    if (there == nullptr || there->scalar != label.value.scalar)
      faults.push_back(
          {"spec.selector.matchLabels." + label.key, "the pods of the template do not carry it"});
  }
}

bool is_gpu(std::string_view resource) {
  return resource.ends_with("/gpu") || resource.ends_with("/tpu") || resource.ends_with("/neuron");
}

bool is_whole(std::string_view text) {
  std::int64_t count = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), count);
  return done.ec == std::errc() && done.ptr == text.data() + text.size() && count >= 0;
}

void check_resources(const Tree& resources, const std::string& path, Faults& faults) {
  const Tree* limits = resources.find("limits");
  if (limits != nullptr)
    for (const Branch& each : limits->branches)
      if (is_gpu(each.key) && !is_whole(each.value.scalar))
        faults.push_back({path + ".limits." + each.key,
                          fmt::format("'{}' GPUs: only whole ones", each.value.scalar)});
  const Tree* requests = resources.find("requests");
  if (requests == nullptr) return;
  for (const Branch& each : requests->branches)
    if (is_gpu(each.key) && (limits == nullptr || limits->find(each.key) == nullptr))
      faults.push_back({path + ".requests." + each.key, "GPUs belong in the limits"});
}

struct WordRow {
  std::string_view key;
  std::array<std::string_view, 3> words;
};
constexpr std::array kWordRows{
    WordRow{"completionMode", {"Indexed", "NonIndexed", ""}},
    WordRow{"restartPolicy", {"Always", "OnFailure", "Never"}},
    WordRow{"imagePullPolicy", {"Always", "IfNotPresent", "Never"}},
};

// Everything that may stand anywhere: resources of containers, words that the tables take as text.
void walk(const Tree& tree, const std::string& path, Faults& faults) {
  for (std::size_t i = 0; i < tree.items.size(); ++i)
    walk(tree.items[i], fmt::format("{}[{}]", path, i), faults);
  for (const Branch& branch : tree.branches) {
    const std::string here = path.empty() ? branch.key : path + "." + branch.key;
    if (branch.key == "resources") check_resources(branch.value, here, faults);
    for (const WordRow& row : kWordRows) {
      // A leader and its workers have a policy of their own, whose words the tables hold.
      const bool is_own = here == "spec.leaderWorkerTemplate.restartPolicy";
      if (row.key != branch.key || is_own || branch.value.kind != Tree::Kind::kText) continue;
      const auto& words = row.words;
      if (std::find(words.begin(), words.end(), branch.value.scalar) == words.end())
        faults.push_back({here, fmt::format("no word '{}' of this field", branch.value.scalar)});
    }
    walk(branch.value, here, faults);
  }
}

void check_bounds(const Tree& manifest, Faults& faults) {
  const Tree* least = manifest.path("spec.minReplicaCount");
  const Tree* most = manifest.path("spec.maxReplicaCount");
  if (least == nullptr || most == nullptr || !is_whole(least->scalar) || !is_whole(most->scalar))
    return;
  if (std::stoll(least->scalar) > std::stoll(most->scalar))
    faults.push_back({"spec.minReplicaCount", "is above spec.maxReplicaCount"});
}

// A rollout that may neither take a replica out nor start one more never moves.
void check_rollout(const Tree& manifest, Faults& faults) {
  for (const std::string steps :
       {"spec.strategy.rollingUpdate", "spec.rolloutStrategy.rollingUpdateConfiguration"}) {
    const Tree* out = manifest.path(steps + ".maxUnavailable");
    const Tree* more = manifest.path(steps + ".maxSurge");
    const auto is_none = [](const Tree* count) {
      return count != nullptr && (count->scalar == "0" || count->scalar == "0%");
    };
    if (is_none(out) && is_none(more))
      faults.push_back({steps, "maxUnavailable and maxSurge are both 0"});
  }
}

}  // namespace

bool is_dns_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  if (name.empty() || name.size() > kLongest) return false;
  if (!is_lower(name.front()) || !is_lower(name.back())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_lower(c) || c == '-' || c == '.'; });
}

void check_rules(const Tree& manifest, Faults& faults) {
  check_metadata(manifest, faults);
  check_selector(manifest, faults);
  check_bounds(manifest, faults);
  check_rollout(manifest, faults);
  walk(manifest, "", faults);
}

}  // namespace loadfactor::launch
