// The parts of a catalogue: a shelf per noun, the tables, and the files they are read from.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/index/converted.h"
#include "catalog/index/data_folder.h"
#include "catalog/index/generation_table.h"
#include "catalog/index/lineup.h"
#include "catalog/index/shelf.h"
#include "catalog/load/data_file.h"
#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/engine_spec.h"
#include "catalog/spec/fabric_spec.h"
#include "catalog/spec/fact_table.h"
#include "catalog/spec/glossary.h"
#include "catalog/spec/model_spec.h"
#include "catalog/spec/node_spec.h"
#include "catalog/spec/price_book.h"
#include "catalog/spec/region_spec.h"
#include "catalog/spec/source.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// A table that several files add to, read when it is first asked for.
template <typename Table>
class LazyTable {
 public:
  using Loader = void (*)(const DataFile&, Table&, Diagnostics&);
  LazyTable(std::vector<const DataFile*> files, Loader loader, double per_usd)
      : files_(std::move(files)), loader_(loader), per_usd_(per_usd) {}

  const Table& get() const {
    const std::lock_guard lock(mutex_);
    if (!is_read_) {
      for (const DataFile* file : files_) loader_(*file, table_, problems_);
      convert(table_, per_usd_);
      is_read_ = true;
    }
    return table_;
  }
  // Reads the table and adds its errors.
  const Table& read(Diagnostics& diagnostics) const {
    const Table& table = get();
    diagnostics.add_all(problems_);
    return table;
  }

  const std::vector<const DataFile*>& files() const { return files_; }

 private:
  std::vector<const DataFile*> files_;
  Loader loader_;
  double per_usd_;
  mutable std::mutex mutex_;
  mutable bool is_read_ = false;
  mutable Table table_;
  mutable Diagnostics problems_;
};

// The generations of all engines, made when they are first asked for.
class LazyGenerations {
 public:
  explicit LazyGenerations(const Shelf<EngineSpec>& engines) : engines_(engines) {}

  const GenerationTable& get() const {
    const std::lock_guard lock(mutex_);
    if (!is_made_) table_ = make_generations(engines_.all());
    is_made_ = true;
    return table_;
  }

 private:
  const Shelf<EngineSpec>& engines_;
  mutable std::mutex mutex_;
  mutable bool is_made_ = false;
  mutable GenerationTable table_;
};

struct Shelves {
  // Money is in a currency of which a US dollar is worth `per_usd`.
  explicit Shelves(std::vector<DataFile> all_files, double per_usd = 1);

  // The text of the file that errors call `shown_as`; empty if there is none.
  std::string_view text_of(std::string_view shown_as) const;

  const std::vector<DataFile> files;  // The others point into it.
  const Shelf<AcceleratorSpec> accelerators;
  const Shelf<NodeSpec> nodes;
  const Shelf<FabricSpec> fabrics;
  const Shelf<ModelSpec> models;
  const Shelf<RegionSpec> regions;
  const Shelf<EngineSpec> engines;
  const LazyGenerations generations;
  const LazyTable<PriceBook> prices;
  const LazyTable<std::vector<Fact>> facility;
  const LazyTable<std::vector<Fact>> hazards;
  const LazyTable<std::vector<Source>> sources;
  const LazyTable<std::vector<GlossaryTerm>> glossary;
  const LazyTable<Lineup> lineup;

 private:
  using Nouns = std::vector<std::optional<Noun>>;  // Of each file.
  Shelves(std::vector<DataFile>&& all_files, const Nouns& nouns, double per_usd);
};

}  // namespace loadfactor::catalog
