#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include "collectives.h"
#include "fill.h"

namespace loadfactor::probe {
namespace {

// The part of the interface of NCCL and RCCL that is used; both fix it by number.
constexpr int kFloat = 7;
constexpr int kSum = 0;
using Comm = void*;
struct Key {
  char bytes[128];
};

class Library {
 public:
  Library() {
    for (const char* name : {"libnccl.so.2", "librccl.so.1", "librccl.so"}) {
      library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr) return;
    }
    throw GpuFailure("neither NCCL nor RCCL can be opened");
  }
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) throw GpuFailure(std::string(name) + " is missing");
    const int status = function(arguments...);
    if (status != 0) throw GpuFailure(std::string(name) + ": status " + std::to_string(status));
  }

 private:
  void* library_ = nullptr;
};

// One device of the group with its buffers.
struct Member {
  int device = 0;
  Comm comm = nullptr;
  std::unique_ptr<Stream> stream;
  DeviceArray<float> send;
  DeviceArray<float> receive;
};

Key shared_key(const Library& nccl, const Rank& rank, const std::string& meeting) {
  Key key{};
  if (rank.rank == 0) {
    nccl.call("ncclGetUniqueId", &key);
    std::ofstream(meeting + ".part", std::ios::binary).write(key.bytes, sizeof key.bytes);
    if (std::rename((meeting + ".part").c_str(), meeting.c_str()) != 0)
      throw GpuFailure("cannot write " + meeting);
    return key;
  }
  for (int tries = 0; tries < 600; ++tries) {
    std::ifstream file(meeting, std::ios::binary);
    if (file.read(key.bytes, sizeof key.bytes)) return key;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw GpuFailure("the first process never wrote " + meeting);
}

class Group {
 public:
  Group(const Rank& rank, const std::string& meeting, std::size_t count) : ranks_(rank.size) {
    int devices = 0;
    LF_GPU(gpuGetDeviceCount(&devices));
    if (rank.size == 1) {
      ranks_ = devices;
      std::vector<int> which(devices);
      std::vector<Comm> comms(devices);
      for (int i = 0; i < devices; ++i) which[i] = i;
      nccl_.call("ncclCommInitAll", comms.data(), devices, which.data());
      for (int i = 0; i < devices; ++i) join(i, comms[i], count);
      return;
    }
    const int device = rank.local % devices;
    LF_GPU(gpuSetDevice(device));
    Comm comm = nullptr;
    nccl_.call("ncclCommInitRank", &comm, rank.size, shared_key(nccl_, rank, meeting), rank.rank);
    join(device, comm, count);
  }
  int ranks() const { return ranks_; }
  void run(const std::string& what, std::size_t count);
  void wait() {
    for (const Member& member : members_) member.stream->wait();
  }
  // Whether the sum of ones over all ranks is their number.
  bool correct() {
    for (const Member& member : members_) {
      LF_GPU(gpuSetDevice(member.device));
      const std::vector<float> ones(1024, 1.0f);
      LF_GPU(gpuMemcpyAsync(member.send.data(), ones.data(), 4096, gpuMemcpyHostToDevice,
                            member.stream->get()));
    }
    wait();
    run("all_reduce", 1024);
    wait();
    std::vector<float> got(1024);
    LF_GPU(gpuSetDevice(members_[0].device));
    copy_to_host(got.data(), members_[0].receive.data(), got.size(), *members_[0].stream);
    for (const float value : got) {
      if (value != static_cast<float>(ranks_)) return false;
    }
    return true;
  }

 private:
  void join(int device, Comm comm, std::size_t count) {
    LF_GPU(gpuSetDevice(device));
    Member member;
    member.device = device;
    member.comm = comm;
    member.stream = std::make_unique<Stream>();
    member.send = DeviceArray<float>(count);
    member.receive = DeviceArray<float>(count);
    fill_random(member.send.data(), count, 1, 7, member.stream->get());
    members_.push_back(std::move(member));
  }
  Library nccl_;
  int ranks_ = 1;
  std::vector<Member> members_;
};

void Group::run(const std::string& what, std::size_t count) {
  const std::size_t share = count / static_cast<std::size_t>(ranks_);
  nccl_.call("ncclGroupStart");
  for (const Member& m : members_) {
    LF_GPU(gpuSetDevice(m.device));
    const float* send = m.send.data();
    float* receive = m.receive.data();
    gpuStream_t stream = m.stream->get();
    if (what == "all_reduce")
      nccl_.call("ncclAllReduce", send, receive, count, kFloat, kSum, m.comm, stream);
    if (what == "all_gather")
      nccl_.call("ncclAllGather", send, receive, share, kFloat, m.comm, stream);
    if (what == "reduce_scatter")
      nccl_.call("ncclReduceScatter", send, receive, share, kFloat, kSum, m.comm, stream);
    if (what == "broadcast")
      nccl_.call("ncclBroadcast", send, receive, count, kFloat, 0, m.comm, stream);
    int rank = 0;
    nccl_.call("ncclCommUserRank", m.comm, &rank);
    if (what == "send_recv") {
      nccl_.call("ncclSend", send, count, kFloat, (rank + 1) % ranks_, m.comm, stream);
      nccl_.call("ncclRecv", receive, count, kFloat, (rank + ranks_ - 1) % ranks_, m.comm, stream);
    }
    if (what != "all_to_all") continue;
    for (int peer = 0; peer < ranks_; ++peer) {
      const std::size_t at = share * static_cast<std::size_t>(peer);
      nccl_.call("ncclSend", send + at, share, kFloat, peer, m.comm, stream);
      nccl_.call("ncclRecv", receive + at, share, kFloat, peer, m.comm, stream);
    }
  }
  nccl_.call("ncclGroupEnd");
}

Summary time_collective(Group& group, const std::string& what, std::size_t count, int repeats) {
  constexpr int kCalls = 10;
  std::vector<double> samples;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    group.wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) group.run(what, count);
    group.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (repeat >= 0) samples.push_back(took.count() / kCalls);
  }
  return summarise(std::move(samples));
}

}  // namespace

void probe_collectives(const Bench& bench, const Rank& rank, const std::string& meeting) {
  int devices = 0;
  LF_GPU(gpuGetDeviceCount(&devices));
  if (rank.size == 1 && devices < 2) return;
  const std::size_t most = bench.quick ? std::size_t{1} << 22 : std::size_t{1} << 26;
  Group group(rank, meeting, most);
  const bool correct = group.correct();
  for (const char* what :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "send_recv"}) {
    for (std::size_t count = std::size_t{1} << 8; count <= most; count *= 8) {
      const Summary time = time_collective(group, what, count, bench.plan.repeats);
      const double bytes = 4.0 * static_cast<double>(count);
      bench.add("collective", Row()
                                  .text("what", what)
                                  .whole("ranks", group.ranks())
                                  .whole("processes", rank.size)
                                  .whole("bytes", static_cast<std::int64_t>(bytes))
                                  .timing(time)
                                  .number("bus_gbps", bytes * bus_factor(what, group.ranks()) /
                                                          time.median * 1e-9)
                                  .truth("correct", correct));
    }
  }
  LF_GPU(gpuSetDevice(0));
}

}  // namespace loadfactor::probe
