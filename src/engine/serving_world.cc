#include "engine/serving_world.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "demand/generate.h"
#include "demand/traffic_fit.h"
#include "demand/week_fit.h"
#include "engine/fit_setup.h"
#include "engine/serve_site.h"
#include "engine/traffic.h"

namespace loadfactor::engine {
namespace {

constexpr double kWeek = 7 * 86400;
constexpr double kWindow = 600;
constexpr int kMostTp = 8;

// Without lengths in the file the scenario must say them.
std::optional<double> length_of(const config::Given<Tokens>& given) {
  return given ? std::optional(given->value.base()) : std::nullopt;
}

void set_lengths(const config::Demand& asked, FleetDemand& demand) {
  const auto input = length_of(asked.tokens_in);
  const auto output = length_of(asked.tokens_out);
  if (input) demand.model.input = scaled_to_mean(demand.model.input, *input);
  if (output) demand.model.output = scaled_to_mean(demand.model.output, *output);
  demand.input = input.value_or(demand.model.input.mean());
  demand.output = output.value_or(demand.model.output.mean());
}

void use_profile(const demand::RateProfile& profile, FleetDemand& demand) {
  const demand::Characterisation c = characterise(profile);
  demand.rates = c.series;
  demand.week = c.week;
  const double width =
      std::max(kWindow, static_cast<double>(profile.windows.front().length) * 1e-9);
  demand.windows_per_hour = 3600 / width;
}

Error without_lengths(const SimulateSetup& setup, const config::Demand& demand) {
  return setup.error(lf::kMissingKey, demand.position,
                     "the file holds rates alone, and nothing says how long requests are",
                     "add tokens_in: 2000 and tokens_out: 400 beside trace");
}

}  // namespace

double FleetDemand::mean() const {
  double sum = 0;
  double known = 0;
  for (const double rate : rates) {
    if (rate < 0) continue;
    sum += rate;
    known += 1;
  }
  return known > 0 ? sum / known : 0;
}

double FleetDemand::peak() const {
  return rates.empty() ? 0 : std::max(0.0, *std::max_element(rates.begin(), rates.end()));
}

bool ServingWorld::use_trace(const ServingQuestion& question, Diagnostics& diagnostics) {
  const config::Demand& asked = *setup_->ask().demand;
  auto import = demand::import_demand(asked.trace->value, question.trace_bytes);
  if (!import) {
    diagnostics.add(std::move(import).error());
    return false;
  }
  demand_.words = fmt::format("the traffic of {}", asked.trace->value);
  if (const auto* profile = std::get_if<demand::RateProfile>(&import->data)) {
    demand_.model = demand::fit_traffic(*profile);
    use_profile(*profile, demand_);
    const bool has_lengths = !demand_.model.input.empty() && !demand_.model.output.empty();
    if (!has_lengths && (!asked.tokens_in || !asked.tokens_out)) {
      diagnostics.add(without_lengths(*setup_, asked));
      return false;
    }
    constexpr double kUsualSpread = 1;
    constexpr std::int32_t kLongest = 1 << 20;
    if (has_lengths) {
      demand_.input = demand_.model.input.mean();
      demand_.output = demand_.model.output.mean();
      return true;
    }
    if (asked.tokens_in)
      demand_.model.input =
          demand::lengths_of_mean(asked.tokens_in->value.base(), kUsualSpread, kLongest);
    if (asked.tokens_out)
      demand_.model.output =
          demand::lengths_of_mean(asked.tokens_out->value.base(), kUsualSpread, kLongest);
    set_lengths(asked, demand_);
    return true;
  }
  auto* trace = std::get_if<demand::Trace>(&import->data);
  if (trace == nullptr || !trace->is_timed || trace->size() < 2) {
    diagnostics.add(
        setup_->error(lf::kNothingToFill, asked.trace->position,
                      fmt::format("'{}' says nothing of requests over time", asked.trace->value)));
    return false;
  }
  const demand::Characterisation c = characterise(*trace, import->report.gaps);
  demand_.rates = c.series;
  demand_.week = c.week;
  if (demand_.rates.empty()) demand_.rates = {c.mean_rate.base()};
  demand_.model.base = c.mean_rate;
  if (c.span > Seconds::from_base(86400)) demand::fit_week(*trace, demand_.model);
  demand_.model.cv = std::clamp(c.cv.value_or(1), 0.5, 3.0);
  demand_.model.input = demand::fit_lengths(demand::input_lengths(*trace));
  demand_.model.output = demand::fit_lengths(demand::output_lengths(*trace));
  demand_.input = c.input->mean;
  demand_.output = c.output->mean;
  demand_.trace = std::move(*trace);
  return true;
}

bool ServingWorld::use_description(Diagnostics& diagnostics) {
  const config::Demand& asked = *setup_->ask().demand;
  const Hertz rate = asked.requests->value;
  if (asked.shape) {
    auto model = find_traffic(*setup_->catalog, asked.shape->value);
    if (!model) {
      diagnostics.add(setup_->error(model.error().code, asked.shape->position,
                                    model.error().message, model.error().hint));
      return false;
    }
    demand_.model = demand::scaled_to(*std::move(model), rate);
  } else {
    demand_.model.base = rate;
    demand_.model.input = demand::lengths_of_mean(1000, 1, 1 << 20);
    demand_.model.output = demand::lengths_of_mean(200, 1, 1 << 20);
    setup_->note("no-shape",
                 "no shape is given: the rate is taken as constant, without nights and weekends; "
                 "demand.shape names one",
                 Severity::kCaution);
  }
  set_lengths(asked, demand_);
  const auto profile = demand::generate_rates(demand_.model, seed_, Seconds::from_base(kWeek),
                                              Seconds::from_base(kWindow));
  use_profile(profile, demand_);
  demand_.words = fmt::format("{} requests/s on average, {}", format_short_count(rate.base()),
                              asked.shape ? asked.shape->value : "constant");
  return true;
}

bool ServingWorld::read_demand(const ServingQuestion& question, Diagnostics& diagnostics) {
  if (!setup_->ask().demand) {
    diagnostics.add(
        setup_->error(lf::kNothingToFill, setup_->ask().position, "the scenario has no demand",
                      "write 'demand: {requests_per_month: 9.6 M, tokens_in: 2000, "
                      "tokens_out: 400, shape: global-chat}' or '{trace: requests.csv}'"));
    return false;
  }
  const bool is_read =
      setup_->ask().demand->trace ? use_trace(question, diagnostics) : use_description(diagnostics);
  ask_.input = demand_.input;
  ask_.output = demand_.output;
  return is_read;
}

std::unique_ptr<ServingWorld> ServingWorld::create(const ServingQuestion& question,
                                                   const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  auto document = question.file.ends_with(".json")
                      ? config::parse_json(question.file, question.text)
                      : config::parse_yaml(question.file, question.text);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return nullptr;
  }
  std::unique_ptr<ServingWorld> world(new ServingWorld());
  world->seed_ = question.seed;
  world->setup_ = std::make_unique<SimulateSetup>();
  SimulateSetup& setup = *world->setup_;
  setup.catalog = &catalog;
  setup.document = *std::move(document);
  auto scenario = config::read_scenario(setup.document, diagnostics);
  if (!scenario) return nullptr;
  setup.scenario = *std::move(scenario);
  if (!setup.scenario.serve) {
    diagnostics.add(setup.error(lf::kMissingKey, {}, "the scenario has no 'serve' section"));
    return nullptr;
  }
  const auto files = calibration_files(catalog);
  setup.calibration = serving::find_serving_calibration(files, diagnostics);
  setup.hardware = std::make_unique<serving::HardwareShelf>(catalog, files, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  setup.constants = setup.calibration.values();
  SimulateRequest request;
  request.file = question.file;
  request.model_files = question.model_files;
  if (!choose_simulated_model(setup, request, diagnostics)) return nullptr;
  if (!world->read_demand(question, diagnostics)) return nullptr;
  if (setup.ask().slo) {
    for (const auto& bound : setup.ask().slo->bounds) {
      const bool first = bound.metric == config::SloMetric::kTimeToFirstToken;
      (first ? world->ask_.ttft : world->ask_.tpot) = bound.most.value.base();
      (first ? world->ask_.ttft_quantile : world->ask_.tpot_quantile) = bound.quantile;
    }
  }
  return world;
}

double ServingWorld::slo_quantile() const {
  if (ask_.ttft <= 0 && ask_.tpot <= 0) return 1;
  return std::max(ask_.ttft > 0 ? ask_.ttft_quantile : 0, ask_.tpot > 0 ? ask_.tpot_quantile : 0);
}

Result<serving::ReplicaChoice> ServingWorld::choice(const catalog::AcceleratorSpec& chip,
                                                    const std::string& precision,
                                                    const serving::ServingLayout& layout) const {
  const auto& written = setup_->ask().precision;
  const std::string word = !precision.empty() ? precision : written ? written->value : "";
  serving::ReplicaChoice choice{.model = setup_->model,
                                .chip = &chip,
                                .engine = setup_->engine,
                                .traits = setup_->traits,
                                .precision = word,
                                .layout = layout};
  choice.formats = serving::choose_precision(word, *setup_->model, chip);
  TRY(choice.formats.recipe, choose_recipe(word, *setup_->model));
  const auto& deployment = setup_->ask().deployment;
  if (deployment && deployment->pool.kv) {
    const auto dtype = catalog::find_dtype(deployment->pool.kv->value);
    if (dtype) choice.formats.kernels.kv = *dtype;
  }
  if (deployment && deployment->pool.max_seqs) choice.max_seqs = deployment->pool.max_seqs->value;
  if (deployment && deployment->pool.chunk) choice.chunk = deployment->pool.chunk->value;
  return choice;
}

Result<serving::ReplicaPlan> ServingWorld::plan(const serving::ReplicaChoice& choice) {
  return serving::plan_replica(choice, hardware());
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan) const {
  return serving::measure_capacity(plan, ask_, setup_->constants);
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan,
                                                const serving::ServiceAsk& ask) const {
  return serving::measure_capacity(plan, ask, setup_->constants);
}

Result<serving::ReplicaPlan> ServingWorld::asked_replica() {
  const auto deployment = setup_->ask().deployment.value_or(config::Deployment{});
  const config::Pool& pool = deployment.decode ? *deployment.decode : deployment.pool;
  const auto degree = [](const config::Given<int>& given) { return given ? given->value : 1; };
  serving::ServingLayout layout{
      .tp = degree(pool.tp), .pp = degree(pool.pp), .ep = degree(pool.ep), .dp = degree(pool.dp)};
  if (pool.ep && !pool.dp && layout.ep > layout.tp) layout.dp = layout.ep / layout.tp;
  while (true) {
    TRY(const auto chosen, choice(*setup_->chip, "", layout));
    TRY(auto planned, plan(chosen));
    const bool roomy = planned.kv_tokens >= 4 * planned.chunk;
    if (planned.fits() && (roomy || pool.tp || layout.tp >= kMostTp)) {
      if (!pool.tp)
        setup_->note("chosen-tp", fmt::format("tp {} chosen: the least that leaves room for keys "
                                              "and values; deployment.tp sets it",
                                              layout.tp));
      return planned;
    }
    if (pool.tp || layout.tp >= kMostTp) {
      return setup_->error(lf::kDoesNotFit, setup_->ask().position,
                           fmt::format("{} does not fit on {} × {}", setup_->model->title,
                                       layout.gpus(), setup_->chip->title),
                           "raise deployment.tp or pp, or choose a smaller precision");
    }
    layout.tp *= 2;
  }
}

}  // namespace loadfactor::engine
