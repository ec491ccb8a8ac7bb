// The steps of a simulation in the Chrome trace format.
#include <string>

#include <fmt/format.h>

#include "base/text/json_text.h"
#include "report/serve/simulate_report.h"

namespace loadfactor::report {
namespace {

std::string span_event(const SimulatedSpan& span) {
  const bool is_run = span.prompt_tokens == 0;
  return fmt::format(
      "{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"{}\",\"cat\":\"{}\",\"ts\":{},\"dur\":{},"
      "\"args\":{{\"steps\":{},\"sequences\":{},\"prompt_tokens\":{}}}}}",
      span.replica + 1, is_run ? "decode" : "prefill", is_run ? "decode" : "mixed",
      json_number(span.start.base() * 1e6), json_number(span.duration.base() * 1e6), span.steps,
      span.sequences, span.prompt_tokens);
}

std::string counter_event(const LoadPoint& p) {
  return fmt::format(
      "{{\"ph\":\"C\",\"pid\":1,\"name\":\"requests\",\"ts\":{0},\"args\":{{\"waiting\":{1},"
      "\"running\":{2}}}}},\n{{\"ph\":\"C\",\"pid\":1,\"name\":\"KV cache %\",\"ts\":{0},\"args\":"
      "{{\"used\":{3}}}}}",
      json_number(p.time.base() * 1e6), p.waiting, p.running, json_number(100 * p.kv_share));
}

}  // namespace

std::string simulate_trace_json(const SimulateAnswer& answer) {
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"scenario\":{}}},\n"
      "\"traceEvents\":[\n",
      json_string(answer.scenario));
  for (std::size_t r = 0; r < answer.replica_names.size(); ++r)
    text += fmt::format(
        "{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}},"
        "\n",
        r + 1, json_string(answer.replica_names[r]));
  for (const auto& span : answer.spans) text += span_event(span) + ",\n";
  for (const auto& point : answer.series) text += counter_event(point) + ",\n";
  return text +
         "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"simulation\"}}\n]}"
         "\n";
}

}  // namespace loadfactor::report
