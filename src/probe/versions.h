// Versions of everything underneath, and what does not fit together.
#pragma once

#include <string>
#include <vector>

namespace loadfactor::probe {

// Zero where a part is not there. As the libraries count: CUDA 1000·major + 10·minor, the others
// 10000·major + 100·minor + patch.
struct Versions {
  std::string driver;      // Version of the kernel driver, as text.
  int driver_runtime = 0;  // The newest runtime that the driver serves.
  int runtime = 0;         // The runtime that the program was linked with.
  int compiler = 0;        // The compiler that built it.
  int blas = 0;            // BLAS as loaded.
  int blas_built = 0;      // BLAS as compiled against.
  int cudnn = 0;
  int cudnn_runtime = 0;  // The CUDA that cuDNN was built for.
  int collectives = 0;    // NCCL or RCCL.
  int collectives_runtime = 0;
};

// One sentence for each pair that does not match.
std::vector<std::string> mismatches(const Versions& versions);

// "13.0" of 13000, "9.19.0" of 91900.
std::string runtime_text(int version);
std::string library_text(int version);

}  // namespace loadfactor::probe
