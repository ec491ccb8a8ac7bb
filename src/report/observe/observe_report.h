// What `observe` answers, for people, for programs and for monitors.
#pragma once

#include <string>

#include "base/text/stamp_text.h"
#include "engine/observe/observe_answer.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct ObserveStyle {
  int width = 80;
  bool colour = false;
};

std::string observe_text(const engine::ObserveAnswer& answer, const ObserveStyle& style);
std::string observe_markdown(const engine::ObserveAnswer& answer);
std::string observe_json(const engine::ObserveAnswer& answer);
// A row for each group.
std::string observe_csv(const engine::ObserveAnswer& answer);
// As an exporter prints it, for Prometheus.
std::string observe_metrics(const engine::ObserveAnswer& answer);
// What was found, as a scenario: to plan where a service was seen, to weigh by `cost` otherwise. It
// names the file that the traffic stands in, where there is one.
bool has_scenario(const engine::ObserveAnswer& answer);
std::string observe_scenario(const engine::ObserveAnswer& answer,
                             const std::string& traffic_file = {});
// The traffic of the largest service by hour, as `demand` reads it.
std::string observe_traffic_csv(const engine::ObserveAnswer& answer);
AnswerSchema observe_schema();

// The sentence with the two needles.
// `2.5 days`, `40 minutes`.
std::string span_words(double seconds);
std::string observe_sentence(const engine::ObserveAnswer& answer);
// Why a row is advised.
std::string advice_words(const engine::AdviceRow& row);
std::string_view cause_name(observe::Cause cause);
std::string_view loss_name(observe::Loss loss);
// `2026-11-10T09:00:00Z`.
using loadfactor::stamp_text;
std::string group_name(const engine::UseGroup& group);
// A name of anybody's choice as a table has room for it: cut, and without what moves a cursor.
std::string shown_name(std::string_view name);

}  // namespace loadfactor::report
