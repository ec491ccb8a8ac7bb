// Sweeps as files: what they mean, and that every broken one is refused at its line.
#include "sweep/sweep_reader.h"

#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "tests/broken/broken_inputs.h"

namespace loadfactor::sweep {
namespace {

Result<std::string> no_file(const std::string& path) {
  return Error{.code = lf::kCannotRead,
               .message = "there is no file '" + path + "'",
               .hint = "check the path"};
}

SweepFile read(const std::string& text, const OpenBeside& open = no_file) {
  Diagnostics diagnostics;
  auto file = read_sweep("sweep.yaml", text, open, diagnostics);
  EXPECT_TRUE(file.has_value()) << render(diagnostics);
  return file ? *std::move(file) : SweepFile();
}

const char* const kHead = "sweep: 1\nname: x\nscenario: s.yaml\nverb: plan\n";

std::vector<std::string> texts_of(const Block& block) {
  std::vector<std::string> texts;
  for (const Point& point : block.points) texts.push_back(point.values.front().text);
  return texts;
}

TEST(SweepReader, RangesAreLinearLogarithmicOrByFactor) {
  const SweepFile file =
      read(std::string(kHead) +
           "axes:\n"
           "  - {key: limits.gpus, from: 8, to: 32, by: 8}\n"
           "  - {key: serve.demand.tokens_in, from: 1 K, to: 100 K, steps: 3, scale: log}\n"
           "  - {key: seed, from: 1, to: 9, times: 3}\n");
  ASSERT_EQ(file.sweep.blocks.size(), 3U);
  EXPECT_EQ(texts_of(file.sweep.blocks[0]), (std::vector<std::string>{"8", "16", "24", "32"}));
  EXPECT_EQ(texts_of(file.sweep.blocks[1]), (std::vector<std::string>{"1 K", "10 K", "100 K"}));
  EXPECT_EQ(texts_of(file.sweep.blocks[2]), (std::vector<std::string>{"1", "3", "9"}));
  EXPECT_EQ(file.sweep.cases(), 36);
}

TEST(SweepReader, AStepIsInTheUnitOfTheEnds) {
  for (const char* by : {"300 M", "300"}) {
    const SweepFile file =
        read(std::string(kHead) +
             "axes:\n  - {key: train.tokens, from: 100 M, to: 1000 M, by: " + by + "}\n");
    ASSERT_EQ(file.sweep.blocks.size(), 1U);
    EXPECT_EQ(texts_of(file.sweep.blocks[0]),
              (std::vector<std::string>{"100 M", "400 M", "700 M", "1000 M"}))
        << by;
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(read_sweep(
      "sweep.yaml",
      std::string(kHead) + "axes:\n  - {key: limits.budget, from: 1 K USD, to: 3 K USD, by: 1 K}\n",
      no_file, diagnostics));
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.errors().front().code, lf::kWrongUnit);
}

TEST(SweepReader, TheNumberOfACaseSaysAllOfIt) {
  const SweepFile file = read(std::string(kHead) +
                              "axes:\n  - {key: limits.gpus, values: [8, 16]}\n"
                              "  - {key: seed, from: 1, to: 3, by: 1}\n");
  std::set<std::vector<std::size_t>> seen;
  for (std::int64_t n = 0; n < file.sweep.cases(); ++n) seen.insert(points_of(file.sweep, n));
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ(points_of(file.sweep, 4), (std::vector<std::size_t>{1, 1}));
}

TEST(SweepReader, SeedsAreExactOrRefused) {
  const SweepFile file =
      read(std::string(kHead) +
           "axes:\n  - {key: seed, from: 9007199254740989, to: 9007199254740991, by: 1}\n");
  ASSERT_EQ(file.sweep.blocks.size(), 1U);
  EXPECT_EQ(texts_of(file.sweep.blocks[0]),
            (std::vector<std::string>{"9007199254740989", "9007199254740990", "9007199254740991"}));
  for (const char* axis : {"values: [9007199254740992]", "values: [9007199254740993]",
                           "values: [18446744073709551615]", "values: [1e17]",
                           "from: 1, to: 9007199254740993, steps: 2"}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(read_sweep("sweep.yaml",
                            std::string(kHead) + "axes:\n  - {key: seed, " + axis + "}\n", no_file,
                            diagnostics))
        << axis;
    ASSERT_EQ(diagnostics.size(), 1U) << axis;
    EXPECT_EQ(diagnostics.errors()[0].code, lf::kOutOfRange);
    EXPECT_EQ(diagnostics.errors()[0].where.line, 6U);
  }
}

TEST(SweepReader, ATableOfCasesIsABlockWhoseEmptyCellsLeaveTheScenarioAsItIs) {
  const auto open = [](const std::string&) {
    return Result<std::string>(std::string("limits.gpus,--draws\n8,64\n,128\nnull,128\n"));
  };
  const SweepFile file = read(std::string(kHead) + "cases: cases.csv\n", open);
  ASSERT_EQ(file.sweep.blocks.size(), 1U);
  EXPECT_EQ(file.sweep.targets[1].kind, TargetKind::kOption);
  EXPECT_TRUE(file.sweep.blocks[0].points[1].values[0].is_base);
  EXPECT_TRUE(file.sweep.blocks[0].points[2].values[0].is_blank) << "which takes the key out";
}

TEST(SweepReader, ATableOfCasesThatIsNoneIsRefusedInItsOwnFileWithAHint) {
  const std::vector<std::string> tables{"",
                                        "limits.gpus\n",
                                        "limits.gpus\n\"8\n",
                                        "limits.gpus,seed\n8\n",
                                        "no.such.key\n8\n",
                                        "limits.gpus,limits.gpus\n8,8\n",
                                        "limits.gpus;seed\n8;1\n",
                                        "limits.gpus\n\xff\n"};
  for (const std::string& table : tables) {
    Diagnostics diagnostics;
    const auto sweep = read_sweep(
        "sweep.yaml", std::string(kHead) + "cases: c.csv\n",
        [&](const std::string&) -> Result<std::string> { return table; }, diagnostics);
    EXPECT_FALSE(sweep.has_value()) << table;
    for (const Error& error : diagnostics.errors()) {
      EXPECT_FALSE(error.hint.empty()) << table << ": " << error.message;
      EXPECT_GT(error.where.line, 0U) << table << ": " << error.message;
    }
  }
}

TEST(SweepReader, EveryBrokenSweepIsRefusedAtItsLineWithAHint) {
  const auto complaints = [](const std::string& file, const std::string& text) {
    Diagnostics diagnostics;
    const auto sweep = read_sweep(file, text, no_file, diagnostics);
    EXPECT_EQ(sweep.has_value(), diagnostics.empty());
    for (const Error& error : diagnostics.errors())
      EXPECT_FALSE(error.hint.empty()) << file << ": " << error.message;
    return diagnostics;
  };
  broken::expect_all_refused(std::filesystem::path(LF_SOURCE_DIR) / "tests/broken/sweep",
                             complaints, {}, {.files = 40, .kinds_of_damage = 12});
}

}  // namespace
}  // namespace loadfactor::sweep
