// The whole catalogue, loaded once and then only read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/accelerator_spec.h"
#include "catalog/fabric_spec.h"
#include "catalog/model_spec.h"
#include "catalog/node_spec.h"
#include "catalog/price_book.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// One file of the catalogue, from the binary or from a user's folder. `path` is relative to
// the data folder ("models/gpt2.yaml"); `shown_as` is what errors and `explain` print.
struct DataFile {
  std::string path;
  std::string shown_as;
  std::string text;
};

// A row of SOURCES.md.
struct Source {
  std::string id;
  std::string document;
  std::string date;
};

class Catalog {
 public:
  // Reads all files; a later file replaces the entry of the same name (overlays come last).
  // Reports every error of every file; the catalogue is usable only if nothing was reported.
  static Catalog load(const std::vector<DataFile>& files, Diagnostics& diagnostics);

  // Names resolve by rule, not by list: case and `- _ / .` and spaces are ignored, a trailing
  // memory size, a form factor and a parenthesised remark are parsed. LF401/LF402 with the
  // nearest names, LF406 when two entries would do.
  Result<const AcceleratorSpec*> find_accelerator(std::string_view name) const;
  Result<const ModelSpec*> find_model(std::string_view name) const;
  Result<const NodeSpec*> find_node(std::string_view name) const;
  Result<const FabricSpec*> find_fabric(std::string_view name) const;
  Result<const RegionSpec*> find_region(std::string_view name) const;

  const std::vector<AcceleratorSpec>& accelerators() const { return accelerators_; }
  const std::vector<ModelSpec>& models() const { return models_; }
  const std::vector<NodeSpec>& nodes() const { return nodes_; }
  const std::vector<FabricSpec>& fabrics() const { return fabrics_; }
  const std::vector<RegionSpec>& regions() const { return regions_; }
  const PriceBook& prices() const { return prices_; }
  const std::vector<Source>& sources() const { return sources_; }

 private:
  std::vector<AcceleratorSpec> accelerators_;  // All sorted by name.
  std::vector<ModelSpec> models_;
  std::vector<NodeSpec> nodes_;
  std::vector<FabricSpec> fabrics_;
  std::vector<RegionSpec> regions_;
  PriceBook prices_;
  std::vector<Source> sources_;
};

// The files that were in data/ when the binary was built.
std::vector<DataFile> builtin_files();

}  // namespace loadfactor::catalog
