#include "engine/serve/other_layout.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/fill/serve_search.h"

namespace loadfactor::engine {
namespace {

// What has to be set for a deployment to be that of a row.
std::vector<std::string> edits_of(const DeploymentRow& row, const serving::ReplicaPlan& taken) {
  std::vector<std::string> edits;
  const auto set = [&](const char* key, const auto& value) {
    edits.push_back(fmt::format("--set serve.deployment.{}={}", key, value));
  };
  if (row.accelerator != taken.choice.chip->name) set("gpu", row.accelerator);
  set("tp", row.layout.tp);
  for (const auto& [key, degree] : {std::pair("pp", row.layout.pp), std::pair("ep", row.layout.ep),
                                    std::pair("dp", row.layout.dp)})
    if (degree > 1) set(key, degree);
  if (row.max_seqs != taken.max_seqs) set("max_seqs", row.max_seqs);
  if (row.chunk != taken.chunk) set("chunk", row.chunk);
  return edits;
}

}  // namespace

void note_other_layout(const ServingQuestion& question, const serving::ReplicaPlan& taken,
                       Service& service) {
  const auto& ask = service.ask();
  const bool is_open = !service.asked_pool(Side::kAnswers).tp && !service.is_split();
  if (!is_open || !ask.demand || !ask.others.empty()) return;
  Diagnostics unread;
  const auto found = search_deployment({.serving = question, .confirm = 0, .relaxed = false},
                                       *service.catalog, unread);
  if (!found) return;
  const DeploymentRow& row = found->rows.front();
  if (row.accelerator == taken.choice.chip->name && row.layout == taken.choice.layout) return;
  service.note("other-layout", fmt::format("`serve --search` would choose {}: {}", row_words(row),
                                           fmt::join(edits_of(row, taken), " ")));
}

}  // namespace loadfactor::engine
