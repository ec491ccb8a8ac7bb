// `size` and `fill`: the cheapest deployment that keeps the SLO, and how full a fleet is.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "engine/fill/sizing.h"
#include "facade/body.h"
#include "facade/fleets.h"
#include "facade/serving.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/serve/fill_report.h"
#include "report/serve/serve_search_report.h"
#include "resolve/demand/demand.h"

namespace loadfactor::facade {
namespace {

Result<std::string> render_fleet(const engine::SizeAnswer& answer, const std::string& file,
                                 Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::search_text(answer, style.width, style.colour);
    case Format::kJson:
      return report::search_json(answer, file, style.reproducible);
    case Format::kCsv:
      return report::search_csv(answer);
    case Format::kMarkdown:
      return report::search_markdown(answer);
    default:
      return no_such_form(format);
  }
}

report::FillTextOptions fill_text_options(const Style& style) {
  return {.width = style.width, .colour = style.colour, .explain = style.explain};
}

Result<std::string> render_fleet(const engine::FillAnswer& answer, const std::string& file,
                                 Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::fill_text(answer, fill_text_options(style));
    case Format::kJson:
      return report::fill_json(answer, file);
    case Format::kCsv:
      return report::fill_csv(answer);
    case Format::kMarkdown:
      return report::fill_markdown(answer);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_cluster(const engine::ClusterFill& fill, Format format,
                                   const Style& style) {
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return report::cluster_fill_text(fill, fill_text_options(style));
    case Format::kJson:
      return report::cluster_fill_json(fill);
    case Format::kCsv:
      return report::cluster_fill_csv(fill);
    default:
      return no_such_form(format);
  }
}

std::optional<Error> find_size_fault(const SizeQuestion& question) {
  for (const auto& [flag, time] : {std::pair("--cold-start", question.cold_start),
                                   std::pair("--maintenance", question.maintenance)}) {
    if (time < Seconds())
      return Error{.code = lf::kOutOfRange,
                   .message = fmt::format("{} is below 0", flag),
                   .hint = "a time such as '3 min'; 0 s for none"};
  }
  if (question.maintenance > Seconds::from_base(7 * 86400))
    return Error{.code = lf::kOutOfRange,
                 .message = "--maintenance is longer than the week it is part of",
                 .hint = "a time such as '2 h'; 0 s for none"};
  return std::nullopt;
}

// What a search for several models on one pool leaves to the needs of each.
std::optional<Error> find_pool_fault(const SizeQuestion& question) {
  const SizeQuestion usual;
  for (const auto& [flag, is_asked] :
       {std::pair("--spares", question.spares.has_value()),
        std::pair("--fleet", question.fleet != usual.fleet),
        std::pair("--cold-start", question.cold_start != usual.cold_start),
        std::pair("--maintenance", question.maintenance != usual.maintenance),
        std::pair("--confirm", question.confirm != usual.confirm),
        std::pair("--weeks", question.weeks != usual.weeks)}) {
    if (is_asked)
      return Error{
          .code = lf::kNotHonoured,
          .message = fmt::format("{} is about one model, and 'serve.others' has more", flag),
          .hint = "leave it out, or search for each model alone"};
  }
  return std::nullopt;
}

std::optional<Answer> cluster_answer(const Desk& desk, const FillQuestion& question) {
  const engine::DemandQuestion asked{.files = {{question.jobs->name, question.jobs->bytes}}};
  const auto jobs = engine::describe_demand(asked);
  if (!jobs) return desk.refuse(jobs.error());
  auto fill = engine::fill_cluster(*jobs, question.gpus, question.busy);
  if (!fill) return desk.refuse(fill.error());
  return make_answer<engine::ClusterFill>("fill", *std::move(fill), render_cluster);
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const SizeQuestion& question) {
  if (auto fault = find_size_fault(question)) return desk.refuse(*std::move(fault));
  const auto& service = question.about.scenario.serve;
  if (service && !service->others.empty()) {
    if (auto fault = find_pool_fault(question)) return desk.refuse(*std::move(fault));
    return ask_shared_pool(desk, "size", question.about, question.settings);
  }
  auto serving = serving_question(question.about, question.settings, desk.progress);
  if (!serving) return desk.refuse(serving.error());
  engine::SizingInputs asked{.serving = *std::move(serving),
                             .spares = question.spares.value_or(-1),
                             .cold_start = question.cold_start,
                             .maintenance = question.maintenance,
                             .confirm = question.confirm,
                             .weeks = question.weeks,
                             .gpus = question.fleet,
                             .scaling = true,
                             .thorough = true};
  asked.serving.today = question.settings.today;
  asked.crew = desk.engine.crew();
  const double before = desk.now();
  auto answer = engine::size_service(asked, desk.engine.catalog(), desk.diagnostics);
  if (!answer) return std::nullopt;
  engine::put_choice_first(*answer);
  engine::add_plain_answer(asked, desk.engine.catalog(), *answer);
  answer->seconds = desk.now() - before;
  note_unread_keys("size", question.about.scenario, answer->notices);
  return make_answer<engine::SizeAnswer>(
      "size", *std::move(answer),
      [file = question.about.scenario.file()](const engine::SizeAnswer& found, Format format,
                                              const Style& style) {
        return render_fleet(found, file, format, style);
      },
      {.is_timed = desk.is_timed()});
}

std::optional<Answer> ask(const Desk& desk, const FillQuestion& question) {
  if (question.jobs) return cluster_answer(desk, question);
  if (question.think_time < Seconds())
    return desk.refuse({.code = lf::kOutOfRange,
                        .message = "--think is below 0",
                        .hint = "a time such as --think '30 s'; 0 s for none"});
  auto serving = serving_question(question.about, question.settings, desk.progress);
  if (!serving) return desk.refuse(serving.error());
  engine::FillInputs asked{.serving = *std::move(serving),
                           .gpu = question.gpu,
                           .simulating = question.simulate ? engine::Simulating::kAlways
                                                           : engine::Simulating::kWhereQuick,
                           .gpus = question.gpus,
                           .think_time = question.think_time};
  asked.serving.today = question.settings.today;
  auto answer = engine::fill_fleet(asked, desk.engine.catalog(), desk.diagnostics);
  if (!answer) return std::nullopt;
  note_unread_keys("fill", question.about.scenario, answer->notices);
  return make_answer<engine::FillAnswer>(
      "fill", *std::move(answer),
      [file = question.about.scenario.file()](const engine::FillAnswer& fill, Format format,
                                              const Style& style) {
        return render_fleet(fill, file, format, style);
      });
}

}  // namespace loadfactor::facade
