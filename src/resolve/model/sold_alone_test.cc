#include "resolve/model/sold_alone.h"

#include <string>

#include <gtest/gtest.h>

#include "catalog/load/data_file.h"

namespace loadfactor::engine {
namespace {

const catalog::Catalog& shipped_chips() {
  static const catalog::Catalog catalog = [] {
    Diagnostics diagnostics;
    return catalog::Catalog::open(catalog::builtin_files(), diagnostics);
  }();
  return catalog;
}

int nodes_of(const std::string& name, int gpus) {
  const auto chip = shipped_chips().find_accelerator(name);
  EXPECT_TRUE(chip) << name;
  return chip ? nodes_for(**chip, gpus, gpus_of_node(shipped_chips(), **chip)) : -1;
}

TEST(SoldAlone, CardsFillAPartOfAServerUntilTheyFillOne) {
  for (const char* card : {"l40s", "rtx-4090"}) {
    EXPECT_EQ(nodes_of(card, 1), 0) << card;
    EXPECT_EQ(nodes_of(card, 7), 0) << card;
    EXPECT_EQ(nodes_of(card, 8), 1) << card;
    EXPECT_EQ(nodes_of(card, 9), 2) << card;
  }
}

TEST(SoldAlone, ModulesComeWithTheirBoard) {
  EXPECT_EQ(nodes_of("h100-sxm", 1), 1);
  EXPECT_EQ(nodes_of("h100-sxm", 9), 2);
}

TEST(SoldAlone, WhereNoServerIsKnownOneHoldsThoseThatAreJoined) {
  catalog::AcceleratorSpec chip;
  chip.form = "card";
  chip.scale_up.domain = 2;
  EXPECT_EQ(gpus_of_node(shipped_chips(), chip), 2);
  EXPECT_EQ(nodes_for(chip, 1, 2), 0);
  EXPECT_EQ(nodes_for(chip, 3, 2), 2);
}

}  // namespace
}  // namespace loadfactor::engine
