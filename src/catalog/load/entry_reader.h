// What every YAML entry begins with (schema, name, title) and every block of facts ends with
// (kind, source, date).
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/load/data_file.h"
#include "catalog/spec/provenance.h"
#include "catalog/spec/topology.h"
#include "config/document.h"
#include "config/reader.h"

namespace loadfactor::catalog {

// Parses the file; its root is a map when something is returned. Reports otherwise.
std::optional<config::Document> open_entry(const DataFile& file, Diagnostics& diagnostics);

struct EntryHead {
  std::string name;
  std::string title;
};

// Reads schema, name and title. The schema must be `schema` ("model/1": LF511) and the name that
// of the file, so that an entry can be found without reading all of them (LF519).
EntryHead read_head(config::MapReader& reader, std::string_view schema, const DataFile& file);

// Reads kind, source and date of a block; all three are required.
Provenance read_provenance(config::MapReader& block);

// The provenance of a whole entry: its weakest kind, all sources, the latest date.
Provenance combine(std::initializer_list<const Provenance*> parts, std::string file);

// The key `topology`, which is required; nothing if it is absent or broken.
std::optional<Topology> read_topology(config::MapReader& block);

// The words of SourceKind as files write them.
std::string_view text_of(SourceKind kind);
std::optional<SourceKind> find_source_kind(std::string_view word);

// `100 g/kWh` and the like: a number followed by exactly this unit, for the few units that have
// no dimension of ours. LF202, LF203 or LF208 otherwise.
std::optional<double> read_measure(config::MapReader& block, std::string_view key,
                                   std::string_view unit, config::Range range);

}  // namespace loadfactor::catalog
