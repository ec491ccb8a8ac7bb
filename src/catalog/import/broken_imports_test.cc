// Every importer refuses a folder of broken files, each at the expected line with the expected
// code, and a few files too large to be kept.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "catalog/import/hf_config.h"
#include "catalog/import/prices/litellm_prices.h"
#include "catalog/import/prices/skypilot_prices.h"
#include "catalog/import/safetensors.h"
#include "tests/broken/broken_inputs.h"

namespace loadfactor::catalog {
namespace {

using broken::BrokenInput;

constexpr std::size_t kTenMegabytes = 10'000'000;

std::filesystem::path folder(const char* name) {
  return std::filesystem::path(LF_SOURCE_DIR) / "tests" / "broken" / name;
}

// Nothing may come back beside an error.
template <typename T>
void expect_nothing_beside_errors(const std::optional<T>& result, const Diagnostics& diagnostics) {
  EXPECT_EQ(result.has_value(), diagnostics.empty());
}

Diagnostics read_config(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  expect_nothing_beside_errors(import_hf_config({file, text}, {}, diagnostics), diagnostics);
  return diagnostics;
}

TEST(BrokenImportsTest, HuggingFaceConfigsAreRefused) {
  const std::string begin = "{\"model_type\":\"llama\",\n";
  broken::expect_all_refused(
      folder("hf_config"), read_config,
      {BrokenInput{"ten-megabytes-of-text.json", "too large", 0, 508,
                   begin + "\"hidden_size\":\"" + std::string(kTenMegabytes, 'x') + "\"}"},
       BrokenInput{"a-megabyte-of-brackets.json", "deep nesting", 1, 507,
                   std::string(kTenMegabytes / 10, '[')},
       BrokenInput{"too-many-layer-types.json", "contradiction", 2, 209,
                   begin.substr(0, 1) +
                       "\"model_type\":\"gpt_oss\",\"hidden_size\":64,\"num_hidden_layers\":2,"
                       "\"num_attention_heads\":8,\n\"layer_types\":[" +
                       [] {
                         std::string items;
                         for (int i = 0; i < 100'000; ++i) items += "1,";
                         return items + "1";
                       }() +
                       "]}"}});
}

Diagnostics read_checkpoint(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  if (file.ends_with(".safetensors")) {
    const auto header = parse_safetensors_header({file, text, std::nullopt}, diagnostics);
    expect_nothing_beside_errors(header, diagnostics);
  } else {
    expect_nothing_beside_errors(parse_safetensors_index(file, text, diagnostics), diagnostics);
  }
  return diagnostics;
}

TEST(BrokenImportsTest, SafetensorsFilesAreRefused) {
  const std::string begin = "{\"metadata\":{\"total_size\":1},\n\"weight_map\":{\"";
  broken::expect_all_refused(folder("safetensors_index"), read_checkpoint,
                             {BrokenInput{"ten-megabytes-of-name.json", "too large", 2, 508,
                                          begin + std::string(kTenMegabytes, 'x') + "\":\"a\"}}"},
                              BrokenInput{"ten-megabytes-of-brackets.json", "deep nesting", 1, 507,
                                          std::string(kTenMegabytes, '[')}});
}

Diagnostics read_price_map(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  LiteLlmInput input{.file = file, .text = text, .as_of = "2026-08-08", .today = "2026-09-01"};
  expect_nothing_beside_errors(import_litellm_prices(std::move(input), diagnostics), diagnostics);
  return diagnostics;
}

TEST(BrokenImportsTest, PriceMapsAreRefused) {
  broken::expect_all_refused(
      folder("price_json"), read_price_map,
      {BrokenInput{
           "ten-megabytes-of-provider.json", "too large", 0, 508,
           "{\"toy\":\n{\"litellm_provider\":\"" + std::string(kTenMegabytes, 'x') + "\"}}"},
       BrokenInput{"ten-megabytes-of-digits.json", "too large", 0, 508,
                   "{\"toy\":{\"litellm_provider\":\"p\",\n\"input_cost_per_token\":" +
                       std::string(kTenMegabytes, '7') + "}}"}});
}

std::optional<NamedAccelerator> find_accelerator(std::string_view name) {
  if (name == "H100") return NamedAccelerator{"h100-sxm", true};
  if (name == "L4") return NamedAccelerator{"l4", false};
  return std::nullopt;
}

Diagnostics read_price_list(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  const auto prices =
      import_skypilot_prices({{.file = file, .text = text, .cloud = "", .as_of = "2026-08-22"}},
                             find_accelerator, diagnostics);
  expect_nothing_beside_errors(prices, diagnostics);
  return diagnostics;
}

TEST(BrokenImportsTest, PriceListsAreRefused) {
  const std::string header =
      "Cloud,InstanceType,AcceleratorName,AcceleratorCount,Region,Price,SpotPrice\n";
  broken::expect_all_refused(
      folder("price_csv"), read_price_list,
      {BrokenInput{"ten-megabytes-of-instance.csv", "too large", 2, 508,
                   header + "aws," + std::string(kTenMegabytes, 'x') + ",H100,8,r,55,\n"},
       BrokenInput{"thousands-of-commas.csv", "ragged row", 2, 514,
                   header + std::string(100'000, ',') + "\n"}});
}

}  // namespace
}  // namespace loadfactor::catalog
