#include "training/job/abilities_reader.h"

#include <set>
#include <utility>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"

namespace loadfactor::training {
namespace {

using config::MapReader;
using config::Word;

std::vector<Word<Ability>> words_of_list(std::string_view list) {
  std::vector<Word<Ability>> words;
  for (const AbilityWord& row : ability_words())
    if (row.list == list) words.push_back({row.word, row.ability});
  return words;
}

std::bitset<kNumAbilities> read_lists(MapReader& block) {
  std::bitset<kNumAbilities> can;
  std::set<std::string_view> lists;
  for (const AbilityWord& row : ability_words()) lists.insert(row.list);
  for (const std::string_view list : lists) {
    const auto words = words_of_list(list);
    block.allow(list);
    for (const config::Node* item : block.items(list))
      if (const auto ability = block.word_of<Ability>(*item, list, words))
        can.set(static_cast<std::size_t>(*ability));
  }
  return can;
}

}  // namespace

Abilities read_abilities(MapReader& block) {
  Abilities out;
  out.known = true;
  out.can = read_lists(block);
  for (MapReader& later : block.maps("added", false)) {
    AddedAbilities added;
    added.release = later.text("release");
    added.can = read_lists(later);
    if (!added.release.empty() && !compare_releases(added.release, added.release))
      later.report("release", lf::kNotANumber, "'" + added.release + "' is no release",
                   "write 0.10.2 or 25.09");
    later.finish();
    out.can |= added.can;
    out.added.push_back(std::move(added));
  }
  out.provenance = catalog::read_provenance(block);
  block.finish();
  return out;
}

}  // namespace loadfactor::training
