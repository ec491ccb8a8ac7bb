#include "launch/machines/elsewhere.h"

#include <algorithm>

#include <fmt/format.h>

#include "launch/findings/findings.h"

namespace loadfactor::launch {
namespace {

// The hosts of `n1,n2` or `node[01-04,07]`.
std::int64_t hosts_of(std::string_view list) {
  constexpr std::int64_t kMostHosts = 4096;
  std::int64_t hosts = 0;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto open = list.find('[');
    const auto close = list.find(']', std::min(open, list.size()));
    if (open > comma || close == std::string_view::npos) {
      ++hosts;
      list.remove_prefix(std::min(comma, list.size() - 1) + 1);
      continue;
    }
    std::string_view ranges = list.substr(open + 1, close - open - 1);
    while (!ranges.empty()) {
      const std::string_view range = ranges.substr(0, ranges.find(','));
      ranges.remove_prefix(std::min(range.size() + 1, ranges.size()));
      const auto dash = range.find('-');
      const auto first = whole_number(range.substr(0, dash));
      const auto last =
          dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
      if (first && last && *last >= *first && *last < kMostHosts) hosts += *last - *first + 1;
    }
    list.remove_prefix(std::min(close + 2, list.size()));
  }
  return std::clamp<std::int64_t>(hosts, 1, kMostHosts);
}

}  // namespace

std::string option_value(Words words, std::size_t i, std::string_view brief,
                         std::string_view full) {
  const std::string& text = words[i].text;
  if ((text == brief || text == full) && i + 1 < words.size()) return words[i + 1].text;
  if (text.starts_with(full) && text.size() > full.size() && text[full.size()] == '=')
    return text.substr(full.size() + 1);
  const bool is_joined = text.starts_with(brief) && !text.starts_with("--");
  return is_joined ? text.substr(brief.size()) : std::string();
}

// `ssh -p 22 n1 vllm serve …`: the first word that is neither an option nor the value of one.
std::string ssh_host(Words words) {
  constexpr std::string_view kWithValue = "bcDEeFIiJLlmOopQRSWw";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!text.starts_with("-")) return text;
    if (text.size() == 2 && kWithValue.find(text[1]) != std::string_view::npos) ++i;
  }
  return {};
}

// Each step of a batch job has nodes of its own, and starts its command in every task.
Elsewhere job_step(Words words, std::size_t steps) {
  constexpr std::int64_t kMostTasks = 4096;
  Elsewhere there{.host = fmt::format("step {}", steps)};
  for (std::size_t i = 1; i < words.size() && words[i].text.starts_with("-"); ++i) {
    if (const auto nodes = option_value(words, i, "-w", "--nodelist"); !nodes.empty())
      there.host = nodes;
    if (const auto tasks = whole_number(option_value(words, i, "-n", "--ntasks")))
      there.copies = std::clamp<std::int64_t>(*tasks, 1, kMostTasks);
    const bool takes_next = words[i].text.find('=') == std::string::npos && i + 1 < words.size() &&
                            words[i].text.size() == 2;
    if (takes_next) ++i;
  }
  return there;
}

// `docker run --name a -p 8001:8000 …`: each container has ports of its own.
std::string container_name(Words words) {
  std::string name;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (const auto own = option_value(words, i, "--name", "--name"); !own.empty()) return own;
    if (words[i].text.starts_with("-") && name.empty())
      name = option_value(words, i, "-p", "--publish");
  }
  return name;
}

// `pdsh -w node[01-04] …`, and so `clush`.
Elsewhere many_hosts(Words words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (const auto list = option_value(words, i, "-w", "--nodes"); !list.empty())
      return {.host = list, .copies = hosts_of(list)};
  return {};
}

}  // namespace loadfactor::launch
