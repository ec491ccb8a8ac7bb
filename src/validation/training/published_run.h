// A published result as a job that can be predicted, with what was measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/quantity.h"
#include "training/job/calibration_file.h"
#include "training/job/job.h"
#include "training/job/stack_file.h"
#include "validation/training/training_row.h"

namespace loadfactor::validation {

// How complete a row is.
enum class Tier : std::uint8_t {
  kFull,     // Everything the step depends on is stated.
  kPartial,  // Recomputation or micro-batch is not.
  kAdapter,  // LoRA: most weights are frozen.
  kRefused,  // Reported out of memory: no time to compare.
  kContext,  // Dimensions or layout had to be filled in.
};

// What is known of a site beyond what its rows say.
struct SiteFact {
  std::string source;        // Found in the source's text.
  BytesPerSecond scale_out;  // Per GPU.
  std::string document;
};

struct PublishedRun {
  TrainingRow row;
  catalog::ModelSpec model;
  catalog::AcceleratorSpec chip;
  training::TrainingJob job;  // Points at model and chip.
  Tier tier = Tier::kFull;
  std::string publication;
  std::string configuration;  // Rows that agree in it differ in software or noise only.
  bool moe = false;
  bool recompute_known = true;
  bool converted = false;  // Measured tokens follow from TFLOP/s or MFU.
  double measured = 0;     // Tokens per second and GPU; 0 when nothing was.
};

// data/published/sites.csv.
std::vector<SiteFact> read_sites(const config::CsvTable& table, Diagnostics& diagnostics);

struct RunContext {
  const catalog::Catalog* catalog = nullptr;
  const training::StackShelf* stacks = nullptr;
  std::vector<SiteFact> sites;
};

// LF401 or LF402 when the chip or the model cannot be known, LF504 when the layout cannot; LF102
// for a layout that cannot be, LF208 for a row with a value that makes no sense.
Result<std::unique_ptr<PublishedRun>> make_run(const TrainingRow& row, const RunContext& context);

training::JobClass job_class(const PublishedRun& run, const training::ChipConstants& chip);

}  // namespace loadfactor::validation
