// The stacks that ship, as tests of their files read them.
#pragma once

#include <gtest/gtest.h>

#include "training/job/stack_file.h"

namespace loadfactor::training::testing {

inline StackShelf shipped_stacks() {
  Diagnostics diagnostics;
  StackShelf shelf = load_stacks(catalog::builtin_files(), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return shelf;
}

}  // namespace loadfactor::training::testing
