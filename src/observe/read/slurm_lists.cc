// Lists as Slurm writes them in one cell: hosts, and GPUs by kind.
#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "observe/read/cells.h"
#include "observe/read/slurm_words.h"

namespace loadfactor::observe {
namespace {

constexpr std::size_t kMostHosts = 65536;
constexpr int kMostNumber = 1 << 20;

// Digits alone.
std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = failed == std::errc() && stop == text.data() + text.size();
  return is_whole && value >= 0 && value <= kMostNumber ? std::optional(value) : std::nullopt;
}

// Slurm counts anything in thousands and millions of two: `2K` is 2048.
std::optional<int> read_count(std::string_view text) {
  constexpr int kThousand = 1024;
  int times = 1;
  if (text.ends_with('K') || text.ends_with('k')) times = kThousand;
  if (text.ends_with('M') || text.ends_with('m')) times = kThousand * kThousand;
  if (times > 1) text.remove_suffix(1);
  const auto value = whole_number(text);
  if (!value || *value > kMostNumber / times) return std::nullopt;
  return *value * times;
}

struct GpuCount {
  std::string_view kind;  // Empty: of any kind.
  int gpus = 0;
  bool is_odd = false;  // What stands there is no number, or more than anybody has.
};
// Counts of `gpu`, or of another thing that is called so.
std::vector<GpuCount> gpu_counts(std::string_view text, std::string_view name = "gpu") {
  std::vector<GpuCount> counts;
  for (std::string_view part : split_row(text, ',')) {
    part = part.substr(0, part.find('('));
    // squeue writes `gres:gpu:8` where sacct writes `gres/gpu=8`.
    if (part.starts_with("gres/") || part.starts_with("gres:")) part.remove_prefix(5);
    const auto mark = part.find_last_of("=:");
    if (!part.starts_with(name) || mark == std::string_view::npos || mark < name.size()) continue;
    std::string_view kind = part.substr(name.size(), mark - name.size());
    // Anything else behind the word, as in `gpuutil`, counts no GPUs.
    if (!kind.empty() && !kind.starts_with(':')) continue;
    if (!kind.empty()) kind.remove_prefix(1);
    const std::string_view number = part.substr(mark + 1);
    const auto gpus = number.empty() ? std::optional(0) : read_count(number);
    counts.push_back({kind, gpus.value_or(0), !gpus});
  }
  return counts;
}

// A total and its kinds stand side by side: `gres/gpu=8,gres/gpu:h100=8`.
int total_of(const std::vector<GpuCount>& counts) {
  int all = 0;
  int by_kind = 0;
  for (const GpuCount& count : counts) (count.kind.empty() ? all : by_kind) += count.gpus;
  return std::max(all, by_kind);
}

// Where the list's first name ends: at a comma outside of brackets.
std::size_t end_of_name(std::string_view list) {
  bool is_inside = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') is_inside = true;
    if (list[i] == ']') is_inside = false;
    if (list[i] == ',' && !is_inside) return i;
  }
  return list.size();
}

// The numbers of `1-3,07`, each as wide as its range is written.
HostList numbers_of(std::string_view ranges) {
  HostList numbers;
  for (const auto range : split_row(ranges, ',')) {
    const auto dash = range.find('-');
    const auto first = range.substr(0, dash);
    const auto from = whole_number(first);
    const auto to = dash == std::string_view::npos ? from : whole_number(range.substr(dash + 1));
    if (!from || !to || *to < *from) {
      numbers.is_whole = false;
      continue;
    }
    constexpr std::size_t kMostDigits = 12;
    const auto width = static_cast<int>(std::min(first.size(), kMostDigits));
    for (int i = *from; i <= *to && numbers.hosts.size() < kMostHosts; ++i)
      numbers.hosts.push_back(fmt::format("{:0{}}", i, width));
    const auto asked = static_cast<std::size_t>(*to - *from);
    numbers.is_whole = numbers.is_whole && asked < kMostHosts;
  }
  return numbers;
}

// Every name of `r[1-2]n[1-4]-gpu`, behind what was read of it before.
void expand_name(const std::string& before, std::string_view name, int brackets, HostList& list) {
  constexpr int kMostBrackets = 8;
  if (list.hosts.size() >= kMostHosts || brackets > kMostBrackets) {
    list.is_whole = false;
    return;
  }
  const auto open = name.find('[');
  if (open == std::string_view::npos) {
    list.hosts.push_back(before + std::string(name));
    return;
  }
  const auto close = name.find(']', open);
  if (close == std::string_view::npos) {
    list.is_whole = false;
    return;
  }
  const HostList numbers = numbers_of(name.substr(open + 1, close - open - 1));
  list.is_whole = list.is_whole && numbers.is_whole;
  const std::string head = before + std::string(name.substr(0, open));
  for (const std::string& number : numbers.hosts)
    expand_name(head + number, name.substr(close + 1), brackets + 1, list);
}

}  // namespace

bool has_odd_count(std::string_view text) {
  const auto counts = gpu_counts(text);
  return std::any_of(counts.begin(), counts.end(), [](const auto& count) { return count.is_odd; });
}

int count_gpus(std::string_view text) {
  return total_of(gpu_counts(text));
}

int count_shards(std::string_view text) {
  return total_of(gpu_counts(text, "shard"));
}

std::string gpu_kind(std::string_view text) {
  std::set<std::string_view> kinds;
  for (const GpuCount& count : gpu_counts(text))
    if (!count.kind.empty()) kinds.insert(count.kind);
  return kinds.size() == 1 ? std::string(*kinds.begin()) : std::string();
}

std::vector<std::string> gpu_kinds(std::string_view text) {
  const auto counts = gpu_counts(text);
  std::set<std::string_view> kinds;
  std::vector<std::string> all;
  for (const GpuCount& count : counts) {
    if (count.kind.empty()) continue;
    kinds.insert(count.kind);
    all.insert(all.end(), static_cast<std::size_t>(count.gpus), std::string(count.kind));
  }
  return kinds.size() > 1 ? all : std::vector<std::string>();
}

HostList read_hosts(std::string_view list) {
  HostList all;
  while (!list.empty() && all.hosts.size() < kMostHosts) {
    const auto end = end_of_name(list);
    if (end > 0) expand_name({}, list.substr(0, end), 0, all);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  all.is_whole = all.is_whole && list.empty();
  return all;
}

std::vector<std::string> expand_hosts(std::string_view list) {
  return read_hosts(list).hosts;
}

}  // namespace loadfactor::observe
