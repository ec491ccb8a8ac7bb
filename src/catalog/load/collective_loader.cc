#include "catalog/load/collective_loader.h"

#include <string>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"
#include "catalog/load/node_loader.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;

constexpr Range kCollectiveTime{0.0, 10.0};
constexpr std::string_view kCollectiveSchema = "collectives/1";

CollectiveRow read_row(MapReader& entry) {
  CollectiveRow row;
  row.link = entry.text("link");
  row.algorithm = entry.text("algorithm");
  row.operation = entry.text("operation");
  row.start = entry.quantity<Seconds>("start", kCollectiveTime);
  row.per_rank = entry.quantity<Seconds>("per_rank", kCollectiveTime);
  row.extra = entry.quantity<Seconds>("extra", kCollectiveTime);
  row.low = entry.ratio("low", {0.0001, 1.5});
  row.fraction = entry.ratio("fraction", {0.0001, 1.5});
  row.loss = entry.ratio("loss", {-4.0, 1.0});
  row.points = static_cast<int>(entry.integer("points", {0, 1e9}));
  row.median = entry.ratio("median", {0.0, 100.0});
  row.p90 = entry.ratio("p90", {0.0, 100.0});
  row.provenance = read_provenance(entry);
  entry.finish();
  return row;
}

TransportRow read_transport(MapReader& entry) {
  TransportRow row;
  row.transport = entry.text("transport");
  row.start = entry.quantity<Seconds>("start", kCollectiveTime);
  row.latency = entry.quantity<Seconds>("latency", kCollectiveTime);
  row.fraction = entry.ratio("fraction", {0.001, 1.1});
  row.host_share = entry.maybe_ratio("host_share", {0.0, 1.0}).value_or(0.0);
  row.ceiling =
      entry.maybe_quantity<BytesPerSecond>("ceiling", {1e6, 1e15}).value_or(BytesPerSecond{});
  row.provenance = read_provenance(entry);
  entry.finish();
  return row;
}

BusRow read_bus(MapReader& entry) {
  BusRow row;
  row.accelerator = entry.text("accelerator");
  row.bus = read_bus_facts(entry);
  entry.finish();
  return row;
}

}  // namespace

CollectiveTable load_collectives(const DataFile& file, Diagnostics& diagnostics) {
  CollectiveTable table;
  const auto document = open_entry(file, diagnostics);
  if (!document) return table;
  MapReader reader(*document, document->root, "collectives", diagnostics);
  const std::string schema = reader.text("schema");
  if (!schema.empty() && schema != kCollectiveSchema) {
    reader.report("schema", lf::kWrongSchema,
                  "this file is '" + std::string(kCollectiveSchema) + "', not '" + schema + "'",
                  "write 'schema: " + std::string(kCollectiveSchema) + "'");
  }
  for (MapReader& entry : reader.maps("rows")) table.rows.push_back(read_row(entry));
  for (MapReader& entry : reader.maps("transports")) {
    table.transports.push_back(read_transport(entry));
  }
  for (MapReader& entry : reader.maps("buses", false)) table.buses.push_back(read_bus(entry));
  reader.finish();
  return table;
}

CollectiveTable find_collectives(std::span<const DataFile> files, Diagnostics& diagnostics) {
  const DataFile* found = nullptr;
  for (const DataFile& file : files) {
    if (file.path == "calibration/collectives.yaml") found = &file;
  }
  return found == nullptr ? CollectiveTable{} : load_collectives(*found, diagnostics);
}

}  // namespace loadfactor::catalog
