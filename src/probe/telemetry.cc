#include "telemetry.h"

#include <dlfcn.h>

namespace loadfactor::probe {
namespace {

// The few calls and constants of NVML that are used, as its interface fixes them.
using Status = int;
using Device = void*;
constexpr Status kSuccess = 0;
constexpr unsigned kClockSm = 1;
constexpr unsigned kClockMemory = 2;
constexpr unsigned kTemperatureGpu = 0;
constexpr unsigned kTextSize = 96;
constexpr unsigned kMaxLinks = 36;

class NvmlTelemetry final : public Telemetry {
 public:
  explicit NvmlTelemetry(void* library) : library_(library) {}
  ~NvmlTelemetry() override {
    if (started_) (void)call<Status (*)()>("nvmlShutdown")();
    dlclose(library_);
  }

  bool start(const std::string& pci_address) {
    auto* init = call<Status (*)()>("nvmlInit_v2");
    auto* find = call<Status (*)(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (init == nullptr || find == nullptr || init() != kSuccess) return false;
    started_ = true;
    return find(pci_address.c_str(), &device_) == kSuccess;
  }

  BoardReading read() const override {
    BoardReading reading;
    reading.power_w = 1e-3 * number("nvmlDeviceGetPowerUsage");
    reading.sm_mhz = indexed("nvmlDeviceGetClockInfo", kClockSm);
    reading.memory_mhz = indexed("nvmlDeviceGetClockInfo", kClockMemory);
    reading.temperature_c = indexed("nvmlDeviceGetTemperature", kTemperatureGpu);
    auto* reasons =
        call<Status (*)(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (reasons != nullptr) (void)reasons(device_, &reading.limits);
    return reading;
  }

  BoardFacts facts() const override {
    BoardFacts facts;
    char text[kTextSize] = {};
    auto* driver = call<Status (*)(char*, unsigned)>("nvmlSystemGetDriverVersion");
    if (driver != nullptr && driver(text, kTextSize) == kSuccess) facts.driver = text;
    auto* uuid = call<Status (*)(Device, char*, unsigned)>("nvmlDeviceGetUUID");
    if (uuid != nullptr && uuid(device_, text, kTextSize) == kSuccess) facts.uuid = text;
    facts.power_limit_w = 1e-3 * number("nvmlDeviceGetEnforcedPowerLimit");
    facts.default_limit_w = 1e-3 * number("nvmlDeviceGetPowerManagementDefaultLimit");
    facts.max_sm_mhz = indexed("nvmlDeviceGetMaxClockInfo", kClockSm);
    facts.max_memory_mhz = indexed("nvmlDeviceGetMaxClockInfo", kClockMemory);
    facts.ecc = current_of_two("nvmlDeviceGetEccMode");
    facts.partitioned = current_of_two("nvmlDeviceGetMigMode");
    if (const auto mode = optional_number("nvmlDeviceGetPersistenceMode"))
      facts.persistence = *mode != 0;
    facts.pcie_generation = optional_number("nvmlDeviceGetCurrPcieLinkGeneration");
    facts.pcie_width = optional_number("nvmlDeviceGetCurrPcieLinkWidth");
    facts.links_up = links_up();
    return facts;
  }

 private:
  template <class Function>
  Function call(const char* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
  }
  std::optional<int> optional_number(const char* name) const {
    auto* get = call<Status (*)(Device, unsigned*)>(name);
    unsigned value = 0;
    if (get == nullptr || get(device_, &value) != kSuccess) return std::nullopt;
    return static_cast<int>(value);
  }
  double number(const char* name) const { return optional_number(name).value_or(0); }
  double indexed(const char* name, unsigned which) const {
    auto* get = call<Status (*)(Device, unsigned, unsigned*)>(name);
    unsigned value = 0;
    return get != nullptr && get(device_, which, &value) == kSuccess ? value : 0.0;
  }
  std::optional<bool> current_of_two(const char* name) const {
    auto* get = call<Status (*)(Device, unsigned*, unsigned*)>(name);
    unsigned current = 0;
    unsigned pending = 0;
    if (get == nullptr || get(device_, &current, &pending) != kSuccess) return std::nullopt;
    return current != 0;
  }
  std::optional<int> links_up() const {
    auto* get = call<Status (*)(Device, unsigned, unsigned*)>("nvmlDeviceGetNvLinkState");
    if (get == nullptr) return std::nullopt;
    int up = 0;
    for (unsigned link = 0; link < kMaxLinks; ++link) {
      unsigned active = 0;
      if (get(device_, link, &active) == kSuccess && active != 0) ++up;
    }
    return up;
  }

  void* library_;
  Device device_ = nullptr;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Telemetry> open_telemetry(const std::string& pci_address, std::string& reason) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reason = "libnvidia-ml.so.1 cannot be opened; power and clocks are not known";
    return nullptr;
  }
  auto telemetry = std::make_unique<NvmlTelemetry>(library);
  if (!telemetry->start(pci_address)) {
    reason = "the management library does not know the device at " + pci_address;
    return nullptr;
  }
  return telemetry;
}

std::string limit_words(unsigned long long limits) {
  struct Name {
    unsigned long long bit;
    const char* word;
  };
  constexpr Name kNames[] = {{0x1, "idle"},
                             {0x2, "application clocks"},
                             {0x4, "power limit"},
                             {0x8, "hardware slowdown"},
                             {0x10, "sync boost"},
                             {0x20, "software thermal limit"},
                             {0x40, "hardware thermal limit"},
                             {0x80, "power brake"},
                             {0x100, "display clocks"}};
  std::string words;
  for (const Name& name : kNames) {
    if ((limits & name.bit) == 0) continue;
    if (!words.empty()) words += ", ";
    words += name.word;
  }
  return words;
}

}  // namespace loadfactor::probe
