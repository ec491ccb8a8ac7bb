#include "report/catalog_entry.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "catalog/testing/shipped_catalog.h"

namespace loadfactor::report {
namespace {

using catalog::testing::shipped;

TEST(CatalogEntryTest, EveryShippedEntryGivesFactsThatNameTheirSource) {
  for (const char* folder :
       {"hardware/accelerators/", "hardware/nodes/", "hardware/fabrics/", "models/", "regions/"}) {
    for (const std::string& path : shipped().paths_below(folder)) {
      const auto facts = catalog::stated_facts(*shipped().find_file(path));
      ASSERT_TRUE(facts) << path;
      EXPECT_TRUE(std::any_of(facts->begin(), facts->end(), [](const catalog::StatedFact& fact) {
        return fact.number && !fact.source.empty() && !fact.kind.empty();
      })) << path;
    }
  }
}

TEST(CatalogEntryTest, ATableOfAnEntryIsItsFileAndItsCsvHasARowForEachFact) {
  const auto* file = shipped().find_file("hardware/accelerators/h100-sxm.yaml");
  ASSERT_NE(file, nullptr);
  const EntryAnswer answer{"H100",      "h100-sxm", "gpus",
                           "here.yaml", file->text, *catalog::stated_facts(*file)};
  EXPECT_EQ(entry_text(answer), "# here.yaml\n" + file->text);
  const std::string csv = entry_csv(answer);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), std::ssize(answer.facts) + 1);
  EXPECT_NE(csv.find("memory.bandwidth,3.35 TB/s,3.35,TB/s,datasheet,stas00-ml-engineering"),
            std::string::npos);
}

TEST(CatalogEntryTest, ASoundCatalogueCountsWhatWasChecked) {
  const SoundCatalog sound = sound_catalog(shipped(), "2026-11-15");
  ASSERT_EQ(sound.known.size(), catalog_nouns().size());
  for (const auto& [noun, known] : sound.known)
    EXPECT_EQ(known, std::ssize(find_entries(shipped(), noun, "")->entries)) << noun;
  EXPECT_NE(sound_csv(sound).find("gpus,"), std::string::npos);
}

TEST(CatalogEntryTest, TheOverviewNamesEveryList) {
  const NounList nouns{noun_meanings()};
  for (const std::string& noun : catalog_nouns()) {
    EXPECT_NE(nouns_text(nouns).find(noun), std::string::npos) << noun;
    EXPECT_NE(nouns_csv(nouns).find("\n" + noun + ","), std::string::npos) << noun;
  }
}

}  // namespace
}  // namespace loadfactor::report
