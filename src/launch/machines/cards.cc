// Lists of GPUs, as tools print them.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/findings/own_keys.h"
#include "launch/machines/machines.h"

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

}  // namespace loadfactor::launch
