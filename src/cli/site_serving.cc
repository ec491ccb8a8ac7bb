#include "cli/site_serving.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/files.h"
#include "cli/scenario_files.h"
#include "engine/serve_setup.h"
#include "engine/serve_site.h"
#include "validation/inference_run.h"

namespace loadfactor::cli {
namespace {

using calibrate::ServingPoint;
using engine::RunFigure;

// A run with the deployment that it ran on.
struct ServedRun {
  serving::Pool pool;
  serving::Load load;
  serving::EngineEra era = serving::EngineEra::kVllmV1;
  std::string chip;
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
    load.rate = point.request_rate;
  } else {
    load.kind = serving::LoadKind::kOffline;
  }
  return load;
}

// Deployments by scenario, or by what the files and flags say; each made once.
class Deployments {
 public:
  explicit Deployments(const catalog::Catalog& catalog, Diagnostics& diagnostics)
      : catalog_(&catalog),
        files_(engine::calibration_files(catalog)),
        calibration_(serving::find_serving_calibration(files_, diagnostics)),
        hardware_(catalog, files_, diagnostics),
        maker_(catalog, hardware_, calibration_) {}

  const serving::Constants& constants() const { return constants_; }

  Result<ServedRun> of_flags(const SiteFlags& flags, const ServingPoint& point) {
    if (point.model.empty())
      return Error{
          .code = lf::kNoMeasurement,
          .message = fmt::format("a result of {} does not say which model ran", point.tool),
          .hint = "say what ran: --for scenario.yaml"};
    validation::InferenceRow row;
    row.model = point.model;
    row.accelerator = flags.gpu.empty() ? catalog_->lineup().standard : flags.gpu;
    row.precision = flags.precision;
    row.engine = flags.engine;
    row.gpus = row.tp = flags.tp;
    row.input = point.input_tokens;
    row.output = point.output_tokens;
    row.batch = point.concurrency > 0 ? fmt::format("{}", point.concurrency) : "";
    row.rate = point.request_rate > 0 ? fmt::format("{}", point.request_rate) : "closed-loop";
    row.metric = "total_output_tok_s";
    row.value = point.output_throughput;
    TRY(auto run, maker_.make(row));
    ServedRun served{run->pool, load_of(point), run->era, run->chip};
    runs_.push_back(std::move(run));
    return served;
  }

  std::optional<ServedRun> of_scenario(const std::string& file, const ServingPoint& point,
                                       Diagnostics& diagnostics) {
    auto& setup = setups_[file];
    if (!setup) setup = make_setup(file, diagnostics);
    if (!setup) return std::nullopt;
    const auto replicas = setup->asked_pool().replicas;
    return ServedRun{engine::make_pool(*setup, replicas ? replicas->value : 1, std::nullopt),
                     load_of(point), setup->traits->era, setup->chip->name};
  }

 private:
  std::unique_ptr<engine::ServeSetup> make_setup(const std::string& file,
                                                 Diagnostics& diagnostics) const {
    const auto text = read_file(file);
    if (!text) return diagnostics.add(text.error()), nullptr;
    ServeRequest request{.file = file, .text = *text};
    if (const auto scenario = scenario_in(file, *text); scenario && scenario->serve) {
      auto files = model_files_of(file, scenario->serve->model);
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
Result<const std::string*> scenario_of(const SiteInputs& inputs, std::size_t i) {
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
  std::vector<std::string> tools;  // Of each figure.
  serving::EngineEra era = serving::EngineEra::kVllmV1;
  std::string chip;
};

std::optional<Served> serve_points(Session& session, const SiteFlags& flags,
                                   const SiteInputs& inputs, Deployments& deployments) {
  Served served;
  for (std::size_t i = 0; i < inputs.serving.size(); ++i) {
    const ServingPoint& point = inputs.serving[i];
    const auto scenario = scenario_of(inputs, i);
    if (!scenario) return session.fail(scenario.error()), std::nullopt;
    Diagnostics diagnostics;
    std::optional<ServedRun> run;
    if (*scenario != nullptr) {
      run = deployments.of_scenario(**scenario, point, diagnostics);
      if (!run) return session.fail(diagnostics), std::nullopt;
    } else {
      auto made = deployments.of_flags(flags, point);
      if (!made) return session.fail(made.error()), std::nullopt;
      run = *std::move(made);
    }
    if (i > 0 && (run->era != served.era || run->chip != served.chip)) {
      session.fail(Error{
          .code = lf::kUsage,
          .message = fmt::format("the runs are of {} with {} and of {} with {}", served.chip,
                                 serving::name(served.era), run->chip, serving::name(run->era)),
          .hint = "calibrate one chip and engine at a time"});
      return std::nullopt;
    }
    served.era = run->era;
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
  std::vector<double> ratios_before;
  std::vector<double> ratios_after;
  for (std::size_t i = 0; i < served.figures.size(); ++i) {
    const RunFigure& figure = served.figures[i];
    const bool rate = figure.metric == serving::Metric::kThroughput;
    const auto value = [&](const serving::Constants& constants) {
      const double seconds = figure.seconds(constants);
      return rate ? 1 / seconds : seconds;
    };
    answer.serving.push_back({served.tools[i], figure.label, figure.metric, figure.measured,
                              value(before), value(after)});
    ratios_before.push_back(std::log(value(before) / figure.measured));
    ratios_after.push_back(std::log(value(after) / figure.measured));
  }
  answer.serving_fit->before = calibrate::error_figures(std::move(ratios_before));
  answer.serving_fit->after = calibrate::error_figures(std::move(ratios_after));
}

bool write_site(Session& session, const SiteFlags& flags, calibrate::ServingSite site) {
  if (flags.folder.empty()) return true;
  site.title = "runs of load generators at this site";
  site.provenance.kind = catalog::SourceKind::kMeasured;
  site.provenance.sources = {"site"};
  site.provenance.date = session.environment().today;
  const auto written =
      write_file((std::filesystem::path(flags.folder) / "site-serving.yaml").string(),
                 calibrate::serving_site_yaml(site));
  if (!written) session.fail(written.error());
  return written.has_value();
}

}  // namespace

bool fit_serving(Session& session, const SiteFlags& flags, const SiteInputs& inputs,
                 report::SiteAnswer& answer) {
  if (inputs.serving.empty()) return true;
  const auto& catalog = session.engine()->catalog();
  Diagnostics diagnostics;
  Deployments deployments(catalog, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics), false;
  if (inputs.serving_scenarios.empty())
    answer.notices.push_back(
        {"assumed-deployment", Severity::kCaution,
         fmt::format("assumed: {} in {} on {} {}; --for names a scenario instead", flags.engine,
                     flags.precision, flags.tp,
                     flags.gpu.empty() ? catalog.lineup().standard : flags.gpu)});
  const auto served = serve_points(session, flags, inputs, deployments);
  if (!served) return false;
  auto site = engine::find_serving_site(catalog, served->chip, served->era, diagnostics);
  if (!site) return session.fail(diagnostics), false;
  const serving::Constants& before = deployments.constants();
  const auto seen = engine::observe_figures(served->figures, *site, before, served->era);
  answer.serving_fit = calibrate::fit_terms(site->priors(), seen);
  if (flags.where) answer.serving_gap = calibrate::attribute_gap(site->priors(), seen);
  site->take(*answer.serving_fit, static_cast<int>(inputs.serving.size()));
  answer.serving_fit->terms.resize(site->terms.size());  // What no term decides is no term.
  site->chip = served->chip;
  site->engine = std::string(serving::name(served->era));
  compare(*served, before, site->apply(before, served->era), answer);
  return write_site(session, flags, *std::move(site));
}

}  // namespace loadfactor::cli
