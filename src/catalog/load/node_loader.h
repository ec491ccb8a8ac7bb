// Reads data/hardware/nodes/<name>.yaml.
#pragma once

#include "catalog/load/data_file.h"
#include "catalog/spec/node_spec.h"
#include "config/reader.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Reports everything that is wrong with the file; the entry is good only if nothing was.
NodeSpec load_node(const DataFile& file, Diagnostics& diagnostics);

// How accelerators lie on a bus: the keys of a node's `bus`.
NodeBus read_bus_facts(config::MapReader& block);

}  // namespace loadfactor::catalog
