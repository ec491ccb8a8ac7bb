#include "resolve/serve/serving_world.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/service_layout.h"
#include "resolve/serve/service_model.h"

namespace loadfactor::engine {
namespace {

bool bounds_whole_requests(const config::ServeSection& ask) {
  if (!ask.slo) return false;
  const auto& bounds = ask.slo->bounds;
  return std::any_of(bounds.begin(), bounds.end(), [](const auto& bound) {
    return bound.metric == config::SloMetric::kWholeRequest;
  });
}

// A fleet is sized and priced as one kind of GPU.
bool check_one_chip(const Service& service, Diagnostics& diagnostics) {
  if (!service.is_split() || service.prompt_chip == service.chip) return true;
  const config::Pool pool = service.asked_pool(Side::kPrefill);
  diagnostics.add(service.error(
      lf::kContradictoryKeys, pool.gpu ? pool.gpu->position : service.ask().position,
      fmt::format("prompts on {} and answers on {} are not sized together",
                  service.prompt_chip->name, service.chip->name),
      "`serve` and `serve --simulate` take pools of different GPUs; or give both one kind"));
  return false;
}

}  // namespace

bool ServingWorld::read_demand(const ServingInputs& question, Diagnostics& diagnostics) {
  auto derived = derive_demand({.scenario = &service_->scenario,
                                .serve = &service_->ask(),
                                .catalog = service_->catalog,
                                .trace_bytes = question.trace_bytes,
                                .seed = seed_},
                               service_->notices, diagnostics);
  if (!derived) return false;
  demand_ = *std::move(derived);
  clip_lengths(*service_->model, demand_);
  if (!settle_lengths(*service_, demand_, diagnostics)) return false;
  ask_ = service_of(*service_, demand_.input, demand_.output);
  return true;
}

std::unique_ptr<ServingWorld> ServingWorld::create(const ServingInputs& question,
                                                   const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  std::unique_ptr<ServingWorld> world(new ServingWorld());
  world->seed_ = question.seed;
  world->service_ = std::make_unique<Service>();
  Service& service = *world->service_;
  service.catalog = &catalog;
  service.scenario = question.scenario;
  if (!check_serves(service, diagnostics)) return nullptr;
  service.models = question.models ? question.models : read_serving_models(catalog, diagnostics);
  if (!service.models) return nullptr;
  if (!resolve_service(service, question.model_files, diagnostics)) return nullptr;
  if (!check_one_chip(service, diagnostics)) return nullptr;
  note_simulated_keys(service);
  if (!world->read_demand(question, diagnostics)) return nullptr;
  if (bounds_whole_requests(service.ask())) service.note({.id = "unsized-slo"});
  return world;
}

double ServingWorld::slo_quantile() const {
  return engine::slo_quantile(ask_);
}

std::vector<const catalog::AcceleratorSpec*> ServingWorld::candidates(
    const std::string& gpu, Diagnostics& diagnostics) const {
  if (!gpu.empty()) {
    const auto chip = service_->catalog->find_accelerator(gpu);
    if (chip) return {*chip};
    diagnostics.add(chip.error());
    return {};
  }
  std::vector<const catalog::AcceleratorSpec*> chips{service_->chip};
  if (service_->asked_pool(Side::kDecode).gpu) return chips;
  for (const auto& name : service_->scenario.hardware) {
    const auto chip = service_->catalog->find_accelerator(name.value);
    if (!chip)
      diagnostics.add(service_->placed(chip.error(), name.position));
    else if (std::find(chips.begin(), chips.end(), *chip) == chips.end())
      chips.push_back(*chip);
  }
  return chips;
}

Result<serving::ReplicaChoice> ServingWorld::choice(const catalog::AcceleratorSpec& chip,
                                                    const std::string& precision,
                                                    const serving::ServingLayout& layout) const {
  TRY(auto choice, replica_on(*service_, Side::kDecode, chip, precision));
  choice.layout = layout;
  return choice;
}

Result<serving::ReplicaPlan> ServingWorld::plan(const serving::ReplicaChoice& choice) {
  return serving::plan_replica(choice, hardware());
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan) const {
  return serving::measure_capacity(plan, ask_, constants(*plan.choice.chip));
}

serving::CapacityFigures ServingWorld::capacity(const serving::ReplicaPlan& plan,
                                                const serving::ServicePromise& ask) const {
  return serving::measure_capacity(plan, ask, constants(*plan.choice.chip));
}

Result<serving::ReplicaPlan> ServingWorld::replica(Side side,
                                                   const catalog::AcceleratorSpec& chip) {
  return choose_replica(*service_, side, chip, ask_);
}

}  // namespace loadfactor::engine
