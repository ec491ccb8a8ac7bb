// `fit`: does a model fit, and how many sequences?
#include <utility>

#include "facade/body.h"
#include "facade/verbs.h"
#include "report/serve/fit_report.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_fit(const FitAnswer& answer, const FitQuestion& question, Format format,
                               const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::fit_text(answer, {.width = style.width, .explain = style.explain});
    case Format::kJson:
      return report::fit_json(answer, question);
    case Format::kCsv:
      return report::fit_csv(answer);
    case Format::kMarkdown:
      return report::fit_markdown(answer);
    default:
      return no_such_form(format);
  }
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const FitQuestion& question) {
  auto answer = desk.engine.fit(question);
  if (!answer) return desk.refuse(answer.error());
  const Outcome outcome = answer->fits ? Outcome::kAnswer : Outcome::kInfeasible;
  return make_answer<FitAnswer>(
      "fit", *std::move(answer),
      [question](const FitAnswer& fit, Format format, const Style& style) {
        return render_fit(fit, question, format, style);
      },
      {.outcome = outcome});
}

}  // namespace loadfactor::facade
