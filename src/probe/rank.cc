#include "rank.h"

#include <array>
#include <charconv>

namespace loadfactor::probe {
namespace {

std::optional<int> number(const Variable& variable, const char* name) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

struct Launcher {
  const char* rank;
  const char* size;
  const char* local;
};

constexpr std::array<Launcher, 4> kLaunchers{
    {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
     {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
     {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
     {"RANK", "WORLD_SIZE", "LOCAL_RANK"}}};

}  // namespace

Rank find_rank(const Variable& variable) {
  for (const Launcher& launcher : kLaunchers) {
    const auto rank = number(variable, launcher.rank);
    const auto size = number(variable, launcher.size);
    if (!rank || !size || *size < 2 || *rank < 0 || *rank >= *size) continue;
    return {*rank, *size, number(variable, launcher.local).value_or(*rank)};
  }
  return {};
}

double bus_factor(std::string_view collective, int ranks) {
  const double n = ranks;
  if (collective == "all_reduce") return 2 * (n - 1) / n;
  if (collective == "all_gather" || collective == "reduce_scatter" || collective == "all_to_all")
    return (n - 1) / n;
  return 1;
}

}  // namespace loadfactor::probe
