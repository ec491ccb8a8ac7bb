#include "resolve/serve/serve_setup.h"

#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/serve/service_layout.h"

namespace loadfactor::engine {
namespace {

std::unique_ptr<ServeSetup> read_request(const ServeRequest& request,
                                         const catalog::Catalog& catalog,
                                         Diagnostics& diagnostics) {
  auto setup = std::make_unique<ServeSetup>();
  setup->catalog = &catalog;
  setup->scenario = request.scenario;
  if (!check_serves(*setup, diagnostics)) return nullptr;
  setup->models = read_serving_models(catalog, diagnostics);
  return setup->models ? std::move(setup) : nullptr;
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

void choose_lengths(ServeSetup& setup) {
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
  setup.promise = service_of(setup, setup.tokens_in, setup.tokens_out);
}

bool choose_replicas(ServeSetup& setup, Diagnostics& diagnostics) {
  if (setup.is_split()) {
    auto prompts = choose_replica(setup, Side::kPrompts, *setup.prompt_chip, setup.promise);
    if (!prompts) return diagnostics.add(prompts.error()), false;
    setup.prompts = *std::move(prompts);
  }
  auto answers = choose_replica(setup, Side::kAnswers, *setup.chip, setup.promise);
  if (!answers) return diagnostics.add(answers.error()), false;
  setup.plan = *std::move(answers);
  return true;
}

}  // namespace

std::unique_ptr<ServeSetup> make_serve_setup(const ServeRequest& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics) {
  auto setup = read_request(request, catalog, diagnostics);
  if (!setup) return nullptr;
  const bool is_resolved = resolve_service(*setup, request.model_files, diagnostics);
  refuse_trace(*setup, request, diagnostics);
  if (!is_resolved || !diagnostics.empty()) return nullptr;
  note_simulated_keys(*setup);
  choose_lengths(*setup);
  if (!choose_replicas(*setup, diagnostics)) return nullptr;
  setup->plan.kv_measured = request.kv_tokens;
  return setup;
}

}  // namespace loadfactor::engine
