// `helm upgrade --set a.b[0].c=5`: what a command puts in place of the values of a chart.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "launch/findings/flags.h"
#include "launch/findings/nodes.h"
#include "launch/machines/elsewhere.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;
using config::NodeKind;

Node* key_of(Node& node, std::string_view key, const Node& like) {
  for (auto& each : node.members)
    if (each.key == key) return &each.value;
  if (node.kind == NodeKind::kNull) node.kind = NodeKind::kMap;
  if (node.kind != NodeKind::kMap) return nullptr;
  Node made;
  made.position = like.position;
  node.members.push_back({std::string(key), like.position, std::move(made)});
  return &node.members.back().value;
}

// The place of `a.b[0].c`, made where the file does not have it; nothing where the file has
// something else there.
Node* place_for(Node& root, std::string_view path) {
  Node* here = &root;
  while (here != nullptr && !path.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    const auto open = part.find('[');
    const Node like = {.position = here->position};
    here = key_of(*here, part.substr(0, open), like);
    if (here == nullptr || open == std::string_view::npos) continue;
    const auto index = whole_number(part.substr(open + 1, part.find(']') - open - 1));
    const bool is_there =
        index && *index >= 0 && *index < static_cast<std::int64_t>(here->items.size());
    here = is_there ? &here->items[static_cast<std::size_t>(*index)] : nullptr;
  }
  return here;
}

}  // namespace

// `helm upgrade --install name chart -f values.yaml --set a.b=5,c=6`.
void read_helm(const Source& source, Words words, Findings& findings) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string given = option_value(words, i, "--set", "--set");
    if (given.empty()) given = option_value(words, i, "--set-string", "--set-string");
    const bool stands_behind = words[i].text == "--set" || words[i].text == "--set-string";
    if (given.empty()) continue;
    const Word& said = words[stands_behind ? i + 1 : i];
    for (std::string_view rest = given; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      const auto equals = part.find('=');
      if (equals == std::string_view::npos) continue;
      Word value = said;
      value.text = std::string(part.substr(equals + 1));
      findings.add_setting({.path = std::string(part.substr(0, equals)),
                            .value = std::move(value),
                            .place = place_of(source, said)});
    }
  }
}

void apply_settings(const Source& source, Node& root, Findings& findings) {
  // Values of a chart are no manifest.
  if (member(root, "kind") != nullptr || member(root, "apiVersion") != nullptr) return;
  for (const auto& setting : findings.settings()) {
    Node* target = place_for(root, setting.path);
    if (target == nullptr) {
      findings.remark(
          fmt::format("--set {} is not followed: what it sets is not known", setting.path),
          setting.place);
      continue;
    }
    findings.remark(fmt::format("--set {}={} stands in place of {}", setting.path,
                                setting.value.text, source.name),
                    setting.place);
    target->kind = NodeKind::kScalar;
    target->scalar = setting.value.text;
    target->items.clear();
    target->members.clear();
  }
}

}  // namespace loadfactor::launch
