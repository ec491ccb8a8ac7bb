#include "resolve/serve/serve_setup.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/import/model_folder.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/model/model_shape.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/serve_batch.h"
#include "resolve/serve/serve_site.h"
#include "serving/generation.h"
#include "serving/worthwhile.h"

namespace loadfactor::engine {
namespace {

using catalog::Dtype;
using catalog::ModelSpec;

Error placed_error(const ServeSetup& setup, config::Position position, const Error& error) {
  Error placed = setup.error(error.code, position, error.message, error.hint);
  placed.notes = error.notes;
  return placed;
}

bool read_data(ServeSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto files = calibration_files(catalog);
  setup.calibration = serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  setup.constants = setup.calibration.values();
  setup.hardware = std::make_unique<serving::HardwareShelf>(catalog, files, diagnostics);
  return diagnostics.empty();
}

void use_described(ServeSetup& setup, ModelSpec model) {
  setup.described = std::make_shared<const ModelSpec>(std::move(model));
  setup.model = setup.described.get();
}

void import_model(ServeSetup& setup, const ServeRequest& request,
                  const config::ModelConfigFile& file, Diagnostics& diagnostics) {
  if (request.model_files.empty()) {
    diagnostics.add(setup.error(lf::kCannotRead, file.path.position,
                                fmt::format("'{}' was not read", file.path.value)));
    return;
  }
  catalog::ModelFolder folder;
  for (const auto& part : request.model_files)
    folder.files[part.name] = {part.text, part.size, part.shown_as};
  Diagnostics problems;
  auto imported = catalog::import_model_folder(folder, problems);
  diagnostics.add_all(problems);
  if (!imported) return;
  for (const auto& notice : imported->notices) setup.note("import", notice.text);
  use_described(setup, std::move(imported->spec));
}

void choose_model(ServeSetup& setup, const ServeRequest& request, const catalog::Catalog& catalog,
                  Diagnostics& diagnostics) {
  const auto& model = setup.ask().model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) {
    const auto found = catalog.find_model(named->name.value);
    if (!found) return diagnostics.add(placed_error(setup, named->name.position, found.error()));
    setup.model = *found;
  } else if (const auto* file = std::get_if<config::ModelConfigFile>(&model)) {
    import_model(setup, request, *file, diagnostics);
  } else if (const auto* size = std::get_if<config::ModelSize>(&model)) {
    use_described(setup, model_of_size(size->params.value, size->active ? size->active->value : 0));
    setup.note("assumed-shape", "only the size is given: its layers and heads are assumed",
               Severity::kCaution);
  } else {
    use_described(setup, model_of_dimensions(std::get<config::ModelDimensions>(model)));
  }
}

void choose_chip(ServeSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto pool = setup.asked_pool();
  std::string name = catalog.lineup().standard;
  config::Position place = setup.ask().position;
  if (pool.gpu) {
    name = pool.gpu->value;
    place = pool.gpu->position;
  } else if (!setup.scenario.hardware.empty()) {
    name = setup.scenario.hardware[0].value;
    place = setup.scenario.hardware[0].position;
    if (setup.scenario.hardware.size() > 1)
      setup.note("first-accelerator", fmt::format("the first of {} candidates is predicted",
                                                  setup.scenario.hardware.size()));
  } else {
    setup.note("default-accelerator", fmt::format("{} assumed; `hardware` names another", name));
  }
  const auto found = catalog.find_accelerator(name);
  if (!found) return diagnostics.add(placed_error(setup, place, found.error()));
  setup.chip = *found;
}

void choose_engine(ServeSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  const auto& deployment = setup.ask().deployment;
  const std::string name = deployment && deployment->engine ? deployment->engine->value
                                                            : catalog.lineup().engines.standard;
  const config::Position place =
      deployment && deployment->engine ? deployment->engine->position : setup.ask().position;
  const auto found = catalog.find_engine(name);
  if (!found) return diagnostics.add(placed_error(setup, place, found.error()));
  const std::string release = release_of(setup.ask());
  const auto traits = serving::generation_of(catalog, **found, release, *setup.chip);
  if (!traits) return diagnostics.add(traits.error());
  setup.traits = *traits;
  if (auto remark = serving::release_remark(**found, release, **traits))
    setup.note("unknown-release", *std::move(remark), Severity::kCaution);
  if (auto remark = serving::borrowed_remark(setup.calibration, **traits))
    setup.note("borrowed-engine", *std::move(remark), Severity::kCaution);
  setup.engine = *found;
  if (!deployment || !deployment->engine)
    setup.note("default-engine",
               fmt::format("{} assumed; serve.deployment.engine names another", (*found)->title));
}

// What the site measured of this chip and engine.
void apply_site(ServeSetup& setup, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  setup.site = find_serving_site(catalog, setup.chip->name, *setup.traits, diagnostics);
  if (!setup.site || setup.site->runs == 0) return;
  setup.constants = setup.site->apply(setup.constants, *setup.traits);
  setup.note("site-calibrated",
             fmt::format("calibrated by {} measurement{} of this site ({})", setup.site->runs,
                         setup.site->runs == 1 ? "" : "s", setup.site->provenance.date));
}

void set_formats(ServeSetup& setup, Diagnostics& diagnostics) {
  const auto& asked = setup.ask().precision;
  const auto chosen = choose_formats(asked ? asked->value : "", *setup.model, *setup.chip);
  if (!chosen) {
    diagnostics.add(
        placed_error(setup, asked ? asked->position : setup.ask().position, chosen.error()));
    return;
  }
  setup.precision = *chosen;
  setup.precision_word = std::string(chosen->recipe->name);
  if (auto words = missing_arithmetic(*chosen->recipe, *setup.chip))
    setup.note("no-arithmetic", *std::move(words), Severity::kCaution);
  const auto kv = setup.asked_pool().kv;
  if (!kv) return;
  const auto dtype = catalog::find_dtype(kv->value);
  if (!dtype) {
    diagnostics.add(setup.error(lf::kUnsupportedDtype, kv->position,
                                fmt::format("no KV format '{}'", kv->value),
                                "one of: bf16, fp16, fp8"));
    return;
  }
  setup.precision.kernels.kv = *dtype;
}

// Means of a trace are not taken here: that its rate comes and goes is what it is for.
void refuse_trace(const ServeSetup& setup, const ServeRequest& request, Diagnostics& diagnostics) {
  const auto& demand = setup.ask().demand;
  if (!demand || !demand->trace) return;
  if (request.concurrency && demand->tokens_in && demand->tokens_out) return;
  diagnostics.add(setup.error(
      lf::kContradictoryKeys, demand->trace->position,
      fmt::format("'{}' is not read here: one deployment in detail takes a mean rate",
                  demand->trace->value),
      "`serve --simulate`, `serve --search` and `fill` read it; or write requests_per_second, "
      "tokens_in and tokens_out instead"));
}

void choose_lengths(ServeSetup& setup, Diagnostics& diagnostics) {
  const auto& demand = setup.ask().demand;
  if (demand && demand->tokens_in && demand->tokens_out) {
    setup.tokens_in = demand->tokens_in->value.base();
    setup.tokens_out = demand->tokens_out->value.base();
  } else {
    setup.note("default-lengths",
               fmt::format("requests of {:.0f} tokens in and {:.0f} out assumed; "
                           "serve.demand sets them",
                           setup.tokens_in, setup.tokens_out));
  }
  const auto longest = static_cast<double>(setup.model->context);
  if (longest > 0 && setup.tokens_in + setup.tokens_out > longest) {
    diagnostics.add(setup.error(
        lf::kContextTooLong,
        demand && demand->tokens_in ? demand->tokens_in->position : setup.ask().position,
        fmt::format(
            "{:.0f} tokens in and {:.0f} out are longer than the {:.0f} that {} was made for",
            setup.tokens_in, setup.tokens_out, longest, setup.model->name),
        "shorten the requests, or choose a model with a longer context"));
  }
}

bool check_degrees(ServeSetup& setup, Diagnostics& diagnostics) {
  const auto pool = setup.asked_pool();
  const auto fault = find_head_fault(*setup.model, pool.tp ? pool.tp->value : 1);
  if (fault.code != 0) {
    diagnostics.add(setup.error(fault.code, pool.tp ? pool.tp->position : setup.ask().position,
                                fault.message, fault.hint));
    return false;
  }
  if (!fault.message.empty()) setup.note("copied-kv-heads", fault.message, Severity::kCaution);
  const auto cut = find_cut_fault(*setup.model, setup.layout);
  if (cut.code == 0) return true;
  const auto& given = setup.layout.pp > setup.model->num_layers() ? pool.pp : pool.ep;
  diagnostics.add(
      setup.error(cut.code, given ? given->position : setup.ask().position, cut.message, cut.hint));
  return false;
}

void divide(ServeSetup& setup) {
  const auto& cut = setup.layout;
  setup.memory = serving::divide_memory(setup.memory_setup, {.tp = cut.tp,
                                                             .cp = cut.cp,
                                                             .ep = cut.ep,
                                                             .etp = cut.expert_tp(),
                                                             .pp = cut.pp,
                                                             .dp = cut.dp,
                                                             .uneven = true});
}

bool has_room(const ServeSetup& setup, double sequences) {
  const auto tokens = static_cast<std::int64_t>(setup.tokens_in + setup.tokens_out);
  return static_cast<double>(serving::count_sequences(setup.memory_setup, setup.memory, tokens)) >=
         sequences;
}

bool is_worthwhile(const ServeSetup& setup) {
  return serving::count_kv_tokens(setup.memory_setup, setup.memory) / setup.layout.dp >=
         serving::worthwhile_cache(setup.memory_setup.batched_tokens,
                                   setup.tokens_in + setup.tokens_out);
}

// The fewest GPUs that are worth running, where the layout leaves it blank.
void choose_layout(ServeSetup& setup, Diagnostics& diagnostics) {
  const auto pool = setup.asked_pool();
  auto& cut = setup.layout;
  cut = {pool.tp ? pool.tp->value : 1, pool.pp ? pool.pp->value : 1, pool.ep ? pool.ep->value : 1,
         pool.dp ? pool.dp->value : 1, pool.cp ? pool.cp->value : 1};
  if (cut.ep > cut.ranks()) cut.dp = std::max(cut.dp, cut.ep / cut.tp);
  if (!check_degrees(setup, diagnostics)) return;
  divide(setup);
  constexpr int kUsual = 8;  // Wider only where nothing else fits.
  const int most = std::max(kUsual, std::min(setup.chip->scale_up.domain, 64));
  if (!pool.tp) {
    while ((!is_worthwhile(setup) && cut.tp < kUsual) ||
           (!has_room(setup, 1) && cut.tp * 2 <= most)) {
      cut.tp *= 2;
      divide(setup);
    }
    setup.note("chosen-tp", serving::chosen_tp_words(cut.tp));
  }
  if (has_room(setup, 1)) return;
  const auto& gpu = setup.memory.stages[setup.memory.tightest];
  diagnostics.add(setup.error(
      lf::kDoesNotFit, pool.tp ? pool.tp->position : setup.ask().position,
      fmt::format("{} in {} does not fit: weights take {} of {} GiB on each of {} GPUs, "
                  "and {} GiB is left for keys and values",
                  setup.model->name, setup.precision_word,
                  format_in(any(gpu.weights.total()), "GiB", 1),
                  format_in(any(gpu.total), "GiB", 1), cut.gpus(),
                  format_in(any(std::max(gpu.kv.value, Bytes())), "GiB", 1)),
      lowered_fraction(setup.operations(), *setup.engine)
          .value_or("raise tp, choose a narrower precision or a GPU with more memory")));
}

std::unique_ptr<ServeSetup> read_request(const ServeRequest& request, Diagnostics& diagnostics) {
  auto setup = std::make_unique<ServeSetup>();
  setup->scenario = request.scenario;
  if (!setup->scenario.serve) {
    diagnostics.add(setup->error(lf::kMissingKey, {}, "the scenario has no section 'serve'",
                                 "write `serve: {model: …, demand: {…}, deployment: {…}}`"));
    return nullptr;
  }
  return setup;
}

void set_memory_setup(ServeSetup& setup, Diagnostics& diagnostics) {
  const auto pool = setup.asked_pool();
  auto& memory = setup.memory_setup;
  memory.model = setup.model;
  memory.chip = setup.chip;
  memory.engine = setup.engine;
  memory.recipe = setup.precision.recipe;
  memory.kv.kv = setup.precision.kernels.kv;
  const auto fraction = setup.operations().memory_fraction;
  memory.memory_fraction = fraction ? fraction->value : setup.engine->memory.fraction;
  const auto limits =
      choose_batch(pool, *setup.engine, *setup.traits, *setup.chip, setup.operations());
  if (!limits)
    return diagnostics.add(placed_error(
        setup, pool.max_seqs ? pool.max_seqs->position : setup.ask().position, limits.error()));
  if (auto words = lowered_words(*limits)) setup.note("lowered-max-seqs", *std::move(words));
  memory.batched_tokens = limits->chunk;
  memory.max_sequences = limits->max_sequences;
}

}  // namespace

std::string release_of(const config::ServeAsk& ask) {
  return ask.deployment && ask.deployment->release ? ask.deployment->release->value : "";
}

std::string engine_words(const catalog::EngineSpec& engine, const config::ServeAsk& ask) {
  const std::string release = release_of(ask);
  return release.empty() ? engine.title : engine.name + " " + release;
}

Error adapters_fault(Bytes adapters) {
  return {.code = lf::kDoesNotFit,
          .message = fmt::format("adapters of {} on each GPU leave no room for keys and values",
                                 format_display(any(adapters))),
          .hint = "lower deployment.lora.active or its rank, or raise tp"};
}

std::optional<std::string> lowered_fraction(const config::Operations& operations,
                                            const catalog::EngineSpec& engine) {
  const auto& fraction = operations.memory_fraction;
  if (!fraction || fraction->value >= engine.memory.fraction) return std::nullopt;
  return fmt::format("memory_fraction is {:g}: {} takes {:g} where it is left out", fraction->value,
                     engine.title, engine.memory.fraction);
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

std::unique_ptr<ServeSetup> make_serve_setup(const ServeRequest& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics, Side side) {
  auto setup = read_request(request, diagnostics);
  if (setup) setup->side = side;
  if (!setup || !read_data(*setup, catalog, diagnostics)) return nullptr;
  choose_model(*setup, request, catalog, diagnostics);
  choose_chip(*setup, catalog, diagnostics);
  if (setup->model == nullptr || setup->chip == nullptr) return nullptr;
  choose_engine(*setup, catalog, diagnostics);
  if (setup->traits != nullptr) apply_site(*setup, catalog, diagnostics);
  set_formats(*setup, diagnostics);
  refuse_trace(*setup, request, diagnostics);
  check_shape({.scenario = &setup->scenario, .serve = &setup->ask(), .catalog = &catalog},
              diagnostics);
  choose_lengths(*setup, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  set_memory_setup(*setup, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  choose_layout(*setup, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  const auto kernels = setup->hardware->kernels(*setup->chip);
  const auto network = setup->hardware->network(*setup->chip, setup->traits->one_shot);
  if (!kernels) diagnostics.add(kernels.error());
  if (!network) diagnostics.add(network.error());
  if (!diagnostics.empty()) return nullptr;
  setup->step = std::make_unique<serving::StepModel>(serving::ServingDeployment{
      setup->model, setup->chip, *kernels, *network, setup->traits, setup->precision.kernels,
      setup->layout, false, speculation_of(setup->operations()), adapters_of(setup->operations())});
  setup->memory.take(setup->step->adapter_bytes());
  if (!has_room(*setup, 1)) {
    diagnostics.add(
        placed_error(*setup, setup->ask().position, adapters_fault(setup->step->adapter_bytes())));
    return nullptr;
  }
  return setup;
}

serving::Pool make_pool(const ServeSetup& setup, int replicas,
                        std::optional<std::int64_t> kv_tokens) {
  const auto& cut = setup.layout;
  // What requests have in common is held once on each rank.
  const double common =
      setup.operations().prefix_hits ? setup.operations().prefix_hits->value * setup.tokens_in : 0;
  const auto tokens = static_cast<std::int64_t>(
      std::ceil(setup.tokens_in - common + setup.traits->reserve * setup.tokens_out));
  const double held =
      static_cast<double>(serving::count_sequences(setup.memory_setup, setup.memory, tokens)) /
      cut.dp;
  const double alone = kv_tokens ? static_cast<double>(*kv_tokens) *
                                       setup.memory.stretch(static_cast<double>(tokens)) /
                                       static_cast<double>(tokens)
                                 : held;
  const double stated = alone - common / static_cast<double>(tokens);
  serving::Pool pool;
  pool.step = setup.step.get();
  pool.replicas = static_cast<double>(replicas) * cut.dp;
  pool.set_slots(stated, static_cast<double>(setup.memory_setup.max_sequences));
  pool.gpus = static_cast<double>(replicas) * cut.gpus();
  pool.chunk = static_cast<double>(setup.memory_setup.batched_tokens);
  return pool;
}

HeadFault find_cut_fault(const catalog::ModelSpec& model, const serving::ServingLayout& layout) {
  const int layers = model.num_layers();
  if (layout.pp > layers)
    return {.code = lf::kNotDivisible,
            .message = fmt::format("pp {} leaves stages without a layer: {} has {}", layout.pp,
                                   model.name, layers),
            .hint = fmt::format("choose a pp of at most {}", layers)};
  if (layout.ep <= 1) return {};
  if (!serving::has_experts(model))
    return {.code = lf::kNotDivisible,
            .message = fmt::format("ep {}: {} has no experts to spread", layout.ep, model.name),
            .hint = "remove ep, or write dp for copies of the attention"};
  if (layout.ranks() % layout.ep == 0) return {};
  return {.code = lf::kNotDivisible,
          .message = fmt::format("ep {} does not divide the {} ranks of tp {} and dp {}", layout.ep,
                                 layout.ranks(), layout.tp, layout.dp),
          .hint = fmt::format("choose an ep that divides {}", layout.ranks())};
}

HeadFault find_head_fault(const catalog::ModelSpec& model, int tp) {
  for (const auto& kind : model.kinds) {
    const auto& a = kind.attention;
    if (a.kind != catalog::AttentionKind::kStandard || a.kv_heads <= 0) continue;
    const bool splits = a.heads % tp == 0 && (a.kv_heads % tp == 0 || tp % a.kv_heads == 0);
    if (!splits)
      return {
          .code = lf::kNotDivisible,
          .message =
              fmt::format("tp {} divides neither the {} heads nor the {} key-value heads of {}", tp,
                          a.heads, a.kv_heads, model.name),
          .hint = fmt::format("choose a tp that divides {}, or a multiple of {} that divides {}",
                              a.kv_heads, a.kv_heads, a.heads)};
    if (tp > a.kv_heads)
      return {.message = fmt::format("tp {} copies each of the {} key-value heads {} times: the "
                                     "cache of a token takes as much more memory",
                                     tp, a.kv_heads, tp / a.kv_heads),
              .hint = {}};
  }
  return {};
}

}  // namespace loadfactor::engine
