// The management library of the vendor, found at run time: what the board draws and how fast it
// runs. Reads only; nothing here can change a setting.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace loadfactor::probe {

struct BoardReading {
  double power_w = 0;
  double sm_mhz = 0;
  double memory_mhz = 0;
  double temperature_c = 0;
  unsigned long long limits = 0;  // Bits that say why clocks are held back.
};

struct BoardFacts {
  std::string driver;
  std::string uuid;
  double power_limit_w = 0;
  double default_limit_w = 0;
  double max_sm_mhz = 0;
  double max_memory_mhz = 0;
  std::optional<bool> ecc;
  std::optional<bool> persistence;
  std::optional<bool> partitioned;  // MIG.
  std::optional<int> links_up;      // NVLink.
  std::optional<int> pcie_generation;
  std::optional<int> pcie_width;
};

class Telemetry {
 public:
  virtual ~Telemetry() = default;
  virtual BoardReading read() const = 0;
  virtual BoardFacts facts() const = 0;
};

// Opens the telemetry of the device at a PCI address; null, with the reason, where the library or
// the board is not there.
std::unique_ptr<Telemetry> open_telemetry(const std::string& pci_address, std::string& reason);

// The reasons behind BoardReading::limits in words, joined by commas; empty when none.
std::string limit_words(unsigned long long limits);

}  // namespace loadfactor::probe
