#include "catalog/index/lineup.h"

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"
#include "config/reader.h"

namespace loadfactor::catalog {

void load_lineup(const DataFile& file, Lineup& lineup, Diagnostics& diagnostics) {
  const auto document = open_entry(file, diagnostics);
  if (!document) return;
  config::MapReader reader(*document, document->root, "lineup", diagnostics);
  if (reader.text("schema") != "lineup/1")
    reader.report("schema", lf::kWrongSchema, "this is not a lineup", "write schema: lineup/1");
  lineup.standard = reader.text("default");
  lineup.compare = reader.texts("compare");
  if (auto engines = reader.map("engines", false)) {
    lineup.engines = {.standard = engines->text("default"),
                      .compare = engines->texts("compare"),
                      .steps = engines->text("steps")};
    engines->finish();
  }
  reader.finish();
}

}  // namespace loadfactor::catalog
