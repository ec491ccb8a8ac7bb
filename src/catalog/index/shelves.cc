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

std::vector<std::optional<Noun>> nouns_of(const std::vector<DataFile>& files) {
  std::vector<std::optional<Noun>> nouns;
  nouns.reserve(files.size());
  for (const auto& file : files) nouns.push_back(noun_of(file.path));
  return nouns;
}

std::vector<const DataFile*> files_of(const std::vector<DataFile>& files,
                                      const std::vector<std::optional<Noun>>& nouns, Noun noun) {
  std::vector<const DataFile*> found;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (nouns[i] == noun) found.push_back(&files[i]);
  return found;
}

}  // namespace

Shelves::Shelves(std::vector<DataFile> all_files, double per_usd)
    : Shelves(std::move(all_files), nouns_of(all_files), per_usd) {}

Shelves::Shelves(std::vector<DataFile>&& all_files, const Nouns& nouns, double per_usd)
    : files(std::move(all_files)),
      accelerators(files_of(files, nouns, Noun::kAccelerator), load_accelerator, per_usd),
      nodes(files_of(files, nouns, Noun::kNode), load_node, per_usd),
      fabrics(files_of(files, nouns, Noun::kFabric), load_fabric, per_usd),
      models(files_of(files, nouns, Noun::kModel), load_model, per_usd),
      regions(files_of(files, nouns, Noun::kRegion), load_region, per_usd),
      engines(files_of(files, nouns, Noun::kEngine), load_engine, per_usd),
      generations(engines),
      prices(files_of(files, nouns, Noun::kPrices), load_prices, per_usd),
      facility(files_of(files, nouns, Noun::kFacility), load_facility, per_usd),
      hazards(files_of(files, nouns, Noun::kHazards), load_hazards, per_usd),
      sources(files_of(files, nouns, Noun::kSources), load_sources, per_usd),
      glossary(files_of(files, nouns, Noun::kGlossary), load_glossary, per_usd),
      lineup(files_of(files, nouns, Noun::kLineup), load_lineup, per_usd) {}

std::string_view Shelves::text_of(std::string_view shown_as) const {
  for (const auto& file : files) {
    if (file.shown_as == shown_as) return file.text;
  }
  return {};
}

}  // namespace loadfactor::catalog
