#include "catalog/validators/entry_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/index/entry_finder.h"
#include "catalog/load/sources_loader.h"
#include "config/source_text.h"

namespace loadfactor::catalog {
namespace {

// Whether a date lies wholly after another, at the coarser precision of the two: 2026 is not
// later than 2026-08, 2026-09 is.
bool is_later(std::string_view date, std::string_view than) {
  const auto length = std::min(date.size(), than.size());
  return date.substr(0, length) > than.substr(0, length);
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Offset of `word` as a whole word at or after `from`.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (auto at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return std::string_view::npos;
}

template <typename Spec>
void check_name(const EntryCheck& check, const Provenance& at, const Shelf<Spec>& shelf,
                std::string_view name, std::pair<int, std::string_view> code_and_noun) {
  if (name.empty() || shelf.has(name)) return;
  check.report(at, name,
               unknown_name(code_and_noun.first, code_and_noun.second, name, shelf.names()));
}

}  // namespace

void EntryCheck::report(const Provenance& at, std::string_view word, Error error) const {
  const std::string_view text = shelves_.text_of(at.file);
  const config::LineIndex lines(text);
  config::Position position{.line = at.line, .column = 1, .length = 1};
  if (at.line >= 1 && at.line <= lines.size() && !word.empty()) {
    const auto offset = find_word(text, word, lines.start_of(at.line));
    if (offset != std::string_view::npos) {
      config::PositionCursor cursor(text, lines);
      position = cursor.at(offset, offset + word.size());
    }
  }
  if (position.line > lines.size()) position = {};
  diagnostics_.add(config::error_at({at.file, text, &lines}, error.code, position,
                                    std::move(error.message), std::move(error.hint)));
}

void EntryCheck::check_provenance(const Provenance& provenance, std::string_view what) const {
  const auto& sources = shelves_.sources.get();
  for (const auto& id : provenance.sources) {
    if (find_source(sources, id) != nullptr) continue;
    std::vector<std::string> ids;
    ids.reserve(sources.size());
    for (const auto& source : sources) ids.push_back(source.id);
    const auto nearest = nearest_names(id, ids);
    report(provenance, id,
           Error{.code = lf::kUnknownSource,
                 .message = std::string(what) + " has an unknown source, " + in_quotes(id),
                 .hint = nearest.empty() ? "add a row '| id | document | date |' to SOURCES.md"
                                         : did_you_mean(nearest)});
  }
  if (!today_.empty() && is_later(provenance.date, today_)) {
    report(provenance, provenance.date,
           Error{.code = lf::kBadDate,
                 .message = std::string(what) + " is dated " + provenance.date + ", after " +
                            std::string(today_),
                 .hint = "write the date on which the source said so"});
  }
}

void EntryCheck::check_accelerator(const Provenance& at, std::string_view name) const {
  check_name(*this, at, shelves_.accelerators, name, {lf::kUnknownAccelerator, "accelerator"});
}
void EntryCheck::check_node(const Provenance& at, std::string_view name) const {
  check_name(*this, at, shelves_.nodes, name, {lf::kUnknownNode, "node"});
}
void EntryCheck::check_fabric(const Provenance& at, std::string_view name) const {
  check_name(*this, at, shelves_.fabrics, name, {lf::kUnknownFabric, "fabric"});
}
void EntryCheck::check_model(const Provenance& at, std::string_view name) const {
  check_name(*this, at, shelves_.models, name, {lf::kUnknownModel, "model"});
}

}  // namespace loadfactor::catalog
