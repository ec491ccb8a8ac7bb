// The command `loadfactor-mpi`: sweeps and searches on the ranks of `mpirun`.
#include <algorithm>
#include <array>
#include <iostream>
#include <ostream>
#include <string_view>

#include "cli/session/environment.h"
#include "mpi/mpi_crew.h"

namespace {

// What ranks do together; all else would be done by each of them alone.
bool is_shared(int argc, char** argv) {
  constexpr std::array<std::string_view, 3> kVerbs{"sweep", "train", "serve"};
  return argc > 1 && std::find(kVerbs.begin(), kVerbs.end(), argv[1]) != kVerbs.end();
}

int run_rank(loadfactor::MpiCrew& crew, int argc, char** argv) {
  loadfactor::cli::Environment environment = loadfactor::cli::system_environment();
  std::ostream nowhere(nullptr);
  if (crew.rank() > 0) {
    environment.in = nullptr;
    environment.out = environment.err = &nowhere;
    environment.out_is_terminal = environment.err_is_terminal = environment.colour = false;
  }
  if (is_shared(argc, argv)) {
    const int status = loadfactor::cli::run(argc, argv, environment, &crew);
    return crew.rank() == 0 ? status : 0;
  }
  if (crew.rank() == 0)
    std::cerr << "loadfactor-mpi shares sweeps, train --search and serve --search; "
                 "`loadfactor` does all else\n";
  return crew.rank() == 0 ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  loadfactor::MpiCrew crew(&argc, &argv);
  const int status = run_rank(crew, argc, argv);
  const auto lost = crew.leave();
  if (lost.empty()) return status;
  for (const int rank : lost)
    std::cerr << "rank " << rank << " is gone: the others did its work, and nothing is missing\n";
  std::cout.flush();
  loadfactor::MpiCrew::abort(status);
}
