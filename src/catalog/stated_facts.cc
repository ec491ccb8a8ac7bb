#include "catalog/stated_facts.h"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "config/document.h"

namespace loadfactor::catalog {
namespace {

using config::Node;
using config::NodeKind;

struct Grounds {
  std::string kind, source, date;
};

// The part of the grounds that a key of this name states.
std::string* part_of(Grounds& grounds, std::string_view key) {
  if (key == "kind") return &grounds.kind;
  if (key == "source") return &grounds.source;
  return key == "date" ? &grounds.date : nullptr;
}

// A block has grounds of its own where it names a source: `kind: gated` alone is a fact.
bool has_grounds(const Node& map) {
  for (const config::Member& member : map.members)
    if (member.key == "source") return true;
  return false;
}

void read_number(StatedFact& fact) {
  const std::string_view text = fact.value;
  if (text.find_first_of("0123456789") > 1) return;  // A word such as `inf`, or nothing.
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (!rest.empty()) {
    if (!rest.starts_with(' ') || parse_unit(rest.substr(1)).error) return;
    rest.remove_prefix(1);
  }
  fact.number = number;
  fact.unit = rest;
}

void collect(const Node& node, const std::string& key, Grounds grounds,
             std::vector<StatedFact>& out) {
  switch (node.kind) {
    case NodeKind::kNull:
      return;
    case NodeKind::kScalar: {
      StatedFact fact{.key = key,
                      .value = node.scalar,
                      .kind = grounds.kind,
                      .source = grounds.source,
                      .date = grounds.date,
                      .line = node.position.line};
      if (node.style != config::ScalarStyle::kQuoted) read_number(fact);
      out.push_back(std::move(fact));
      return;
    }
    case NodeKind::kList:
      for (std::size_t i = 0; i < node.items.size(); ++i)
        collect(node.items[i], fmt::format("{}[{}]", key, i), grounds, out);
      return;
    case NodeKind::kMap:
      break;
  }
  const bool own = has_grounds(node);
  for (const config::Member& member : node.members)
    if (std::string* part = own ? part_of(grounds, member.key) : nullptr)
      *part = member.value.scalar;
  for (const config::Member& member : node.members) {
    if (own && part_of(grounds, member.key) != nullptr) continue;
    collect(member.value, key.empty() ? member.key : key + "." + member.key, grounds, out);
  }
}

}  // namespace

Result<std::vector<StatedFact>> stated_facts(const DataFile& file) {
  TRY(const config::Document document, config::parse_yaml(file.shown_as, file.text));
  std::vector<StatedFact> facts;
  collect(document.root, "", {}, facts);
  return facts;
}

}  // namespace loadfactor::catalog
