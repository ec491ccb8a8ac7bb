#include "resolve/serve/serve_setup.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/serve/service_layout.h"
#include "resolve/serve/service_model.h"

namespace loadfactor::engine {
namespace {

std::unique_ptr<ServeSetup> read_request(const ServeInputs& request,
                                         const catalog::Catalog& catalog,
                                         Diagnostics& diagnostics) {
  auto setup = std::make_unique<ServeSetup>();
  setup->catalog = &catalog;
  setup->scenario = request.scenario;
  if (!check_serves(*setup, diagnostics)) return nullptr;
  setup->models = read_serving_models(catalog, diagnostics);
  return setup->models ? std::move(setup) : nullptr;
}

// The demand, of which the closed form takes the means.
bool read_demand(ServeSetup& setup, const ServeInputs& request, Diagnostics& diagnostics) {
  std::vector<Notice> said;
  setup.demand = derive_demand({.scenario = &setup.scenario,
                                .serve = &setup.ask(),
                                .catalog = setup.catalog,
                                .trace_bytes = request.trace_bytes,
                                .fits_trace = false},
                               said, diagnostics);
  if (!setup.demand || !settle_lengths(setup, *setup.demand, diagnostics)) return false;
  setup.tokens_in = setup.demand->input;
  setup.tokens_out = std::max(1.0, setup.demand->output);
  for (Notice& notice : said)
    if (notice.id != "no-shape") setup.notices.push_back(std::move(notice));
  if (const auto& trace = setup.ask().demand->trace)
    setup.note({.id = "trace-means",
                .arguments = {{"file", trace->value},
                              {"rate", fmt::format("{:.3g}", setup.demand->mean())},
                              {"tokens_in", fmt::format("{:.0f}", setup.tokens_in)},
                              {"tokens_out", fmt::format("{:.0f}", setup.tokens_out)}}});
  return true;
}

bool choose_lengths(ServeSetup& setup, const ServeInputs& request, Diagnostics& diagnostics) {
  if (setup.ask().demand) {
    if (!read_demand(setup, request, diagnostics)) return false;
  } else {
    if (!setup.model->generates()) setup.tokens_out = 1;
    const auto longest = static_cast<double>(setup.model->context);
    if (const auto window = static_cast<double>(setup.model->window()); window > 0)
      setup.tokens_in = window;
    else if (longest > 0)
      setup.tokens_in = std::min(setup.tokens_in, std::max(1.0, 0.5 * longest));
    setup.note({.id = "default-lengths",
                .arguments = {{"tokens_in", fmt::format("{:.0f}", setup.tokens_in)},
                              {"tokens_out", fmt::format("{:.0f}", setup.tokens_out)}}});
  }
  setup.promise = service_of(setup, setup.tokens_in, setup.tokens_out);
  return true;
}

bool choose_replicas(ServeSetup& setup, Diagnostics& diagnostics) {
  if (setup.is_split()) {
    auto prompts = choose_replica(setup, Side::kPrefill, *setup.prompt_chip, setup.promise);
    if (!prompts) return diagnostics.add(prompts.error()), false;
    setup.prompts = *std::move(prompts);
  }
  auto answers = choose_replica(setup, Side::kDecode, *setup.chip, setup.promise);
  if (!answers) return diagnostics.add(answers.error()), false;
  setup.plan = *std::move(answers);
  return true;
}

}  // namespace

std::unique_ptr<ServeSetup> make_serve_setup(const ServeInputs& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics) {
  auto setup = read_request(request, catalog, diagnostics);
  if (!setup) return nullptr;
  if (!resolve_service(*setup, request.model_files, diagnostics)) return nullptr;
  note_simulated_keys(*setup);
  if (!choose_lengths(*setup, request, diagnostics)) return nullptr;
  if (!choose_replicas(*setup, diagnostics)) return nullptr;
  setup->plan.kv_measured = request.kv_tokens;
  return setup;
}

}  // namespace loadfactor::engine
