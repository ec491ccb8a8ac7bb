#include "cli/calibrate/calibrate_serving.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/session/files.h"
#include "config/csv.h"
#include "validation/inference/serving_recalibration.h"

namespace loadfactor::cli {
namespace {

struct CalibrateServingFlags {
  std::string data;
  std::string weights;
  std::string folder = "data/calibration";
  int rows_per_cell = 12;
  bool table = false;
  validation::ServingFitOptions fit;
};

std::string figures_line(const validation::InferenceGroup& g) {
  return fmt::format(
      "{:12} {:20} {:11} n {:5} weighted {:5.1f}/{:6.1f} (base {:5.1f}/{:6.1f}) rows "
      "{:5.1f}/{:6.1f} bias {:+6.1f} cover {:4.0f}",
      g.by, g.name, g.metric, g.rows, g.weighted.median, g.weighted.p90, g.weighted_baseline.median,
      g.weighted_baseline.p90, g.ours.median, g.ours.p90, g.bias, g.coverage);
}

void calibrate_serving(Session& session, const CalibrateServingFlags& flags) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  Diagnostics diagnostics;
  auto text = read_file(flags.data);
  if (!text) return session.fail(text.error());
  auto table = config::parse_csv(flags.data, *std::move(text), diagnostics);
  if (!table) return session.fail(table.error());
  auto rows = validation::read_inference_rows(*table);
  if (!rows) return session.fail(rows.error());
  const auto files = catalog::builtin_files();
  const auto start =
      serving::find_serving_calibration(files, engine->catalog().generations(), diagnostics);
  serving::HardwareShelf hardware(engine->catalog(), files, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  validation::RunMaker maker(engine->catalog(), hardware, start);
  const auto made = validation::make_inference_runs(*rows, maker);
  validation::spread_weights(made.runs);
  if (!flags.weights.empty()) {
    auto weight_text = read_file(flags.weights);
    if (!weight_text) return session.fail(weight_text.error());
    auto weight_table = config::parse_csv(flags.weights, *std::move(weight_text), diagnostics);
    if (!weight_table) return session.fail(weight_table.error());
    const auto weights = validation::read_weights(*weight_table);
    for (const auto& run : made.runs) {
      if (const auto found = weights.find(run->row.id); found != weights.end())
        run->weight = found->second;
    }
  }
  std::vector<const validation::InferenceRun*> runs;
  for (const auto& run : made.runs) runs.push_back(run.get());
  const auto result = validation::recalibrate_serving(
      runs, start, {.rows_per_cell = flags.rows_per_cell, .fit = flags.fit});
  const auto written = write_file(flags.folder + "/serving.yaml",
                                  serving::write_serving_calibration(result.calibration));
  if (!written) return session.fail(written.error());
  std::string report;
  for (const auto* part : {&result.in_sample, &result.out_of_source}) {
    report += part == &result.in_sample ? "in sample\n" : "out of source\n";
    for (const auto& group : part->groups) {
      if (group.by == "metric" || group.by == "class" ||
          (flags.table && part == &result.out_of_source))
        report += "  " + figures_line(group) + "\n";
    }
  }
  session.write(report);
  session.tell(fmt::format("{} rows fitted, {} skipped; constants in {}", runs.size(),
                           made.skipped.size(), flags.folder));
  if (flags.table) {
    std::string csv =
        "id,source,kind,generation,chip,moe,metric,weight,measured,inside,outside,base,low,high,"
        "deployment\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& a = result.in_sample.predictions[i];
      const auto& b = result.out_of_source.predictions[i];
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", a.id, runs[i]->source,
                         serving::name(runs[i]->load.kind), runs[i]->engine->name, runs[i]->chip,
                         runs[i]->moe ? 1 : 0, a.metric, runs[i]->weight, a.measured, a.predicted,
                         b.predicted, b.baseline, b.low, b.high, runs[i]->deployment);
    }
    const auto dump = write_file(flags.folder + "/serving_rows.csv", csv);
    if (!dump) return session.fail(dump.error());
  }
}

}  // namespace

void add_calibrate_serving(CLI::App& verb, Session& session) {
  CLI::App* serving =
      verb.add_subcommand("serving", "refit the serving model to published results");
  session.add_common_options(*serving);
  auto flags = std::make_shared<CalibrateServingFlags>();
  serving->add_option("--data", flags->data, "published serving results")
      ->required()
      ->type_name("FILE.csv");
  serving->add_option("--weights", flags->weights, "weights of its rows, by id")
      ->type_name("FILE.csv");
  serving->add_option("--folder", flags->folder, "where to write")->type_name("DIR");
  serving->add_option("--rows-per-cell", flags->rows_per_cell, "rows of a cell that are fitted")
      ->type_name("N");
  serving->add_option("--scale", flags->fit.scale, "residuals beyond it count linearly")
      ->type_name("X");
  serving
      ->add_option("--spread", flags->fit.spread, "what a unit of weight is worth against a prior")
      ->type_name("X");
  serving->add_flag("--rows", flags->table, "every group, and a table of all rows");
  serving->callback([flags, &session] { calibrate_serving(session, *flags); });
}

}  // namespace loadfactor::cli
