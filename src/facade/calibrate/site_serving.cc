#include "facade/calibrate/site_serving.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/site/site_errors.h"
#include "calibrate/site/site_gap_terms.h"
#include "facade/calibrate/site_chip.h"
#include "facade/files.h"
#include "report/calibrate/calibration_words.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/serve_site.h"
#include "validation/inference/inference_run.h"

namespace loadfactor::facade {
namespace {

using calibrate::ServingPoint;
constexpr const char* kUsualPrecision = "bf16";
using engine::RunFigure;

// A run with the deployment that it ran on.
struct ServedRun {
  serving::Pool pool;
  serving::Load load;
  const serving::EngineTraits* engine = nullptr;
  std::string chip;
  std::string model;  // Catalogue name; empty: it has none.
};

serving::Load load_of(const ServingPoint& point) {
  serving::Load load;
  load.input = point.input_tokens;
  load.output = point.output_tokens;
  load.prompts = point.requests;
  load.streamed = true;
  if (point.concurrency > 0) {
    load.kind = serving::LoadKind::kClosedLoop;
    load.concurrency = point.concurrency;
  } else if (point.request_rate > 0) {
    load.kind = serving::LoadKind::kOpenLoop;
    load.rate = Hertz::from_base(point.request_rate);
  } else {
    load.kind = serving::LoadKind::kOffline;
  }
  return load;
}

// Deployments by scenario, or by what the files and given say; each made once.
class Deployments {
 public:
  explicit Deployments(const catalog::Catalog& catalog, Diagnostics& diagnostics)
      : catalog_(&catalog),
        files_(engine::calibration_files(catalog)),
        calibration_(serving::find_serving_calibration(files_, catalog.generations(), diagnostics)),
        hardware_(catalog, files_, diagnostics),
        maker_(catalog, hardware_, calibration_) {}

  const serving::Constants& constants() const { return constants_; }

  Result<ServedRun> of_flags(const SiteMeasurements& given, const MeasuredLoad& measured) {
    const ServingPoint& point = measured.point;
    if (point.model.empty())
      return Error{
          .code = lf::kNoMeasurement,
          .message = fmt::format("a result of {} does not say which model ran", point.tool),
          .hint = "say what ran: --for scenario.yaml",
          .where = {.file = measured.file}};
    if (point.input_tokens <= 0 || point.output_tokens <= 0)
      return Error{.code = lf::kNoMeasurement,
                   .message = "it does not say how many tokens its requests have",
                   .hint = "say what ran: --for scenario.yaml",
                   .where = {.file = measured.file}};
    TRY(const auto* chip, measured_chip(*catalog_, given, "", measured.file));
    TRY(const auto* engine,
        catalog_->find_engine(given.engine.empty() ? catalog_->lineup().engines.standard
                                                   : given.engine));
    const std::string precision = given.precision.empty() ? kUsualPrecision : given.precision;
    TRY(const auto* model, catalog_->find_model(point.model));
    TRY([[maybe_unused]] const auto* recipe, engine::choose_recipe(precision, *model));
    validation::InferenceRow row;
    row.model = point.model;
    row.accelerator = chip->name;
    row.precision = precision;
    row.engine = engine->name;
    row.kv_precision = kUsualPrecision;
    row.gpus = row.tp = std::max(1, given.tp);
    row.input = point.input_tokens;
    row.output = point.output_tokens;
    row.batch = point.concurrency > 0 ? fmt::format("{}", point.concurrency) : "";
    row.rate = point.request_rate > 0 ? fmt::format("{}", point.request_rate) : "closed-loop";
    row.metric = "total_output_tok_s";
    row.value = point.output_throughput;
    TRY(auto run, maker_.make(row));
    ServedRun served{run->pool, load_of(point), run->engine, run->chip, model->name};
    runs_.push_back(std::move(run));
    return served;
  }

  std::optional<ServedRun> of_scenario(const SiteMeasurements& given,
                                       const ScenarioWithFiles& about, const MeasuredLoad& measured,
                                       Diagnostics& diagnostics) {
    const std::string& file = about.scenario.file();
    auto& setup = setups_[file];
    if (!setup) setup = make_setup(about, diagnostics);
    if (!setup) return std::nullopt;
    for (const auto& checked : {check_flags(given, file, *setup), check_model(measured, *setup)}) {
      if (!checked) return diagnostics.add(checked.error()), std::nullopt;
    }
    serving::Load load = load_of(measured.point);
    if (load.input <= 0 || load.output <= 0) {  // A server's log does not say.
      load.input = setup->tokens_in;
      load.output = setup->tokens_out;
    }
    const int replicas = setup->written_replicas(engine::Side::kDecode).value_or(1);
    return ServedRun{setup->pool(replicas), load, setup->traits, setup->chip->name,
                     setup->model->name};
  }

 private:
  // Flags that say other than the scenario.
  Result<bool> check_flags(const SiteMeasurements& given, const std::string& file,
                           const engine::ServeSetup& setup) const {
    TRY([[maybe_unused]] const bool chip, check_gpu_flag(*catalog_, given, setup.chip->name, file));
    const auto differ = [&](const char* flag, const std::string& said, const std::string& asked) {
      return Error{.code = lf::kContradictoryKeys,
                   .message = fmt::format("{} says '{}', the scenario '{}'", flag, said, asked),
                   .hint = fmt::format("leave {} out, or correct the scenario", flag),
                   .where = {.file = file}};
    };
    if (!given.engine.empty()) {
      TRY(const auto* engine, catalog_->find_engine(given.engine));
      if (engine != setup.engine) return differ("--engine", engine->name, setup.engine->name);
    }
    if (!given.precision.empty()) {
      TRY(const auto* recipe, engine::choose_recipe(given.precision, *setup.model));
      if (recipe != setup.plan.choice.formats.recipe)
        return differ("--precision", given.precision, setup.plan.choice.precision);
    }
    if (given.tp > 0 && given.tp != setup.layout().tp)
      return differ("--tp", std::to_string(given.tp), std::to_string(setup.layout().tp));
    return true;
  }

  // A model that the catalogue does not know by that name contradicts nothing.
  Result<bool> check_model(const MeasuredLoad& measured, const engine::ServeSetup& setup) const {
    const auto ran = catalog_->find_model(measured.point.model);
    if (measured.point.model.empty() || !ran || *ran == setup.model ||
        (*ran)->name == setup.model->name)
      return true;
    return Error{.code = lf::kInconsistentFigures,
                 .message = fmt::format("the result is of {}, the scenario serves {}", (*ran)->name,
                                        setup.model->name),
                 .hint = "correct the scenario, or give the one that ran",
                 .where = {.file = measured.file}};
  }

  std::unique_ptr<engine::ServeSetup> make_setup(const ScenarioWithFiles& about,
                                                 Diagnostics& diagnostics) const {
    ServeInputs request{.scenario = about.scenario};
    if (about.scenario.serve) {
      auto files = model_files(about, about.scenario.serve->model);
      if (!files) return diagnostics.add(files.error()), nullptr;
      request.model_files = *std::move(files);
      request.concurrency = 1;  // The demand of the scenario plays no part.
    }
    return engine::make_serve_setup(request, *catalog_, diagnostics);
  }

  const catalog::Catalog* catalog_;
  std::vector<catalog::DataFile> files_;
  serving::ServingCalibration calibration_;
  serving::Constants constants_ = calibration_.values();
  serving::HardwareShelf hardware_;
  validation::RunMaker maker_;
  std::vector<std::unique_ptr<validation::InferenceRun>> runs_;  // Hold what pools point at.
  std::map<std::string, std::unique_ptr<engine::ServeSetup>> setups_;
};

// The scenario of the i-th run: one for all, or one for each.
Result<const ScenarioWithFiles*> scenario_of(const SiteInputs& inputs, std::size_t i) {
  const auto& scenarios = inputs.serving_scenarios;
  if (scenarios.empty()) return nullptr;
  if (scenarios.size() == 1) return &scenarios[0];
  if (scenarios.size() == inputs.serving.size()) return &scenarios[i];
  return Error{.code = lf::kUsage,
               .message = fmt::format("{} runs of a load generator and {} serving scenarios",
                                      inputs.serving.size(), scenarios.size()),
               .hint = "name one scenario for all of them, or one for each in their order"};
}

struct Served {
  std::vector<RunFigure> figures;
  std::vector<std::string> tools;  // The tool that each figure is from.
  const serving::EngineTraits* engine = nullptr;
  std::string chip;
};

std::optional<Served> serve_points(const Desk& desk, const SiteMeasurements& given,
                                   const SiteInputs& inputs, Deployments& deployments) {
  Served served;
  for (std::size_t i = 0; i < inputs.serving.size(); ++i) {
    const ServingPoint& point = inputs.serving[i].point;
    const auto scenario = scenario_of(inputs, i);
    if (!scenario) return desk.refuse(scenario.error());
    Diagnostics diagnostics;
    std::optional<ServedRun> run;
    if (*scenario != nullptr) {
      run = deployments.of_scenario(given, **scenario, inputs.serving[i], diagnostics);
      if (!run) return desk.refuse(diagnostics);
    } else {
      auto made = deployments.of_flags(given, inputs.serving[i]);
      if (!made) return desk.refuse(made.error());
      run = *std::move(made);
    }
    if (i > 0 && (run->engine != served.engine || run->chip != served.chip)) {
      desk.fail(
          Error{.code = lf::kUsage,
                .message = fmt::format("the runs are of {} with {} and of {} with {}", served.chip,
                                       served.engine->name, run->chip, run->engine->name),
                .hint = "calibrate one chip and engine at a time"});
      return std::nullopt;
    }
    served.engine = run->engine;
    served.chip = run->chip;
    const engine::MeasuredRun measured{fmt::format("run {}", i + 1), point.output_throughput,
                                       point.first_token.base(), point.per_token.base()};
    for (auto& figure : engine::figures_of(measured, run->pool, run->load)) {
      served.figures.push_back(std::move(figure));
      served.tools.push_back(point.tool);
    }
  }
  return served;
}

// What is predicted of each figure before and after, from the model itself and not from its
// slopes.
void compare(const Served& served, const serving::Constants& before,
             const serving::Constants& after, report::SiteAnswer& answer) {
  using Ratios = std::pair<std::vector<double>, std::vector<double>>;
  std::map<std::string, Ratios> by_kind;
  Ratios all;
  for (std::size_t i = 0; i < served.figures.size(); ++i) {
    const RunFigure& figure = served.figures[i];
    const bool rate = figure.metric == serving::Metric::kThroughput;
    const auto value = [&](const serving::Constants& constants) {
      const double seconds = figure.seconds(constants);
      return rate ? 1 / seconds : seconds;
    };
    answer.serving.push_back({served.tools[i], figure.label, figure.metric, figure.measured,
                              value(before), value(after)});
    // As seconds, so that a rate is compared as it is where it is left out.
    const double sign = rate ? -1 : 1;
    for (Ratios* ratios : {&all, &by_kind[std::string(serving::name(figure.metric))]}) {
      ratios->first.push_back(sign * std::log(value(before) / figure.measured));
      ratios->second.push_back(sign * std::log(value(after) / figure.measured));
    }
  }
  answer.serving_fit->before = calibrate::error_figures(std::move(all.first));
  answer.serving_fit->after = calibrate::error_figures(std::move(all.second));
  for (calibrate::KindErrors& row : answer.serving_errors) {
    row.before = calibrate::error_figures(by_kind[row.kind].first);
    row.after = calibrate::error_figures(by_kind[row.kind].second);
  }
}

// Runs that no terms follow: a load at which the corrected engine has no end of its queue, or which
// is further off after the fit than before.
std::optional<Error> refutation(const report::SiteAnswer& answer, bool for_overlay) {
  for (const auto& row : answer.serving) {
    if (std::isfinite(row.before) && std::isfinite(row.after)) continue;
    return Error{
        .code = lf::kNothingUsable,
        .message = fmt::format("{}: the {} that is predicted has no end at this load: the rate is "
                               "more than the deployment is predicted to carry",
                               row.run, serving::name(row.metric)),
        .hint = "is the deployment what ran: GPUs, precision, engine? measure at a lower rate"};
  }
  const calibrate::SiteFit& fit = *answer.serving_fit;
  const bool is_worse = fit.observations > 1 && fit.after.median > fit.before.median;
  if (!for_overlay || !is_worse) return std::nullopt;
  return Error{
      .code = lf::kNothingUsable,
      .message = fmt::format("the runs contradict the prediction or one another: median error "
                             "{:.1f} % before the fit, {:.1f} % after; nothing was written",
                             100 * fit.before.median, 100 * fit.after.median),
      .hint =
          "is the deployment what ran: GPUs, precision, engine? without --folder the fit is shown "
          "all the same"};
}

std::string site_text(const std::string& today, calibrate::ServingSite site) {
  site.title = report::kRunsTitle;
  site.provenance.kind = catalog::SourceKind::kMeasured;
  site.provenance.sources = {"site"};
  site.provenance.date = today;
  return calibrate::serving_site_yaml(site);
}

// What a run says that no flag and no scenario did.
void tell_assumptions(const catalog::Catalog& catalog, const SiteMeasurements& given,
                      report::SiteAnswer& answer) {
  if (!given.engine.empty() && !given.precision.empty() && given.tp > 0) return;
  answer.notices.push_back(
      {.id = "assumed-deployment",
       .arguments = {
           {"engine", given.engine.empty() ? catalog.lineup().engines.standard : given.engine},
           {"precision", given.precision.empty() ? std::string(kUsualPrecision) : given.precision},
           {"gpus", std::to_string(std::max(1, given.tp))}}});
}

}  // namespace

bool fit_serving(const Desk& desk, const SiteMeasurements& given, const SiteInputs& inputs,
                 report::SiteAnswer& answer, Overlay& overlay) {
  if (inputs.serving.empty()) return true;
  const auto& catalog = desk.engine.catalog();
  Diagnostics diagnostics;
  Deployments deployments(catalog, diagnostics);
  if (!diagnostics.empty()) return desk.fail(diagnostics);
  const auto served = serve_points(desk, given, inputs, deployments);
  if (!served) return false;
  if (inputs.serving_scenarios.empty()) tell_assumptions(catalog, given, answer);
  if (std::any_of(inputs.serving.begin(), inputs.serving.end(),
                  [](const auto& run) { return run.point.first_token > Seconds(); }))
    answer.notices.push_back({.id = "streamed"});
  auto site = engine::find_serving_site(catalog, served->chip, *served->engine, diagnostics);
  if (!site) return desk.fail(diagnostics);
  const serving::Constants& before = deployments.constants();
  const auto seen = engine::observe_figures(served->figures, *site, before, *served->engine);
  std::vector<std::string> kinds;
  for (const RunFigure& figure : served->figures) kinds.emplace_back(serving::name(figure.metric));
  const auto priors = site->priors();
  answer.serving_fit = calibrate::fit_terms(priors, seen);
  answer.serving_errors = calibrate::errors_by_kind(priors, {seen, kinds}, *answer.serving_fit);
  if (given.find_gap)
    answer.serving_gap = calibrate::attribute_gap(calibrate::gap_terms(*site), seen, kinds);
  site->take(*answer.serving_fit, static_cast<int>(inputs.serving.size()));
  answer.serving_fit->terms.resize(site->terms.size());  // What no term decides is no term.
  site->chip = served->chip;
  site->engine = served->engine->name;
  compare(*served, before, site->apply(before, *served->engine), answer);
  if (auto wrong = refutation(answer, given.for_overlay)) return desk.fail(*std::move(wrong));
  overlay.add("site-serving.yaml", site_text(inputs.today, *std::move(site)));
  return true;
}

}  // namespace loadfactor::facade
