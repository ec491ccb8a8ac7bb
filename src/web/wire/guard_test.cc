#include "web/wire/guard.h"

#include <gtest/gtest.h>

namespace loadfactor::web {
namespace {

Door loopback() {
  return {.port = 8765};
}

int status_of(const Door& door, Pairs headers, std::string path = "/api/v1/status") {
  Call call{.method = "GET", .path = std::move(path), .headers = std::move(headers)};
  const auto refused = refuse_stranger(call, door);
  return refused ? refused->status : 200;
}

TEST(GuardTest, TheLoopbackServerGoesByThreeNames) {
  for (const char* host : {"127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"})
    EXPECT_EQ(status_of(loopback(), {{"host", host}}), 200) << host;
  for (const char* host : {"evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil:8765",
                           "localhost.:8765", "10.0.0.5:8765", ":8765", ""})
    EXPECT_EQ(status_of(loopback(), {{"host", host}}), 403) << host;
}

TEST(GuardTest, AWildcardAddressGoesByNumbersAndByGivenNames) {
  const Door door{.address = "0.0.0.0", .port = 80, .hostnames = {"planner.example"}, .token = ""};
  for (const char* host : {"10.0.0.5", "10.0.0.5:80", "planner.example", "planner.example:443"})
    EXPECT_EQ(status_of(door, {{"host", host}}), 200) << host;
  EXPECT_EQ(status_of(door, {{"host", "evil.example"}}), 403);
}

TEST(GuardTest, AnotherOriginIsRefused) {
  const auto with = [](const char* origin) {
    return status_of(loopback(), {{"host", "localhost:8765"}, {"origin", origin}});
  };
  EXPECT_EQ(with("http://localhost:8765"), 200);
  EXPECT_EQ(with("http://127.0.0.1:8765"), 403);  // A page of the other name is another's.
  EXPECT_EQ(with("http://localhost"), 403);
  EXPECT_EQ(with("null"), 403);
}

TEST(GuardTest, ALinkFromElsewhereOpensAPageAndAsksNothing) {
  const Pairs headers{{"host", "localhost:8765"}, {"sec-fetch-site", "cross-site"}};
  EXPECT_EQ(status_of(loopback(), headers, "/fill"), 200);
  EXPECT_EQ(status_of(loopback(), headers), 403);
}

TEST(GuardTest, TheTokenIsNeededWholeAndForTheInterfaceAlone) {
  Door door = loopback();
  door.token = "0123456789abcdef";
  const auto with = [&](const std::string& given) {
    return status_of(door, {{"host", "localhost:8765"}, {"authorization", given}});
  };
  EXPECT_EQ(with("Bearer 0123456789abcdef"), 200);
  for (const char* wrong :
       {"", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "0123456789abcdef",
        "Basic 0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef"})
    EXPECT_EQ(with(wrong), 401) << wrong;
  EXPECT_EQ(status_of(door, {{"host", "localhost:8765"}}, "/"), 200);
}

TEST(GuardTest, KnowsWhichAddressesStayInTheMachine) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.8.8.8"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("127.evil.example"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("10.0.0.5"));
}

}  // namespace
}  // namespace loadfactor::web
