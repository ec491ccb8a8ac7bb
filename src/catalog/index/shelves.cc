#include "catalog/index/shelves.h"

#include "catalog/load/accelerator_loader.h"
#include "catalog/load/engine_loader.h"
#include "catalog/load/fabric_loader.h"
#include "catalog/load/fact_loader.h"
#include "catalog/load/glossary_loader.h"
#include "catalog/load/model_loader.h"
#include "catalog/load/node_loader.h"
#include "catalog/load/price_loader.h"
#include "catalog/load/region_loader.h"
#include "catalog/load/sources_loader.h"

namespace loadfactor::catalog {

namespace {

std::vector<const DataFile*> files_of(const std::vector<DataFile>& files, Noun noun) {
  std::vector<const DataFile*> found;
  for (const auto& file : files) {
    if (noun_of(file.path) == noun) found.push_back(&file);
  }
  return found;
}

}  // namespace

Shelves::Shelves(std::vector<DataFile> all_files, double per_usd)
    : files(std::move(all_files)),
      accelerators(files_of(files, Noun::kAccelerator), load_accelerator, per_usd),
      nodes(files_of(files, Noun::kNode), load_node, per_usd),
      fabrics(files_of(files, Noun::kFabric), load_fabric, per_usd),
      models(files_of(files, Noun::kModel), load_model, per_usd),
      regions(files_of(files, Noun::kRegion), load_region, per_usd),
      engines(files_of(files, Noun::kEngine), load_engine, per_usd),
      generations(engines),
      prices(files_of(files, Noun::kPrices), load_prices, per_usd),
      facility(files_of(files, Noun::kFacility), load_facility, per_usd),
      hazards(files_of(files, Noun::kHazards), load_hazards, per_usd),
      sources(files_of(files, Noun::kSources), load_sources, per_usd),
      glossary(files_of(files, Noun::kGlossary), load_glossary, per_usd),
      lineup(files_of(files, Noun::kLineup), load_lineup, per_usd) {}

std::string_view Shelves::text_of(std::string_view shown_as) const {
  for (const auto& file : files) {
    if (file.shown_as == shown_as) return file.text;
  }
  return {};
}

}  // namespace loadfactor::catalog
