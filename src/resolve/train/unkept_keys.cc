#include "resolve/train/unkept_keys.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace loadfactor::engine {
namespace {

using config::Layout;

struct Opener {
  std::string_view key;
  void (*open)(Layout&);
};
constexpr std::array kOpeners{
    Opener{"schedule", [](Layout& layout) { layout.schedule.reset(); }},
    Opener{"vp", [](Layout& layout) { layout.vp.reset(); }},
    Opener{"first_layers", [](Layout& layout) { layout.first_layers.reset(); }},
    Opener{"last_layers", [](Layout& layout) { layout.last_layers.reset(); }},
    Opener{"shard_group", [](Layout& layout) { layout.shard_group.reset(); }},
    Opener{"zero",
           [](Layout& layout) {
             layout.zero.reset();
             layout.shard_group.reset();
           }},
    Opener{"micro_batch", [](Layout& layout) { layout.micro_batch.reset(); }},
    Opener{"ep", [](Layout& layout) { layout.ep.reset(); }},
    Opener{"etp", [](Layout& layout) { layout.etp.reset(); }},
};

struct Need {
  std::string_view key;
  std::string_view value;  // Any where empty.
  std::string_view words;
};
constexpr std::string_view kInterleaving =
    "interleaving takes a pipeline, stages of a multiple of vp layers and micro-batches in whole "
    "rounds of pp";

constexpr std::array kNeeds{
    Need{"vp", "", kInterleaving},
    Need{"schedule", "interleaved", kInterleaving},
    Need{"schedule", "dualpipe", "it takes an even pp and an even number of micro-batches"},
    Need{"schedule", "zero-bubble-v", "it takes a pipeline and two layers a stage or more"},
    Need{"schedule", "", "it takes a pipeline"},
    Need{"shard_group", "", "dp · cp ranks must be several groups of it"},
    Need{"zero", "3",
         "it takes data-parallel ranks, and one stage where the software shards no pipeline"},
    Need{"zero", "", "it takes data-parallel ranks to shard over"},
};

}  // namespace

std::vector<LayoutKey> unkept_keys(const Layout& asked,
                                   const std::function<bool(const Layout&)>& is_legal) {
  std::vector<LayoutKey> unkept;
  const auto written = written_keys(asked);
  const auto find = [&](std::string_view key) {
    return std::find_if(written.begin(), written.end(),
                        [key](const LayoutKey& one) { return one.key == key; });
  };
  for (const Opener& opener : kOpeners) {
    const auto key = find(opener.key);
    if (key == written.end() || (opener.key == "zero" && !unkept.empty())) continue;
    Layout open = asked;
    opener.open(open);
    if (is_legal(open)) unkept.push_back(*key);
  }
  if (!unkept.empty() || !asked.schedule || !asked.vp) return unkept;
  Layout open = asked;
  open.schedule.reset();
  open.vp.reset();
  if (is_legal(open)) unkept = {*find("schedule"), *find("vp")};
  return unkept;
}

std::string need_of(const LayoutKey& key) {
  const auto* need = std::find_if(kNeeds.begin(), kNeeds.end(), [&key](const Need& row) {
    return row.key == key.key && (row.value.empty() || row.value == key.value);
  });
  return need != kNeeds.end() ? std::string(need->words) : std::string();
}

std::string unkept_words(const std::vector<LayoutKey>& keys) {
  std::vector<std::string> names;
  std::vector<std::string> needs;
  for (const LayoutKey& key : keys) {
    names.push_back(key.key + ": " + key.value);
    const std::string need = need_of(key);
    if (!need.empty() && std::find(needs.begin(), needs.end(), need) == needs.end())
      needs.push_back(need);
  }
  if (names.empty()) return {};
  return fmt::format("{} cannot be kept{}{}", fmt::join(names, " with "), needs.empty() ? "" : ": ",
                     fmt::join(needs, "; "));
}

}  // namespace loadfactor::engine
