// How full a fleet is, for people and for programs.
#pragma once

#include <string>

#include "engine/fill/fill.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct FillTextOptions {
  int width = 80;
  bool colour = false;
  bool explain = false;  // Adds the facts.
};

std::string fill_text(const engine::FillAnswer& answer, const FillTextOptions& options);
std::string fill_markdown(const engine::FillAnswer& answer);
// The curve over sizes of the fleet.
std::string fill_csv(const engine::FillAnswer& answer);
std::string fill_json(const engine::FillAnswer& answer, const std::string& file);
std::string fill_verdict(const engine::FillAnswer& answer);

std::string cluster_fill_text(const engine::ClusterFill& fill, const FillTextOptions& options);
std::string cluster_fill_csv(const engine::ClusterFill& fill);
std::string cluster_fill_json(const engine::ClusterFill& fill);
std::string cluster_fill_verdict(const engine::ClusterFill& fill);

AnswerSchema fill_schema();

}  // namespace loadfactor::report
