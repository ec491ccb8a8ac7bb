#include "resolve/serve/service_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/error_codes.h"
#include "config/reader.h"

namespace loadfactor::engine {
namespace {

using catalog::Dtype;
using catalog::ModelSpec;
using workload::find_weight_recipe;
using workload::WeightRecipe;

// How checkpoints of a dtype are really stored.
std::string_view released_recipe(const ModelSpec& model) {
  switch (model.dtype) {
    case Dtype::kFp8:
    case Dtype::kMxfp8:
      return "fp8-block";
    case Dtype::kMxfp4:
    case Dtype::kFp4:
      return model.has_experts() ? "mxfp4-experts" : "mxfp4";
    case Dtype::kNvfp4:
      return model.has_experts() ? "nvfp4-feed-forward" : "nvfp4";
    case Dtype::kInt4:
      return model.has_experts() ? "int4-experts" : "int4-awq";
    case Dtype::kInt8:
      return "int8";
    case Dtype::kFp16:
      return "fp16";
    case Dtype::kFp32:
      return "fp32";
    default:
      return "bf16";
  }
}

// Words people write for a recipe.
struct RecipeWord {
  std::string_view word;
  std::string_view recipe;
};
constexpr std::array kRecipeWords{
    RecipeWord{"int4", "int4-awq"},  RecipeWord{"awq", "int4-awq"},
    RecipeWord{"gptq", "int4-gptq"}, RecipeWord{"w8a8", "int8"},
    RecipeWord{"bfloat16", "bf16"},  RecipeWord{"float16", "fp16"},
    RecipeWord{"half", "fp16"},      RecipeWord{"bitsandbytes", "bitsandbytes-int8"},
    RecipeWord{"fp8_e4m3", "fp8"},   RecipeWord{"fp4", "nvfp4"},
};

Error unknown_word(std::string_view what, const std::string& word,
                   const std::vector<std::string>& words) {
  const auto nearest = config::suggest(word, words);
  return Error{.code = lf::kUnsupportedDtype,
               .message = fmt::format("no {} '{}'", what, word),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                       fmt::format("one of: {}", fmt::join(words, ", "))};
}

}  // namespace

Result<Dtype> choose_kv_format(const std::string& word, const WeightRecipe& recipe,
                               const catalog::ModelSpec& model) {
  if (word.empty() || word == "auto") return recipe.plain;
  if (!model.generates() && !model.causal)
    return Error{.code = lf::kContradictoryKeys,
                 .message = fmt::format(
                     "{} keeps no keys and values: it is done when a text is read", model.name),
                 .hint = "leave 'kv' out"};
  const std::vector<std::string> words{"bf16", "fp16", "fp8", "int8", "nvfp4", "fp32"};
  const std::string plain = word == "fp8_e4m3" || word == "fp8_e5m2" ? "fp8" : word;
  if (std::find(words.begin(), words.end(), plain) == words.end())
    return unknown_word("KV format", word, words);
  return *catalog::find_dtype(plain);
}

std::string recipe_in_name(const std::string& name) {
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '-';
    if (c != '-' && c != '_' && c != '/' && c != ' ') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    const bool is_recipe =
        std::any_of(kRecipeWords.begin(), kRecipeWords.end(),
                    [&word](const RecipeWord& row) { return row.word == word; }) ||
        (find_weight_recipe(word) != nullptr && word != "bf16" && word != "fp16");
    if (is_recipe) return word;
    word.clear();
  }
  return {};
}

std::optional<Notice> missing_arithmetic(const WeightRecipe& recipe,
                                         const catalog::AcceleratorSpec& chip) {
  const bool four_bit = recipe.math == Dtype::kNvfp4 || recipe.math == Dtype::kMxfp4;
  const Dtype rate = four_bit ? Dtype::kFp4 : recipe.math;
  const auto computes = [&](Dtype dtype) { return chip.arithmetic.rate(dtype) > FlopsPerSecond(); };
  if (computes(rate) || computes(recipe.math)) return std::nullopt;
  if (rate == Dtype::kBf16 && computes(Dtype::kFp16)) return std::nullopt;
  return Notice{.id = "no-arithmetic",
                .arguments = {{"accelerator", chip.title},
                              {"stored_format", std::string(catalog::name(rate))}}};
}

Result<const WeightRecipe*> choose_recipe(const std::string& word, const ModelSpec& model) {
  const bool as_released =
      word.empty() || word == "auto" || catalog::find_dtype(word) == model.dtype;
  if (as_released) {
    const WeightRecipe* recipe = find_weight_recipe(released_recipe(model));
    LF_CHECK(recipe != nullptr, "a released dtype without a recipe");
    return recipe;
  }
  if (const auto* recipe = find_weight_recipe(word)) return recipe;
  for (const auto& row : kRecipeWords) {
    if (row.word == word) return find_weight_recipe(row.recipe);
  }
  std::vector<std::string> words;
  for (const auto& recipe : workload::kWeightRecipes) words.emplace_back(recipe.name);
  return unknown_word("way to store weights called", word, words);
}

Result<serving::PrecisionChoice> choose_formats(const std::string& word, const ModelSpec& model,
                                                const catalog::AcceleratorSpec& chip) {
  TRY(const WeightRecipe* recipe, choose_recipe(word, model));
  const bool is_said = !word.empty() && word != "auto";
  auto choice = serving::choose_precision(is_said ? word : recipe->name, model, chip);
  choice.recipe = recipe;
  return choice;
}

}  // namespace loadfactor::engine
