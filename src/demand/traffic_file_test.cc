#include "demand/traffic_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "demand/generate.h"

namespace loadfactor::demand {
namespace {

TEST(TrafficFileTest, EveryPresetReadsBackAsItWasWritten) {
  int presets = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(LF_SOURCE_DIR) + "/data/demand")) {
    std::ifstream stream(entry.path());
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    Diagnostics diagnostics;
    const auto model = read_traffic(entry.path().filename().string(), text, diagnostics);
    ASSERT_TRUE(model) << render(diagnostics);
    EXPECT_EQ(model->name, entry.path().stem().string());
    const auto again = read_traffic("again", traffic_yaml(*model), diagnostics);
    ASSERT_TRUE(again) << render(diagnostics);
    EXPECT_NEAR(expected_rate(*again) / expected_rate(*model), 1, 1e-3);
    EXPECT_EQ(again->input.components.size(), model->input.components.size());
    EXPECT_LE(count_numbers(*model), 30) << model->name;
    EXPECT_GT(generate(*model, 1, Seconds::from_base(4000 / model->base.base())).size(), 100U)
        << model->name;
    ++presets;
  }
  EXPECT_GE(presets, 8);
}

TEST(TrafficFileTest, MistakesPointAtTheirLine) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_traffic(
      "t.yaml", "schema: traffic/1\nname: x\nrequests_per_second: -1\nfoo: 2\n", diagnostics));
  ASSERT_GE(diagnostics.size(), 3U);  // Negative rate, lengths missing, unknown key.
  EXPECT_EQ(diagnostics.errors().front().where.line, 3U);
}

}  // namespace
}  // namespace loadfactor::demand
