#include "resolve/serve/fit_setup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/import/model_folder.h"
#include "config/reader.h"
#include "serving/generation.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

using catalog::Dtype;
using catalog::ModelSpec;
using workload::find_weight_recipe;
using workload::WeightRecipe;

constexpr std::int64_t kUsualContext = 8192;

Error out_of_range(std::string_view flag, std::string_view value, std::string hint) {
  return Error{.code = lf::kOutOfRange,
               .message = fmt::format("{} {} is out of range", flag, value),
               .hint = std::move(hint)};
}

Result<bool> check_numbers(const FitInputs& request) {
  constexpr int kMostGpus = 65536;
  const std::array<std::pair<std::string_view, int>, 3> degrees{
      {{"--tp", request.tp == 0 ? 1 : request.tp}, {"--pp", request.pp}, {"--ep", request.ep}}};
  for (const auto& [flag, degree] : degrees) {
    if (degree < 1 || degree > kMostGpus)
      return out_of_range(flag, fmt::to_string(degree), "write a whole number from 1 up");
  }
  if (request.context < 0)
    return out_of_range("--context", fmt::to_string(request.context), "write tokens, such as 8192");
  if (request.memory_fraction && !(*request.memory_fraction > 0 && *request.memory_fraction <= 1))
    return out_of_range("--util", fmt::to_string(*request.memory_fraction),
                        "write a share of the memory such as 0.9 or 90 %");
  if (request.batched_tokens.value_or(1) < 1 || request.max_sequences.value_or(1) < 1)
    return out_of_range("--chunk or --max-seqs", "below 1", "write a whole number from 1 up");
  return true;
}

std::optional<catalog::ImportedModel> import_files(const FitInputs& request,
                                                   Diagnostics& problems) {
  catalog::ModelFolder folder;
  for (const auto& file : request.model_files)
    folder.files[file.name] = {file.text, file.size, file.shown_as};
  return catalog::import_model_folder(folder, problems);
}

Result<const ModelSpec*> choose_model(const FitInputs& request, const catalog::Catalog& catalog,
                                      FitSetup& setup) {
  if (request.model_files.empty()) return catalog.find_model(request.model);
  Diagnostics problems;
  auto imported = import_files(request, problems);
  if (!imported) return problems.errors().front();
  if (imported->stored && imported->stored->parameters) {
    const auto stored = static_cast<double>(*imported->stored->parameters);
    const auto counted = static_cast<double>(workload::count_parameters(imported->spec).total());
    if (stored < 0.98 * counted || stored > 1.02 * counted) {
      setup.notices.push_back({.id = "incomplete-checkpoint",
                               .arguments = {{"stored", format_short_count(stored)},
                                             {"described", format_short_count(counted)}}});
    }
  }
  if (!imported->uncounted.empty())
    setup.notices.push_back(
        {.id = "uncounted-tower", .arguments = {{"reads", imported->uncounted}}});
  setup.imported = std::make_shared<const ModelSpec>(std::move(imported->spec));
  for (const auto& notice : imported->notices)
    setup.notices.push_back({.id = "import", .arguments = {{"found", notice.text}}});
  return setup.imported.get();
}

Result<std::int64_t> choose_context(const FitInputs& request, const ModelSpec& model,
                                    std::vector<Notice>& notices) {
  const std::int64_t longest = model.context;
  if (request.context > 0) {
    if (longest > 0 && request.context > longest) {
      return Error{
          .code = lf::kContextTooLong,
          .message = fmt::format("a context of {} tokens is longer than the {} that {} "
                                 "supports",
                                 format_count(request.context), format_count(longest), model.title),
          .hint = fmt::format("write --context {} or less", longest)};
    }
    // What is heard is in the cache before the first word.
    if (request.context > model.window()) return request.context;
    notices.push_back({.id = "filled-window",
                       .arguments = {{"window", format_count(model.window())},
                                     {"frames", format_count(request.context)}}});
    return model.window() + 1;
  }
  const std::int64_t chosen = longest > 0 ? std::min(longest, kUsualContext) : kUsualContext;
  notices.push_back({.id = "default-context", .arguments = {{"tokens", format_count(chosen)}}});
  return chosen;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string asked_recipe(const FitInputs& request, std::vector<Notice>& notices) {
  if (!request.quantisation.empty()) return lower_case(request.quantisation);
  if (!request.model_files.empty()) return {};
  std::string word = recipe_in_name(request.model);
  if (lower_case(request.model).find("gguf") != std::string::npos) {
    notices.push_back({.id = "gguf"});
  }
  if (!word.empty()) {
    notices.push_back({.id = "quantisation-by-name", .arguments = {{"format", word}}});
  }
  return word;
}

// Where every token sees every other, a text is computed in one step, whole.
Result<std::int64_t> whole_texts(const FitInputs& request, const FitSetup& setup) {
  const std::int64_t chunk = setup.serving.batched_tokens;
  if (setup.serving.model->causal || chunk >= setup.context) return chunk;
  if (request.batched_tokens)
    return Error{.code = lf::kContextTooLong,
                 .message = fmt::format("{} reads a text of {} tokens in one step, and --chunk is "
                                        "{}",
                                        setup.serving.model->name, setup.context, chunk),
                 .hint = fmt::format("write --chunk {} or --context {}", setup.context, chunk)};
  return setup.context;
}

// What stands beside the layers that text goes through, and is counted with them.
void note_tower(const ModelSpec& model, std::vector<Notice>& notices) {
  if (!model.tower || model.extras.empty()) return;
  std::int64_t parameters = 0;
  for (const auto& extra : model.extras) parameters += extra.parameters;
  const bool hears = model.tower->reads == catalog::Modality::kAudio;
  notices.push_back(
      {.id = "counted-tower",
       .arguments = {{"reads", hears ? "audio" : "vision"},
                     {"parameters", format_short_count(static_cast<double>(parameters))}}});
}

void note_foreign_stack(const ServingSetup& serving, std::vector<Notice>& notices) {
  const auto& known = serving.engine->stacks;
  for (const auto& stack : serving.chip->stack) {
    if (std::find(known.begin(), known.end(), stack) != known.end()) return;
  }
  notices.push_back(
      {.id = "foreign-stack",
       .arguments = {{"engine", serving.engine->title}, {"accelerator", serving.chip->title}}});
}

void note_missing_arithmetic(const ServingSetup& serving, std::vector<Notice>& notices) {
  if (auto missing = missing_arithmetic(*serving.recipe, *serving.chip))
    notices.push_back(*std::move(missing));
}

}  // namespace

Result<FitSetup> make_fit_setup(const FitInputs& request, const catalog::Catalog& catalog) {
  FitSetup setup;
  TRY([[maybe_unused]] const bool sound, check_numbers(request));
  TRY(setup.serving.model, choose_model(request, catalog, setup));
  const std::string chip =
      request.accelerator.empty() ? catalog.lineup().standard : request.accelerator;
  TRY(setup.serving.chip, catalog.find_accelerator(chip));
  TRY(setup.serving.engine,
      catalog.find_engine(request.engine.empty() ? catalog.lineup().engines.standard
                                                 : request.engine));
  TRY(const auto* traits,
      serving::generation_of(catalog, *setup.serving.engine, "", *setup.serving.chip));
  TRY(setup.serving.recipe,
      choose_recipe(asked_recipe(request, setup.notices), *setup.serving.model));
  TRY(setup.serving.kv.kv,
      choose_kv_format(lower_case(request.kv_dtype), *setup.serving.recipe, *setup.serving.model));
  TRY(setup.context, choose_context(request, *setup.serving.model, setup.notices));
  const auto& engine = *setup.serving.engine;
  setup.serving.memory_fraction = request.memory_fraction.value_or(engine.memory.fraction);
  // Some engines lower their defaults on small cards.
  const auto defaults = serving::engine_defaults(engine, *traits, *setup.serving.chip);
  setup.serving.batched_tokens = request.batched_tokens.value_or(defaults.chunk);
  TRY(setup.serving.batched_tokens, whole_texts(request, setup));
  setup.serving.max_sequences = request.max_sequences.value_or(defaults.max_sequences);
  setup.ep = request.ep;
  if (request.accelerator.empty()) {
    setup.notices.push_back(
        {.id = "default-accelerator",
         .arguments = {{"accelerator", setup.serving.chip->title}, {"key", "--gpu"}}});
  }
  if (request.engine.empty()) {
    setup.notices.push_back(
        {.id = "default-engine",
         .arguments = {{"engine", "engine " + engine.title}, {"key", "--engine"}}});
  }
  note_tower(*setup.serving.model, setup.notices);
  note_missing_arithmetic(setup.serving, setup.notices);
  note_foreign_stack(setup.serving, setup.notices);
  return setup;
}

}  // namespace loadfactor::engine
