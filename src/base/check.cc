#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace loadfactor {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "loadfactor: our bug: %s (%s at %s:%d)\n", message, condition, file, line);
  std::abort();
}

}  // namespace loadfactor
