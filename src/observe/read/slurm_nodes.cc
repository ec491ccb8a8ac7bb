// sinfo: nodes with their GPUs, with or without a header line.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error_codes.h"
#include "observe/read/cells.h"
#include "observe/read/slurm_table.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

constexpr std::array<std::string_view, 21> kNodeStates{
    "idle",  "mix",     "mixed",    "alloc",    "allocated",  "down",    "drain",
    "drng",  "drained", "draining", "comp",     "completing", "fail",    "failing",
    "failg", "maint",   "resv",     "reserved", "plnd",       "planned", "unk"};

// `down*` is down: marks behind the word say more of it.
bool is_node_state(std::string_view cell) {
  const auto word = cell.substr(0, cell.find_last_not_of("*~#!%$@^-+") + 1);
  return std::find(kNodeStates.begin(), kNodeStates.end(), word) != kNodeStates.end();
}

// Partitions are called like hosts (`h100`) and features too, but they repeat: nodes stand in the
// column with the most names, the later of two, before the state where there is one.
std::optional<std::size_t> guess_node_column(std::string_view text, char mark, bool before_state) {
  std::map<std::size_t, std::set<std::string_view>> names;
  while (!text.empty()) {
    const auto cells = split_row(take_line(text), mark);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (before_state && is_node_state(cells[i])) break;
      if (looks_like_hosts(cells[i]) && !cells[i].ends_with('*')) names[i].insert(cells[i]);
    }
  }
  std::optional<std::size_t> best;
  for (const auto& [column, seen] : names)
    if (!best || seen.size() >= names[*best].size()) best = column;
  return best;
}

std::optional<std::size_t> find_node_column(std::string_view text, char mark) {
  std::string_view rest = text;
  if (const auto columns = header_of(split_row(take_line(rest), mark)))
    if (const auto found = columns->find("nodes"); found != columns->end()) return found->second;
  if (const auto column = guess_node_column(text, mark, true)) return column;
  return guess_node_column(text, mark, false);
}

std::optional<NodeRecord> node_of(const std::vector<std::string_view>& cells, std::size_t column) {
  NodeRecord node;
  if (column < cells.size()) node.name = std::string(cells[column]);
  for (const std::string_view cell : cells) {
    if (!cell.starts_with("gpu:")) continue;
    if (node.gpus > 0) {
      node.gpus_in_use = count_gpus(cell);
    } else {
      node.gpus = count_gpus(cell);
      node.shards = count_shards(cell);
      node.accelerator = gpu_kind(cell);
      node.kinds = gpu_kinds(cell);
    }
  }
  if (!looks_like_hosts(node.name) || node.gpus == 0) return std::nullopt;
  return node;
}

}  // namespace

Result<std::vector<NodeRecord>> read_slurm_nodes(const TextFile& file) {
  std::map<std::string, NodeRecord> nodes;  // A node stands in every partition that has it.
  const char mark = mark_of(file.text);
  const auto column = find_node_column(file.text, mark);
  std::string_view rest = file.text;
  while (!rest.empty() && column) {
    auto node = node_of(split_row(take_line(rest), mark), *column);
    if (!node) continue;
    for (const auto& name : expand_hosts(node->name)) {
      NodeRecord one = *node;
      one.name = name;
      nodes.insert_or_assign(name, one);
    }
  }
  if (nodes.empty())
    return Error{.code = lf::kNothingUsable,
                 .message = "no node with GPUs stands in this file",
                 .hint = "sinfo -N -o '%P|%N|%t|%G'",
                 .where = {file.name, 0, 0, 1}};
  std::vector<NodeRecord> all;
  for (auto& [name, node] : nodes) all.push_back(std::move(node));
  return all;
}

}  // namespace loadfactor::observe
