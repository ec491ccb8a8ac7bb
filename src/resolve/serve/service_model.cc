#include "resolve/serve/service_model.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/model_folder.h"
#include "resolve/model/model_shape.h"

namespace loadfactor::engine {
namespace {

void describe(Service& service, catalog::ModelSpec model) {
  service.described = std::make_shared<const catalog::ModelSpec>(std::move(model));
  service.model = service.described.get();
}

void import_folder(Service& service, const std::vector<ModelFile>& model_files,
                   const config::ModelConfigFile& file, Diagnostics& diagnostics) {
  if (model_files.empty())
    return diagnostics.add(service.error(lf::kCannotRead, file.path.position,
                                         fmt::format("'{}' was not read", file.path.value)));
  catalog::ModelFolder folder;
  for (const auto& part : model_files)
    folder.files[part.name] = {part.text, part.size, part.shown_as};
  Diagnostics problems;
  auto imported = catalog::import_model_folder(folder, problems);
  diagnostics.add_all(problems);
  if (!imported) return;
  for (const auto& notice : imported->notices)
    service.note({.id = "import", .arguments = {{"found", notice.text}}});
  describe(service, std::move(imported->spec));
}

}  // namespace

void resolve_model(Service& service, const std::vector<ModelFile>& model_files,
                   Diagnostics& diagnostics) {
  const auto& model = service.ask().model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) {
    const auto found = service.catalog->find_model(named->name.value);
    if (!found) return diagnostics.add(service.placed(found.error(), named->name.position));
    service.model = *found;
  } else if (const auto* file = std::get_if<config::ModelConfigFile>(&model)) {
    import_folder(service, model_files, *file, diagnostics);
  } else if (const auto* size = std::get_if<config::ModelSize>(&model)) {
    describe(service, model_of_size(size->params.value, size->active ? size->active->value : 0));
    service.note({.id = "assumed-shape"});
  } else {
    describe(service, model_of_dimensions(std::get<config::ModelDimensions>(model)));
  }
}

}  // namespace loadfactor::engine
