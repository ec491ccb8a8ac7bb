#include "facade/tools/schemas.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "audit/claim.h"
#include "base/error_codes.h"
#include "calibrate/measurement/measurement.h"
#include "calibrate/site/site_file.h"
#include "calibrate/site/site_serving.h"
#include "catalog/load/calibration_loader.h"
#include "catalog/load/collective_loader.h"
#include "config/document.h"
#include "config/reader.h"
#include "config/reading/scenario_reader.h"
#include "demand/traffic_file.h"
#include "engine/core.h"
#include "report/schemas/answer_schemas.h"
#include "training/job/calibration_file.h"
#include "training/job/stack_file.h"

namespace loadfactor::facade {
namespace {

constexpr std::string_view kFolder = "schema/";
constexpr std::string_view kSuffix = ".schema.json";

struct KindRow {
  std::string_view schema;  // What the key `schema` begins with.
  std::string_view folder;  // Where such an entry lives in a catalogue.
};
constexpr std::array kKinds{
    KindRow{"accelerator/", "hardware/accelerators/"},
    KindRow{"node/", "hardware/nodes/"},
    KindRow{"fabric/", "hardware/fabrics/"},
    KindRow{"model/", "models/"},
    KindRow{"region/", "regions/"},
    KindRow{"engine/", "engines/"},
    KindRow{"glossary/", ""},
    KindRow{"lineup/", ""},
};

// What a key of a document says, or an empty text.
std::string text_at(const config::Document& document, std::string_view key) {
  for (const auto& member : document.root.members) {
    if (member.key == key) return member.value.scalar;
  }
  return {};
}

// Lays the file over the built-in catalogue, which checks it and all it refers to.
Diagnostics check_entry(const std::string& path, const std::string& text, const KindRow& kind) {
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  Diagnostics diagnostics;
  static_cast<void>(Engine::create({{std::string(kind.folder) + name, path, text}}, diagnostics));
  return diagnostics;
}

// Files that the catalogue carries and others read: checked by those readers.
Diagnostics check_carried(const std::string& path, const std::string& text, std::string_view kind) {
  Diagnostics diagnostics;
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const catalog::DataFile file{"stacks/" + name, path, text};
  if (kind.starts_with("stack"))
    static_cast<void>(training::load_stacks({file}, diagnostics));
  else if (kind.starts_with("training-calibration/"))
    static_cast<void>(training::load_calibration({path, path, text}, diagnostics));
  else if (kind.starts_with("collectives/"))
    static_cast<void>(catalog::load_collectives({path, path, text}, diagnostics));
  else
    static_cast<void>(catalog::load_calibration({path, path, text}, diagnostics));
  return diagnostics;
}

constexpr std::array<std::string_view, 5> kCarried{"stack/", "stack-rules/", "calibration/",
                                                   "collectives/", "training-calibration/"};

}  // namespace

Diagnostics check_file(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  const auto document =
      path.ends_with(".json") ? config::parse_json(path, text) : config::parse_yaml(path, text);
  if (!document) {
    diagnostics.add(document.error());
    return diagnostics;
  }
  const std::string kind = text_at(*document, "schema");
  for (const auto& row : kKinds) {
    if (kind.starts_with(row.schema)) return check_entry(path, text, row);
  }
  for (const auto carried : kCarried) {
    if (kind.starts_with(carried)) return check_carried(path, text, kind);
  }
  if (kind.starts_with("traffic/")) {
    static_cast<void>(demand::read_traffic(path, text, diagnostics));
    return diagnostics;
  }
  if (kind.starts_with("claim")) {
    static_cast<void>(audit::read_claims(*document, diagnostics));
    return diagnostics;
  }
  if (kind.starts_with("probe/")) {
    if (const auto probe = calibrate::read_probe(path, text); !probe)
      diagnostics.add(probe.error());
    return diagnostics;
  }
  if (kind.starts_with("site-serving/")) {
    static_cast<void>(calibrate::load_serving_site({path, path, text}, diagnostics));
    return diagnostics;
  }
  if (kind.starts_with("site/")) {
    static_cast<void>(calibrate::load_site({path, path, text}, diagnostics));
    return diagnostics;
  }
  if (const std::string verb = text_at(*document, "verb"); !verb.empty()) {
    diagnostics.add(Error{
        .code = lf::kWrongSchema,
        .message = fmt::format("an answer of '{}', which is not a file that this verb reads", verb),
        .hint = "`loadfactor schema` lists the schemas of answers, for a validator of JSON",
        .where = {path, 0, 0, 0}});
    return diagnostics;
  }
  if (!kind.empty()) {
    diagnostics.add(
        Error{.code = lf::kWrongSchema,
              .message = fmt::format("'{}' is not a kind of file this verb reads", kind),
              .hint = "it reads scenarios, claims, traffic, the entries of a catalogue, stacks, "
                      "calibrations, a site's files and a probe's",
              .where = {path, 0, 0, 0}});
    return diagnostics;
  }
  static_cast<void>(config::read_scenario(*document, diagnostics));
  return diagnostics;
}

std::vector<std::string> schema_names(const Engine& engine) {
  std::vector<std::string> names;
  for (const auto& path : engine::Core::behind(engine).catalog().paths_below(kFolder)) {
    if (path.ends_with(kSuffix))
      names.push_back(path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size()));
  }
  return names;
}

Result<std::string> schema_text(const Engine& engine, const std::string& name) {
  if (std::string text = report::answer_schema_text(name); !text.empty()) return text;
  const auto* file = engine::Core::behind(engine).catalog().find_file(
      fmt::format("{}{}{}", kFolder, name, kSuffix));
  if (file != nullptr) return file->text;
  const auto names = schema_names(engine);
  const auto nearest = config::suggest(name, names);
  return Error{.code = lf::kUsage,
               .message = fmt::format("no schema '{}'", name),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                       fmt::format("one of: {}", fmt::join(names, ", "))};
}

std::string all_fields_page() {
  return report::answers_page();
}

}  // namespace loadfactor::facade
