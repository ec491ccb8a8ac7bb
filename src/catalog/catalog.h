// The whole catalogue: opened once, then only read.
//
// Opening looks at names only; an entry is parsed when it is first asked for, so that a question
// about one model and one chip costs two small files. All members may be called from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "catalog/index/lineup.h"
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

struct Shelves;

class Catalog {
 public:
  // Files in order: built-in, then a user's. A later file replaces the entry of the same noun
  // and name; a later table or SOURCES.md adds rows and replaces those of the same key. The
  // user's files are read and checked at once, the built-in ones when they are asked for. No
  // date may lie after `today` (YYYY-MM-DD; not checked when empty). The catalogue is usable
  // only if nothing was reported.
  static Catalog open(std::vector<DataFile> files, Diagnostics& diagnostics,
                      std::string_view today = {});

  // As open(), but reads every file and checks every entry against every rule.
  static Catalog load(std::vector<DataFile> files, Diagnostics& diagnostics,
                      std::string_view today = {});

  // The same catalogue with its money in a currency of which a US dollar is worth `per_usd`.
  Catalog in_currency(double per_usd) const;

  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  // Names resolve by rule, not by list (name_rule.h, accelerator_name.h, model_name.h): LF401,
  // LF402, LF403, LF404 and LF408 with the nearest names, LF406 when two entries would do.
  Result<const AcceleratorSpec*> find_accelerator(std::string_view name) const;
  Result<const ModelSpec*> find_model(std::string_view name) const;
  Result<const NodeSpec*> find_node(std::string_view name) const;
  Result<const FabricSpec*> find_fabric(std::string_view name) const;
  Result<const RegionSpec*> find_region(std::string_view name) const;
  Result<const EngineSpec*> find_engine(std::string_view name) const;

  // All of a noun, sorted by name; the first call parses every file of it.
  const std::vector<AcceleratorSpec>& accelerators() const;
  const std::vector<ModelSpec>& models() const;
  const std::vector<NodeSpec>& nodes() const;
  const std::vector<FabricSpec>& fabrics() const;
  const std::vector<RegionSpec>& regions() const;
  const std::vector<EngineSpec>& engines() const;
  // Those of all engines, by engine; an EngineGeneration's index is its place here.
  const std::vector<EngineGeneration>& generations() const;
  // By its exact name, nullptr if there is none.
  const EngineGeneration* find_generation(std::string_view name) const;
  const PriceBook& prices() const;
  const std::vector<Fact>& facility() const;
  const std::vector<Fact>& hazards() const;
  const std::vector<Source>& sources() const;
  const std::vector<GlossaryTerm>& glossary() const;
  const Lineup& lineup() const;

  // A file that no noun owns, such as a schema: by its path, nullptr if there is none.
  const DataFile* find_file(std::string_view path) const;
  // The paths of all files below a folder (`schema/`), sorted.
  std::vector<std::string> paths_below(std::string_view folder) const;

  // What a module above makes of files, such as its calibration: made at the first call for a T and
  // kept as long as the catalogue.
  template <typename T>
  const T& derived(const std::function<T(const Catalog&)>& make) const {
    const auto made = [&]() -> std::shared_ptr<const void> {
      return std::make_shared<const T>(make(*this));
    };
    return *static_cast<const T*>(derive(typeid(T), made));
  }

  // Reads every file and checks every entry against every rule.
  Diagnostics check(std::string_view today) const;

  // The names alone, sorted; nothing is parsed.
  const std::vector<std::string>& accelerator_names() const;
  const std::vector<std::string>& model_names() const;

 private:
  struct Derived;

  explicit Catalog(std::unique_ptr<const Shelves> shelves);
  const void* derive(const std::type_info& type,
                     const std::function<std::shared_ptr<const void>()>& make) const;

  std::unique_ptr<const Shelves> shelves_;
  std::unique_ptr<Derived> derived_;
};

}  // namespace loadfactor::catalog
