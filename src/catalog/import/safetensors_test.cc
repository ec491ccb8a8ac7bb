#include "catalog/import/safetensors.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::catalog {
namespace {

std::string with_length(const std::string& json) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((json.size() >> (8 * i)) & 0xffU);
  return bytes + json;
}

std::optional<SafetensorsHeader> parse(const std::string& bytes, Diagnostics& diagnostics,
                                       std::optional<std::int64_t> size = std::nullopt) {
  return parse_safetensors_header({"model.safetensors", bytes, size}, diagnostics);
}

int refused(const std::string& json, std::optional<std::int64_t> size = std::nullopt) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse(with_length(json), diagnostics, size).has_value());
  return diagnostics.empty() ? 0 : diagnostics.errors().front().code;
}

constexpr const char* kTwoTensors =
    R"({"__metadata__":{"format":"pt"},
        "b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]},
        "a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})";

TEST(SafetensorsHeaderTest, ReadsTensorsAndTheirBytes) {
  Diagnostics diagnostics;
  const std::string bytes = with_length(kTwoTensors);
  const auto header = parse(bytes, diagnostics, static_cast<std::int64_t>(bytes.size()) + 20);
  ASSERT_TRUE(header.has_value()) << render(diagnostics);
  ASSERT_EQ(header->tensors.size(), 2U);
  EXPECT_EQ(header->data_bytes, 20);
  EXPECT_EQ(header->tensors[1].elements(), 6);
  EXPECT_EQ(header->tensors[1].bytes(), 12);
}

TEST(SafetensorsHeaderTest, NeedsItsLengthAndAllOfItself) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse("abc", diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().back().code, lf::kSyntax);
  EXPECT_FALSE(parse(with_length(kTwoTensors).substr(0, 40), diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().back().code, lf::kSyntax);
  EXPECT_FALSE(parse(std::string(8, '\xff'), diagnostics).has_value());
  EXPECT_EQ(diagnostics.errors().back().code, lf::kTooLarge);
}

TEST(SafetensorsHeaderTest, HoldsOffsetsAgainstShapes) {
  EXPECT_EQ(refused(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,5]}})"),
            lf::kChecksumMismatch);
  EXPECT_EQ(refused(R"({"a":{"dtype":"BF16","shape":[2],"data_offsets":[4,0]}})"), lf::kOutOfRange);
  EXPECT_EQ(refused(R"({"a":{"dtype":"Q9","shape":[2],"data_offsets":[0,4]}})"), lf::kUnknownWord);
  EXPECT_EQ(refused(R"({"a":{"shape":[2],"data_offsets":[0,4]}})"), lf::kMissingKey);
  EXPECT_EQ(refused(R"({"a":{"dtype":"U8","shape":[70368744177664,70368744177664],
                        "data_offsets":[0,4]}})"),
            lf::kAbsurdMagnitude);
}

TEST(SafetensorsHeaderTest, RefusesGapsOverlapsAndMissingData) {
  EXPECT_EQ(refused(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},
                        "b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})"),
            lf::kChecksumMismatch);
  EXPECT_EQ(refused(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},
                        "b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})"),
            lf::kChecksumMismatch);
  EXPECT_EQ(refused(kTwoTensors, 60), lf::kChecksumMismatch);
}

TEST(SafetensorsIndexTest, ReadsSizeAndShards) {
  Diagnostics diagnostics;
  const auto index = parse_safetensors_index(
      "index.json",
      R"({"metadata":{"total_size":16060522496},"weight_map":{"lm_head.weight":"model-4.st"}})",
      diagnostics);
  ASSERT_TRUE(index.has_value()) << render(diagnostics);
  EXPECT_EQ(index->total_size, 16'060'522'496);
  EXPECT_EQ(index->weight_map.at("lm_head.weight"), "model-4.st");
  EXPECT_FALSE(index->total_parameters.has_value());
}

TEST(SafetensorsIndexTest, NeedsBothItsParts) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_safetensors_index("i", R"({"weight_map":{"a":"b"}})", diagnostics));
  EXPECT_EQ(diagnostics.errors().back().code, lf::kMissingKey);
  EXPECT_FALSE(parse_safetensors_index("i", R"({"metadata":{"total_size":1}})", diagnostics));
  EXPECT_EQ(diagnostics.errors().back().code, lf::kMissingKey);
  EXPECT_FALSE(parse_safetensors_index("i", R"({"metadata":{"total_size":1},"weight_map":{}})",
                                       diagnostics));
  EXPECT_EQ(diagnostics.errors().back().code, lf::kNothingUsable);
}

}  // namespace
}  // namespace loadfactor::catalog
