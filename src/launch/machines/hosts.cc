// Hosts of DeepSpeed and of MPI.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/machines/machines.h"

namespace loadfactor::launch {

namespace {

// The words of the lines that name a host.
std::vector<std::vector<Word>> host_lines(const Source& source) {
  std::vector<std::vector<Word>> lines;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    auto words = split_words(source.lines.line(source.text, line), line, 1);
    if (!words.empty() && !words.front().text.starts_with('#')) lines.push_back(std::move(words));
  }
  return lines;
}

constexpr std::string_view kSlots = "slots=";

}  // namespace

bool looks_like_hosts(const Source& source) {
  const auto lines = host_lines(source);
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](const auto& words) {
    return words.size() >= 2 && words[1].text.starts_with(kSlots);
  });
}

// What the command says comes first: it may take some of the hosts alone.
void read_hosts(const Source& source, Findings& findings) {
  const AsConfiguration weight(findings);
  const auto lines = host_lines(source);
  for (const auto& words : lines) {
    const auto slots = whole_number(std::string_view(words[1].text).substr(kSlots.size()));
    if (!slots)
      return findings.error(lf::kWrongType, place_of(source, words[1]),
                            fmt::format("'{}' is no number of GPUs", words[1].text),
                            "as in node-01 slots=8");
    findings.set("gpus_per_node", *slots, place_of(source, words[1]));
    findings.set(std::string(kHostSlots) + words[0].text, *slots, place_of(source, words[1]));
  }
  findings.has_launch = true;
  findings.set("nodes", static_cast<std::int64_t>(lines.size()), {&source, 1});
}

namespace {

// The hosts and GPUs that DeepSpeed's launcher takes: `--include w1:0,1@w3`, or `--exclude`.

// A host that is named, with its GPUs; none: all of them.
struct NamedHost {
  std::string name;
  std::set<std::string, std::less<>> gpus;
};

std::vector<NamedHost> named_hosts(std::string_view text) {
  std::vector<NamedHost> hosts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('@'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const auto colon = std::min(part.find(':'), part.size());
    NamedHost host{std::string(part.substr(0, colon)), {}};
    std::string_view gpus = part.substr(std::min(colon + 1, part.size()));
    while (!gpus.empty()) {
      const std::string_view gpu = gpus.substr(0, gpus.find(','));
      gpus.remove_prefix(std::min(gpu.size() + 1, gpus.size()));
      host.gpus.emplace(gpu);
    }
    hosts.push_back(std::move(host));
  }
  return hosts;
}

class HostChoice {
 public:
  explicit HostChoice(Findings& findings) : findings_(findings) {
    for (const auto& [key, found] : findings.all())
      if (key.starts_with(kHostSlots))
        slots_[key.substr(kHostSlots.size())] = whole_number(found.value).value_or(0);
  }

  void choose() {
    const Finding* included = findings_.find(kIncludedHosts);
    const Finding* excluded = findings_.find(kExcludedHosts);
    if (included != nullptr && excluded != nullptr)
      return findings_.error(lf::kContradictoryKeys, excluded->place,
                             "--include and --exclude are both given",
                             "DeepSpeed's launcher takes one of them");
    if (included != nullptr) include(Finding(*included));
    if (excluded != nullptr) exclude(Finding(*excluded));
  }

 private:
  void include(const Finding& said) {
    const auto hosts = named_hosts(said.value);
    if (slots_.empty()) return include_without_file(said, hosts);
    std::map<std::string, std::int64_t> taken;
    for (const NamedHost& host : hosts) {
      const auto all = slots_of(host, said.place);
      if (!all) return;
      taken[host.name] =
          host.gpus.empty() ? *all : taken[host.name] + static_cast<std::int64_t>(host.gpus.size());
    }
    take(said, taken);
  }
  void exclude(const Finding& said) {
    if (slots_.empty())
      return findings_.leave_open("world", said.place, "the hosts that --exclude leaves");
    auto taken = slots_;
    for (const NamedHost& host : named_hosts(said.value)) {
      const auto all = slots_of(host, said.place);
      if (!all) return;
      taken[host.name] =
          host.gpus.empty() ? 0 : taken[host.name] - static_cast<std::int64_t>(host.gpus.size());
    }
    take(said, taken);
  }
  // Without a hostfile the GPUs are known where every host names its own.
  void include_without_file(const Finding& said, const std::vector<NamedHost>& hosts) {
    std::int64_t gpus = 0;
    bool is_counted = true;
    for (const NamedHost& host : hosts) {
      is_counted = is_counted && !host.gpus.empty();
      gpus += static_cast<std::int64_t>(host.gpus.size());
    }
    say("nodes", static_cast<std::int64_t>(hosts.size()), said);
    if (is_counted) say("world", gpus, said);
  }
  // Nothing, and an error, where the hostfile has no such host or GPU.
  std::optional<std::int64_t> slots_of(const NamedHost& host, const Place& place) {
    const auto found = slots_.find(host.name);
    if (found == slots_.end()) {
      findings_.error(lf::kContradictoryKeys, place,
                      fmt::format("the hostfile has no host '{}'", host.name),
                      "DeepSpeed's launcher would not start");
      return std::nullopt;
    }
    for (const std::string& gpu : host.gpus) {
      const auto number = whole_number(gpu);
      if (number && *number >= 0 && *number < found->second) continue;
      findings_.error(
          lf::kContradictoryKeys, place,
          fmt::format("'{}' has {} GPUs, and none is '{}'", host.name, found->second, gpu),
          "they are counted from 0");
      return std::nullopt;
    }
    return found->second;
  }
  // What the hostfile says of all hosts gives way.
  void take(const Finding& said, const std::map<std::string, std::int64_t>& taken) {
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    for (const auto& [name, count] : taken) {
      nodes += count > 0 ? 1 : 0;
      gpus += count;
    }
    if (gpus <= 0)
      return findings_.error(lf::kContradictoryKeys, said.place, "no GPU is left to start on",
                             "leave fewer hosts out");
    findings_.erase("nodes");
    findings_.erase("gpus_per_node");
    say("nodes", nodes, said);
    say("world", gpus, said);
  }
  void say(std::string_view key, std::int64_t value, const Finding& said) {
    if (said.is_guess) return findings_.guess(key, std::to_string(value), said.why);
    findings_.set(key, value, said.place);
  }

  Findings& findings_;
  std::map<std::string, std::int64_t> slots_;
};

}  // namespace

void choose_hosts(Findings& findings) {
  HostChoice(findings).choose();
}

}  // namespace loadfactor::launch
