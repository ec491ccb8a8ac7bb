#include "cli/live_page.h"

#include <gtest/gtest.h>

namespace loadfactor::cli {
namespace {

TEST(LivePage, HoldsEngineAndQuestionAtTheEndOfTheBody) {
  const std::string page = with_engine("<body>figures</body></html>", "<script>engine</script>\n",
                                       "{\"verb\": \"plan\"}", {});
  EXPECT_EQ(page,
            "<body>figures<script type=\"application/json\" id=\"engine-question\">{\"verb\": "
            "\"plan\"}</script>\n"
            "<script type=\"text/plain\" id=\"engine-files\"></script>\n"
            "<script>engine</script>\n</body></html>");
}

TEST(LivePage, NothingInTheQuestionEndsItsScript) {
  const std::string page = with_engine("<body></body>", "", "\"</script><b>\"", {});
  EXPECT_NE(page.find("\"\\u003c/script>\\u003cb>\"</script>"), std::string::npos);
}

TEST(LivePage, CarriesWhatLiesOverTheCatalogue) {
  const std::string page =
      with_engine("<body></body>", "", "{}",
                  {{.path = "models/a.yaml", .shown_as = "my/a.yaml", .text = "name: a\n"}});
  EXPECT_NE(page.find(">bW9kZWxzL2EueWFtbA== bXkvYS55YW1s bmFtZTogYQo=\n</script>"),
            std::string::npos);
}

}  // namespace
}  // namespace loadfactor::cli
