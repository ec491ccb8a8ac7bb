#include "engine/serve/other_layout.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/fill/sizing.h"

namespace loadfactor::engine {
namespace {

// What has to be set for a deployment to be that of a row.
std::vector<std::string> edits_of(const DeploymentRow& row, const serving::ReplicaPlan& taken) {
  std::vector<std::string> edits;
  const auto set = [&](const char* key, const auto& value) {
    edits.push_back(fmt::format("--set serve.deployment.{}={}", key, value));
  };
  if (row.accelerator != taken.choice.chip->name) set("gpu", row.accelerator);
  const auto& had = taken.choice.layout;
  if (row.layout != had) {
    set("tp", row.layout.tp);
    set("pp", row.layout.pp);
  }
  if (row.layout.ep != had.ep) set("ep", row.layout.ep);
  if (row.layout.dp != had.dp) set("dp", row.layout.dp);
  if (row.max_seqs != taken.max_seqs) set("max_seqs", row.max_seqs);
  if (row.chunk != taken.chunk) set("chunk", row.chunk);
  if (!edits.empty()) set("replicas", row.replicas);
  return edits;
}

}  // namespace

void note_other_layout(const ServingInputs& question, const serving::ReplicaPlan& taken,
                       Service& service) {
  const auto& ask = service.ask();
  const bool is_open = !service.asked_pool(Side::kDecode).tp && !service.is_split();
  if (!is_open || !ask.demand || !ask.others.empty()) return;
  Diagnostics unread;
  const auto found = size_service({.serving = question, .confirm = kConfirmed, .relaxed = false},
                                  *service.catalog, unread);
  if (!found) return;
  const DeploymentRow& row = found->rows[found->chosen];
  const std::vector<std::string> edits = edits_of(row, taken);
  if (edits.empty()) return;
  service.note({.id = "other-layout",
                .arguments = {{"deployment", row_words(row)},
                              {"edits", fmt::format("{}", fmt::join(edits, " "))}}});
}

}  // namespace loadfactor::engine
