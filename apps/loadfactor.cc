// The command `loadfactor`.
#include "cli/session/environment.h"

int main(int argc, char** argv) {
  return loadfactor::cli::run(argc, argv, loadfactor::cli::system_environment());
}
