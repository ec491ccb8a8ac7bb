// The catalogue that ships: every file, every rule, and names as people write them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/index/model_name.h"
#include "config/csv.h"
#include "config/foreign_yaml.h"
#include "config/plain_yaml.h"
#include "config/testing/same_tree.h"

namespace loadfactor::catalog {
namespace {

class BuiltinCatalogTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Diagnostics diagnostics;
    // No fact may be younger than the catalogue; move this on when facts are added.
    catalog_ = new Catalog(Catalog::load(builtin_files(), diagnostics, "2026-11-30"));
    faults_ = render(diagnostics);
  }
  static void TearDownTestSuite() {
    delete catalog_;
    catalog_ = nullptr;
  }

  static std::string gpu(std::string_view name) {
    const auto found = catalog_->find_accelerator(name);
    return found ? (*found)->name : "LF" + std::to_string(found.error().code);
  }
  static std::string model(std::string_view name) {
    const auto found = catalog_->find_model(name);
    return found ? (*found)->name : "LF" + std::to_string(found.error().code);
  }

  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): read once for all tests.
  inline static Catalog* catalog_ = nullptr;
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  inline static std::string faults_;
};

TEST(BuiltinFilesTest, NearlyAllAreReadInOnePassAndAreTheTreesOfYamlCpp) {
  int files = 0;
  int taken = 0;
  for (const DataFile& file : builtin_files()) {
    if (!file.path.ends_with(".yaml")) continue;
    ++files;
    const config::LineIndex lines(file.text);
    config::TreeBuilder builder(file.text, lines, config::kYamlLimits);
    if (!config::read_plain_yaml(file.text, builder)) continue;
    ++taken;
    const auto document = config::parse_foreign_yaml(file.path, file.text);
    ASSERT_TRUE(document.has_value()) << file.path;
    EXPECT_TRUE(config::is_same_tree(document->root, builder.take_root())) << file.path;
  }
  EXPECT_GT(taken, 0.8 * files);
}

TEST_F(BuiltinCatalogTest, EveryFileIsWithoutFault) {
  EXPECT_EQ(faults_, "");
}

// Each was wrong once, where sources give sparse, usable or neighbouring figures.
TEST_F(BuiltinCatalogTest, FactsThatAreOftenTakenFromTheWrongLineAreRight) {
  using namespace literals;
  const auto chip = [](std::string_view name) { return **catalog_->find_accelerator(name); };
  EXPECT_EQ(chip("gb200-nvl72").compute.units, 152);
  EXPECT_EQ(chip("gb300-nvl72").compute.units, 152);
  EXPECT_EQ(chip("b300").memory.nominal, 288_GB);
  EXPECT_EQ(chip("a100-80gb-pcie").memory.bandwidth, 1935_GBps);
  EXPECT_EQ(chip("mi300x").compute.l2, 32_MB);
  EXPECT_EQ((*catalog_->find_fabric("neuronlink-v4"))->max_domain, 144);
  for (const auto* name : {"glm-4.6", "glm-4.7"})
    EXPECT_EQ((*catalog_->find_model(name))->context, 202752) << name;
  const auto rate = [&](std::string_view name) {
    return chip(name).arithmetic.rate(Dtype::kFp8) / FlopsPerSecond::from_base(1.0);
  };
  EXPECT_GT(rate("mi355x"), rate("mi350x"));
}

TEST_F(BuiltinCatalogTest, TheFieldIsCovered) {
  EXPECT_GE(catalog_->accelerators().size(), 40U);
  EXPECT_GE(catalog_->models().size(), 70U);
  EXPECT_GE(catalog_->nodes().size(), 30U);
  EXPECT_GE(catalog_->fabrics().size(), 25U);
  EXPECT_GE(catalog_->regions().size(), 20U);
  EXPECT_GE(catalog_->prices().rent.size(), 100U);
  EXPECT_GE(catalog_->prices().api.size(), 100U);
  EXPECT_GE(catalog_->prices().capex.size(), 10U);
  EXPECT_GE(catalog_->prices().history.size(), 500U);
  EXPECT_GE(catalog_->sources().size(), 50U);
}

TEST_F(BuiltinCatalogTest, StableNamesExist) {
  for (const auto* name : {"a100-40gb-sxm", "a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200",
                           "gb200-nvl72", "mi300x", "mi355x", "tpu-v5p"}) {
    EXPECT_EQ(gpu(name), name);
  }
  for (const auto* name : {"gpt3-175b", "llama-3.1-8b", "llama-3.3-70b", "mixtral-8x7b",
                           "qwen3-30b-a3b", "deepseek-v3", "gpt-oss-20b", "qwen2.5-32b"}) {
    EXPECT_EQ(model(name), name);
  }
}

TEST_F(BuiltinCatalogTest, EveryFactHasASourceAndADate) {
  const auto expect_known = [](const Provenance& provenance, const std::string& what) {
    EXPECT_FALSE(provenance.sources.empty()) << what;
    EXPECT_FALSE(provenance.date.empty()) << what;
    EXPECT_FALSE(provenance.file.empty()) << what;
    EXPECT_GT(provenance.line, 0U) << what;
  };
  for (const auto& spec : catalog_->accelerators()) {
    expect_known(spec.memory.provenance, spec.name);
    expect_known(spec.arithmetic.provenance, spec.name);
    expect_known(spec.scale_up.provenance, spec.name);
    expect_known(spec.power.provenance, spec.name);
  }
  for (const auto& spec : catalog_->models()) expect_known(spec.provenance, spec.name);
  for (const auto& spec : catalog_->fabrics()) expect_known(spec.provenance, spec.name);
  for (const auto& spec : catalog_->regions()) expect_known(spec.provenance, spec.name);
  for (const auto& row : catalog_->prices().rent) expect_known(row.provenance, row.accelerator);
  for (const auto& row : catalog_->prices().api) expect_known(row.provenance, row.model_id);
}

// A service would be weighed against the price of another model.
TEST_F(BuiltinCatalogTest, NoOfferOfAVariantIsOneOfThePlainModel) {
  std::size_t mapped = 0;
  for (const auto& row : catalog_->prices().api) {
    if (row.model.empty()) continue;
    ++mapped;
    EXPECT_FALSE(is_other_variant(row.model_id, row.model)) << row.model_id << " " << row.model;
  }
  EXPECT_GT(mapped, 250U);
}

// As the import of a price list would have it.
TEST_F(BuiltinCatalogTest, OffersAreOfTheModelThatTheirNamesFind) {
  for (const auto& row : catalog_->prices().api) {
    const auto found = catalog_->find_model(row.model_id);
    if (!found || row.model.empty()) continue;
    EXPECT_EQ((*found)->name, row.model) << row.model_id;
  }
}

TEST_F(BuiltinCatalogTest, EverySourceIsUsed) {
  // An unused row is a slip of an id somewhere, or a leftover.
  std::set<std::string> used{"user-import"};  // Written by imports.
  const auto use = [&used](const Provenance& provenance) {
    used.insert(provenance.sources.begin(), provenance.sources.end());
  };
  for (const auto& file : builtin_files()) {
    if (file.path == "SOURCES.md") continue;
    for (const auto& source : catalog_->sources()) {
      if (file.text.find(source.id) != std::string::npos) used.insert(source.id);
    }
  }
  for (const auto& row : catalog_->prices().rent) use(row.provenance);
  for (const auto& source : catalog_->sources()) EXPECT_TRUE(used.contains(source.id)) << source.id;
}

TEST_F(BuiltinCatalogTest, EveryNameTitleAndAliasFindsItsOwnEntry) {
  for (const auto& spec : catalog_->accelerators()) {
    EXPECT_EQ(gpu(spec.name), spec.name);
    for (const auto& alias : spec.aliases) EXPECT_EQ(gpu(alias), spec.name) << alias;
  }
  for (const auto& spec : catalog_->models()) {
    EXPECT_EQ(model(spec.name), spec.name);
    // Models that only read are never told what to do.
    const bool answers = spec.causal && spec.embedding.head;
    if (answers) {
      EXPECT_EQ(model(spec.organisation + "/" + spec.name + "-Instruct"), spec.name);
    }
    for (const auto& alias : spec.aliases) EXPECT_EQ(model(alias), spec.name) << alias;
  }
}

struct Spelling {
  std::string_view written;
  std::string_view name;
};

constexpr Spelling kAccelerators[] = {
    {"H100-SXM-80GB", "h100-sxm"},
    {"A100-SXM-80GB", "a100-80gb-sxm"},
    {"GB200", "gb200-nvl72"},
    {"GB300", "gb300-nvl72"},
    {"B200", "b200"},
    {"A100-SXM-40GB", "a100-40gb-sxm"},
    {"H200-SXM-141GB", "h200-sxm"},
    {"B300", "b300"},
    {"H100-SXM-96GB-HBM2e-500W", "h100-96gb-500w"},
    {"TPUv5p", "tpu-v5p"},
    {"TPUv5e", "tpu-v5e"},
    {"TPUv6e(Trillium)", "tpu-v6e"},
    {"TPUv7x(Ironwood)", "tpu-v7x"},
    {"MI300X", "mi300x"},
    {"MI355X", "mi355x"},
    {"Trainium1(trn1.32xl NeuronCore)", "trainium1"},
    {"MI325X", "mi325x"},
    {"TPUv3", "tpu-v3"},
    {"TPUv4", "tpu-v4"},
    {"V100-32GB-DGX2", "v100-32gb-sxm"},
    {"MI350X", "mi350x"},
    {"V100", "v100-32gb-sxm"},
    {"H800", "h800-sxm"},
    {"Gaudi2", "gaudi2"},
    {"L40S", "l40s"},
    {"H200-NVL-141GB", "h200-nvl"},
    {"B200-SXM-180GB", "b200"},
    {"MI300X-192GB", "mi300x"},
    {"L40S-48GB", "l40s"},
    {"GB200-192GB", "gb200-nvl72"},
    {"H100-PCIe-80GB", "h100-pcie"},
    {"RTX-4090-24GB", "rtx-4090"},
    {"RTX-PRO-6000-BSE-96GB", "rtx-pro-6000"},
    {"GB300-288GB", "gb300-nvl72"},
    {"Inferentia2", "inferentia2"},
    {"A40-48GB", "a40"},
    {"TPU-v6e", "tpu-v6e"},
    {"H100-NVL-94GB", "h100-nvl"},
    {"Intel-Arc-B60-24GBx2", "arc-b60"},
    {"MI355X-288GB", "mi355x"},
    {"H800-SXM-80GB", "h800-sxm"},
    {"DGX-Spark-GB10-128GB", "dgx-spark-gb10"},
    {"H100", "h100-sxm"},
    {"h100-80g", "h100-sxm"},
    {"A100", "a100-80gb-sxm"},
    {"A100-PCIe-80GB", "a100-80gb-pcie"},
    {"B300-SXM-288GB", "b300"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"NVIDIA A100-SXM4-80GB", "a100-80gb-sxm"},
    {"AMD Instinct MI300X", "mi300x"},
    {"NVIDIA GeForce RTX 4090", "rtx-4090"},
    {"Tesla V100-SXM2-16GB", "v100-16gb-sxm"},
    {"GB200 NVL72 (per GPU)", "gb200-nvl72"},
    {"TPU7x Ironwood", "tpu-v7x"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000"},
};

TEST_F(BuiltinCatalogTest, AcceleratorsAreFoundAsResultsAndDriversSpellThem) {
  for (const auto& spelling : kAccelerators)
    EXPECT_EQ(gpu(spelling.written), spelling.name) << spelling.written;
}

// Takes the list of aliases out of an entry, so that only the rule is left.
std::string without_aliases(std::string text) {
  const auto at = text.find("\naliases:");
  if (at == std::string::npos) return text;
  return text.erase(at, text.find(']', at) + 1 - at);
}

TEST_F(BuiltinCatalogTest, AcceleratorsAreFoundByRuleWithoutAnyAlias) {
  auto files = builtin_files();
  for (auto& file : files) {
    if (file.path.starts_with("hardware/accelerators/")) file.text = without_aliases(file.text);
  }
  Diagnostics diagnostics;
  const Catalog bare = Catalog::open(std::move(files), diagnostics);
  for (const auto& spelling : kAccelerators) {
    const auto found = bare.find_accelerator(spelling.written);
    ASSERT_TRUE(found.has_value()) << spelling.written << ": " << found.error().message;
    EXPECT_EQ((*found)->name, spelling.name) << spelling.written;
  }
}

TEST_F(BuiltinCatalogTest, AWrongAcceleratorIsNotGuessed) {
  for (const auto* name : {"H100-SMX", "MI300X-SXM", "H100-120GB", "GB200-NVL4", "", "GPU",
                           "NVIDIA", "80GB", "A1000", "H1000"}) {
    EXPECT_EQ(gpu(name), "LF401") << name;
  }
}

TEST_F(BuiltinCatalogTest, ModelsAreFoundAsHubsAndPapersSpellThem) {
  constexpr Spelling kModels[] = {
      {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
      {"Llama-3.1-8B", "llama-3.1-8b"},
      {"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "llama-3.1-8b"},
      {"nvidia/Llama-3.1-405B-Instruct-FP4", "llama-3.1-405b"},
      {"Llama4-Maverick-17B-128E", "llama-4-maverick"},
      {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"},
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
      {"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"},
      {"Qwen/Qwen2.5-32B-Instruct-AWQ", "qwen2.5-32b"},
      {"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"},
      {"DeepSeek-V3/R1", "deepseek-v3"},
      {"openai/gpt-oss-20b", "gpt-oss-20b"},
      {"google/gemma-3-27b-it", "gemma-3-27b"},
      {"Gemma3-12B", "gemma-3-12b"},
      {"GPT-J 6B", "gpt-j-6b"},
      {"GPT-175B(MegaScale)", "gpt-175b-megascale"},
      {"GPT-3", "gpt3-175b"},
      {"GPT2-345M", "gpt2-medium"},
      {"Gopher", "gopher-280b"},
      {"Llama-2-70B-LoRA", "llama-2-70b"},
      {"zai-org/GLM-4.5-Air-FP8", "glm-4.5-air"},
      {"OPT-1.3B", "opt-1.3b"},
      {"OPT-13B", "opt-13b"},
  };
  for (const auto& spelling : kModels)
    EXPECT_EQ(model(spelling.written), spelling.name) << spelling.written;
}

TEST_F(BuiltinCatalogTest, AModelThatMayBeSeveralIsNotGuessed) {
  for (const auto* name : {"Llama-3.1", "gpt-oss", "Qwen3"})
    EXPECT_EQ(model(name), "LF406") << name;
  for (const auto* name : {"Gopher-1T", "llama-9-8b", "xyzzy", "", "Instruct"}) {
    EXPECT_EQ(model(name), "LF402") << name;
  }
}

// Column `column` of a table of published results, each value once; nothing if it is not there.
std::set<std::string> column_of(const std::filesystem::path& path, std::string_view column) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  Diagnostics diagnostics;
  std::set<std::string> values;
  const auto table = config::parse_csv(path.string(), std::move(text), diagnostics);
  const auto index = table ? table->column(column) : std::nullopt;
  if (!index) return values;
  for (const auto& row : table->rows) values.insert(row[*index].text);
  return values;
}

// The tables of results that ship, and further ones where LF_REFERENCE_DATA says where they are.
std::vector<std::filesystem::path> tables_of_results() {
  std::vector<std::filesystem::path> tables{std::string(LF_SOURCE_DIR) +
                                            "/data/published/training.csv"};
  const char* const folder = std::getenv("LF_REFERENCE_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr) return tables;
  for (const auto* table : {"training/calibration.csv", "inference/calibration.csv"})
    tables.push_back(std::filesystem::path(folder) / table);
  return tables;
}

// Models of rows that do not state every dimension themselves.
std::set<std::string> models_to_find(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  Diagnostics diagnostics;
  const auto table = config::parse_csv(path.string(), std::move(text), diagnostics);
  std::set<std::string> models;
  if (!table) return models;
  const std::array columns{table->column("layers"), table->column("hidden"), table->column("heads"),
                           table->column("mlp_width"), table->column("vocabulary")};
  for (const auto& row : table->rows) {
    const bool is_stated = std::all_of(columns.begin(), columns.end(), [&row](const auto& column) {
      return column && !row[*column].text.empty();
    });
    if (!is_stated) models.insert(row[*table->column("model")].text);
  }
  return models;
}

TEST_F(BuiltinCatalogTest, EveryModelAndAcceleratorOfPublishedResultsIsFoundOrStated) {
  for (const auto& path : tables_of_results()) {
    EXPECT_FALSE(column_of(path, "model").empty()) << path;
    for (const auto& name : models_to_find(path))
      EXPECT_FALSE(model(name).starts_with("LF")) << name;
    for (const auto& name : column_of(path, "accelerator"))
      EXPECT_FALSE(gpu(name).starts_with("LF")) << name;
  }
}

}  // namespace
}  // namespace loadfactor::catalog
