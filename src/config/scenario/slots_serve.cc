// The keys of `serve`.
#include <algorithm>

#include "config/scenario/slot_table.h"

namespace loadfactor::config {
namespace {

// A shape is a name, or a map of figures: writing one takes the other away.
void add_shape(SlotTable& table, const Section<Demand>& demand) {
  table.add<Demand>(demand, "shape", "how traffic moves over the week",
                    {[](const Demand& part) { return read(part.shape); },
                     [](Demand& part, const AnyValue& value) {
                       part.shape_figures.reset();
                       return write(part.shape, value);
                     },
                     [](const Demand& part) { return place_of(part.shape); }});
  const Section<ShapeSection> shape{
      path_in(demand.path, "shape"),
      [find = demand.find](Scenario& scenario, Walk& walk) -> ShapeSection* {
        Demand* const part = find(scenario, walk);
        if (part == nullptr) return nullptr;
        if (walk.makes) part->shape.reset();
        if (walk.makes && !part->shape_figures) part->shape_figures.emplace();
        return part->shape_figures ? &*part->shape_figures : nullptr;
      }};
  table.add(shape, "daily_peak", "busiest moment of a day over its mean",
            &ShapeSection::daily_peak);
  table.add(shape, "peak_hour", "when that is, UTC", &ShapeSection::peak_hour);
  table.add(shape, "weekend", "traffic of a weekend over that of other days",
            &ShapeSection::weekend);
  table.add(shape, "file", "a file of a week, or of fitted traffic", &ShapeSection::file);
}

void add_growth(SlotTable& table, const Section<Demand>& demand) {
  table.add<Demand>(demand, "growth", "how traffic grows over the months",
                    {[](const Demand& part) {
                       if (!part.growth) return AnyValue();
                       if (part.growth->text.empty()) return AnyValue(part.growth->months);
                       return AnyValue(part.growth->text);
                     },
                     [](Demand& part, const AnyValue& value) {
                       part.growth.reset();
                       if (std::holds_alternative<Blank>(value)) return true;
                       if (const auto* text = std::get_if<std::string>(&value))
                         part.growth = parse_growth(*text);
                       if (const auto* months = std::get_if<std::vector<double>>(&value))
                         part.growth.emplace().months = *months;
                       if (part.growth) part.growth->position = kPlannerPosition;
                       return part.growth.has_value();
                     },
                     [](const Demand& part) {
                       return part.growth ? std::optional(part.growth->position) : std::nullopt;
                     }});
}

void add_demand(SlotTable& table, const Section<ServeSection>& serve) {
  const auto demand = table.section(serve, "demand", "traffic", &ServeSection::demand);
  for (const Period& period : kPeriods) {
    table.add<Demand>(
        demand, period.key, "mean traffic",
        {[period](const Demand& part) {
           return part.requests ? AnyValue(part.requests->value.base() * period.seconds)
                                : AnyValue();
         },
         [period](Demand& part, const AnyValue& value) {
           Given<double> count;
           if (!write(count, value)) return false;
           part.requests.reset();
           if (count)
             part.requests = {Hertz::from_base(count->value / period.seconds), count->position};
           return true;
         },
         [](const Demand& part) { return place_of(part.requests); }});
  }
  table.add(demand, "tokens_in", "mean length of a prompt", &Demand::tokens_in);
  table.add(demand, "tokens_out", "mean length of an answer", &Demand::tokens_out);
  table.add(demand, "images", "images of a mean request", &Demand::images);
  add_shape(table, demand);
  add_growth(table, demand);
  table.add(demand, "trace", "a file of recorded requests", &Demand::trace);
  table.add(demand, "scale", "requests over those of the trace", &Demand::scale);
}

std::size_t rank_of(const SloBound& bound) {
  const auto found = std::find_if(kSloKeys.begin(), kSloKeys.end(), [&](const SloKey& key) {
    return key.metric == bound.metric && key.quantile == bound.quantile;
  });
  return static_cast<std::size_t>(found - kSloKeys.begin());
}

// Bounds stand in the order of the keys.
bool write_bound(Slo& slo, const SloKey& key, const AnyValue& value) {
  Given<Seconds> most;
  if (!write(most, value)) return false;
  const auto is_same = [&](const SloBound& bound) {
    return bound.metric == key.metric && bound.quantile == key.quantile;
  };
  std::erase_if(slo.bounds, is_same);
  if (!most) return true;
  const SloBound bound{key.metric, key.quantile, *most};
  const auto at = std::find_if(slo.bounds.begin(), slo.bounds.end(), [&](const SloBound& other) {
    return rank_of(other) > rank_of(bound);
  });
  slo.bounds.insert(at, bound);
  return true;
}

void add_slo(SlotTable& table, const Section<ServeSection>& serve) {
  const auto slo = table.section(serve, "slo", "what is promised", &ServeSection::slo);
  table.add(slo, "availability", "share of the time that the promise is kept in",
            &Slo::availability);
  table.add(slo, "zones", "zones of which any one may fail", &Slo::zones);
  table.add(slo, "spare", "replicas that a deploy takes out while the others hold the bounds",
            &Slo::spare);
  for (const SloKey& key : kSloKeys) {
    const auto find = [key](const Slo& part) -> const SloBound* {
      for (const SloBound& bound : part.bounds)
        if (bound.metric == key.metric && bound.quantile == key.quantile) return &bound;
      return nullptr;
    };
    table.add<Slo>(
        slo, key.key, "the longest time that this share of requests may take",
        {[find](const Slo& part) {
           const SloBound* const bound = find(part);
           return bound == nullptr ? AnyValue() : read(bound->most);
         },
         [key](Slo& part, const AnyValue& value) { return write_bound(part, key, value); },
         [find](const Slo& part) {
           const SloBound* const bound = find(part);
           return bound == nullptr ? std::nullopt : place_of(bound->most);
         }});
  }
}

void add_pool(SlotTable& table, const Section<Pool>& pool) {
  table.add(pool, "gpu", "the chip of these replicas", &Pool::gpu);
  table.add(pool, "tp", "GPUs that share a layer", &Pool::tp);
  table.add(pool, "pp", "stages of the pipeline", &Pool::pp);
  table.add(pool, "ep", "GPUs that share the experts", &Pool::ep);
  table.add(pool, "dp", "ranks with requests of their own", &Pool::dp);
  table.add(pool, "cp", "ranks over which prompts and caches are split", &Pool::cp);
  table.add(pool, "replicas", "copies of the model", &Pool::replicas);
  table.add(pool, "max_seqs", "sequences in one batch at most", &Pool::max_seqs);
  table.add(pool, "chunk", "prefill tokens per step", &Pool::chunk);
  table.add(pool, "kv", "number format of the KV cache", &Pool::kv);
}

void add_scaling(SlotTable& table, const Section<Operations>& operations) {
  const auto scaling =
      table.section(operations, "scaling", "replicas that come and go", &Operations::scaling);
  table.add(scaling, "most", "replicas at most", &ScalingSection::most);
  table.add(scaling, "least", "replicas at least", &ScalingSection::least);
  table.add(scaling, "target", "requests per replica that are aimed at", &ScalingSection::target);
  table.add(scaling, "above", "requests per replica that add one", &ScalingSection::above);
  table.add(scaling, "below", "requests per replica that take one away", &ScalingSection::below);
  table.add(scaling, "interval", "time between two decisions", &ScalingSection::interval);
  table.add(scaling, "seen_after", "age of what a decision sees", &ScalingSection::seen_after);
  table.add(scaling, "cooldown", "rest after a decision", &ScalingSection::cooldown);
  table.add(scaling, "start", "time from a decision to a replica that serves",
            &ScalingSection::start);
  table.add(scaling, "provision", "time until a machine is there", &ScalingSection::provision);
  table.add(scaling, "load", "time to load the model on it", &ScalingSection::load);
}

// The parts of running a deployment that are maps or lists themselves.
void add_operation_parts(SlotTable& table, const Section<Operations>& operations) {
  const auto speculation =
      table.section(operations, "speculation", "tokens proposed ahead", &Operations::speculation);
  table.add(speculation, "tokens", "tokens proposed at a time", &SpeculationSection::tokens);
  table.add(speculation, "acceptance", "chance that a proposed token is right",
            &SpeculationSection::acceptance);
  table.add(speculation, "draft", "time to propose one, as a share of a plain step",
            &SpeculationSection::draft);
  const auto experts =
      table.section(operations, "moe", "how uneven experts are used", &Operations::moe);
  table.add(experts, "imbalance", "tokens of the busiest rank over the mean",
            &ServedExperts::imbalance);
  const auto filler = table.section(operations, "filler", "batch work that takes idle capacity",
                                    &Operations::filler);
  table.add(filler, "tokens_in", "prompt tokens of a request", &FillerSection::tokens_in);
  table.add(filler, "tokens_out", "answer tokens of a request", &FillerSection::tokens_out);
  table.add(experts, "skew", "power law by which experts are chosen", &ServedExperts::skew);
  table.add(experts, "dispatch", "as tokens travel to the experts", &ServedExperts::dispatch);
  const auto lora = table.section(operations, "lora", "adapters", &Operations::lora);
  table.add(lora, "rank", "rank of the adapters", &AdapterSection::rank);
  table.add(lora, "active", "different adapters in one batch", &AdapterSection::active);
  add_scaling(table, operations);
  const auto transfer = table.section(operations, "transfer", "how KV blocks reach the decode pool",
                                      &Operations::transfer);
  table.add(transfer, "link", "bandwidth of a replica", &TransferSection::link);
  table.add(transfer, "shared", "bandwidth that all replicas share", &TransferSection::shared);
  table.add(transfer, "latency", "time before the first byte", &TransferSection::latency);
  const auto failure =
      table.section(operations, "failures", "replicas that break", &Operations::failures);
  table.add(failure, "at", "when it breaks", &ReplicaFailure::at);
  table.add(failure, "repair", "how long it is away", &ReplicaFailure::repair);
  table.add(failure, "replica", "which replica, from 1", &ReplicaFailure::replica);
}

void add_operations(SlotTable& table, const Section<Operations>& operations) {
  table.add(operations, "memory_fraction", "share of a GPU's memory that the engine takes",
            &Operations::memory_fraction);
  table.add(operations, "prefix_hits", "share of the prompt tokens that are in the cache",
            &Operations::prefix_hits);
  table.add(operations, "urgent", "share of the requests that go first", &Operations::urgent);
  table.add(operations, "preemption", "what becomes of a cache that makes room",
            &Operations::preemption);
  table.add(operations, "swap_space", "host memory for one GPU's cache", &Operations::swap_space);
  table.add(operations, "router", "how requests find their replica", &Operations::router);
  table.add(operations, "timeout", "time after which a request gives up", &Operations::timeout);
  table.add(operations, "first_token_timeout", "time after which one without a token gives up",
            &Operations::first_token_timeout);
  table.add(operations, "max_waiting", "requests that may wait at a replica",
            &Operations::max_waiting);
  add_operation_parts(table, operations);
}

void add_deployment(SlotTable& table, const Section<ServeSection>& serve) {
  const auto deployment =
      table.section(serve, "deployment", "the replicas that serve", &ServeSection::deployment);
  add_pool(table, inside(deployment, &Deployment::pool));
  table.add(deployment, "engine", "the serving engine", &Deployment::engine);
  table.add(deployment, "release", "its release", &Deployment::release);
  add_operations(table, inside(deployment, &Deployment::operations));
  add_pool(table, table.section(deployment, "prefill", "replicas that compute prompts",
                                &Deployment::prefill));
  add_pool(table,
           table.section(deployment, "decode", "replicas that write answers", &Deployment::decode));
}

void add_one_model(SlotTable& table, const Section<ServeSection>& serve) {
  add_model_slots(table, inside(serve, &ServeSection::model));
  table.add(serve, "precision", "number format of the weights", &ServeSection::precision);
  add_demand(table, serve);
  add_slo(table, serve);
  table.add(serve, "deadline", "how long a request of batch work may take",
            &ServeSection::deadline);
  add_deployment(table, serve);
}

}  // namespace

void add_serve_slots(SlotTable& table, const Section<Scenario>& root) {
  const auto serve = table.section(root, "serve", "a service", &Scenario::serve);
  add_one_model(table, serve);
  const auto region = table.section(serve, "regions", "where users are", &ServeSection::regions);
  table.add(region, "name", "a region of the catalogue", &ServedRegion::name);
  table.add(region, "share", "its part of the demand", &ServedRegion::share);
  add_one_model(table, table.section(serve, "others", "further models on the same GPUs",
                                     &ServeSection::others));
}

}  // namespace loadfactor::config
