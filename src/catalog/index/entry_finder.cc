#include "catalog/index/entry_finder.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/index/accelerator_name.h"
#include "catalog/index/model_name.h"
#include "catalog/index/model_purpose.h"

namespace loadfactor::catalog {
namespace {

// No entry has a longer name, and every rule takes time in proportion to the length.
constexpr std::size_t kLongestName = 200;

Error ambiguous(std::string_view written, const std::set<std::string>& names) {
  std::string list;
  std::size_t listed = 0;
  for (const auto& name : names) {
    if (++listed > 6) break;
    list += (list.empty() ? "" : ", ") + name;
  }
  return Error{
      .code = lf::kAmbiguousName,
      .message = in_quotes(written) + " may be any of " + std::to_string(names.size()) + " entries",
      .hint = "write one of: " + list + (names.size() > 6 ? ", …" : "")};
}

// Entries whose name, or else an alias, names the chip.
std::set<std::size_t> entries_of_chip(const Shelf<AcceleratorSpec>& shelf, std::string_view chip) {
  std::set<std::size_t> entries;
  for (std::size_t i = 0; i < shelf.size(); ++i) {
    if (parse_accelerator_name(shelf.names()[i]).chip() == chip) entries.insert(i);
  }
  if (!entries.empty()) return entries;
  for (const auto& [alias, entry] : shelf.aliases()) {
    if (parse_accelerator_name(alias).chip() == chip) entries.insert(entry);
  }
  return entries;
}

Result<const AcceleratorSpec*> find_by_words(const Shelf<AcceleratorSpec>& shelf,
                                             std::string_view written,
                                             const AcceleratorQuery& query) {
  std::vector<const AcceleratorSpec*> called;
  std::set<std::string> chips;
  std::set<std::string> names;
  for (const auto& spec : shelf.all()) {
    if (!is_called(spec, query)) continue;
    called.push_back(&spec);
    chips.insert(parse_accelerator_name(spec.name).chip());
    names.insert(spec.name);
  }
  if (chips.size() > 1) return ambiguous(written, names);
  if (!called.empty()) return choose_variant(written, query, std::move(called));
  return unknown_name(lf::kUnknownAccelerator, "accelerator", written, shelf.names());
}

struct SizedEntry {
  std::size_t entry;
  SizedName name;
};

std::vector<SizedEntry> sized_names(const Shelf<ModelSpec>& shelf) {
  std::vector<SizedEntry> names;
  for (std::size_t i = 0; i < shelf.size(); ++i)
    names.push_back({i, split_sizes(shelf.names()[i])});
  return names;
}

// The entries that a spelling means when sizes may be left out.
std::set<std::size_t> entries_but_for_sizes(const Shelf<ModelSpec>& shelf,
                                            const std::vector<SizedEntry>& names,
                                            const SizedName& written) {
  std::set<std::size_t> entries;
  for (const auto& candidate : names) {
    if (!agree_but_for_sizes(written, candidate.name)) continue;
    const auto model = shelf.get(candidate.entry);
    if (model && sizes_fit(written, candidate.name, **model)) entries.insert(candidate.entry);
  }
  return entries;
}

// What an entry is for, by what it says of itself and by its name.
NamedPurpose purpose_of(const Shelf<ModelSpec>& shelf, const std::string& name) {
  NamedPurpose purpose = named_purpose(name);
  const auto entry = shelf.index().find(plain_key(name));
  const auto model = entry ? shelf.get(*entry) : Result<const ModelSpec*>(nullptr);
  if (!model || *model == nullptr) return purpose;
  purpose.task = (*model)->task;
  if (purpose.reads == Modality::kText) return purpose;
  purpose.reads = (*model)->modality();
  return purpose;
}

// A name that says what it is for is offered names of that purpose alone.
Error unknown_model(const Shelf<ModelSpec>& shelf, std::string_view written) {
  const NamedPurpose wanted = named_purpose(written);
  if (wanted.makes_images)
    return Error{
        .code = lf::kUnsupportedModelType,
        .message = in_quotes(written) + " paints images, and diffusion is not predicted here",
        .hint = "models that read or write text, and encoders of images and sound, are"};
  Error error = unknown_name(lf::kUnknownModel, "model", written, shelf.names());
  constexpr std::size_t kMany = 24;
  auto near = nearest_names(written, shelf.names(), kMany);
  if (near.empty()) return error;
  std::erase_if(near, [&](const std::string& name) { return purpose_of(shelf, name) != wanted; });
  constexpr std::size_t kOffered = 3;
  if (near.size() > kOffered) near.resize(kOffered);
  error.hint = near.empty() ? "`loadfactor catalog models` lists all; a config.json of any model "
                              "can be given instead"
                            : did_you_mean(near);
  return error;
}

}  // namespace

namespace {

// How to list what a name may be of; short lists in full.
std::string listing_hint(int code, const std::vector<std::string>& names) {
  struct List {
    int code;
    std::string_view word;
  };
  constexpr std::array kLists{
      List{lf::kUnknownAccelerator, "gpus"}, List{lf::kUnknownModel, "models"},
      List{lf::kUnknownNode, "nodes"},       List{lf::kUnknownFabric, "links"},
      List{lf::kUnknownRegion, "regions"},   List{lf::kUnknownEngine, "engines"}};
  constexpr std::size_t kMaxListed = 12;
  std::string hint;
  if (names.size() <= kMaxListed)
    for (const auto& name : names) hint += (hint.empty() ? "one of: " : ", ") + name;
  if (!hint.empty()) return hint;
  for (const List& list : kLists)
    if (list.code == code) return "`loadfactor catalog " + std::string(list.word) + "` lists all";
  return "`loadfactor catalog gpus`, `models`, `nodes`, … list all";
}

}  // namespace

Error unknown_name(int code, std::string_view what, std::string_view written,
                   const std::vector<std::string>& names) {
  const auto nearest = nearest_names(written, names);
  return Error{.code = code,
               .message = "no " + std::string(what) + " named " + in_quotes(written),
               .hint = nearest.empty() ? listing_hint(code, names) : did_you_mean(nearest)};
}

Result<const AcceleratorSpec*> find_by_name(const Shelf<AcceleratorSpec>& shelf,
                                            std::string_view written) {
  if (const auto entry = shelf.index().find(plain_key(written))) return shelf.get(*entry);
  const AcceleratorQuery query = parse_accelerator_name(written.substr(0, kLongestName));
  if (query.words.empty() || written.size() > kLongestName) {
    return unknown_name(lf::kUnknownAccelerator, "accelerator", written, shelf.names());
  }
  std::vector<const AcceleratorSpec*> variants;
  for (const std::size_t entry : entries_of_chip(shelf, query.chip())) {
    TRY(const AcceleratorSpec* spec, shelf.get(entry));
    variants.push_back(spec);
  }
  if (!variants.empty()) return choose_variant(written, query, std::move(variants));
  return find_by_words(shelf, written, query);
}

Result<const ModelSpec*> find_by_name(const Shelf<ModelSpec>& shelf, std::string_view written) {
  const auto spellings = model_spellings(written.substr(0, kLongestName));
  for (const auto& spelling : spellings) {
    if (const auto entry = shelf.index().find(plain_key(spelling))) return shelf.get(*entry);
  }
  const auto names = sized_names(shelf);
  for (const auto& spelling : spellings) {
    const auto entries = entries_but_for_sizes(shelf, names, split_sizes(spelling));
    if (entries.size() == 1) return shelf.get(*entries.begin());
    if (entries.empty()) continue;
    std::set<std::string> choices;
    for (const std::size_t entry : entries) choices.insert(shelf.names()[entry]);
    return ambiguous(written, choices);
  }
  return unknown_model(shelf, written);
}

}  // namespace loadfactor::catalog
