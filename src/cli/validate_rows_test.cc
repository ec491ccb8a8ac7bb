// Bad rows of a table of results are named by their line, and the rest is scored.
#include <fstream>
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
