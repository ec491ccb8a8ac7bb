// `cost`: every way to pay for the same work.
#include <algorithm>
#include <utility>

#include "facade/body.h"
#include "facade/files.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/cost/cost_report.h"
#include "report/cost/page/cost_page.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_cost(const CostAnswer& answer, const report::CostAsked& asked,
                                Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::cost_text(answer, {.width = style.width,
                                        .colour = style.colour,
                                        .explain = style.explain,
                                        .tornado = style.tornado,
                                        .facility = style.facility});
    case Format::kJson:
      return report::cost_json(answer, asked.file);
    case Format::kCsv:
      return report::cost_csv(answer);
    case Format::kMarkdown:
      return report::cost_markdown(answer);
    case Format::kPage:
      return report::cost_page(answer, asked);
    case Format::kFocus:
      return report::cost_focus_csv(answer);
    case Format::kInfracost:
      return report::cost_infracost_json(answer);
    default:
      return no_such_form(format);
  }
}

Result<CostInputs> cost_request(const CostQuestion& question) {
  const config::Scenario& scenario = question.about.scenario;
  CostInputs request;
  request.scenario = scenario;
  request.today = question.settings.today;
  request.seed = question.settings.seed;
  request.draws = question.draws;
  request.bill_of = question.bill_of;
  if (scenario.serve) {
    TRY(request.model_files, model_files(question.about, scenario.serve->model));
    TRY(request.trace_bytes, trace_bytes(question.about, *scenario.serve));
  } else if (scenario.train) {
    TRY(request.model_files, model_files(question.about, scenario.train->model));
  }
  return request;
}

report::CostAsked asked_of(const catalog::Catalog& catalog, const config::Scenario& scenario) {
  report::CostAsked asked{.file = scenario.file(), .words = report::page_words(catalog.glossary())};
  if (scenario.source) asked.set = scenario.source->assignments;
  return asked;
}

// Whether the run that is priced misses a deadline, a budget or another limit, as `train` says.
bool misses_a_limit(const CostAnswer& answer) {
  return std::any_of(answer.notices.begin(), answer.notices.end(), [](const Notice& notice) {
    return notice.id == "deadline-missed" || notice.id == "budget-missed" ||
           notice.id == "limit-missed" || notice.id == "run-does-not-fit";
  });
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const CostQuestion& question) {
  const auto request = cost_request(question);
  if (!request) return desk.refuse(request.error());
  auto answer = desk.engine.cost(*request, desk.diagnostics);
  if (!answer) return std::nullopt;
  note_unread_keys("cost", question.about.scenario, answer->notices);
  const Outcome outcome = misses_a_limit(*answer) ? Outcome::kInfeasible : Outcome::kAnswer;
  return make_answer<CostAnswer>("cost", *std::move(answer),
                                 [asked = asked_of(desk.engine.catalog(), question.about.scenario)](
                                     const CostAnswer& cost, Format format, const Style& style) {
                                   return render_cost(cost, asked, format, style);
                                 },
                                 {.outcome = outcome});
}

}  // namespace loadfactor::facade
