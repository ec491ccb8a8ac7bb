#include "calibrate/site/site_collectives.h"

#include <algorithm>
#include <optional>

#include "collective/estimate.h"

namespace loadfactor::calibrate {
namespace {

// Our words have underscores where the model's have hyphens, but for one.
std::optional<collective::Operation> operation_of(std::string word) {
  if (word == "send_recv") return collective::Operation::kSendReceive;
  std::replace(word.begin(), word.end(), '_', '-');
  for (std::size_t i = 0; i < collective::kOperations.size(); ++i) {
    if (collective::kOperations[i] == word) return static_cast<collective::Operation>(i);
  }
  return std::nullopt;
}

}  // namespace

std::vector<SiteObservation> observe_collectives(const CollectiveFile& file,
                                                 const collective::Network& network,
                                                 const std::vector<TermPrior>& priors,
                                                 std::string_view term) {
  constexpr double kLeastBytes = 1 << 20;
  constexpr double kNoise = 0.1;  // What separates the model's points from their own tables.
  const auto place = std::find_if(priors.begin(), priors.end(),
                                  [&](const TermPrior& prior) { return prior.name == term; });
  std::vector<SiteObservation> seen;
  if (place == priors.end()) return seen;
  for (const CollectivePoint& point : file.points) {
    const auto operation = operation_of(point.operation);
    if (!operation || point.bytes.base() < kLeastBytes) continue;
    const auto time =
        collective::estimate(*operation, point.bytes, {.ranks = point.ranks}, network).duration;
    SiteObservation row{point.operation, std::vector<double>(priors.size(), 0.0),
                        point.duration.base(), kNoise};
    row.terms[static_cast<std::size_t>(place - priors.begin())] = time.base();
    seen.push_back(std::move(row));
  }
  return seen;
}

}  // namespace loadfactor::calibrate
