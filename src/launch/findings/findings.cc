#include "launch/findings/findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "launch/findings/own_keys.h"

namespace loadfactor::launch {
namespace {

// Keys of our own, which a scenario does not have, in the words of those who write the files.
std::string said_of(std::string_view key) {
  if (key == "world") return "the number of GPUs is";
  if (key == kTitanName) return "the model is";
  if (key == kTitanFlavor) return "the flavor of the model is";
  if (key == kTitanProducts) return "products are in";
  if (key == "nodes") return "the number of nodes is";
  if (key == kMachineGpus) return "the GPUs of the machine are";
  if (key == "gpus_per_node") return "the GPUs of a node are";
  if (key == "accumulation") return "the accumulation steps are";
  if (key == "hardware" || key == "gres") return "the GPU is";
  if (key.starts_with(kPoolFraction)) return "'serve.deployment.memory_fraction' is";
  if (key == "local_batch") return "the local batch is";
  if (key == "replica_gpus") return "the GPUs of a replica are";
  for (const std::string_view program : {"maxtext.", "neuronx."})
    if (key.starts_with(program)) key.remove_prefix(program.size());
  return fmt::format("'{}' is", key);
}

// Whoever reads it knows a text by its beginning.
std::string readable(std::string text) {
  constexpr std::size_t kLongest = 500;
  if (text.size() <= kLongest) return text;
  return std::string(beginning_of(text, kLongest)) + " …";
}

}  // namespace

std::string to_text(const Place& place) {
  if (place.source == nullptr) return "";
  if (place.line == 0) return place.source->shown();
  return fmt::format("{}:{}", place.source->shown(), place.line);
}

const Source& Findings::add(std::string name, std::string text) {
  sources_.push_back({std::move(name), std::move(text), {}});
  sources_.back().lines = config::LineIndex(sources_.back().text);
  return sources_.back();
}

std::uint32_t line_of_text(const Source& whole, std::string_view text, std::uint32_t line) {
  // A text that is folded, or in quotes, has other lines than the file; one behind `|` begins in
  // the next line.
  for (const std::uint32_t first : {line, line + 1}) {
    std::uint32_t at = first;
    bool is_same = first > 0;
    for (std::string_view rest = text; !rest.empty() && is_same; ++at) {
      const std::string_view own = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(own.size() + 1, rest.size()));
      is_same = at <= whole.lines.size() && whole.lines.line(whole.text, at).ends_with(own);
    }
    if (is_same) return first;
  }
  return 0;
}

const Source& Findings::add_part(const Source& whole, const std::string& name,
                                 std::string_view text, std::uint32_t line) {
  const std::string inner = whole.name + "/" + name;
  const std::uint32_t first = line_of_text(whole, text, line);
  if (first == 0) return add(inner, std::string(text));
  add(inner, std::string(first - 1, '\n') + std::string(text));
  sources_.back().file = whole.shown();
  return sources_.back();
}

void Findings::set(std::string_view key, std::string value, const Place& place, Weight weight) {
  const auto found = found_.find(key);
  if (found != found_.end() && !found->second.is_guess) {
    const Finding& first = found->second;
    if (first.value == value) return;
    if (first.weight == weight)
      return error(lf::kContradictoryKeys, place,
                   fmt::format("{} {} here and {} at {}", said_of(key), value, first.value,
                               to_text(first.place)),
                   "keep the one that runs");
    const bool gives_way = first.weight < weight;
    remark(fmt::format("{} {} here, and the command line has {} at {}", said_of(key),
                       gives_way ? first.value : value, gives_way ? value : first.value,
                       to_text(gives_way ? place : first.place)),
           gives_way ? first.place : place);
    if (!gives_way) return;
  }
  if (const auto open = open_.find(key); open != open_.end()) open_.erase(open);
  found_.insert_or_assign(
      std::string(key),
      Finding{
          .key = std::string(key), .value = std::move(value), .place = place, .weight = weight});
}

void Findings::promise(std::string_view name) {
  promised_.insert(std::string(name.substr(name.rfind('/') + 1)));
}

bool Findings::reads(std::string_view name) const {
  return promised_.contains(name.substr(name.rfind('/') + 1));
}

bool Findings::is_given(std::string_view name) const {
  return reads(name) || offered_.contains(name.substr(name.rfind('/') + 1));
}

void Findings::offer(std::string_view name, std::string text) {
  offered_.try_emplace(std::string(name.substr(name.rfind('/') + 1)), std::move(text));
}

void Findings::submit(std::string_view script, Submission submission) {
  submissions_[std::string(script.substr(script.rfind('/') + 1))].push_back(std::move(submission));
}

std::vector<Submission> Findings::submissions_of(std::string_view script) const {
  const auto found = submissions_.find(script.substr(script.rfind('/') + 1));
  return found == submissions_.end() ? std::vector<Submission>() : found->second;
}

void Findings::guess(std::string_view key, std::string value, std::string why) {
  if (found_.find(key) != found_.end() || is_open(key)) return;
  found_.emplace(std::string(key),
                 Finding{std::string(key), std::move(value), {}, true, readable(std::move(why))});
}

void Findings::conclude(std::string_view key, std::string value, std::string why) {
  if (const auto open = open_.find(key); open != open_.end()) open_.erase(open);
  guess(key, std::move(value), std::move(why));
}

void Findings::take(std::string_view key, std::string value, const Place& place,
                    const std::string& doubt) {
  if (doubt.empty()) return set(key, std::move(value), place);
  // Two commands of which a test chooses one say nothing together.
  const Finding* other = find(key);
  if (other != nullptr && other->is_guess && other->value != value && other->why.ends_with(doubt) &&
      other->why != fmt::format("{}: {}", to_text(place), doubt))
    return leave_open(key, place,
                      fmt::format("{} here and {} elsewhere, each {}", value, other->value, doubt));
  guess(key, std::move(value), fmt::format("{}: {}", to_text(place), doubt));
}

void Findings::leave_open(std::string_view key, const Place& place, std::string why) {
  if (found_.find(key) != found_.end() && !is_guess(key)) return;
  erase(key);
  open_.try_emplace(std::string(key), OpenKey{place, readable(std::move(why))});
}

bool Findings::is_open(std::string_view key) const {
  return open_.find(key) != open_.end();
}

bool Findings::is_guess(std::string_view key) const {
  const Finding* found = find(key);
  return found != nullptr && found->is_guess;
}

const Finding* Findings::find(std::string_view key) const {
  const auto found = found_.find(key);
  return found == found_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Findings::number(std::string_view key) const {
  const Finding* found = find(key);
  return found == nullptr ? std::nullopt : whole_number(found->value);
}

void Findings::erase(std::string_view key) {
  if (const auto found = found_.find(key); found != found_.end()) found_.erase(found);
}

void Findings::move(std::string_view key, const std::string& to) {
  if (auto open = open_.extract(std::string(key)); !open.empty()) {
    open.key() = to;
    open_.insert(std::move(open));
  }
  auto found = found_.extract(std::string(key));
  if (found.empty()) return;
  found.key() = to;
  found.mapped().key = to;
  found_.insert(std::move(found));
}

void Findings::name_servers(const std::string& pool) {
  std::map<std::string, Place> named;
  for (const auto& [address, place] : servers_)
    named.emplace(address.starts_with('|') ? pool + address : address, place);
  servers_ = std::move(named);
}

void Findings::remark(std::string text, const Place& place) {
  constexpr std::size_t kMaxRemarks = 200;
  text = readable(std::move(text));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const std::string file = place.source == nullptr ? "" : place.source->shown();
  auto found = std::find_if(remarks_.begin(), remarks_.end(), [&](const Remark& each) {
    return each.text == text && each.file == file;
  });
  if (found == remarks_.end() && remarks_.size() >= kMaxRemarks) return;
  if (found == remarks_.end()) found = remarks_.insert(found, {std::move(text), file, {}});
  auto& lines = found->lines;
  if (place.line > 0 && std::find(lines.begin(), lines.end(), place.line) == lines.end())
    lines.push_back(place.line);
}

std::vector<std::string> Findings::remarks() const {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> all;
  for (const Remark& each : remarks_) {
    std::string line = each.file;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    for (std::size_t i = 0; i < std::min(kShown, each.lines.size()); ++i)
      line += fmt::format("{}{}", i == 0 ? ":" : ", ", each.lines[i]);
    if (each.lines.size() > kShown)
      line += fmt::format(" and {} more lines", each.lines.size() - kShown);
    all.push_back(line.empty() ? each.text : fmt::format("{}: {}", line, each.text));
  }
  return all;
}

void Findings::add_flag(std::string flag) {
  constexpr std::size_t kMaxFlags = 300;
  std::replace_if(
      flag.begin(), flag.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const bool is_new = std::find(flags_.begin(), flags_.end(), flag) == flags_.end();
  if (is_new && flags_.size() < kMaxFlags) flags_.push_back(std::move(flag));
}

void Findings::error(int code, const Place& place, std::string message, std::string hint) {
  constexpr std::size_t kMaxErrors = 50;
  if (diagnostics_->size() >= kMaxErrors) return;
  message = readable(std::move(message));
  if (!errors_.insert(fmt::format("{}:{}: {}", to_text(place), place.column, message)).second)
    return;
  if (place.source == nullptr)
    return diagnostics_->add(
        {.code = code, .message = std::move(message), .hint = std::move(hint)});
  const config::SourceView view{place.source->shown(), place.source->text, &place.source->lines};
  diagnostics_->add(config::error_at(
      view, code, {.line = place.line, .column = place.column, .length = place.length},
      std::move(message), std::move(hint)));
}

std::string plain_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_between = text[i] == '_' && i > 0 && i + 1 < text.size() &&
                            is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (!is_between) plain += text[i];
  }
  return plain;
}

}  // namespace loadfactor::launch
