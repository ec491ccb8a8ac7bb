// Bad rows of a table of results are named by their line, and the rest is scored.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "cli/testing/folder.h"
#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;
using testing::says;

std::string row(const std::string& id, const std::string& tp, const std::string& isl,
                const std::string& value) {
  return id + ",llama-3.1-8b,h100-sxm,1," + tp + ",bf16," + isl + ",200,16,tpot_ms," + value +
         ",vLLM,0.11.0,closed loop\n";
}

std::string table(const std::string& rows) {
  std::string path = ::testing::TempDir() + "lf_rows.csv";
  std::ofstream(path) << "id,model,accelerator,gpus,tp,precision,isl,osl,batch_or_concurrency,"
                         "metric,value,engine,engine_version,notes\n"
                      << rows;
  return path;
}

TEST(ValidateRowsTest, BadRowsAreNamedByLineAndTheRestIsScored) {
  const auto outcome = loadfactor(
      {"validate", "--inference",
       table(row("a-1", "1", "1000", "9") + row("a-2", "1", "", "9") +
             row("a-3", "3", "1000", "9") + row("a-4", "1", "1000", "1e300") +
             row("a-1", "1", "1000", "9") + "a-6,llama-3.1-8b\n" + row("a-7", "1", "1000", "8"))});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"2 of 7 published results scored", "5 dropped, with the reasons below", "line 3 (a-2)",
        "line 4 (a-3)", "line 5 (a-4)", "its id is that of line 2", "(line 7)"})
    EXPECT_TRUE(says(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST(ValidateRowsTest, ATableOfBadRowsAloneIsRefusedWithTheirReasons) {
  const auto outcome =
      loadfactor({"validate", "--inference", table(row("a-1", "1", "", "9") + "short,row\n")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(says(outcome.err, "line 2 (a-1): isl is missing")) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "line 3: this row has 2 cells")) << outcome.err;
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The line that a table says of a word, such as `ttft` or `all`.
std::string line_of(const std::string& table, const std::string& begin) {
  const auto at = table.find("\n" + begin);
  return at == std::string::npos ? "" : table.substr(at + 1, table.find('\n', at + 1) - at - 1);
}

TEST(ValidateRowsTest, WithoutAFileTheTableIsComputedFromTheRowsThatShip) {
  const auto shipped = loadfactor({"validate", "--inference"});
  ASSERT_EQ(shipped.status, 0) << shipped.err;
  EXPECT_TRUE(says(shipped.out, "published results that ship scored")) << shipped.out;
  EXPECT_TRUE(says(shipped.out, "Stored, not computed here")) << shipped.out;
  // Half of the rows, from an overlay.
  const std::string folder = ::testing::TempDir() + "lf_overlay";
  std::filesystem::create_directories(folder + "/published");
  std::string rows = text_of(std::string(LF_SOURCE_DIR) + "/data/published/serving.csv");
  const std::string half = rows.substr(0, rows.find('\n', rows.size() / 2) + 1);
  std::ofstream(folder + "/published/serving.csv") << half;
  const auto other = loadfactor({"validate", "--inference", "--catalog", folder});
  ASSERT_EQ(other.status, 0) << other.err;
  for (const char* of : {"all ", "throughput "}) {
    EXPECT_NE(line_of(shipped.out, of), "") << of;
    EXPECT_NE(line_of(shipped.out, of), line_of(other.out, of)) << of;
  }
}

TEST(ValidateRowsTest, AnUnknownEngineIsToldTheEngines) {
  const std::string path = ::testing::TempDir() + "lf_engine.yaml";
  std::ofstream(path) << "loadfactor: 1\nname: x\nserve:\n  model: llama-3.1-8b\n"
                         "  deployment: {gpu: h100-sxm, engine: foo}\n";
  const auto outcome = loadfactor({"serve", path});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("tensorrt-llm"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace loadfactor::cli
