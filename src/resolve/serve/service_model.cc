#include "resolve/serve/service_model.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/import/model_folder.h"
#include "resolve/model/model_shape.h"

namespace loadfactor::engine {
namespace {

void describe(Service& service, catalog::ModelSpec model) {
  service.described = std::make_shared<const catalog::ModelSpec>(std::move(model));
  service.model = service.described.get();
}

void import_folder(Service& service, const std::vector<ModelFile>& model_files,
                   const config::ModelConfigFile& file, Diagnostics& diagnostics) {
  if (model_files.empty())
    return diagnostics.add(service.error(lf::kCannotRead, file.path.position,
                                         fmt::format("'{}' was not read", file.path.value)));
  catalog::ModelFolder folder;
  for (const auto& part : model_files)
    folder.files[part.name] = {part.text, part.size, part.shown_as};
  Diagnostics problems;
  auto imported = catalog::import_model_folder(folder, problems);
  diagnostics.add_all(problems);
  if (!imported) return;
  for (const auto& notice : imported->notices)
    service.note({.id = "import", .arguments = {{"found", notice.text}}});
  describe(service, std::move(imported->spec));
}

std::vector<config::SloBound> bounds_of(const Service& service) {
  const auto& slo = service.ask().slo;
  return slo ? slo->bounds : std::vector<config::SloBound>();
}

// What a model that writes nothing is asked: one pass for each request.
void settle_answers(Service& service, Diagnostics& diagnostics) {
  auto& demand = service.scenario.serve->demand;
  if (!demand) return;
  const auto refuse = [&](config::Position at, std::string message, std::string hint) {
    diagnostics.add(service.error(lf::kContradictoryKeys, at, std::move(message), std::move(hint)));
  };
  if (service.model->generates()) {
    if (demand->tokens_out && demand->tokens_out->value < Tokens::from_base(1.0))
      diagnostics.add(service.error(lf::kOutOfRange, demand->tokens_out->position,
                                    "'tokens_out' must be above zero",
                                    "only models that embed or score text answer without tokens"));
    return;
  }
  const std::string one = service.model->task == catalog::ModelTask::kEmbed ? "vector" : "score";
  if (demand->tokens_out && demand->tokens_out->value > Tokens::from_base(1.0))
    return refuse(demand->tokens_out->position,
                  fmt::format("{} gives one {} for each request, and writes no tokens",
                              service.model->name, one),
                  "write tokens_out: 0");
  for (const config::SloBound& bound : bounds_of(service))
    if (bound.metric == config::SloMetric::kTimePerOutputToken)
      return refuse(bound.most.position,
                    fmt::format("{} gives one {} for each request: no tokens follow the first",
                                service.model->name, one),
                    "bound 'ttft', the time until it is there");
  if (service.is_split())
    return refuse(
        service.ask().deployment->position,
        fmt::format("{} has no answers to write in a pool of their own", service.model->name),
        "leave out 'prefill' and 'decode'");
  if (service.operations().speculation)
    return refuse(
        service.ask().deployment->position,
        fmt::format("{} writes no tokens that could be guessed ahead", service.model->name),
        "leave out 'speculation'");
  demand->tokens_out = config::Placed<Tokens>{Tokens(), demand->position};
}

// Whether what was read for one request can serve another: keys and values of a token that looks
// back alone. A token that sees the whole text, or a window of sound, has none that last.
bool shares_prefixes(const catalog::ModelSpec& model) {
  return model.causal && !model.has_decoder_apart();
}

void refuse_prefix_hits(const Service& service, Diagnostics& diagnostics) {
  const auto& hits = service.operations().prefix_hits;
  if (!hits || hits->value <= 0 || shares_prefixes(*service.model)) return;
  const bool hears = service.model->has_decoder_apart();
  diagnostics.add(service.error(
      lf::kContradictoryKeys, hits->position,
      hears ? fmt::format("{} reads each window of sound anew: no request finds another's in the "
                          "cache",
                          service.model->name)
            : fmt::format("{} reads each text as a whole and keeps nothing of it: no request finds "
                          "another's beginning in the cache",
                          service.model->name),
      "leave out 'prefix_hits'"));
}

// Hashes of a trace say what could be shared; a model that keeps nothing shares nothing.
void drop_prefixes(Service& service, demand::Trace& trace) {
  if (trace.prefixes.empty() || shares_prefixes(*service.model)) return;
  trace.prefixes = {};
  service.note({.id = "prefixes-not-kept", .arguments = {{"model", service.model->name}}});
}

Notice filled_window(const catalog::ModelSpec& model, double frames) {
  return {.id = "filled-window",
          .arguments = {{"window", format_count(model.window())},
                        {"frames", fmt::format("{:.0f}", frames)}}};
}

// The decoder has positions of its own, beside those of the window.
void check_written_sound(const Service& service, Diagnostics& diagnostics) {
  const catalog::ModelSpec& model = *service.model;
  const auto& asked = service.ask().demand->tokens_out;
  const auto most = static_cast<double>(model.context - model.window());
  if (!asked || most <= 0 || asked->value.base() <= most) return;
  diagnostics.add(service.error(
      lf::kContextTooLong, asked->position,
      fmt::format("{} writes {:.0f} tokens of a window of sound at most, and {:.0f} are more",
                  model.name, most, asked->value.base()),
      fmt::format("write tokens_out: {:.0f} or less", most)));
}

// Sound is read in windows of one length: what is shorter is computed as a whole one.
void settle_sound(Service& service, Diagnostics& diagnostics) {
  const catalog::ModelSpec& model = *service.model;
  if (model.has_decoder_apart()) service.seen = 1;
  auto& demand = service.scenario.serve->demand;
  const auto window = static_cast<double>(model.window());
  if (window <= 0 || !demand) return;
  check_written_sound(service, diagnostics);
  if (!demand->tokens_in) return;
  config::Placed<Tokens>& asked = *demand->tokens_in;
  if (asked.value.base() > window) {
    diagnostics.add(service.error(
        lf::kContextTooLong, asked.position,
        fmt::format("{} reads sound in windows of {:.0f} frames, and {:.0f} are more than one",
                    model.name, window, asked.value.base()),
        fmt::format("write tokens_in: {:.0f}, and count a request for each window", window)));
  } else if (asked.value.base() < window) {
    service.note(filled_window(model, asked.value.base()));
    asked.value = Tokens::from_base(window);
  }
}

// Images become tokens of the prompt, made by the model's encoder.
void settle_images(Service& service, Diagnostics& diagnostics) {
  auto& demand = service.scenario.serve->demand;
  const catalog::ModelSpec& model = *service.model;
  if (!demand || !demand->images || demand->images->value <= 0) return;
  const config::Position at = demand->images->position;
  const bool sees = model.tower && model.tower->reads == catalog::Modality::kVision;
  if (!sees || !demand->tokens_in) {
    diagnostics.add(service.error(
        lf::kContradictoryKeys, at,
        sees ? std::string("images without 'tokens_in': a trace counts them among its tokens")
             : fmt::format("{} reads no images, as far as its description says", model.name),
        sees ? "write a rate and 'tokens_in'"
             : "leave out 'images', or name a model with a tower"));
    return;
  }
  const double tokens = demand->images->value * static_cast<double>(model.tower->tokens);
  const double all = demand->tokens_in->value.base() + tokens;
  service.seen = tokens / all;
  demand->tokens_in->value = Tokens::from_base(all);
  demand->images.reset();
  service.note({.id = "image-tokens",
                .arguments = {{"tokens", fmt::format("{}", model.tower->tokens)},
                              {"patches", fmt::format("{}", model.tower->patches)},
                              {"prompt", fmt::format("{:.0f}", all)}}});
}

}  // namespace

void resolve_model(Service& service, const std::vector<ModelFile>& model_files,
                   Diagnostics& diagnostics) {
  const auto& model = service.ask().model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) {
    const auto found = service.catalog->find_model(named->name.value);
    if (!found) return diagnostics.add(service.placed(found.error(), named->name.position));
    service.model = *found;
  } else if (const auto* file = std::get_if<config::ModelConfigFile>(&model)) {
    import_folder(service, model_files, *file, diagnostics);
  } else if (const auto* size = std::get_if<config::ModelSize>(&model)) {
    describe(service, model_of_size(size->params.value, size->active ? size->active->value : 0));
    service.note({.id = "assumed-shape"});
  } else {
    describe(service, model_of_dimensions(std::get<config::ModelDimensions>(model)));
  }
}

void settle_demand(Service& service, Diagnostics& diagnostics) {
  refuse_prefix_hits(service, diagnostics);
  settle_answers(service, diagnostics);
  settle_sound(service, diagnostics);
  settle_images(service, diagnostics);
}

bool settle_lengths(Service& service, FleetDemand& derived, Diagnostics& diagnostics) {
  if (derived.trace) drop_prefixes(service, *derived.trace);
  const auto window = static_cast<std::int32_t>(service.model->window());
  if (window <= 0) return true;
  if (derived.trace) {
    for (demand::Request& request : derived.trace->requests) {
      if (request.input > window) {
        diagnostics.add(service.error(lf::kContextTooLong, service.ask().demand->position,
                                      fmt::format("a row has {} frames, and {} reads windows of {}",
                                                  request.input, service.model->name, window),
                                      "give each window of the sound a row of its own"));
        return false;
      }
      request.input = window;
    }
  }
  if (derived.input < window) service.note(filled_window(*service.model, derived.input));
  derived.input = window;
  const auto answer = static_cast<std::int32_t>(service.model->context) - window;
  for (demand::TrafficModel* model : {&derived.model, &derived.week_model}) {
    model->input = demand::lengths_of_mean(window, 0, window);
    if (answer > 0) model->output.most = answer;
  }
  return true;
}

}  // namespace loadfactor::engine
