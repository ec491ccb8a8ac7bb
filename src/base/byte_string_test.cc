#include "base/byte_string.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(ByteString, WhatIsPutInIsTakenOutInTheSameOrder) {
  std::string bytes;
  put_value(bytes, 2.5);
  put_list(bytes, std::vector<int>{3, 1, 2});
  put_list(bytes, std::vector<double>{});
  put_value(bytes, true);
  std::string_view rest = bytes;
  EXPECT_EQ(take_value<double>(rest), 2.5);
  EXPECT_EQ(take_list<int>(rest), (std::vector<int>{3, 1, 2}));
  EXPECT_TRUE(take_list<double>(rest).empty());
  EXPECT_TRUE(take_value<bool>(rest));
  EXPECT_TRUE(rest.empty());
}

TEST(ByteString, BytesThatEndTooEarlyGiveZerosAndNoMoreValuesThanTheyHold) {
  std::string bytes;
  put_list(bytes, std::vector<std::uint64_t>{7, 8, 9});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest = std::string_view(bytes).substr(0, size);
    const auto values = take_list<std::uint64_t>(rest);
    EXPECT_EQ(values.size(), size < 16 ? 0 : size / 8 - 1) << size;
    EXPECT_EQ(take_value<double>(rest), 0) << size;
    EXPECT_TRUE(rest.empty()) << size;
  }
}

}  // namespace
}  // namespace loadfactor
