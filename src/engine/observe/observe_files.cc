#include "engine/observe/observe_files.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace loadfactor::engine {
namespace {

using observe::FileKind;
using observe::Label;
using observe::Labels;
using observe::ReadCount;

constexpr const char* kHost = "Hostname";

// Names the machine where labels do not.
class HostSink final : public observe::SampleSink {
 public:
  HostSink(std::string host, observe::SampleSink& sink) : host_(std::move(host)), sink_(&sink) {}
  int series(std::string_view metric, const Labels& labels) override {
    if (!find_label(labels, kHost).empty()) return sink_->series(metric, labels);
    Labels named = labels;
    std::erase_if(named, [](const Label& label) { return label.name == kHost; });
    named.push_back({kHost, host_});
    return sink_->series(metric, named);
  }
  void sample(int series, double time, double value) override {
    sink_->sample(series, time, value);
  }

 private:
  std::string host_;
  observe::SampleSink* sink_;
};

// When a log tells of each GPU of a machine that it does not name.
class UnnamedSink final : public observe::SampleSink {
 public:
  struct Told {
    std::string uuid;
    double first = std::numeric_limits<double>::infinity();
    double last = -std::numeric_limits<double>::infinity();
  };
  int series(std::string_view /*metric*/, const Labels& labels) override {
    if (!find_label(labels, kHost).empty()) return -1;
    const auto [found, is_new] =
        places_.emplace(find_label(labels, "gpu"), static_cast<int>(told_.size()));
    if (is_new) told_.push_back({.uuid = std::string(find_label(labels, "UUID"))});
    return found->second;
  }
  void sample(int series, double time, double /*value*/) override {
    Told& told = told_[static_cast<std::size_t>(series)];
    told.first = std::min(told.first, time);
    told.last = std::max(told.last, time);
  }
  std::map<std::string, Told> told() const {
    std::map<std::string, Told> all;
    for (const auto& [index, place] : places_)
      all.emplace(index, told_[static_cast<std::size_t>(place)]);
    return all;
  }

 private:
  std::map<std::string, int> places_;
  std::vector<Told> told_;
};

enum class Relation : std::uint8_t { kNone, kContinued, kOtherMachine };

Relation relation_of(const std::map<std::string, UnnamedSink::Told>& a,
                     const std::map<std::string, UnnamedSink::Told>& b) {
  Relation relation = Relation::kNone;
  for (const auto& [index, one] : a) {
    const auto found = b.find(index);
    if (found == b.end()) continue;
    const auto& other = found->second;
    const bool is_same = !one.uuid.empty() && one.uuid == other.uuid;
    const bool is_other = !one.uuid.empty() && !other.uuid.empty() && !is_same;
    if (is_same) return Relation::kNone;
    if (is_other || (one.first < other.last && other.first < one.last))
      return Relation::kOtherMachine;
    relation = Relation::kContinued;
  }
  return relation;
}

std::string stem_of(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto dot = name.find('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

void name_by_file(std::vector<KnownFile>& files, const std::set<std::size_t>& which) {
  std::map<std::string, int> stems;
  for (const std::size_t i : which) ++stems[stem_of(files[i].file.name)];
  for (const std::size_t i : which) {
    const std::string stem = stem_of(files[i].file.name);
    files[i].host = stems[stem] == 1 ? stem : files[i].file.name;
  }
}

bool is_log(const KnownFile& known) {
  return known.kind == FileKind::kSmiTable || known.kind == FileKind::kSmiMonitor;
}

// Whether a name stands in another as a word of it: `n1` in `smi-n1`, and not in `n12`.
bool has_word(std::string_view text, std::string_view word) {
  const auto is_inside = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_inside(text[at - 1])) && (end == text.size() || !is_inside(text[end])))
      return true;
  }
  return false;
}

// The node that a file is named after; empty where that may be none of them, or several.
std::string node_of_file(const std::string& name, const std::set<std::string>& nodes) {
  const std::string stem = stem_of(name);
  if (nodes.contains(stem)) return stem;
  std::string found;
  for (const std::string& node : nodes) {
    if (node.empty() || !has_word(stem, node)) continue;
    if (!found.empty()) return {};
    found = node;
  }
  return found;
}

}  // namespace

Result<bool> place_by_file(const std::set<std::string>& nodes, std::vector<KnownFile>& files,
                           std::vector<Notice>& notices) {
  if (nodes.size() < 2) return true;
  std::size_t unplaced = 0;
  std::string first;
  for (KnownFile& known : files) {
    if (!is_log(known)) continue;
    if (std::string node = node_of_file(known.file.name, nodes); !node.empty()) {
      known.host = std::move(node);
      continue;
    }
    UnnamedSink sink;
    TRY([[maybe_unused]] const ReadCount count, read_samples(known, sink));
    if (sink.told().empty() || nodes.contains(known.host)) continue;
    if (unplaced++ == 0) first = known.file.name;
  }
  if (unplaced > 0)
    notices.push_back({.id = "unplaced-logs",
                       .arguments = {{"files", std::to_string(unplaced)},
                                     {"first", first},
                                     {"nodes", std::to_string(nodes.size())},
                                     {"node", *nodes.begin()}}});
  return true;
}

Result<ReadCount> read_samples(const KnownFile& known, observe::SampleSink& sink) {
  HostSink named(known.host, sink);
  observe::SampleSink& to = known.host.empty() ? sink : named;
  switch (known.kind) {
    case FileKind::kPrometheusText:
      return read_prometheus_text(known.file, known.time, to);
    case FileKind::kPrometheusJson:
      return read_prometheus_json(known.file, known.time, to);
    case FileKind::kSmiTable:
      return read_smi_table(known.file, known.time, to, known.interval);
    case FileKind::kSmiMonitor:
      return read_smi_monitor(known.file, known.time, to);
    default:
      return ReadCount{};
  }
}

Result<bool> name_hosts(std::vector<KnownFile>& files, std::vector<Notice>& notices) {
  std::vector<std::size_t> logs;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_log(files[i])) logs.push_back(i);
  if (logs.size() < 2) return true;
  std::map<std::size_t, std::map<std::string, UnnamedSink::Told>> told;
  for (const std::size_t i : logs) {
    UnnamedSink sink;
    TRY([[maybe_unused]] const ReadCount count, read_samples(files[i], sink));
    told[i] = sink.told();
  }
  std::set<std::size_t> apart;
  std::set<std::size_t> continued;
  for (const std::size_t a : logs)
    for (const std::size_t b : logs) {
      if (b <= a || files[a].file.text == files[b].file.text) continue;
      const Relation relation = relation_of(told[a], told[b]);
      if (relation == Relation::kOtherMachine) apart.insert({a, b});
      if (relation == Relation::kContinued) continued.insert({a, b});
    }
  if (!apart.empty()) {
    // Those that continue one of them cannot be told apart by anything else.
    apart.insert(continued.begin(), continued.end());
    name_by_file(files, apart);
    notices.push_back(
        {.id = "machines-by-file", .arguments = {{"files", std::to_string(apart.size())}}});
  } else if (!continued.empty()) {
    notices.push_back(
        {.id = "one-machine", .arguments = {{"files", std::to_string(continued.size())}}});
  }
  return true;
}

}  // namespace loadfactor::engine
