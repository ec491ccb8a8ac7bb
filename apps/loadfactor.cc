// The command `loadfactor`.
#include "cli/session/environment.h"

int main(int argc, char** argv) {
  return loadfactor::cli::run_here(argc, argv);
}
