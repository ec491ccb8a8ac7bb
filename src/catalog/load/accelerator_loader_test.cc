#include "catalog/load/accelerator_loader.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::kToyChip;
using testing::with;

AcceleratorSpec load(std::string_view text, Diagnostics& diagnostics) {
  return load_accelerator(testing::file("hardware/accelerators/toy.yaml", text), diagnostics);
}

std::string complaints(std::string_view text) {
  Diagnostics diagnostics;
  load(text, diagnostics);
  return testing::complaints(diagnostics);
}

TEST(AcceleratorLoaderTest, ReadsEveryBlock) {
  Diagnostics diagnostics;
  const AcceleratorSpec toy = load(kToyChip, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(toy.name, "toy");
  EXPECT_EQ(toy.form, "sxm");
  EXPECT_EQ(toy.released, 2024);
  EXPECT_EQ(toy.memory.nominal, 80_GB);
  EXPECT_EQ(toy.memory.usable, 80_GiB);
  EXPECT_EQ(toy.memory.bandwidth, 4_TBps);
  EXPECT_EQ(toy.arithmetic.rate(Dtype::kBf16), 1000_TFLOPps);
  EXPECT_EQ(toy.arithmetic.rate(Dtype::kFp4), FlopsPerSecond());
  EXPECT_EQ(toy.measured_matmul, 800_TFLOPps);
  EXPECT_EQ(toy.compute.units, 100);
  EXPECT_EQ(toy.scale_up.topology, Topology::kSwitch);
  EXPECT_EQ(toy.scale_up.bandwidth, 450_GBps);
  EXPECT_FALSE(toy.scale_out.has_value());
  EXPECT_EQ(toy.host->fabric, "toybus");
  EXPECT_EQ(toy.power.idle, 70_W);
}

TEST(AcceleratorLoaderTest, AFactKnowsItsFileLineKindAndSource) {
  Diagnostics diagnostics;
  const AcceleratorSpec toy = load(kToyChip, diagnostics);
  EXPECT_EQ(toy.memory.provenance.file, "hardware/accelerators/toy.yaml");
  EXPECT_EQ(toy.memory.provenance.line, 10U);
  EXPECT_EQ(toy.memory.provenance.kind, SourceKind::kDatasheet);
  EXPECT_EQ(toy.memory.provenance.sources, std::vector<std::string>{"toy-sheet"});
  EXPECT_EQ(toy.measured_provenance.kind, SourceKind::kMeasured);
}

TEST(AcceleratorLoaderTest, AnEntryIsAsGoodAsItsWeakestBlock) {
  Diagnostics diagnostics;
  const auto text = with(kToyChip, "idle: 70 W, kind: datasheet", "idle: 70 W, kind: assumed");
  EXPECT_EQ(load(text, diagnostics).provenance.kind, SourceKind::kAssumed);
  EXPECT_EQ(load(kToyChip, diagnostics).provenance.kind, SourceKind::kDatasheet);
}

TEST(AcceleratorLoaderTest, EveryErrorOfAFileIsReported) {
  auto text = with(kToyChip, "nominal: 80 GB", "nominal: 80");
  text = with(text, "topology: switch", "topology: swich");
  text = with(text, "rated: 700 W", "ratd: 700 W");
  EXPECT_EQ(complaints(text), "10:LF202 16:LF506 19:LF504 19:LF502");
}

TEST(AcceleratorLoaderTest, ASparsePeakIsRefusedByItsOwnWord) {
  EXPECT_EQ(complaints(with(kToyChip, "sparsity: dense", "sparsity: 2to4")), "13:LF201");
}

TEST(AcceleratorLoaderTest, NameAndFileMustAgree) {
  EXPECT_EQ(complaints(with(kToyChip, "name: toy", "name: toi")), "2:LF519");
}

TEST(AcceleratorLoaderTest, AnotherSchemaIsRefused) {
  EXPECT_EQ(complaints(with(kToyChip, "accelerator/1", "model/1")), "1:LF511");
}

TEST(AcceleratorLoaderTest, ABlockWithoutSourceKindOrDateIsRefused) {
  EXPECT_EQ(complaints(with(kToyChip,
                            "kind: datasheet, source: toy-sheet, date: 2024-05}\n"
                            "memory",
                            "status: current}\nmemory")),
            "9:LF503 9:LF504 9:LF504 9:LF504");
}

TEST(AcceleratorLoaderTest, ADomainOfOneChipHasNoNeighbours) {
  EXPECT_EQ(complaints(with(kToyChip, "topology: switch", "topology: none")), "16:LF209");
}

TEST(AcceleratorLoaderTest, AMagnitudeNoChipHasIsRefused) {
  EXPECT_EQ(complaints(with(kToyChip, "bandwidth: 4 TB/s", "bandwidth: 4 kB/s")), "10:LF205");
  EXPECT_EQ(complaints(with(kToyChip, "rated: 700 W", "rated: 700 kW")), "19:LF205");
}

TEST(AcceleratorLoaderTest, ABrokenFileGivesAnEntryOfItsNameAndOneError) {
  Diagnostics diagnostics;
  EXPECT_EQ(load("schema: [", diagnostics).name, "toy");
  EXPECT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(complaints("- a\n- b\n"), "1:LF505");
}

}  // namespace
}  // namespace loadfactor::catalog
