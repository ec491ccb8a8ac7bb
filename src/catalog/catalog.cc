#include "catalog/catalog.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <typeindex>
#include <utility>

#include "base/error_codes.h"
#include "catalog/index/entry_finder.h"
#include "catalog/index/shelves.h"
#include "catalog/validators/catalog_validator.h"

namespace loadfactor::catalog {

struct Catalog::Derived {
  std::mutex mutex;
  std::map<std::type_index, std::shared_ptr<const void>> made;
};

Catalog::Catalog(std::unique_ptr<const Shelves> shelves)
    : shelves_(std::move(shelves)), derived_(std::make_unique<Derived>()) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Catalog Catalog::open(std::vector<DataFile> files, Diagnostics& diagnostics,
                      std::string_view today) {
  auto shelves = std::make_unique<const Shelves>(std::move(files));
  validate(*shelves, CheckScope::kOverlays, today, diagnostics);
  return Catalog(std::move(shelves));
}

Catalog Catalog::load(std::vector<DataFile> files, Diagnostics& diagnostics,
                      std::string_view today) {
  auto shelves = std::make_unique<const Shelves>(std::move(files));
  validate(*shelves, CheckScope::kEverything, today, diagnostics);
  return Catalog(std::move(shelves));
}

Catalog Catalog::in_currency(double per_usd) const {
  return Catalog(std::make_unique<const Shelves>(shelves_->files, per_usd));
}

// Made without the lock, because making one may ask for another; the first to be done is kept.
const void* Catalog::derive(const std::type_info& type,
                            const std::function<std::shared_ptr<const void>()>& make) const {
  {
    const std::lock_guard lock(derived_->mutex);
    const auto found = derived_->made.find(type);
    if (found != derived_->made.end()) return found->second.get();
  }
  auto made = make();
  const std::lock_guard lock(derived_->mutex);
  return derived_->made.try_emplace(type, std::move(made)).first->second.get();
}

Result<const AcceleratorSpec*> Catalog::find_accelerator(std::string_view name) const {
  return find_by_name(shelves_->accelerators, name);
}
Result<const ModelSpec*> Catalog::find_model(std::string_view name) const {
  return find_by_name(shelves_->models, name);
}
Result<const NodeSpec*> Catalog::find_node(std::string_view name) const {
  return find_plainly(shelves_->nodes, name, lf::kUnknownNode, "node");
}
Result<const FabricSpec*> Catalog::find_fabric(std::string_view name) const {
  return find_plainly(shelves_->fabrics, name, lf::kUnknownFabric, "fabric");
}
Result<const RegionSpec*> Catalog::find_region(std::string_view name) const {
  return find_plainly(shelves_->regions, name, lf::kUnknownRegion, "region");
}

Result<const EngineSpec*> Catalog::find_engine(std::string_view name) const {
  return find_plainly(shelves_->engines, name, lf::kUnknownEngine, "engine");
}

const std::vector<AcceleratorSpec>& Catalog::accelerators() const {
  return shelves_->accelerators.all();
}
const std::vector<ModelSpec>& Catalog::models() const {
  return shelves_->models.all();
}
const std::vector<NodeSpec>& Catalog::nodes() const {
  return shelves_->nodes.all();
}
const std::vector<FabricSpec>& Catalog::fabrics() const {
  return shelves_->fabrics.all();
}
const std::vector<RegionSpec>& Catalog::regions() const {
  return shelves_->regions.all();
}
const std::vector<EngineSpec>& Catalog::engines() const {
  return shelves_->engines.all();
}
const std::vector<EngineGeneration>& Catalog::generations() const {
  return shelves_->generations.get().generations;
}
const EngineGeneration* Catalog::find_generation(std::string_view name) const {
  for (const auto& generation : generations()) {
    if (generation.name == name) return &generation;
  }
  return nullptr;
}
const PriceBook& Catalog::prices() const {
  return shelves_->prices.get();
}
const std::vector<Fact>& Catalog::facility() const {
  return shelves_->facility.get();
}
const std::vector<Fact>& Catalog::hazards() const {
  return shelves_->hazards.get();
}
const std::vector<Source>& Catalog::sources() const {
  return shelves_->sources.get();
}
const std::vector<GlossaryTerm>& Catalog::glossary() const {
  return shelves_->glossary.get();
}
const Lineup& Catalog::lineup() const {
  return shelves_->lineup.get();
}

const DataFile* Catalog::find_file(std::string_view path) const {
  const DataFile* found = nullptr;
  for (const auto& file : shelves_->files) {
    if (file.path == path) found = &file;
  }
  return found;
}

std::vector<std::string> Catalog::paths_below(std::string_view folder) const {
  std::vector<std::string> paths;
  for (const auto& file : shelves_->files) {
    if (file.path.starts_with(folder)) paths.push_back(file.path);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

Diagnostics Catalog::check(std::string_view today) const {
  Diagnostics diagnostics;
  validate(*shelves_, CheckScope::kEverything, today, diagnostics);
  return diagnostics;
}

const std::vector<std::string>& Catalog::accelerator_names() const {
  return shelves_->accelerators.names();
}
const std::vector<std::string>& Catalog::model_names() const {
  return shelves_->models.names();
}

}  // namespace loadfactor::catalog
