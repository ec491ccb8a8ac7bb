#include <array>
#include <ctime>
#include <fstream>
#include <thread>

#include <dlfcn.h>
#include <sys/utsname.h>

#include "gpu.h"
#include "machine.h"
#include "versions.h"

namespace loadfactor::probe {
namespace {

// The first of the names that can be opened, or null. It stays open.
void* library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
  }
  return nullptr;
}

template <class Function>
Function symbol(void* from, const char* name) {
  return from == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(from, name));
}

// NCCL below 2.9 counted otherwise; none that old serves these chips.
Versions find_versions(const std::string& driver) {
  Versions v;
  v.driver = driver;
  (void)gpuDriverGetVersion(&v.driver_runtime);
  (void)gpuRuntimeGetVersion(&v.runtime);
#if defined(LF_GPU_CUDA)
  v.compiler = CUDART_VERSION;
  v.blas = static_cast<int>(cublasLtGetVersion());
  v.blas_built = CUBLAS_VERSION;
  void* cudnn = library({"libcudnn.so.9", "libcudnn.so.8"});
  if (auto* version = symbol<std::size_t (*)()>(cudnn, "cudnnGetVersion"))
    v.cudnn = static_cast<int>(version());
  if (auto* runtime = symbol<std::size_t (*)()>(cudnn, "cudnnGetCudartVersion"))
    v.cudnn_runtime = static_cast<int>(runtime());
  void* nccl = library({"libnccl.so.2"});
#else
  void* nccl = library({"librccl.so.1", "librccl.so"});
#endif
  if (auto* version = symbol<int (*)(int*)>(nccl, "ncclGetVersion")) (void)version(&v.collectives);
  return v;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text.data();
}

void describe_versions(Record& record, const std::string& driver) {
  const Versions v = find_versions(driver);
  record.versions.text("driver", v.driver.empty() ? "unknown" : v.driver)
      .text("driver_runtime", runtime_text(v.driver_runtime))
      .text("runtime", runtime_text(v.runtime))
      .text("compiler", runtime_text(v.compiler))
      .text("blas", std::string(kBlasName) + " " + library_text(v.blas))
      .text("cudnn", library_text(v.cudnn))
      .text("collectives", library_text(v.collectives));
  for (auto& sentence : mismatches(v)) record.warnings.push_back(std::move(sentence));
}

void describe_board(Record& record, const BoardFacts& facts, const BoardReading& reading) {
  record.machine.number("power_limit_w", facts.power_limit_w)
      .number("power_limit_default_w", facts.default_limit_w)
      .number("sm_mhz_max", facts.max_sm_mhz)
      .number("memory_mhz_max", facts.max_memory_mhz)
      .number("sm_mhz_at_start", reading.sm_mhz)
      .number("temperature_c_at_start", reading.temperature_c);
  if (facts.ecc) record.machine.truth("ecc", *facts.ecc);
  if (facts.persistence) record.machine.truth("persistence", *facts.persistence);
  if (facts.partitioned) record.machine.truth("partitioned", *facts.partitioned);
  if (facts.links_up) record.machine.whole("nvlinks_up", *facts.links_up);
  if (facts.pcie_generation) record.machine.whole("pcie_generation", *facts.pcie_generation);
  if (facts.pcie_width) record.machine.whole("pcie_width", *facts.pcie_width);
  if (facts.power_limit_w > 0 && facts.power_limit_w < 0.98 * facts.default_limit_w)
    record.warnings.push_back(
        "the power limit is below the board's default: sustained rates are "
        "those of the lower limit");
  if (facts.partitioned.value_or(false))
    record.warnings.push_back("the device is partitioned (MIG): figures are of one part");
}

void describe_peers(Record& record) {
  int devices = 0;
  LF_GPU(gpuGetDeviceCount(&devices));
  record.machine.whole("devices", devices);
  int direct = 0;
  for (int a = 0; a < devices; ++a) {
    for (int b = 0; b < devices; ++b) {
      int can = 0;
      if (a != b && gpuDeviceCanAccessPeer(&can, a, b) == gpuSuccess) direct += can;
    }
  }
  record.machine.whole("direct_pairs", direct / 2);
}

}  // namespace

MachineFacts describe_machine(Record& record, std::unique_ptr<Telemetry>& telemetry) {
  gpuDeviceProp properties{};
  LF_GPU(gpuGetDeviceProperties(&properties, 0));
  std::size_t free = 0;
  std::size_t total = 0;
  LF_GPU(gpuMemGetInfo(&free, &total));
  std::array<char, 32> address{};
  std::snprintf(address.data(), address.size(), "%08x:%02x:%02x.0", properties.pciDomainID,
                properties.pciBusID, properties.pciDeviceID);
  utsname host{};
  (void)uname(&host);
  record.machine.text("device", properties.name)
      .text("date", now_text())
      .text("compute_capability",
            std::to_string(properties.major) + "." + std::to_string(properties.minor))
      .whole("processors", properties.multiProcessorCount)
      .whole("memory_bytes", static_cast<std::int64_t>(total))
      .whole("cache_bytes", properties.l2CacheSize)
      .text("architecture", host.machine)
      .text("processor", processor_name())
      .whole("host_threads", static_cast<std::int64_t>(std::thread::hardware_concurrency()));
  describe_peers(record);
  std::string reason;
  telemetry = open_telemetry(address.data(), reason);
  if (telemetry != nullptr) {
    const BoardFacts facts = telemetry->facts();
    describe_board(record, facts, telemetry->read());
    describe_versions(record, facts.driver);
  } else {
    record.warnings.push_back(reason);
    describe_versions(record, "");
  }
  return {properties.multiProcessorCount, static_cast<double>(properties.l2CacheSize),
          static_cast<double>(free), properties.name};
}

}  // namespace loadfactor::probe
