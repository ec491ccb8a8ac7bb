#include "resolve/serve/service.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/serve_batch.h"
#include "resolve/serve/serve_site.h"
#include "resolve/serve/service_formats.h"
#include "resolve/serve/service_layout.h"
#include "resolve/serve/service_model.h"
#include "serving/generation.h"

namespace loadfactor::engine {
namespace {

// What to do with a scenario that serves nothing.
std::string no_service_hint(const config::Scenario& scenario) {
  if (scenario.train)
    return "it trains: `loadfactor train` and `plan` size that, and `fill --jobs JOBS.csv` says "
           "how full a training cluster is from its job table";
  return "add 'serve: {model: llama-3.3-70b, demand: {requests_per_month: 9.6 M, tokens_in: 2000, "
         "tokens_out: 400, shape: global-chat}, slo: {ttft_p95: 1.5 s, tpot_p95: 40 ms}}'; "
         "`loadfactor init` writes a whole scenario";
}

// The chip of a pool: its own, else the deployment's, else the first candidate, else the usual one.
const catalog::AcceleratorSpec* find_chip(Service& service, Side side, Diagnostics& diagnostics) {
  const auto& hardware = service.scenario.hardware;
  const config::Pool pool = service.asked_pool(side);
  config::Name named{service.catalog->lineup().standard, service.ask().position};
  if (pool.gpu) {
    named = *pool.gpu;
  } else if (!hardware.empty()) {
    named = hardware.front();
    if (hardware.size() > 1)
      service.note({.id = "first-accelerator",
                    .arguments = {{"candidates", std::to_string(hardware.size())}}});
  } else {
    service.note({.id = "default-accelerator",
                  .arguments = {{"accelerator", named.value}, {"key", "`hardware`"}}});
  }
  const auto found = service.catalog->find_accelerator(named.value);
  if (found) return *found;
  diagnostics.add(service.placed(found.error(), named.position));
  return nullptr;
}

// Candidates that nobody knows are said by every verb, whichever of them it takes.
void check_candidates(const Service& service, Diagnostics& diagnostics) {
  for (const auto& name : service.scenario.hardware)
    if (const auto found = service.catalog->find_accelerator(name.value); !found)
      diagnostics.add(service.placed(found.error(), name.position));
}

void choose_chips(Service& service, Diagnostics& diagnostics) {
  check_candidates(service, diagnostics);
  if (!diagnostics.empty()) return;
  service.chip = find_chip(service, Side::kDecode, diagnostics);
  if (service.is_split() && service.chip != nullptr)
    service.prompt_chip = find_chip(service, Side::kPrefill, diagnostics);
}

std::optional<Notice> note_release(const catalog::EngineSpec& engine, const std::string& release,
                                   const serving::EngineTraits& taken) {
  const auto doubt = serving::doubt_of_release(engine, release);
  if (!doubt) return std::nullopt;
  Notice notice{
      .id = "unknown-release",
      .arguments = {{"release", release}, {"engine", engine.title}, {"taken", taken.name}}};
  if (*doubt == serving::ReleaseDoubt::kNewerThanKnown)
    notice.arguments.push_back({"newest", engine.newest_release});
  return notice;
}

void choose_engine(Service& service, Diagnostics& diagnostics) {
  const auto& deployment = service.ask().deployment;
  const bool is_named = deployment && deployment->engine.has_value();
  const config::Name named =
      is_named ? *deployment->engine
               : config::Name{service.catalog->lineup().engines.standard, service.ask().position};
  const auto found = service.catalog->find_engine(named.value);
  if (!found) return diagnostics.add(service.placed(found.error(), named.position));
  service.engine = *found;
  const auto traits = service.traits_on(*service.chip);
  if (!traits) return diagnostics.add(traits.error());
  service.traits = *traits;
  const std::string release = release_of(service.ask());
  if (auto doubt = note_release(**found, release, **traits)) service.note(*std::move(doubt));
  if (const auto& known = service.calibration(); known.is_borrowed(**traits))
    service.note({.id = "borrowed-engine",
                  .arguments = {{"engine", (*traits)->name},
                                {"lender", known.borrowed[(*traits)->index]},
                                {"width", fmt::format("{:g}", known.borrowed_width)}}});
  if (!is_named)
    service.note(
        {.id = "default-engine",
         .arguments = {{"engine", service.engine->title}, {"key", "serve.deployment.engine"}}});
}

// Says which figures of the chip have intervals that its own results ask for.
void note_doubted_chip(Service& service) {
  Notice notice{.id = "doubted-chip", .arguments = {{"accelerator", service.chip->title}}};
  for (const auto metric : {serving::Metric::kThroughput, serving::Metric::kTimePerToken,
                            serving::Metric::kFirstToken}) {
    const auto* doubt = service.calibration().doubt_of(service.chip->name, metric);
    if (doubt == nullptr) continue;
    notice.arguments.push_back(
        {std::string(serving::name(metric)), fmt::format("{:.2g}", std::exp(doubt->high))});
  }
  if (notice.arguments.size() > 1) service.note(std::move(notice));
}

// What the site measured of each chip with this engine.
void apply_site(Service& service, Diagnostics& diagnostics) {
  service.unmeasured = service.calibration().values();
  service.constants = service.unmeasured;
  service.site =
      find_serving_site(*service.catalog, service.chip->name, *service.traits, diagnostics);
  if (!service.catalog->find_file(kServingSiteFile)) return;
  std::vector<const catalog::AcceleratorSpec*> others{service.prompt_chip};
  for (const auto& name : service.scenario.hardware)
    if (const auto chip = service.catalog->find_accelerator(name.value)) others.push_back(*chip);
  for (const auto* other : others) {
    if (other == nullptr || other == service.chip) continue;
    const auto traits = service.traits_on(*other);
    if (!traits) continue;
    const auto site = find_serving_site(*service.catalog, other->name, **traits, diagnostics);
    if (site && site->runs > 0)
      service.other_constants[other] = site->apply(service.unmeasured, **traits);
  }
  if (!service.site || service.site->runs == 0) return;
  service.constants = service.site->apply(service.constants, *service.traits);
  service.note({.id = "site-calibrated",
                .arguments = {{"measurements", counted(service.site->runs, "measurement")},
                              {"date", service.site->provenance.date}}});
}

// The formats and limits of a pool, once, so that what is wrong with them is said at its place.
void check_pool(Service& service, Side side, Diagnostics& diagnostics) {
  const auto choice = replica_on(service, side, service.chip_of(side));
  if (!choice) return diagnostics.add(choice.error());
  const auto limits = choose_batch(service.asked_pool(side), *service.engine, *choice->traits,
                                   service.chip_of(side), service.operations());
  if (auto lowered = lowered_sequences(*limits)) service.note(*std::move(lowered));
  if (auto missing = missing_arithmetic(*choice->formats.recipe, service.chip_of(side)))
    service.note(*std::move(missing));
  if (!service.ask().precision)
    service.note({.id = "default-precision", .arguments = {{"stored", choice->precision}}});
  check_written_layout(service, side, diagnostics);
}

// Nobody sends what the model cannot take.
void check_lengths(const Service& service, Diagnostics& diagnostics) {
  const auto& demand = service.ask().demand;
  const auto longest = static_cast<double>(service.model->context);
  if (longest <= 0 || !demand || !demand->tokens_in || !demand->tokens_out) return;
  const double in = demand->tokens_in->value.base();
  // What a window of sound leaves is the decoder's own, and is said where the demand is settled.
  if (service.model->window() > 0) return;
  // A model that only reads has no answer to make room for.
  const bool writes = service.model->generates();
  const double out = writes ? demand->tokens_out->value.base() : 0;
  if (in + out <= longest) return;
  const double images = std::round(in * service.seen);
  const std::string read =
      images > 0 ? fmt::format("{:.0f} tokens and {:.0f} of images", in - images, images)
                 : fmt::format("{:.0f} tokens", in);
  const std::string message =
      writes ? fmt::format("{} in and {:.0f} out are longer than the {:.0f} that {} was made for",
                           read, out, longest, service.model->name)
             : fmt::format("texts of {:.0f} tokens are longer than the {:.0f} that {} was made for",
                           in, longest, service.model->name);
  diagnostics.add(service.error(lf::kContextTooLong, demand->tokens_in->position, message,
                                "shorten the requests, or choose a model with a longer context"));
}

serving::Speculation speculation_of(const config::Operations& operations) {
  if (!operations.speculation) return {};
  return {operations.speculation->tokens, operations.speculation->acceptance,
          operations.speculation->draft};
}

serving::Adapters adapters_of(const config::Operations& operations) {
  if (!operations.lora) return {};
  return {operations.lora->rank, static_cast<double>(operations.lora->active)};
}

serving::ExpertUse experts_used(const config::Operations& operations) {
  serving::ExpertUse use;
  if (!operations.moe) return use;
  const config::ServedExperts& asked = *operations.moe;
  if (asked.imbalance) use.imbalance = asked.imbalance->value;
  if (asked.skew) use.skew = asked.skew->value;
  if (asked.dispatch) use.narrow = asked.dispatch->value == config::DispatchWord::kFp8;
  return use;
}

// The calibration files of a catalogue, which keeps them.
struct ServingFiles {
  serving::ServingCalibration calibration;
  std::shared_ptr<const serving::MeasuredTables> measured;
  Diagnostics problems;
};

ServingFiles read_files(const catalog::Catalog& catalog) {
  const auto files = calibration_files(catalog);
  ServingFiles read;
  read.calibration = serving::find_serving_calibration(files, catalog.generations(), read.problems);
  read.measured =
      std::make_shared<const serving::MeasuredTables>(serving::read_measured(files, read.problems));
  return read;
}

}  // namespace

std::shared_ptr<ServingModels> read_serving_models(const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  const auto& read = catalog.derived<ServingFiles>(read_files);
  diagnostics.add_all(read.problems);
  if (!diagnostics.empty()) return nullptr;
  auto models = std::make_shared<ServingModels>();
  models->calibration = read.calibration;
  models->hardware = std::make_shared<serving::HardwareShelf>(catalog, read.measured);
  return models;
}

const config::Operations& Service::operations() const {
  static const config::Operations kNone;
  return ask().deployment ? ask().deployment->operations : kNone;
}

config::Pool Service::asked_pool(Side side) const {
  if (!ask().deployment) return {};
  const config::Deployment& deployment = *ask().deployment;
  if (!deployment.prefill) return deployment.pool;
  config::Pool pool = side == Side::kPrefill ? *deployment.prefill : *deployment.decode;
  const config::Pool& both = deployment.pool;
  if (!pool.gpu) pool.gpu = both.gpu;
  if (!pool.kv) pool.kv = both.kv;
  return pool;
}

const serving::Constants& Service::constants_on(const catalog::AcceleratorSpec& other) const {
  if (&other == chip) return constants;
  const auto found = other_constants.find(&other);
  return found == other_constants.end() ? unmeasured : found->second;
}

Result<const serving::EngineTraits*> Service::traits_on(
    const catalog::AcceleratorSpec& other) const {
  return serving::generation_of(*catalog, *engine, release_of(ask()), other);
}

Error Service::placed(const Error& fault, config::Position at) const {
  Error moved = error(fault.code, at, fault.message, fault.hint);
  moved.notes = fault.notes;
  return moved;
}

void Service::forget(std::string_view id) {
  std::erase_if(notices, [id](const Notice& notice) { return notice.id == id; });
}

void Service::note(Notice notice) {
  const bool is_known = std::find(notices.begin(), notices.end(), notice) != notices.end();
  if (!is_known) notices.push_back(std::move(notice));
}

void Service::note(std::string id, std::string text, Severity severity) {
  note({std::move(id), severity, std::move(text)});
}

void note_simulated_keys(Service& service) {
  const config::Operations& asked = service.operations();
  std::vector<std::string> keys;
  const auto add = [&](const char* key, bool is_written) {
    if (is_written) keys.emplace_back(key);
  };
  add("urgent", asked.urgent.has_value());
  add("filler", asked.filler.has_value());
  add("preemption", asked.preemption.has_value());
  add("swap_space", asked.swap_space.has_value());
  add("router", asked.router.has_value());
  add("timeout", asked.timeout.has_value());
  add("first_token_timeout", asked.first_token_timeout.has_value());
  add("max_waiting", asked.max_waiting.has_value());
  add("scaling", asked.scaling.has_value());
  add("failures", !asked.failures.empty());
  if (!keys.empty())
    service.note({.id = "simulated-keys",
                  .arguments = {{"keys", fmt::format("{}", fmt::join(keys, ", "))}}});
}

bool check_serves(const Service& service, Diagnostics& diagnostics) {
  if (service.scenario.serve) return true;
  diagnostics.add(service.error(lf::kMissingKey, {}, "the scenario has no 'serve' section",
                                no_service_hint(service.scenario)));
  return false;
}

// Batch work with a deadline promises its first token in what the queue before it leaves of that.
void promise_deadline(Service& service) {
  config::ServeSection& ask = *service.scenario.serve;
  if (!ask.deadline || (ask.slo && !ask.slo->bounds.empty())) return;
  if (!ask.slo) ask.slo.emplace().position = ask.deadline->position;
  constexpr double kQuantile = 0.99;
  ask.slo->bounds.push_back({config::SloMetric::kTimeToFirstToken,
                             kQuantile,
                             {ask.deadline->value * (1 - kQueueShare), ask.deadline->position}});
}

bool resolve_service(Service& service, const std::vector<ModelFile>& model_files,
                     Diagnostics& diagnostics) {
  resolve_model(service, model_files, diagnostics);
  if (service.model != nullptr) settle_demand(service, diagnostics);
  choose_chips(service, diagnostics);
  if (!diagnostics.empty()) return false;
  choose_engine(service, diagnostics);
  if (!diagnostics.empty()) return false;
  apply_site(service, diagnostics);
  note_doubted_chip(service);
  if (service.is_split()) check_pool(service, Side::kPrefill, diagnostics);
  check_pool(service, Side::kDecode, diagnostics);
  check_shape({.scenario = &service.scenario, .serve = &service.ask(), .catalog = service.catalog},
              diagnostics);
  check_lengths(service, diagnostics);
  promise_deadline(service);
  return diagnostics.empty();
}

Result<serving::ReplicaChoice> replica_on(const Service& service, Side side,
                                          const catalog::AcceleratorSpec& chip,
                                          const std::string& precision) {
  const auto& ask = service.ask();
  const config::Pool pool = service.asked_pool(side);
  const std::string word = !precision.empty() ? precision
                           : ask.precision    ? ask.precision->value
                                              : "";
  serving::ReplicaChoice choice{.model = service.model,
                                .chip = &chip,
                                .engine = service.engine,
                                .speculation = speculation_of(service.operations()),
                                .adapters = adapters_of(service.operations()),
                                .experts_used = experts_used(service.operations()),
                                .seen = service.seen};
  TRY(choice.traits, service.traits_on(chip));
  auto formats = choose_formats(word, *service.model, chip);
  if (!formats)
    return service.placed(formats.error(), ask.precision ? ask.precision->position : ask.position);
  choice.formats = *formats;
  choice.precision = std::string(formats->recipe->name);
  const auto kv = choose_kv_format(pool.kv ? pool.kv->value : "", *formats->recipe, *service.model);
  if (!kv) return service.placed(kv.error(), pool.kv->position);
  choice.formats.kernels.kv = *kv;
  const auto limits =
      choose_batch(pool, *service.engine, *choice.traits, chip, service.operations());
  if (!limits)
    return service.placed(limits.error(), pool.max_seqs ? pool.max_seqs->position : ask.position);
  // What is left blank stays the engine's own, which a search may vary.
  if (pool.chunk) choice.chunk = limits->chunk;
  if (pool.max_seqs || lowered_sequences(*limits)) choice.max_seqs = limits->max_sequences;
  if (const auto& fraction = service.operations().memory_fraction)
    choice.memory_fraction = fraction->value;
  return choice;
}

serving::ServicePromise service_of(const Service& service, double input, double output) {
  // A pass that ends with a vector or a score is one step, as one token is.
  serving::ServicePromise promise{.input = input, .output = std::max(1.0, output)};
  if (const auto& hits = service.operations().prefix_hits) promise.cached = hits->value;
  if (!service.ask().slo) return promise;
  for (const auto& bound : service.ask().slo->bounds) {
    if (bound.metric == config::SloMetric::kWholeRequest) continue;  // Judged by simulation.
    const bool first = bound.metric == config::SloMetric::kTimeToFirstToken;
    (first ? promise.ttft : promise.tpot) = bound.most.value;
    (first ? promise.ttft_quantile : promise.tpot_quantile) = bound.quantile;
  }
  return promise;
}

std::string release_of(const config::ServeSection& ask) {
  return ask.deployment && ask.deployment->release ? ask.deployment->release->value : "";
}

std::string engine_words(const catalog::EngineSpec& engine, const config::ServeSection& ask) {
  const std::string release = release_of(ask);
  return release.empty() ? engine.title : engine.name + " " + release;
}

}  // namespace loadfactor::engine
