// What a profiler saw: work of the device, the calls of the host that started it, named ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

// A kernel, a copy or a fill on a device. Times are those of the profiler's clock.
struct DeviceSpan {
  Seconds start;
  Seconds end;
  std::uint32_t name = 0;  // Its place in Timeline::names.
  std::uint32_t device = 0;
  std::uint64_t launch = 0;  // The call that started it; 0: not known.
};

// A call of the host that starts work on a device.
struct HostLaunch {
  std::uint64_t launch = 0;
  Seconds start;
};

// A range that a program named.
struct NamedRange {
  Seconds start;
  Seconds end;
  std::uint32_t name = 0;
  bool on_device = false;
};

// Texts that are kept once each.
class Names {
 public:
  std::uint32_t id_of(const std::string& text);
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::size_t bytes_ = 0;
};

struct Timeline {
  std::string file;
  std::string tool;           // `torch profiler` or `Nsight Systems`.
  std::string device;         // The driver's name for it; empty where the file does not say.
  int world_size = 0;         // Processes of the run; 0 where the file does not say.
  bool whole_graphs = false;  // Graphs were recorded as one piece of work each, without kernels.
  Names names;
  std::vector<DeviceSpan> spans;
  std::vector<HostLaunch> launches;
  std::vector<NamedRange> ranges;

  // Whether one more of anything may be kept; a hostile file must not fill the memory.
  bool is_full() const;
};

// Whether the bytes are a trace of the torch profiler (Chrome's format, plain or gzip) or an export
// of Nsight Systems to SQLite.
bool is_profile(std::string_view bytes);

// LF541 where the file shows no work of a device, LF501 and LF526 where it is broken, LF508 beyond
// what we read, LF540 where this build has no reader for it.
Result<Timeline> read_profile(const std::string& file, std::string_view bytes);

}  // namespace loadfactor::calibrate
