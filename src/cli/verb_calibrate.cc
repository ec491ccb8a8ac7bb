// `loadfactor calibrate training`: refits the step model to published runs, fold by fold.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/files.h"
#include "cli/session.h"
#include "validation/cross_validation.h"
#include "validation/shipped_training.h"

namespace loadfactor::cli {
namespace {

struct CalibrateFlags {
  std::string what;
  std::string folder = "data/calibration";
};

void run_calibrate(Session& session, const CalibrateFlags& flags) {
  if (flags.what != "training") {
    return session.fail(Error{.code = lf::kUsage,
                              .message = fmt::format("cannot calibrate '{}'", flags.what),
                              .hint = "write `loadfactor calibrate training`"});
  }
  if (session.engine() == nullptr) return;
  Diagnostics diagnostics;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  const auto table =
      validation::make_runs(shipped.rows, shipped.context(session.engine()->catalog()));
  const auto result = validation::recalibrate(table, shipped.calibration);
  const auto constants =
      write_file(flags.folder + "/training.yaml", training::write_calibration(result.file));
  if (!constants) return session.fail(constants.error());
  const auto predictions =
      write_file(flags.folder + "/crossval.csv", validation::write_crossval(result));
  if (!predictions) return session.fail(predictions.error());
  session.tell(
      fmt::format("{} runs fitted; constants and out-of-fold predictions in {}; "
                  "intervals cover {:.1f} % out of source",
                  result.runs.size(), flags.folder, result.coverage_by_source));
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("calibrate", "make the model match measurements");
  session.add_common_options(*verb);
  auto flags = std::make_shared<CalibrateFlags>();
  verb->add_option("what", flags->what, "training")->required()->type_name("WHAT");
  verb->add_option("--folder", flags->folder, "where to write")->type_name("DIR");
  verb->callback([flags, &session] { run_calibrate(session, *flags); });
}

}  // namespace loadfactor::cli
