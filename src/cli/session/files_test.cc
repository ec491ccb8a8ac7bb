#include "cli/session/files.h"

#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("files-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(WriteFileTest, AFileIsReplacedWholeAndNothingIsLeftBeside) {
  ASSERT_TRUE(write_file(path("a.txt"), "old and long"));
  ASSERT_TRUE(write_file(path("a.txt"), "new"));
  EXPECT_EQ(*read_file(path("a.txt")), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFileTest, WhoMayReadItStays) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  fs::permissions(path("a.txt"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(path("a.txt"), "new"));
  EXPECT_EQ(fs::status(path("a.txt")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(WriteFileTest, ALinkStaysALink) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  fs::create_symlink("a.txt", path("link.txt"));
  ASSERT_TRUE(write_file(path("link.txt"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(*read_file(path("a.txt")), "new");
}

TEST_F(WriteFileTest, WhereThereIsNoRoomTheOldFileStays) {
  ASSERT_TRUE(write_file(path("a.txt"), "old"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_file(path("a.txt"), std::string(100'000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(written);
  EXPECT_EQ(*read_file(path("a.txt")), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WriteFileTest, AFolderThatIsNotThereIsSaid) {
  const auto written = write_file(path("no/such/a.txt"), "new");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace loadfactor::cli
