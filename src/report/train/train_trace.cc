// The trace of one training step, in the Chrome format.
#include <string>

#include <fmt/format.h>

#include "base/text/json_text.h"
#include "report/train/step_words.h"
#include "report/train/train_report.h"

namespace loadfactor::report {
namespace {

std::string track_name(int track, int stages) {
  return stages == 1 ? "all stages" : fmt::format("stage {}", track + 1);
}

}  // namespace

std::string no_trace_words(const TrainAnswer& answer) {
  return answer.fits ? "no trace: the step has no events"
                     : "no trace was written: the layout does not fit";
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
        first ? "" : ",\n", span.track + 1, json_string(span_name(span, answer.trace_chunks)),
        json_string(std::string(kind_name(span.kind))), json_number(span.start.base() * 1e6),
        json_number(span.duration.base() * 1e6), span.micro_batch, span.chunk);
    first = false;
  }
  return text + "\n]}\n";
}

}  // namespace loadfactor::report
