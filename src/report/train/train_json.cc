// The JSON forms of a training answer: the envelope, and the trace of one step.
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "report/json_answer.h"
#include "report/train/payment_json.h"
#include "report/train/train_report.h"

namespace loadfactor::report {
namespace {

Json layout_of(const TrainLayout& l) {
  return {{"gpus", l.gpus},
          {"tp", l.tp},
          {"pp", l.pp},
          {"vp", l.vp},
          {"first_layers", l.first_layers},
          {"last_layers", l.last_layers},
          {"cp", l.cp},
          {"ep", l.ep},
          {"etp", l.etp},
          {"dp", l.dp},
          {"zero", l.sharding},
          {"shard_group", l.shard_group},
          {"micro_batch", l.micro_batch},
          {"micro_batches", l.micro_batches},
          {"recompute", l.recompute},
          {"schedule", l.schedule},
          {"sequence_parallel", l.sequence_parallel},
          {"offload", l.offload},
          {"offload_layers", l.offload_layers}};
}

void add_memory(const TrainAnswer& answer, Json& json) {
  json["fits"] = answer.fits;
  json["memory_verdict"] = answer.verdict;
  json["memory"] = quantity(answer.memory.erased());
  json["memory_per_gpu"] = quantity(
      EstimateOf<Bytes>::exact(answer.memory_per_gpu, Basis::kModelled, answer.memory.source())
          .erased());
  json["heaviest_stage"] = answer.heaviest_stage;
  json["memory_lines"] = Json::array();
  for (const auto& line : answer.lines)
    json["memory_lines"].push_back(
        {{"name", line.name}, {"bytes", quantity(line.bytes.erased())}, {"what", line.why}});
  if (answer.fits) return;
  json["shortage"] = answer.shortage;
  json["nearest"] = answer.nearest;
  json["nearest_changes"] = answer.nearest_changes;
}

void add_paid_time(const TrainAnswer& answer, Json& json) {
  if (answer.duration) json["duration"] = quantity(answer.duration->erased());
  if (answer.cost) json["cost"] = quantity(answer.cost->erased());
  json["progress"] = answer.stalled.empty();
  if (!answer.stalled.empty()) {
    json["stalled"] = answer.stalled;
    json["helps"] = answer.helps;
  }
  json["missed"] = missed_keys(answer.missed);
  add_payment(answer, json);
  add_ways(answer, json);
  if (!answer.goodput) return;
  const auto& g = *answer.goodput;
  const auto modelled = [&g](auto value) {
    return quantity(
        EstimateOf<decltype(value)>::exact(value, Basis::kModelled, g.value.source()).erased());
  };
  Json losses = Json::array();
  for (const auto& loss : g.losses)
    losses.push_back({{"name", loss.name}, {"percent", 100.0 * loss.share}, {"what", loss.what}});
  json["goodput"] = quantity(g.value.erased());
  json["failures"] = {{"checkpoint_interval", modelled(g.interval)},
                      {"checkpoint_interval_steps", g.interval_steps},
                      {"checkpoint_stall", modelled(g.stall)},
                      {"checkpoint_size", modelled(g.checkpoint)},
                      {"spare_nodes", g.spare_nodes},
                      {"losses", std::move(losses)}};
  if (std::isfinite(g.mtbf.base())) json["failures"]["mtbf"] = modelled(g.mtbf);
}

void add_step(const TrainAnswer& answer, Json& json) {
  json["step_time"] = quantity(answer.step_time.erased());
  json["tokens_per_s"] = quantity(answer.tokens_per_s.erased());
  json["tokens_per_s_per_gpu"] = quantity(answer.tokens_per_s_per_gpu.erased());
  json["mfu"] = quantity(answer.mfu.erased());
  json["hfu"] = quantity(answer.hfu.erased());
  json["peak"] = quantity(
      EstimateOf<FlopsPerSecond>::exact(answer.peak, Basis::kModelled, "catalogue").erased());
  add_paid_time(answer, json);
  json["breakdown"] = Json::array();
  for (const auto& part : answer.parts)
    json["breakdown"].push_back({{"name", part.name},
                                 {"time", quantity(part.time.erased())},
                                 {"percent", 100.0 * part.share},
                                 {"what", part.what}});
  json["reasons"] = answer.reasons;
}

std::string track_name(int track, int stages) {
  return stages == 1 ? "all stages" : fmt::format("stage {}", track + 1);
}

}  // namespace

std::string train_json(const TrainAnswer& answer, const std::string& file) {
  Json json;
  json["verdict"] = train_verdict(answer);
  json["model"] = answer.model;
  json["parameters"] = {{"total", answer.parameters_total}, {"active", answer.parameters_active}};
  json["accelerator"] = answer.accelerator;
  json["stack"] = answer.stack;
  json["precision"] = answer.precision;
  json["sequence"] = answer.sequence;
  json["global_batch"] = answer.global_batch;
  json["layout"] = layout_of(answer.layout);
  json["layout_keys"] = answer.layout_keys;
  add_memory(answer, json);
  if (answer.fits) add_step(answer, json);
  return envelope("train", Json{{"name", answer.scenario}, {"file", file}}, std::move(json),
                  answer.notices, answer.facts);
}

std::string train_trace_json(const TrainAnswer& answer) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"otherData\":{";
  text +=
      fmt::format("\"scenario\":{},\"step_ms\":{},\"stretch\":{}}},\n\"traceEvents\":[\n",
                  json_string(answer.scenario), json_number(answer.step_time.value().base() * 1e3),
                  json_number(answer.trace_stretch));
  const int stages = answer.layout.pp;
  for (int track = 0; track < stages; ++track) {
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":"
        "{{\"name\":{}}}}},\n",
        track + 1, json_string(track_name(track, stages)));
  }
  bool first = true;
  for (const auto& span : answer.trace) {
    text += fmt::format(
        "{}{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":{},\"cat\":{},\"ts\":{},\"dur\":{},"
        "\"args\":{{\"micro_batch\":{},\"chunk\":{}}}}}",
        first ? "" : ",\n", span.track + 1, json_string(span.name), json_string(span.kind),
        json_number(span.start.base() * 1e6), json_number(span.duration.base() * 1e6),
        span.micro_batch, span.chunk);
    first = false;
  }
  return text + "\n]}\n";
}

}  // namespace loadfactor::report
