#include "facade/imports.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/import/model_folder.h"
#include "catalog/import/model_yaml.h"
#include "catalog/import/prices/litellm_prices.h"
#include "catalog/import/prices/name_resolvers.h"
#include "catalog/import/prices/price_csv.h"
#include "catalog/import/prices/skypilot_prices.h"
#include "workload/parameters.h"

namespace loadfactor::facade {
namespace {

void add_notices(const std::vector<catalog::ImportNotice>& notices, Import& import) {
  for (const auto& notice : notices) {
    const std::string code = notice.code > 0 ? fmt::format("LF{:03} ", notice.code) : "";
    const std::string line = notice.line > 0 ? fmt::format("line {}: ", notice.line) : "";
    import.remarks.push_back(fmt::format("note: {}{}{}", code, line, notice.text));
  }
}

std::optional<Import> import_model(const CatalogQuestion& question, Diagnostics& diagnostics) {
  catalog::ModelFolder folder{.name = question.name, .date = question.date, .files = {}};
  for (const InputFile& file : question.files)
    folder.files[file.name] = {std::string(file.bytes), file.size, file.shown()};
  const auto imported = catalog::import_model_folder(folder, diagnostics);
  if (!imported) return std::nullopt;
  Import import;
  add_notices(imported->notices, import);
  const auto count = workload::count_parameters(imported->spec);
  import.remarks.push_back(fmt::format("{}: {} parameters, {} active", imported->spec.name,
                                       format_count(count.total()), format_count(count.active())));
  import.file = {fmt::format("models/{}.yaml", imported->spec.name),
                 catalog::to_yaml(imported->spec)};
  return import;
}

std::optional<Import> import_litellm(const catalog::Catalog& catalog,
                                     const CatalogQuestion& question, Diagnostics& diagnostics) {
  const InputFile& file = question.files.front();
  const auto prices =
      catalog::import_litellm_prices({file.shown(), std::string(file.bytes), question.date,
                                      question.settings.today, catalog::model_resolver(catalog)},
                                     diagnostics);
  if (!prices) return std::nullopt;
  Import import{{"prices/api-litellm.csv", catalog::api_csv(prices->prices)},
                {catalog::describe(prices->report)}};
  add_notices(prices->report.notices, import);
  return import;
}

std::optional<Import> import_skypilot(const catalog::Catalog& catalog,
                                      const CatalogQuestion& question, Diagnostics& diagnostics) {
  const InputFile& file = question.files.front();
  const std::string cloud = std::filesystem::path(file.shown()).parent_path().filename().string();
  std::vector<catalog::SkypilotInput> inputs;
  inputs.push_back({file.shown(), std::string(file.bytes), cloud, question.date});
  const auto prices = catalog::import_skypilot_prices(
      std::move(inputs), catalog::accelerator_resolver(catalog), diagnostics);
  if (!prices) return std::nullopt;
  Import import{{"prices/rent-skypilot.csv", catalog::rent_csv(prices->rent)},
                {catalog::describe(prices->report)}};
  add_notices(prices->report.notices, import);
  return import;
}

// A price map has a provider in its entries; a config has a model type or layers.
ImportKind look_at(const std::vector<InputFile>& files) {
  if (files.size() != 1) return ImportKind::kModel;
  const InputFile& file = files.front();
  if (file.shown().ends_with(".csv")) return ImportKind::kSkypilot;
  return file.bytes.find("\"litellm_provider\"") != std::string_view::npos ? ImportKind::kLitellm
                                                                           : ImportKind::kModel;
}

}  // namespace

std::optional<Import> import_files(const catalog::Catalog& catalog, const CatalogQuestion& question,
                                   Diagnostics& diagnostics) {
  if (question.files.empty()) {
    diagnostics.add({.code = lf::kUsage,
                     .message = "an import needs a file",
                     .hint = "loadfactor catalog import FILE|FOLDER --save DIR"});
    return std::nullopt;
  }
  switch (question.import.value_or(look_at(question.files))) {
    case ImportKind::kLitellm:
      return import_litellm(catalog, question, diagnostics);
    case ImportKind::kSkypilot:
      return import_skypilot(catalog, question, diagnostics);
    case ImportKind::kModel:
      break;
  }
  return import_model(question, diagnostics);
}

}  // namespace loadfactor::facade
