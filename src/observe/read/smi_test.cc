// Logs of nvidia-smi and rocm-smi that tell no times.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "observe/read/readers.h"

namespace loadfactor::observe {
namespace {

// Times of what was 50 % or less, in the order in which they are told.
class Times final : public SampleSink {
 public:
  int series(std::string_view metric, const Labels& /*labels*/) override {
    return metric.find("use") != std::string_view::npos || metric.starts_with("util") ? 0 : -1;
  }
  void sample(int /*series*/, double time, double value) override {
    if (value <= 50) told.push_back(time);
  }
  std::vector<double> told;
};

// `while sleep 30; do rocm-smi --showuse --csv; done >> log`
TEST(SmiTable, AHeaderThatIsRepeatedBeginsAnotherLook) {
  std::string text;
  for (int look = 0; look < 3; ++look)
    text += fmt::format("device,GPU use (%)\ncard0,{}\ncard1,90\n\n", 10 * look);
  Times times;
  ASSERT_TRUE(read_smi_table({"rocm.csv", text}, 1000, times, 30));
  EXPECT_EQ(looks_of_smi_table({"rocm.csv", text}), 3U);
  EXPECT_EQ(times.told, (std::vector<double>{940, 970, 1000}));
}

TEST(SmiTable, ALogWithTimesThatIsStartedAnewKeepsThem) {
  const std::string head = "timestamp, index, utilization.gpu [%]\n";
  const std::string text =
      head + "2026/11/10 00:00:00.000, 0, 10 %\n" + head + "2026/11/10 00:05:00.000, 0, 20 %\n";
  Times times;
  ASSERT_TRUE(read_smi_table({"smi.csv", text}, 0, times));
  ASSERT_EQ(times.told.size(), 2U);
  EXPECT_EQ(times.told[1] - times.told[0], 300);
}

TEST(SmiTable, ARowThatIsRepeatedWithoutAHeaderCannotBeToldFromTheFirst) {
  Times times;
  EXPECT_FALSE(
      read_smi_table({"rocm.csv", "device,GPU use (%)\ncard0,10\ncard0,20\n"}, 1000, times));
}

}  // namespace
}  // namespace loadfactor::observe
