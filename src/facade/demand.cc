// `demand`: what is this traffic like, and what can be made of it?
#include "resolve/demand/demand.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/body.h"
#include "facade/texts.h"
#include "facade/traffic.h"
#include "facade/verbs.h"
#include "report/demand_report.h"
#include "report/traffic_words.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_demand(const engine::DemandAnswer& answer, Format format,
                                  const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::demand_text(answer, {.width = style.width, .colour = style.colour});
    case Format::kJson:
      return report::demand_json(answer);
    case Format::kCsv:
      return report::demand_csv(answer);
    case Format::kMarkdown:
      return report::demand_markdown(answer);
    default:
      return no_such_form(format);
  }
}

demand::TimeUnit unit_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return *demand::time_unit_of("s");
    case TimeUnit::kMilliseconds:
      return *demand::time_unit_of("ms");
    case TimeUnit::kMicroseconds:
      return *demand::time_unit_of("us");
    case TimeUnit::kNanoseconds:
      break;
  }
  return *demand::time_unit_of("ns");
}

Result<engine::DemandQuestion> engine_question(const DemandQuestion& question) {
  if (question.files.empty())
    return Error{.code = lf::kUsage,
                 .message = "demand needs a file",
                 .hint = "loadfactor demand requests.csv"};
  if (!(question.compress > 0))
    return Error{.code = lf::kUsage,
                 .message = "--compress needs a positive factor",
                 .hint = "--compress 2 doubles the rate"};
  engine::DemandQuestion asked;
  for (const InputFile& file : question.files) asked.files.push_back({file.shown(), file.bytes});
  asked.spread_batches = question.spread;
  asked.read.block_tokens = question.block_tokens;
  asked.compress = question.compress;
  asked.interval = question.interval;
  if (question.date_order)
    asked.read.stamps.date_order = *question.date_order == DateOrder::kDayFirst
                                       ? demand::DateOrder::kDayFirst
                                       : demand::DateOrder::kMonthFirst;
  if (question.time_unit) asked.read.stamps.time_unit = unit_of(*question.time_unit);
  return asked;
}

// Where a model or a table is shown instead of the description, what was read and dropped is said
// beside it.
std::vector<std::string> import_remarks(const engine::DemandAnswer& answer) {
  std::vector<std::string> remarks{report::demand_import_line(answer)};
  for (const auto& notice : answer.notices)
    if (report::severity_of(notice) == Severity::kCaution)
      remarks.push_back("! " + report::text_of(notice));
  return remarks;
}

std::optional<Answer> converted(const Desk& desk, const engine::DemandAnswer& answer) {
  Beside beside{.remarks = import_remarks(answer)};
  if (const auto* trace = std::get_if<demand::Trace>(&answer.data)) {
    const bool has_blocks = !trace->prefixes.empty();
    return text_answer(
        "demand",
        {has_blocks ? engine::requests_jsonl(*trace) : engine::requests_csv(*trace), !has_blocks},
        std::move(beside));
  }
  if (const auto* profile = std::get_if<demand::RateProfile>(&answer.data))
    return text_answer("demand", {engine::rates_csv(*profile), true}, std::move(beside));
  return desk.refuse(
      {.code = lf::kNotDemand, .message = "only requests and rates can be converted"});
}

std::optional<Answer> fitted(const Desk& desk, const engine::DemandAnswer& answer,
                             std::uint64_t seed) {
  const auto fit = engine::fit_demand(answer, seed);
  if (!fit) return desk.refuse(fit.error());
  Beside beside{.remarks = import_remarks(answer)};
  for (const auto& figure : engine::far_figures(*fit))
    beside.remarks.push_back(report::words_of(figure));
  return text_answer("demand", {report::traffic_file(*fit)}, std::move(beside));
}

std::optional<Answer> generated(const Desk& desk, const DemandQuestion& question) {
  auto text = generate_requests(desk.engine.catalog(), question);
  if (!text) return desk.refuse(text.error());
  return text_answer("demand", {*std::move(text), true});
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const DemandQuestion& question) {
  if (question.task == DemandTask::kGenerate) return generated(desk, question);
  const auto asked = engine_question(question);
  if (!asked) return desk.refuse(asked.error());
  auto answer = engine::describe_demand(*asked);
  if (!answer) return desk.refuse(answer.error());
  if (question.task == DemandTask::kFit) return fitted(desk, *answer, question.settings.seed);
  if (question.task == DemandTask::kConvert) return converted(desk, *answer);
  return make_answer<engine::DemandAnswer>("demand", *std::move(answer), render_demand);
}

}  // namespace loadfactor::facade
