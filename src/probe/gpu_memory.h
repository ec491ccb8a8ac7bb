// Failures of the runtime as exceptions that end one section of the probe, never the whole, and
// memory and streams that free themselves.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu.h"

namespace loadfactor::probe {

struct GpuFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(gpuError_t status, const char* what) {
  if (status == gpuSuccess) return;
  throw GpuFailure(std::string(what) + ": " + gpuGetErrorString(status));
}
#define LF_GPU(call) ::loadfactor::probe::check((call), #call)
#define LF_LAUNCHED() ::loadfactor::probe::check(gpuGetLastError(), "kernel launch")

// Device memory; plain allocations only.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    if (count > 0) LF_GPU(gpuMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  ~DeviceArray() { release(); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    if (this == &other) return *this;
    release();
    data_ = std::exchange(other.data_, nullptr);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  void release() {
    if (data_ != nullptr) (void)gpuFree(data_);
  }
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

class Stream {
 public:
  Stream() { LF_GPU(gpuStreamCreateWithFlags(&stream_, gpuStreamNonBlocking)); }
  ~Stream() { (void)gpuStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  gpuStream_t get() const { return stream_; }
  void wait() const { LF_GPU(gpuStreamSynchronize(stream_)); }

 private:
  gpuStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { LF_GPU(gpuEventCreate(&event_)); }
  ~Event() { (void)gpuEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  gpuEvent_t get() const { return event_; }

 private:
  gpuEvent_t event_ = nullptr;
};

template <class T>
void copy_to_host(T* host, const T* device, std::size_t count, const Stream& stream) {
  LF_GPU(gpuMemcpyAsync(host, device, count * sizeof(T), gpuMemcpyDeviceToHost, stream.get()));
  stream.wait();
}

}  // namespace loadfactor::probe
