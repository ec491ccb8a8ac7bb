// Claim files: what is read, where it stood, and what is refused.
#include "audit/claim.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::audit {
namespace {

struct Read {
  std::optional<config::Document> document;
  std::vector<Claim> claims;
  Diagnostics diagnostics;
};

// The claims point into the document, which therefore stays where it is.
void read_into(Read& read, const std::string& text) {
  auto parsed = config::parse_yaml("claim.yaml", text);
  ASSERT_TRUE(parsed.has_value()) << text;
  read.document = *std::move(parsed);
  read.claims = read_claims(*read.document, read.diagnostics);
}

TEST(ClaimTest, FiguresComeInBaseUnitsWithTheirLines) {
  Read read;
  read_into(read,
            "schema: claim/1\n"
            "claim: power\n"
            "power: {rack: 30 kW}\n"
            "training: {duration: 30 days, mfu: 40 %}\n"
            "model: {params: 70 B, precision: fp8}\n");
  ASSERT_EQ(read.claims.size(), 1U) << render(read.diagnostics);
  const Claim& claim = read.claims[0];
  EXPECT_DOUBLE_EQ(claim[Figure::kRackPower]->value, 30e3);
  EXPECT_EQ(claim[Figure::kRackPower]->position.line, 3U);
  EXPECT_DOUBLE_EQ(claim[Figure::kDuration]->value, 30 * 86400.0);
  EXPECT_DOUBLE_EQ(claim[Figure::kMfu]->value, 0.4);
  EXPECT_DOUBLE_EQ(claim[Figure::kParameters]->value, 70e9);
  EXPECT_EQ(claim.dtype, catalog::Dtype::kFp8);
  EXPECT_FALSE(claim[Figure::kGpus].has_value());
}

TEST(ClaimTest, AFileHoldsOneClaimOrSeveral) {
  Read read;
  read_into(read,
            "schema: claims/1\n"
            "claims:\n"
            "  - {claim: one, hardware: {gpus: 8}}\n"
            "  - {claim: two, hardware: {gpus: 16}}\n");
  ASSERT_EQ(read.claims.size(), 2U) << render(read.diagnostics);
  EXPECT_EQ(read.claims[0].name, "one");
  EXPECT_EQ(read.claims[1][Figure::kGpus]->value, 16);
}

TEST(ClaimTest, MistakesAreRefusedAtTheirPlace) {
  const struct {
    const char* line;
    int code;
  } mistakes[] = {
      {"power: {rack: 30}\n", lf::kMissingUnit},
      {"power: {racks: 30 kW}\n", lf::kUnknownKey},
      {"hardware: {gpus: 0}\n", lf::kOutOfRange},
      {"model: {precision: fp99}\n", lf::kUnknownWord},
      {"layout: {zero: 4}\n", lf::kOutOfRange},
      {"layout: {tp: 1e300}\n", lf::kOutOfRange},
      {"money: {price_per_gpu_hour: 1e308 USD/GPU-hour}\n", lf::kOutOfRange},
      {"money: {price_per_gpu_hour: 1e-300 USD/GPU-hour}\n", lf::kOutOfRange},
  };
  for (const auto& mistake : mistakes) {
    Read read;
    read_into(read, std::string("schema: claim/1\nclaim: wrong\n") + mistake.line);
    EXPECT_TRUE(read.claims.empty()) << mistake.line;
    ASSERT_EQ(read.diagnostics.size(), 1U) << mistake.line << render(read.diagnostics);
    EXPECT_EQ(read.diagnostics.errors().front().code, mistake.code) << mistake.line;
    EXPECT_EQ(read.diagnostics.errors().front().where.line, 3U) << mistake.line;
  }
}

}  // namespace
}  // namespace loadfactor::audit
