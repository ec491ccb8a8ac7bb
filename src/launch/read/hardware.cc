// Lists of hardware, as tools print them.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/foreign_yaml.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {

// `1g.10gb`, `nvidia_a100_3g.20gb`.
bool is_slice(std::string_view type) {
  const auto dot = type.find("g.");
  return dot != std::string_view::npos && dot > 0 && type[dot - 1] >= '0' && type[dot - 1] <= '9' &&
         type.ends_with("gb");
}

namespace {

void remark_slice(std::string_view what, const Place& place, Findings& findings) {
  findings.remark(fmt::format("{} is a MIG slice: a scenario counts whole GPUs", what), place);
}

}  // namespace

void read_gpu_type(const std::string& type, const Place& place, Findings& findings) {
  if (is_slice(type)) return remark_slice(type, place, findings);
  findings.set("gres", type, place);
}

namespace {

// Equal cards of one machine.
struct Cards {
  std::string name;
  std::int64_t count = 0;
  Place place;  // That of the first.
};

void add_card(std::vector<Cards>& cards, std::string name, const Place& place) {
  const auto found = std::find_if(cards.begin(), cards.end(),
                                  [&](const Cards& each) { return each.name == name; });
  if (found != cards.end())
    ++found->count;
  else
    cards.push_back({std::move(name), 1, place});
}

// A replica or a run has cards of one kind: the most of them are planned on.
void choose_card(const std::vector<Cards>& cards, Findings& findings) {
  const auto most = std::max_element(
      cards.begin(), cards.end(), [](const Cards& a, const Cards& b) { return a.count < b.count; });
  const std::string why = fmt::format("of {} kinds of cards, the one there are most of: {} × {}",
                                      cards.size(), most->count, most->name);
  findings.guess("hardware", most->name, why);
  findings.guess(kMachineGpus, std::to_string(most->count), why);
  for (const Cards& each : cards)
    if (each.name != most->name)
      findings.remark(
          fmt::format("{} × {}: another kind, which is not planned on; to plan on it instead write "
                      "hardware: [{}] and limits: {{gpus: {}}}",
                      each.count, each.name, each.name, each.count),
          each.place);
}

void set_cards(const std::vector<Cards>& cards, std::int64_t count, const Place& place,
               Findings& findings) {
  if (count == 0) return;
  findings.has_launch = true;
  if (cards.size() > 1) return choose_card(cards, findings);
  if (!cards.empty()) findings.set("hardware", cards.front().name, cards.front().place);
  findings.set(kMachineGpus, count, place);
}

}  // namespace

void read_device_list(const Source& source, Findings& findings) {
  std::int64_t count = 0;
  std::vector<Cards> cards;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    const auto words = split_words(text, line, 1);
    if (words.size() > 1 && words[0].text == "MIG")
      remark_slice(words[1].text, place_of(source, words[0]), findings);
    const auto colon = text.find(": ");
    if (!text.starts_with("GPU ") || colon == std::string_view::npos) continue;
    auto end = text.find(" (UUID");
    if (end == std::string_view::npos) end = text.size();
    ++count;
    const Place place{&source, line, static_cast<std::uint32_t>(colon + 3),
                      static_cast<std::uint32_t>(end - colon - 2)};
    std::string name(text.substr(colon + 2, end - colon - 2));
    while (name.ends_with(' ') || name.ends_with('\r')) name.pop_back();
    if (name.empty())
      findings.error(lf::kWrongType, {&source, line}, "this GPU has no name");
    else
      add_card(cards, std::move(name), place);
  }
  set_cards(cards, count, {&source, 1}, findings);
}

namespace {

// `|   0  NVIDIA A100-SXM4-40GB   On  |`: the name between the number and whether it stays loaded.
std::string card_in_row(const std::vector<Word>& words) {
  if (words.size() < 4 || words[0].text != "|" || !whole_number(words[1].text)) return {};
  std::string name;
  for (std::size_t i = 2; i < words.size() && words[i].text != "|"; ++i) {
    if (words[i].text == "On" || words[i].text == "Off") return name;
    name += (name.empty() ? "" : " ") + words[i].text;
  }
  return {};
}

}  // namespace

// What `nvidia-smi` prints without a flag.
void read_device_table(const Source& source, Findings& findings) {
  std::int64_t count = 0;
  std::vector<Cards> cards;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    std::string name = card_in_row(words);
    if (name.empty()) continue;
    ++count;
    add_card(cards, std::move(name), place_of(source, words[2]));
  }
  set_cards(cards, count, {&source, 1}, findings);
}

namespace {

// So many GPUs stand in the head of a topology; other columns are network cards.
std::ptrdiff_t gpus_of_header(const Source& source) {
  // The column of the memory of a GPU, `GPU NUMA ID`, is none of them.
  const auto is_gpu = [](const Word& word) {
    return word.text.starts_with("GPU") && whole_number(std::string_view(word.text).substr(3));
  };
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    if (words.size() > 1 && is_gpu(words[0]) && is_gpu(words[1]))
      return std::count_if(words.begin(), words.end(), is_gpu);
  }
  return 0;
}

}  // namespace

void read_topology(const Source& source, Findings& findings) {
  std::int64_t count = 0;
  std::int64_t linked = 0;
  std::int64_t apart = 0;
  const std::ptrdiff_t gpus = gpus_of_header(source);
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto words = split_words(source.lines.line(source.text, line), line, 1);
    const bool is_row =
        words.size() > 1 && words[0].text.starts_with("GPU") &&
        std::any_of(words.begin(), words.end(), [](const Word& word) { return word.text == "X"; });
    if (!is_row) continue;
    ++count;
    for (const Word& word : words) {
      constexpr std::array<std::string_view, 6> kBuses{"SYS", "NODE", "PHB", "PXB", "PIX", "SOC"};
      const bool is_peer = &word - words.data() <= gpus;
      linked += word.text.starts_with("NV") && word.text.size() > 2 ? 1 : 0;
      const bool is_bus = std::find(kBuses.begin(), kBuses.end(), word.text) != kBuses.end();
      apart += is_peer && is_bus ? 1 : 0;
    }
  }
  if (count == 0) return;
  findings.has_launch = true;
  if (gpus > 0 && gpus != count)
    return findings.error(
        lf::kContradictoryKeys, {&source, 1},
        fmt::format("the first line names {} GPUs, and lines of {} stand below it", gpus, count),
        "the whole output of nvidia-smi topo -m");
  findings.set(kMachineGpus, count, {&source, 1});
  findings.remark(
      linked > 0 && apart > 0
          ? "some pairs of GPUs are joined by NVLink, and others by PCIe alone: a group "
            "across them is as slow as the slower link"
      : linked > 0 ? "the GPUs are joined by NVLink"
                   : "the GPUs are joined by PCIe alone: name the unbridged form of the card",
      {&source, 1});
}

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

namespace {

bool has(const Source& source, std::string_view text) {
  return source.text.find(text) != std::string::npos;
}

char first_character(const std::string& text) {
  const auto at = text.find_first_not_of(" \t\r\n");
  return at == std::string::npos ? '\0' : text[at];
}

// A map in braces is YAML, too: what is no JSON is read as that where it goes, or goes further.
bool is_written_in_json(const Source& source) {
  if (source.name.ends_with(".json")) return true;
  const auto json = config::parse_json(source.name, source.text);
  if (json) return true;
  const auto yaml = config::parse_foreign_yaml(source.name, source.text);
  if (yaml) return false;
  const auto reached = [](const Error& error) {
    return std::pair(error.where.line, error.where.column);
  };
  return reached(json.error()) >= reached(yaml.error());
}

// `key: value` on a line of its own, and no command.
bool looks_like_yaml(const Source& source) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    if (text.empty() || text.front() == '#' || text == "---") continue;
    const auto colon = text.find(':');
    const auto blank = text.find(' ');
    return colon != std::string_view::npos && (blank == std::string_view::npos || colon < blank) &&
           (colon + 1 == text.size() || text[colon + 1] == ' ' || text[colon + 1] == '\r');
  }
  return false;
}

bool looks_like_toml(const Source& source) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const std::string_view text = source.lines.line(source.text, line);
    if (text.empty() || text.front() == '#') continue;
    return text.front() == '[' && text.find(']') != std::string_view::npos &&
           !text.starts_with("[[ ");
  }
  return false;
}

// By its name, or by the shell that its first line names.
bool is_shell_script(const Source& source) {
  const std::string_view first = source.lines.line(source.text, 1);
  const bool names_shell = first.starts_with("#!") && first.find("sh") != std::string_view::npos;
  return names_shell || source.name.ends_with(".sh") || source.name.ends_with(".bash");
}

bool looks_like_processes(const Source& source) {
  const std::string_view first = source.lines.line(source.text, 1);
  return first.find("PID") != std::string_view::npos &&
         (first.find("CMD") != std::string_view::npos ||
          first.find("COMMAND") != std::string_view::npos);
}

}  // namespace

void read_any(const Source& source, Findings& findings) {
  const std::string& name = source.name;
  if (name.ends_with(".json") || first_character(source.text) == '{')
    return read_documents(source, findings, is_written_in_json(source));
  if (looks_like_server_log(source)) return read_server_log(source, findings);
  if (has(source, "NodeName=") &&
      (has(source, "CPUTot=") || has(source, "Gres=") || has(source, "State=")))
    return read_node_list(source, findings);
  if (has(source, "GPU 0: ") || source.text.starts_with("GPU "))
    return read_device_list(source, findings);
  if (has(source, "| NVIDIA-SMI ")) return read_device_table(source, findings);
  if (has(source, "\tGPU0") || has(source, "GPU0\t") || has(source, "CPU Affinity"))
    return read_topology(source, findings);
  if (has(source, "micro_batch_size ....") || has(source, "tensor_model_parallel_size ...."))
    return read_argument_dump(source, findings);
  if (name.find("Dockerfile") != std::string::npos || source.text.starts_with("FROM ") ||
      has(source, "\nFROM "))
    return read_dockerfile(source, findings);
  if (looks_like_hosts(source)) return read_hosts(source, findings);
  if (looks_like_python(source)) return read_python(source, findings);
  if (looks_like_processes(source)) return read_processes(source, findings);
  if (looks_like_unit(source)) return read_unit(source, findings);
  if (is_shell_script(source)) return read_script(source, findings);
  if (name.ends_with(".toml") || looks_like_toml(source)) {
    if (looks_like_titan(source)) read_toml(source, findings);
    return;
  }
  if (name.ends_with(".yaml") || name.ends_with(".yml") || looks_like_yaml(source))
    return read_documents(source, findings, false);
  read_script(source, findings);
}

}  // namespace loadfactor::launch
