// `loadfactor calibrate training`: refits the step model to published runs, fold by fold;
// `loadfactor calibrate kernels FILE…`: fits kernel costs to measured tables.
#include "cli/calibrate/verb_calibrate.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/calibrate/calibrate_collectives.h"
#include "cli/calibrate/calibrate_kernels.h"
#include "cli/calibrate/calibrate_serving.h"
#include "cli/calibrate/calibrate_site.h"
#include "cli/session/files.h"
#include "cli/session/session.h"
#include "validation/training/cross_validation.h"
#include "validation/training/shipped_training.h"

namespace loadfactor::cli {
namespace {

void calibrate_training(Session& session, const std::string& folder) {
  if (session.engine() == nullptr) return;
  Diagnostics diagnostics;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  const auto table =
      validation::make_runs(shipped.rows, shipped.context(session.engine()->catalog()));
  const auto result = validation::recalibrate(table, shipped.calibration);
  const auto constants =
      write_file(folder + "/training.yaml", training::write_calibration(result.file));
  if (!constants) return session.fail(constants.error());
  const auto predictions = write_file(folder + "/crossval.csv", validation::write_crossval(result));
  if (!predictions) return session.fail(predictions.error());
  session.tell(
      fmt::format("{} runs fitted; constants and out-of-fold predictions in {}; "
                  "intervals cover {:.1f} % out of source",
                  result.runs.size(), folder, result.coverage_by_source));
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("calibrate", "make the model match measurements");
  verb->require_subcommand(0, 1);
  add_calibrate_site(*verb, session);
  CLI::App* training =
      verb->add_subcommand("training", "refit the step model to the published runs, fold by fold");
  session.add_common_options(*training);
  auto folder = std::make_shared<std::string>("data/calibration");
  training->add_option("--folder", *folder, "where to write")->type_name("DIR");
  training->callback([folder, &session] { calibrate_training(session, *folder); });
  add_calibrate_kernels(*verb, session);
  add_calibrate_serving(*verb, session);
  add_calibrate_collectives(*verb, session);
}

}  // namespace loadfactor::cli
