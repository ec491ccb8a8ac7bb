#include "web/wire/head.h"

#include <string>

#include <gtest/gtest.h>

namespace loadfactor::web {
namespace {

std::string with(const std::string& line, const std::string& headers = "") {
  return line + "\r\nHost: localhost:8765\r\n" + headers + "\r\n";
}

int status_of(const std::string& text) {
  const auto parsed = parse_head(text);
  const auto* fault = std::get_if<HeadFault>(&parsed);
  return fault == nullptr ? 200 : fault->status;
}

TEST(HeadTest, ReadsMethodPathAndQuery) {
  const auto parsed = parse_head(with("GET /a%20b/c?set=x%3D1+2&flag HTTP/1.1", "Accept: */*\r\n"));
  const auto& head = std::get<Head>(parsed);
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.path, "/a b/c");
  ASSERT_EQ(head.query.size(), 2U);
  EXPECT_EQ(head.query[0].first, "set");
  EXPECT_EQ(head.query[0].second, "x=1 2");
  EXPECT_EQ(head.query[1].first, "flag");
  EXPECT_EQ(head.query[1].second, "");
  EXPECT_EQ(find_pair(head.headers, "accept"), "*/*");
}

TEST(HeadTest, KnowsHowLongABodyIs) {
  const auto length = parse_head(with("POST / HTTP/1.1", "Content-Length: 12\r\n"));
  EXPECT_EQ(std::get<Head>(length).length, 12U);
  const auto chunks = parse_head(with("POST / HTTP/1.1", "Transfer-Encoding: Chunked\r\n"));
  EXPECT_TRUE(std::get<Head>(chunks).is_chunked);
}

TEST(HeadTest, RefusesWhatTwoProgramsCouldReadDifferently) {
  EXPECT_EQ(
      status_of(with("POST / HTTP/1.1", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")),
      400);
  EXPECT_EQ(status_of(with("POST / HTTP/1.1", "Content-Length: 1\r\ncontent-length: 1\r\n")), 400);
  EXPECT_EQ(status_of(with("POST / HTTP/1.1", "Content-Length: 0x1\r\n")), 400);
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", "A : b\r\n")), 400);
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", "A: b\r\n c\r\n")), 400);
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", "A: b\n")), 400);
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", "A: b\rc\r\n")), 400);
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", "Host: other\r\n")), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of(with("GET  / HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /\t HTTP/1.1")), 400);
}

TEST(HeadTest, RefusesPathsThatGoUp) {
  EXPECT_EQ(status_of(with("GET /a/../b HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /a/%2E%2e HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /a/.. HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /a%00 HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /a%5Cb HTTP/1.1")), 400);
  EXPECT_EQ(status_of(with("GET /a..b/...c HTTP/1.1")), 200);
}

TEST(HeadTest, HasARefusalOfItsOwnForEachKind) {
  EXPECT_EQ(status_of(with("GET / HTTP/1.0")), 505);
  EXPECT_EQ(status_of(with("BREW / HTTP/1.1")), 405);
  EXPECT_EQ(status_of(with("POST / HTTP/1.1")), 411);
  EXPECT_EQ(status_of(with("GET /" + std::string(kLongestTarget, 'a') + " HTTP/1.1")), 414);
  EXPECT_EQ(status_of(with("POST / HTTP/1.1", "Content-Length: 1\r\nContent-Encoding: br\r\n")),
            415);
  std::string many;
  for (std::size_t i = 0; i < kMostHeaders; ++i) many += "A: b\r\n";
  EXPECT_EQ(status_of(with("GET / HTTP/1.1", many)), 431);
}

TEST(HeadTest, DecodesOnlyWhatIsWhole) {
  EXPECT_EQ(decode("%41%6a", false), "Aj");
  EXPECT_EQ(decode("a+b", false), "a+b");
  EXPECT_EQ(decode("%4", false), std::nullopt);
  EXPECT_EQ(decode("%", true), std::nullopt);
  EXPECT_EQ(decode("%0a", true), std::nullopt);
}

}  // namespace
}  // namespace loadfactor::web
