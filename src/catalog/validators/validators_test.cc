// Each rule of the validators, broken once in the toy catalogue.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using testing::kToyApi;
using testing::kToyChip;
using testing::kToyLink;
using testing::kToyModel;
using testing::kToyNode;
using testing::kToyRent;
using testing::with;

// The toy catalogue with one file replaced or added.
Diagnostics check(std::string_view path, std::string text, std::string_view today = {}) {
  auto files = testing::toy_files();
  std::erase_if(files, [path](const DataFile& file) { return file.path == path; });
  files.push_back(testing::file(path, text));
  Diagnostics diagnostics;
  Catalog::load(std::move(files), diagnostics, today);
  return diagnostics;
}

std::string chip(std::string_view from, std::string_view to) {
  return testing::complaints(check("hardware/accelerators/toy.yaml", with(kToyChip, from, to)));
}
std::string model(std::string_view from, std::string_view to) {
  return testing::complaints(check("models/toy-1b.yaml", with(kToyModel, from, to)));
}
std::string node(std::string_view from, std::string_view to) {
  return testing::complaints(check("hardware/nodes/toybox.yaml", with(kToyNode, from, to)));
}
std::string fabric(std::string_view from, std::string_view to) {
  return testing::complaints(check("hardware/fabrics/toylink.yaml", with(kToyLink, from, to)));
}

TEST(ValidatorTest, SixteenBitRatesThatDifferByTwoAreSparse) {
  EXPECT_EQ(chip("fp16: 1000", "fp16: 2000"), "12:LF201");
  EXPECT_EQ(chip("fp16: 1000", "fp16: 1979"), "12:LF201");  // Within 3 %.
  EXPECT_EQ(chip("fp16: 1000", "fp16: 1900"), "");
}

TEST(ValidatorTest, FourTimesTheSixteenBitRateIsSparseFp8) {
  EXPECT_EQ(chip("fp8: 2000", "fp8: 4000"), "12:LF201");
  EXPECT_EQ(chip("fp8: 2000", "fp8: 1000"), "");
}

// A sister of the toy with the same memory and twice the rates: what a data sheet says with
// sparsity.
std::string sparse_sister() {
  auto text = with(kToyChip, "name: toy", "name: sister");
  text = with(text, "aliases: [plaything, toy-original]\n", "");
  text = with(text, "bf16: 1000", "bf16: 2000");
  text = with(text, "fp16: 1000", "fp16: 2000");
  return with(text, "fp8: 2000", "fp8: 4000");
}

TEST(ValidatorTest, TwiceWhatASiblingDoesPerClockIsSparse) {
  EXPECT_EQ(testing::complaints(check("hardware/accelerators/sister.yaml", sparse_sister())),
            "11:LF201 11:LF201 11:LF201");
}

TEST(ValidatorTest, TwiceTheUnitsMayDoTwiceAsMuch) {
  const auto text = with(with(sparse_sister(), "units: 100", "units: 200"), "fp32: 50", "fp32: 100");
  EXPECT_EQ(testing::complaints(check("hardware/accelerators/sister.yaml", text)), "");
}

TEST(ValidatorTest, WithoutClocksTheSameMemoryBetraysTheSameSilicon) {
  const auto text = with(sparse_sister(), "clock: 2 GHz, ", "");
  EXPECT_EQ(testing::complaints(check("hardware/accelerators/sister.yaml", text)),
            "11:LF201 11:LF201 11:LF201");
  EXPECT_EQ(testing::complaints(check("hardware/accelerators/sister.yaml",
                                      with(text, "bandwidth: 4 TB/s", "bandwidth: 6 TB/s"))),
            "");
}

TEST(ValidatorTest, AnotherFamilyIsNoSibling) {
  const auto text = with(sparse_sister(), "family: toys", "family: dolls");
  EXPECT_EQ(testing::complaints(check("hardware/accelerators/sister.yaml", text)), "");
}

TEST(ValidatorTest, BothDirectionsOfALinkTogetherAreRefused) {
  EXPECT_EQ(chip("bandwidth: 450 GB/s", "bandwidth: 900 GB/s"), "16:LF204");
  EXPECT_EQ(chip("bandwidth: 64 GB/s", "bandwidth: 128 GB/s"), "18:LF204");
  EXPECT_EQ(chip("bandwidth: 450 GB/s", "bandwidth: 200 GB/s"), "");
  EXPECT_EQ(fabric("per_direction: 450 GB/s", "per_direction: 900 GB/s"), "5:LF204");
}

TEST(ValidatorTest, UsableMemoryIsWhatAProgramCanHave) {
  EXPECT_EQ(chip("usable: 80 GiB", "usable: 90 GiB"), "10:LF209");
  EXPECT_EQ(chip("usable: 80 GiB", "usable: 60 GB"), "10:LF209");
  EXPECT_EQ(chip("usable: 80 GiB", "usable: 70 GB"), "");
}

TEST(ValidatorTest, PowerIsPlausible) {
  EXPECT_EQ(chip("idle: 70 W", "idle: 800 W"), "19:LF209");
  EXPECT_EQ(chip("rated: 700 W, idle: 70 W", "rated: 1 W"), "19:LF205 8:LF209");
}

TEST(ValidatorTest, AMeasuredRateIsBelowThePeak) {
  EXPECT_EQ(chip("bf16: 800 TFLOP/s", "bf16: 1100 TFLOP/s"), "14:LF209");
}

TEST(ValidatorTest, ReferencesResolve) {
  EXPECT_EQ(chip("link: toylink", "link: toylnk"), "16:LF404");
  EXPECT_EQ(chip("node: toybox", "node: toybx"), "20:LF403");
  EXPECT_EQ(chip("stack: [cuda]", "stack: [kuda]"), "8:LF506");
  EXPECT_EQ(node("accelerator: toy", "accelerator: toi"), "4:LF401");
  EXPECT_EQ(node("fabric: toybus", "fabric: bus"), "7:LF404");
}

TEST(ValidatorTest, ReferencesAreNamesNotSpellings) {
  EXPECT_EQ(node("accelerator: toy", "accelerator: Toy"), "4:LF401");
}

TEST(ValidatorTest, SourcesHaveARow) {
  const auto diagnostics = check("hardware/accelerators/toy.yaml",
                                 with(kToyChip, "source: toy-sheet", "source: toy-shet"));
  ASSERT_EQ(diagnostics.size(), 1U);
  const Error& error = diagnostics.errors().front();
  EXPECT_EQ(error.code, 405);
  EXPECT_EQ(error.where.line, 9U);
  EXPECT_EQ(error.where.column, 71U);
  EXPECT_EQ(error.where.length, 8U);
  EXPECT_EQ(error.hint, "did you mean 'toy-sheet'?");
}

TEST(ValidatorTest, NoFactComesFromTheFuture) {
  const std::string text(kToyModel);
  EXPECT_EQ(testing::complaints(check("models/toy-1b.yaml", text, "2024-07-31")), "");
  EXPECT_EQ(testing::complaints(check("models/toy-1b.yaml",
                                      with(text, "date: 2024-06", "date: 2024-08"), "2024-07-31")),
            "7:LF510");
  // The year of today is not the future, whatever its month.
  EXPECT_EQ(testing::complaints(check("models/toy-1b.yaml",
                                      with(text, "date: 2024-06", "date: 2024"), "2024-07-31")),
            "");
}

TEST(ValidatorTest, ANodeDrawsWhatItsAcceleratorsDraw) {
  EXPECT_EQ(node("max: 10 kW, typical: 8 kW, idle: 2 kW", "max: 3 kW"), "8:LF209");
  EXPECT_EQ(node("max: 10 kW", "max: 100 kW"), "8:LF209");
  EXPECT_EQ(node("idle: 2 kW", "idle: 9 kW"), "8:LF209");
}

TEST(ValidatorTest, HeadsAndExpertsFitTogether) {
  EXPECT_EQ(model("kv_heads: 4", "kv_heads: 5"), "18:LF209");
  EXPECT_EQ(model("head_dim: 64", "head_dim: 63"), "19:LF209");
  EXPECT_EQ(model("mlp: {", "moe: {experts: 4, top_k: 8, width: 64}\nmlp: {"), "25:LF209");
  EXPECT_EQ(model("gate: false", "gate: false\n  out_rank: 64"), "25:LF209");
  EXPECT_EQ(model("gate: false", "gate: false\n  compress: 4"), "25:LF209");
  EXPECT_EQ(model("gate: false", "gate: false\n  kv: reuse"), "25:LF209");
  EXPECT_EQ(
      model("gate: false", "gate: false\n  sparse: {top_k: 64, index_heads: 2, index_dim: 64}"),
      "25:LF209");
}

TEST(ValidatorTest, PricesNameAcceleratorsModelsAndSources) {
  EXPECT_EQ(testing::complaints(check("prices/rent.csv", with(kToyRent, "acme,toy", "acme,toi"))),
            "2:LF401");
  EXPECT_EQ(testing::complaints(check("prices/rent.csv", with(kToyRent, "toy-lab", "toy-lob"))),
            "2:LF405");
  EXPECT_EQ(
      testing::complaints(check("prices/api.csv", with(kToyApi, "/toy-1b,toy-1b", "/t,toy-2b"))),
      "2:LF402");
  EXPECT_EQ(testing::complaints(check("prices/rent.csv", std::string(kToyRent), "2024-06-30")),
            "2:LF510 3:LF510 2:LF510 3:LF510");  // The toy's API prices are of July as well.
}

}  // namespace
}  // namespace loadfactor::catalog
