// The nodes of a cluster, as `scontrol show nodes` lists them. A list may hold several kinds of
// nodes: one of them is planned on, and the others are named.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "launch/findings/flags.h"
#include "launch/machines/machines.h"

namespace loadfactor::launch {
namespace {

// `gpu[001-004,7]` is five nodes.
std::int64_t nodes_named(std::string_view name) {
  const auto open = name.find('[');
  if (open == std::string_view::npos) return 1;
  std::int64_t count = 0;
  std::string_view rest = name.substr(open + 1, name.find(']') - open - 1);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, end);
    const auto dash = part.find('-');
    const auto first = whole_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
    constexpr std::int64_t kMaxNodes = 1'000'000;
    count +=
        first && last && *last >= *first && *last - *first < kMaxNodes ? *last - *first + 1 : 1;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return count;
}

// What stands between commas, without what stands in brackets.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0 && c == ',') parts.emplace_back();
    if (depth == 0 && c != ',') parts.back() += c;
    depth -= c == ')' ? 1 : 0;
  }
  return parts;
}

// One node of the list, line after line.
struct ListedNode {
  std::string name;
  std::int64_t count = 0;
  std::map<std::string, std::int64_t> gpus;  // By kind; a kind without a name is "".
  std::set<std::string> partitions;
  bool is_away = false;  // Down, or drained.
  Place place;           // That of its name,
  Place gpus_place;      // and of its GPUs.
};

// Nodes with as many GPUs of one kind.
struct NodeGroup {
  std::string type;
  std::int64_t gpus_per_node = 0;
  std::int64_t nodes = 0;
  std::vector<std::string> names;
  std::set<std::string> partitions;
  Place place;

  std::int64_t gpus() const { return nodes * gpus_per_node; }
};

class NodeListReader {
 public:
  NodeListReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  void read() {
    for (std::uint32_t line = 1; line <= source_.lines.size(); ++line)
      for (const Word& word : split_words(source_.lines.line(source_.text, line), line, 1))
        read_word(word);
    end_node();
    if (groups_.empty()) return;
    findings_.has_launch = true;
    if (groups_.size() == 1) return take(groups_.front());
    choose();
  }

 private:
  static bool takes_value(const Word& word, std::string_view key, std::string_view& value) {
    if (!word.text.starts_with(key)) return false;
    value = std::string_view(word.text).substr(key.size());
    return true;
  }
  void read_word(const Word& word) {
    std::string_view value;
    if (takes_value(word, "NodeName=", value)) {
      end_node();
      node_.name = std::string(value);
      node_.count = nodes_named(value);
      node_.place = place_of(source_, word);
    }
    if (takes_value(word, "State=", value))
      node_.is_away =
          value.find("DOWN") != std::string::npos || value.find("DRAIN") != std::string::npos;
    if (takes_value(word, "Partitions=", value))
      for (std::string& each : parts_of(value)) node_.partitions.insert(std::move(each));
    if (takes_value(word, "Gres=", value)) read_gpus(word, value);
  }
  // `gpu:a100:4(S:0-1),gpu:1g.10gb:7,nvme:1`: slices are parts of the whole GPUs beside them.
  void read_gpus(const Word& word, std::string_view text) {
    std::int64_t slices = 0;
    node_.gpus_place = place_of(source_, word);
    for (const std::string& part : parts_of(text)) {
      if (!part.starts_with("gpu:")) continue;
      const std::string rest = part.substr(4);
      const auto colon = rest.rfind(':');
      const std::string type = colon == std::string::npos ? "" : rest.substr(0, colon);
      const auto count = whole_number(colon == std::string::npos ? rest : rest.substr(colon + 1));
      constexpr std::int64_t kMaxPerNode = 10'000;
      if (!count || *count < 0 || *count > kMaxPerNode)
        return findings_.error(lf::kWrongType, node_.gpus_place,
                               fmt::format("'{}' is no number of GPUs", rest),
                               "as in Gres=gpu:h100:8");
      if (*count == 0) continue;
      if (is_slice(type)) {
        read_gpu_type(type, node_.gpus_place, findings_);
        slices += *count;
      } else {
        node_.gpus[type] += *count;
      }
    }
    if (node_.gpus.empty() && slices > 0) node_.gpus[""] = slices;
  }
  void end_node() {
    const ListedNode node = std::exchange(node_, {});
    if (node.gpus.empty()) return;
    if (node.is_away)
      return findings_.remark("this node is down or drained, and not counted", node.place);
    for (const auto& [type, gpus] : node.gpus) {
      auto found = std::find_if(groups_.begin(), groups_.end(), [&](const NodeGroup& group) {
        return group.type == type && group.gpus_per_node == gpus;
      });
      if (found == groups_.end())
        found = groups_.insert(groups_.end(),
                               {.type = type, .gpus_per_node = gpus, .place = node.gpus_place});
      found->nodes += node.count;
      found->names.push_back(node.name);
      found->partitions.insert(node.partitions.begin(), node.partitions.end());
    }
  }
  // A job may take some of the nodes alone.
  void take(const NodeGroup& group) {
    const AsConfiguration weight(findings_);
    if (!group.type.empty()) read_gpu_type(group.type, group.place, findings_);
    findings_.set("gpus_per_node", group.gpus_per_node, group.place);
    findings_.set("nodes", group.nodes, {&source_, 1});
  }
  // The kind that a job asks for, by its GPU or its partition; else the one with the most GPUs.
  void choose() {
    const Finding* card = findings_.find("gres");
    const Finding* partition = findings_.find(kPartition);
    const auto is_asked = [&](const NodeGroup& group) {
      if (card != nullptr && !card->is_guess) return is_same_gpu(group.type, card->value);
      return partition != nullptr && group.partitions.contains(partition->value);
    };
    const bool asks = std::any_of(groups_.begin(), groups_.end(), is_asked);
    const NodeGroup* chosen = nullptr;
    for (const NodeGroup& group : groups_)
      if ((!asks || is_asked(group)) && (chosen == nullptr || group.gpus() > chosen->gpus()))
        chosen = &group;
    const std::string why =
        asks ? fmt::format("the nodes of {} that the job asks for", shown(*chosen))
             : fmt::format("of {} kinds of nodes, the one with the most GPUs: {}", groups_.size(),
                           shown(*chosen));
    if (!chosen->type.empty()) findings_.guess("gres", chosen->type, why);
    findings_.guess("gpus_per_node", std::to_string(chosen->gpus_per_node), why);
    findings_.guess("nodes", std::to_string(chosen->nodes), why);
    for (const NodeGroup& group : groups_)
      if (&group != chosen) remark_other(group);
  }
  static bool is_same_gpu(const std::string& listed, const std::string& asked) {
    return listed == asked || (!listed.empty() && asked.find(listed) != std::string::npos) ||
           listed.find(asked) != std::string::npos;
  }
  // `2 nodes with 8 × h100 (a1, a2)`.
  static std::string shown(const NodeGroup& group) {
    constexpr std::size_t kNamed = 4;
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, group.names.size()); ++i)
      names += (i == 0 ? "" : ", ") + group.names[i];
    if (group.names.size() > kNamed) names += ", …";
    if (!group.partitions.empty())
      names += fmt::format("; partition {}", fmt::join(group.partitions, ", "));
    return fmt::format("{} with {} × {} ({})", counted(group.nodes, "node"), group.gpus_per_node,
                       group.type.empty() ? "a GPU that is not named" : group.type, names);
  }
  void remark_other(const NodeGroup& group) {
    findings_.remark(
        fmt::format("{}: another kind, which is not planned on; to plan on it instead write "
                    "hardware: [{}] and limits: {{gpus: {}}}",
                    shown(group), group.type.empty() ? "its GPU" : group.type, group.gpus()),
        group.place);
  }

  const Source& source_;
  Findings& findings_;
  ListedNode node_;
  std::vector<NodeGroup> groups_;
};

}  // namespace

void read_node_list(const Source& source, Findings& findings) {
  NodeListReader(source, findings).read();
}

}  // namespace loadfactor::launch
