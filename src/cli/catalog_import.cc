#include "cli/catalog_import.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "catalog/import/model_folder.h"
#include "catalog/import/model_yaml.h"
#include "catalog/import/prices/litellm_prices.h"
#include "catalog/import/prices/name_resolvers.h"
#include "catalog/import/prices/price_csv.h"
#include "catalog/import/prices/skypilot_prices.h"
#include "cli/session/files.h"
#include "cli/session/model_files.h"
#include "workload/parameters.h"

namespace loadfactor::cli {
namespace {

namespace fs = std::filesystem;

void tell_notices(Session& session, const std::vector<catalog::ImportNotice>& notices) {
  for (const auto& notice : notices) {
    const std::string code = notice.code > 0 ? fmt::format("LF{:03} ", notice.code) : "";
    const std::string line = notice.line > 0 ? fmt::format("line {}: ", notice.line) : "";
    session.tell(fmt::format("note: {}{}{}", code, line, notice.text));
  }
}

// Saves an entry into the overlay, or prints it when no folder was named.
void keep(Session& session, const ImportFlags& flags, const std::string& path,
          const std::string& text) {
  if (flags.save.empty()) return session.write(text);
  const fs::path file = fs::path(flags.save) / path;
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const auto written = write_file(file.string(), text);
  if (!written) return session.fail(written.error());
  session.tell(fmt::format("saved {}; use it with --catalog {}", file.string(), flags.save));
}

std::string name_for(const std::string& path, const ImportFlags& flags) {
  if (!flags.name.empty()) return flags.name;
  std::error_code ignored;
  const fs::path clean = fs::path(path).lexically_normal();
  if (!fs::is_directory(path, ignored)) return {};
  const auto last = clean.filename().empty() ? clean.parent_path().filename() : clean.filename();
  return catalog::catalogue_name(last.string());
}

void import_model(Session& session, const std::string& path, const ImportFlags& flags) {
  const auto files = read_model_files(path);
  if (!files) return session.fail(files.error());
  Diagnostics diagnostics;
  catalog::ModelFolder folder{
      .name = name_for(path, flags), .date = date_of_file(path), .files = {}};
  for (const auto& file : *files) folder.files[file.name] = {file.text, file.size, file.shown_as};
  const auto imported = catalog::import_model_folder(folder, diagnostics);
  if (!imported) return session.fail(diagnostics);
  tell_notices(session, imported->notices);
  const auto count = workload::count_parameters(imported->spec);
  session.tell(fmt::format("{}: {} parameters, {} active", imported->spec.name,
                           format_count(count.total()), format_count(count.active())));
  keep(session, flags, fmt::format("models/{}.yaml", imported->spec.name),
       catalog::to_yaml(imported->spec));
}

void import_litellm(Session& session, const std::string& path, std::string text,
                    const ImportFlags& flags) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const auto prices = catalog::import_litellm_prices(
      {path, std::move(text), date_of_file(path), session.environment().today,
       catalog::model_resolver(engine->catalog())},
      diagnostics);
  if (!prices) return session.fail(diagnostics);
  session.tell(catalog::describe(prices->report));
  tell_notices(session, prices->report.notices);
  keep(session, flags, "prices/api-litellm.csv", catalog::api_csv(prices->prices));
}

void import_skypilot(Session& session, const std::string& path, std::string text,
                     const ImportFlags& flags) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  const std::string cloud = fs::path(path).parent_path().filename().string();
  std::vector<catalog::SkypilotInput> inputs;
  inputs.push_back({path, std::move(text), cloud, date_of_file(path)});
  const auto prices = catalog::import_skypilot_prices(
      std::move(inputs), catalog::accelerator_resolver(engine->catalog()), diagnostics);
  if (!prices) return session.fail(diagnostics);
  session.tell(catalog::describe(prices->report));
  tell_notices(session, prices->report.notices);
  keep(session, flags, "prices/rent-skypilot.csv", catalog::rent_csv(prices->rent));
}

// A price map has a provider in its entries; a config has a model type or layers.
std::string look_at(const std::string& path, const std::string& text) {
  if (path.ends_with(".csv")) return "skypilot";
  return text.find("\"litellm_provider\"") != std::string::npos ? "litellm" : "model";
}

}  // namespace

void import_file(Session& session, const std::string& path, const ImportFlags& flags) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return import_model(session, path, flags);
  auto text = read_file(path);
  if (!text) return session.fail(text.error());
  const std::string kind = flags.kind.empty() ? look_at(path, *text) : flags.kind;
  if (kind == "model") return import_model(session, path, flags);
  if (kind == "litellm") return import_litellm(session, path, *std::move(text), flags);
  if (kind == "skypilot") return import_skypilot(session, path, *std::move(text), flags);
  session.fail(Error{.code = lf::kUsage,
                     .message = fmt::format("no import as '{}'", kind),
                     .hint = "one of: model, litellm, skypilot"});
}

}  // namespace loadfactor::cli
