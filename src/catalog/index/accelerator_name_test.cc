#include "catalog/index/accelerator_name.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;

TEST(AcceleratorNameTest, FormMemoryAndChipAreToldApart) {
  const auto query = parse_accelerator_name("NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(query.chip(), "a100");
  EXPECT_EQ(query.form, "sxm");
  EXPECT_EQ(query.memory, 80_GB);
}

TEST(AcceleratorNameTest, EverySpellingOfOneChipIsOneChip) {
  for (const auto* text : {"H100", "h100-80g", "NVIDIA H100 80GB HBM3", "H100SXM5", "h100_pcie",
                           "H100-SXM-96GB-HBM2e-500W", "H100 80 GB", "Tesla H100 (PCIe, old)"}) {
    EXPECT_EQ(parse_accelerator_name(text).chip(), "h100") << text;
  }
  for (const auto* text : {"TPUv7x(Ironwood)", "tpu-v7x", "TPU7x", "Google TPU v7x"}) {
    EXPECT_EQ(parse_accelerator_name(text).chip(), "tpu7x") << text;
  }
}

TEST(AcceleratorNameTest, GluedFormAndMemoryAreSplit) {
  const auto query = parse_accelerator_name("a100sxm80gb");
  EXPECT_EQ(query.chip(), "a100");
  EXPECT_EQ(query.form, "sxm");
  EXPECT_EQ(query.memory, 80_GB);
}

TEST(AcceleratorNameTest, TheDomainOfARackIsNoForm) {
  const auto rack = parse_accelerator_name("GB200 NVL72 (per GPU)");
  EXPECT_EQ(rack.chip(), "gb200");
  EXPECT_EQ(rack.domain, 72);
  EXPECT_EQ(rack.form, "");
  EXPECT_EQ(parse_accelerator_name("H100 NVL 94GB").form, "nvl");
}

TEST(AcceleratorNameTest, ServerEditionIsACard) {
  const auto query = parse_accelerator_name("RTX-PRO-6000-BSE-96GB");
  EXPECT_EQ(query.chip(), "rtxpro6000");
  EXPECT_EQ(query.form, "pcie");
}

TEST(AcceleratorNameTest, ANameOfIdleWordsAloneStaysAName) {
  EXPECT_EQ(parse_accelerator_name("Cerebras").chip(), "cerebras");
  EXPECT_TRUE(parse_accelerator_name("").words.empty());
  EXPECT_TRUE(parse_accelerator_name("80GB").words.empty());
}

class ChooseVariantTest : public ::testing::Test {
 protected:
  static AcceleratorSpec spec(std::string name, std::string form, Bytes memory, std::string type) {
    AcceleratorSpec made;
    made.name = std::move(name);
    made.form = std::move(form);
    made.memory.nominal = memory;
    made.memory.type = std::move(type);
    made.scale_up.domain = 8;
    return made;
  }

  std::string choice(std::string_view written) const {
    std::vector<const AcceleratorSpec*> variants;
    for (const auto& variant : variants_) variants.push_back(&variant);
    const auto chosen = choose_variant(written, parse_accelerator_name(written), variants);
    return chosen ? (*chosen)->name : "LF" + std::to_string(chosen.error().code);
  }

  std::vector<AcceleratorSpec> variants_{
      spec("x1-80gb-pcie", "pcie", 80_GB, "hbm2e"), spec("x1-40gb-sxm", "sxm", 40_GB, "hbm2"),
      spec("x1-80gb-sxm", "sxm", 80_GB, "hbm2e"), spec("x1-nvl", "nvl", 94_GB, "hbm3")};
};

TEST_F(ChooseVariantTest, ABareNameMeansTheModuleWithTheLargerMemory) {
  EXPECT_EQ(choice("X1"), "x1-80gb-sxm");
}

TEST_F(ChooseVariantTest, AnEntryWithoutAMemorySizeInItsNameIsThePlainOne) {
  variants_.push_back(spec("x1-sxm", "sxm", 64_GB, "hbm2e"));
  EXPECT_EQ(choice("X1"), "x1-sxm");
}

TEST_F(ChooseVariantTest, FormAndMemoryAreObeyed) {
  EXPECT_EQ(choice("X1-PCIe"), "x1-80gb-pcie");
  EXPECT_EQ(choice("X1-40GB"), "x1-40gb-sxm");
  EXPECT_EQ(choice("X1-NVL"), "x1-nvl");
  EXPECT_EQ(choice("X1 94GB"), "x1-nvl");
  EXPECT_EQ(choice("X1 HBM3"), "x1-nvl");
}

TEST_F(ChooseVariantTest, VendorsRoundMemoryByUpToAnEighth) {
  EXPECT_EQ(choice("X1-SXM-85GB"), "x1-80gb-sxm");  // 6 % off.
  EXPECT_EQ(choice("X1-SXM-120GB"), "LF401");       // 33 % off.
}

TEST_F(ChooseVariantTest, AVariantThatDoesNotExistIsRefused) {
  EXPECT_EQ(choice("X1-OAM"), "LF401");
  EXPECT_EQ(choice("X1-NVL72"), "LF401");
}

TEST_F(ChooseVariantTest, TwoEqualVariantsAreAmbiguous) {
  variants_.push_back(spec("x1-80gb-sxm-bis", "sxm", 80_GB, "hbm2e"));
  EXPECT_EQ(choice("X1"), "LF406");
}

TEST(IsCalledTest, EveryWordMustOccurAndOneMustHaveADigit) {
  AcceleratorSpec spec;
  spec.name = "dgx-spark-gb10";
  spec.title = "NVIDIA DGX Spark (GB10)";
  EXPECT_TRUE(is_called(spec, parse_accelerator_name("GB10 128GB")));
  EXPECT_TRUE(is_called(spec, parse_accelerator_name("GB10 Spark")));
  EXPECT_FALSE(is_called(spec, parse_accelerator_name("GB10 Shine")));
  EXPECT_FALSE(is_called(spec, parse_accelerator_name("Spark")));
}

}  // namespace
}  // namespace loadfactor::catalog
