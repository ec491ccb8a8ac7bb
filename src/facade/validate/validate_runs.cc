#include "facade/validate/validate_runs.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "facade/body.h"
#include "report/calibrate/production_report.h"

namespace loadfactor::facade {
namespace {

struct WholeRuns {
  validation::ProductionValidation figures;
  report::ValidationFrame frame;
};

Result<std::string> render(const WholeRuns& answer, Format format, const Style& style) {
  report::ValidationFrame frame = answer.frame;
  if (style.quiet) frame.notices.clear();
  if (style.reproducible) frame.seconds.reset();
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return report::production_text(answer.figures);
    case Format::kJson:
      return report::production_json(answer.figures, frame);
    case Format::kCsv:
      return report::production_csv(answer.figures);
    default:
      return no_such_form(format);
  }
}

}  // namespace

std::optional<Answer> validate_whole_runs(const Desk& desk, const ValidateQuestion& question,
                                          const validation::ShippedTraining& shipped) {
  const std::string file =
      question.rows ? question.rows->shown() : std::string("published/production-runs.csv");
  const auto table = config::parse_csv(
      file, question.rows ? std::string(question.rows->bytes) : shipped.production,
      desk.diagnostics);
  if (!table) return desk.refuse(table.error());
  if (!desk.diagnostics.empty()) return std::nullopt;
  const auto rows = validation::read_production_rows(*table);
  if (!rows) return desk.refuse(rows.error());
  const double start = desk.now();
  auto answer = validation::validate_production(*rows, shipped.context(desk.engine.catalog()),
                                                shipped.calibration);
  if (answer.predictions.empty()) {
    Error error{.code = lf::kNothingUsable,
                .message = fmt::format("not one run of '{}' could be predicted", file),
                .hint = "mend the rows named above, or the names of the columns"};
    for (const auto& row : answer.skipped)
      error.notes.push_back(fmt::format("{}: {}", row.id, row.reason));
    return desk.refuse(std::move(error));
  }
  report::ValidationFrame frame;
  frame.file = file;
  if (desk.is_timed()) frame.seconds = desk.now() - start;
  return make_answer<WholeRuns>("validate", {std::move(answer), std::move(frame)}, render,
                                {.is_timed = desk.is_timed()});
}

}  // namespace loadfactor::facade
