#include "versions.h"

namespace loadfactor::probe {
namespace {

int major_of_runtime(int version) {
  return version / 1000;
}

}  // namespace

std::string runtime_text(int version) {
  if (version == 0) return "not found";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string library_text(int version) {
  if (version == 0) return "not found";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::vector<std::string> mismatches(const Versions& v) {
  std::vector<std::string> found;
  if (v.driver_runtime > 0 && v.runtime > v.driver_runtime) {
    found.push_back("the driver serves CUDA up to " + runtime_text(v.driver_runtime) +
                    " and the program uses " + runtime_text(v.runtime) +
                    ": new features may be missing");
  }
  if (v.compiler > 0 && v.runtime > 0 && v.compiler != v.runtime) {
    found.push_back("compiled with CUDA " + runtime_text(v.compiler) + ", running on " +
                    runtime_text(v.runtime));
  }
  if (v.blas > 0 && v.blas_built > 0 && v.blas / 10000 != v.blas_built / 10000) {
    found.push_back("the matrix library is " + library_text(v.blas) + ", compiled against " +
                    library_text(v.blas_built));
  }
  const auto other_runtime = [&](const char* name, int runtime) {
    if (runtime == 0 || v.runtime == 0) return;
    if (major_of_runtime(runtime) == major_of_runtime(v.runtime)) return;
    found.push_back(std::string(name) + " was built for CUDA " + runtime_text(runtime) +
                    ", the program for " + runtime_text(v.runtime));
  };
  other_runtime("cuDNN", v.cudnn_runtime);
  other_runtime("NCCL", v.collectives_runtime);
  return found;
}

}  // namespace loadfactor::probe
