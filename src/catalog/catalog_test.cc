#include "catalog/catalog.h"

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::kToyChip;
using testing::kToyModel;
using testing::toy_files;
using testing::with;

DataFile overlay(std::string_view path, std::string_view text) {
  DataFile file = testing::file(path, text, Origin::kOverlay);
  file.shown_as = "mine/" + file.path;
  return file;
}

std::vector<DataFile> toy_files_and(std::vector<DataFile> more) {
  auto files = toy_files();
  for (auto& file : more) files.push_back(std::move(file));
  return files;
}

std::string complaints_of_opening(std::vector<DataFile> more) {
  Diagnostics diagnostics;
  Catalog::open(toy_files_and(std::move(more)), diagnostics);
  return testing::complaints(diagnostics);
}

TEST(CatalogTest, TheToyCatalogueIsWithoutFault) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::load(toy_files(), diagnostics, "2025-01-01");
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(catalog.accelerators().size(), 1U);
  EXPECT_EQ(catalog.fabrics().size(), 2U);
  EXPECT_EQ(catalog.prices().rent.size(), 2U);
  EXPECT_EQ(catalog.sources().size(), 2U);
  EXPECT_EQ(catalog.model_names(), std::vector<std::string>{"toy-1b"});
}

TEST(CatalogTest, EntriesAreFoundByNameAliasAndRule) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(toy_files(), diagnostics);
  for (const auto* name : {"toy", "Toy-SXM-80GB", "plaything", "TOY original", "toy (the first)"}) {
    const auto found = catalog.find_accelerator(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ((*found)->name, "toy");
  }
  for (const auto* name : {"toy-1b", "toys/Toy-1B-Instruct", "first-toy", "Toy"}) {
    ASSERT_TRUE(catalog.find_model(name).has_value()) << name;
  }
  EXPECT_TRUE(catalog.find_node("Toybox").has_value());
  EXPECT_TRUE(catalog.find_fabric("toy-link").has_value());
  EXPECT_TRUE(catalog.find_region("TOYLAND").has_value());
}

TEST(CatalogTest, AWrongNameIsRefusedWithTheNearest) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(toy_files(), diagnostics);
  const auto gpu = catalog.find_accelerator("tyo");
  ASSERT_FALSE(gpu.has_value());
  EXPECT_EQ(gpu.error().code, 401);
  EXPECT_EQ(gpu.error().message, "no accelerator named 'tyo'");
  EXPECT_EQ(gpu.error().hint, "did you mean 'toy'?");
  EXPECT_EQ(catalog.find_model("toy-7b").error().code, 402);
  EXPECT_EQ(catalog.find_node("toybx").error().code, 403);
  EXPECT_EQ(catalog.find_fabric("toylnk").error().code, 404);
  EXPECT_EQ(catalog.find_region("toylnd").error().code, 408);
}

TEST(CatalogTest, ANameOfAMegabyteIsRefusedAtOnce) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(toy_files(), diagnostics);
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(catalog.find_model(huge).error().code, 402);
  EXPECT_EQ(catalog.find_accelerator(huge).error().code, 401);
  EXPECT_LT(catalog.find_accelerator(huge).error().message.size(), 200U);
}

TEST(CatalogTest, AnOverlayReplacesAnEntryAndSaysSo) {
  Diagnostics diagnostics;
  const Catalog catalog =
      Catalog::open(toy_files_and({overlay("hardware/accelerators/toy.yaml",
                                           with(kToyChip, "rated: 700 W", "rated: 600 W"))}),
                    diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  const auto toy = catalog.find_accelerator("toy");
  EXPECT_EQ((*toy)->power.rated, 600_W);
  EXPECT_EQ((*toy)->power.provenance.file, "mine/hardware/accelerators/toy.yaml");
  EXPECT_EQ(catalog.accelerators().size(), 1U);
}

TEST(CatalogTest, TheLastOfSeveralOverlaysCounts) {
  Diagnostics diagnostics;
  auto second = overlay("models/toy-1b.yaml", with(kToyModel, "context: 4096", "context: 8192"));
  second.shown_as = "theirs/models/toy-1b.yaml";
  const Catalog catalog =
      Catalog::open(toy_files_and({overlay("models/toy-1b.yaml", kToyModel), second}), diagnostics);
  EXPECT_EQ((*catalog.find_model("toy-1b"))->context, 8192);
  EXPECT_EQ((*catalog.find_model("toy-1b"))->provenance.file, "theirs/models/toy-1b.yaml");
}

TEST(CatalogTest, APartOfATableIsEnoughForAnOverlay) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(
      toy_files_and(
          {overlay("prices/rent.csv",
                   "provider,accelerator,region,term,usd_per_gpu_hour,low,high,as_of,kind,source,"
                   "note\nacme,toy,any,spot,0.36,,,2024-09,published,my-deal,\n"),
           overlay("SOURCES.md", "| id | document | date |\n| my-deal | a letter | 2024-09 |\n")}),
      diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  ASSERT_EQ(catalog.prices().rent.size(), 2U);
  EXPECT_DOUBLE_EQ(catalog.prices().rent[1].price.base(), 0.0001);
  EXPECT_EQ(catalog.prices().rent[1].provenance.file, "mine/prices/rent.csv");
  EXPECT_EQ(catalog.prices().rent[0].provenance.file, "prices/rent.csv");
}

TEST(CatalogTest, AnOverlayIsCheckedWhenItIsOpened) {
  EXPECT_EQ(
      complaints_of_opening({overlay("models/toy-1b.yaml", "schema: model/1\n")}).substr(0, 7),
      "1:LF504");
  EXPECT_EQ(complaints_of_opening({overlay("hardware/accelerators/toy.yaml",
                                           with(kToyChip, "link: toylink", "link: toylnk"))}),
            "16:LF404");
}

TEST(CatalogTest, AStrayFileIsNotIgnored) {
  EXPECT_EQ(complaints_of_opening({overlay("model/mine.yaml", kToyModel)}), "0:LF520");
  EXPECT_EQ(complaints_of_opening({overlay("models/mine.yml", kToyModel)}), "0:LF520");
  EXPECT_EQ(complaints_of_opening({overlay("models/more/mine.yaml", kToyModel)}), "0:LF520");
  EXPECT_EQ(complaints_of_opening({overlay("prices/rents.csv", "a\n")}), "0:LF520");
}

TEST(CatalogTest, AnAliasThatIsTakenIsRefused) {
  auto text = with(kToyModel, "name: toy-1b", "name: toy-2b");
  text = with(text, "[first-toy]", "[second-toy, toy1b]");
  EXPECT_EQ(complaints_of_opening({overlay("models/toy-2b.yaml", text)}), "6:LF406");
}

TEST(CatalogTest, AliasesThatTheQuickLookCannotSeeAreRefused) {
  auto text = with(kToyModel, "name: toy-1b", "name: toy-2b");
  text = with(text, "aliases: [first-toy]", "aliases:\n  - second-toy");
  EXPECT_EQ(complaints_of_opening({overlay("models/toy-2b.yaml", text)}), "6:LF505");
}

TEST(CatalogTest, ABrokenBuiltinEntryIsAnErrorWhereItIsAskedFor) {
  auto files = toy_files();
  files.push_back(testing::file("models/broken.yaml", "schema: model/1\nname: broken\n"));
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(files, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_TRUE(catalog.find_model("toy-1b").has_value());
  EXPECT_EQ(catalog.find_model("broken").error().code, 504);
  Catalog::load(files, diagnostics);
  EXPECT_FALSE(diagnostics.empty());
}

TEST(CatalogTest, AnswersDoNotDependOnThreads) {
  Diagnostics diagnostics;
  const Catalog catalog = Catalog::open(toy_files(), diagnostics);
  std::vector<const void*> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&catalog, &found, i] {
      const auto gpu = catalog.find_accelerator("toy");
      if (i % 2 == 0) catalog.accelerators();
      catalog.prices();
      found[i] = gpu ? *gpu : nullptr;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const void* pointer : found) EXPECT_EQ(pointer, &catalog.accelerators().front());
}

TEST(CatalogTest, PointersOutliveAMoveOfTheCatalogue) {
  Diagnostics diagnostics;
  Catalog catalog = Catalog::open(toy_files(), diagnostics);
  const AcceleratorSpec* const toy = *catalog.find_accelerator("toy");
  const Catalog moved = std::move(catalog);
  EXPECT_EQ(toy, *moved.find_accelerator("toy"));
}

}  // namespace
}  // namespace loadfactor::catalog
