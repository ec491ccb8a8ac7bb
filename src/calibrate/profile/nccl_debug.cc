#include "calibrate/profile/nccl_debug.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "base/error_codes.h"

namespace loadfactor::calibrate {
namespace {

constexpr std::string_view kInfo = "NCCL INFO ";
constexpr std::string_view kWarning = "NCCL WARN ";

bool holds(std::string_view line, std::string_view word) {
  return line.find(word) != std::string_view::npos;
}

std::optional<std::int64_t> number_after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  constexpr std::int64_t kMaxNumber = std::int64_t{1} << 50;
  if (fault != std::errc() || value < 0 || value > kMaxNumber) return std::nullopt;
  return value;
}

int count_after(std::string_view line, std::string_view label) {
  constexpr std::int64_t kMaxCount = 10'000'000;
  const auto value = number_after(line, label);
  return value && *value <= kMaxCount ? static_cast<int>(*value) : 0;
}

// The sizes of NCCL's datatypes, in their order: int8, uint8, int32, uint32, int64, uint64, half,
// float, double, bfloat16, float8 twice.
constexpr std::array<double, 12> kDatatypeBytes{1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

constexpr std::array<std::string_view, 9> kOperations{"AllReduce", "AllGather", "ReduceScatter",
                                                      "Broadcast", "Reduce",    "Send",
                                                      "Recv",      "AlltoAll",  "AllToAll"};

// `AllReduce: opCount 1f sendbuff … count 1048576 datatype 7 op 0 root 0 comm … [nranks=8]`
void read_call(std::string_view said, std::map<std::string, NcclCalls>& calls) {
  const auto operation = std::find_if(kOperations.begin(), kOperations.end(), [&](auto name) {
    return said.starts_with(name) && said.substr(name.size()).starts_with(": opCount");
  });
  if (operation == kOperations.end()) return;
  const auto count = number_after(said, " count ");
  const auto type = number_after(said, " datatype ");
  NcclCalls& row = calls[std::string(*operation)];
  row.operation = *operation;
  ++row.calls;
  if (count && type && *type < static_cast<std::int64_t>(kDatatypeBytes.size()))
    row.bytes += Bytes::from_base(static_cast<double>(*count) *
                                  kDatatypeBytes[static_cast<std::size_t>(*type)]);
}

// `Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM`, `… [send] via NET/IB/0/GDRDMA`.
void read_connection(std::string_view said, NcclDebug& debug) {
  if (!said.starts_with("Channel ") || !holds(said, " via ")) return;
  const std::string_view way = said.substr(said.find(" via ") + 5);
  if (way.starts_with("P2P")) ++debug.direct;
  if (way.starts_with("SHM")) ++debug.through_host;
  if (way.starts_with("NET")) {
    ++debug.over_network;
    if (holds(way, "GDRDMA")) ++debug.into_device;
  }
}

// `Using network IB`, `NCCL version 2.27.5+cuda12.9`, `comm 0x… rank 0 nRanks 16 nNodes 2 …`.
void read_group(std::string_view said, NcclDebug& debug) {
  constexpr std::string_view kNetwork = "Using network ";
  if (said.starts_with(kNetwork)) debug.network = said.substr(kNetwork.size());
  if (holds(said, "NVLS comm") || holds(said, "NVLS multicast") || holds(said, "CollNet"))
    debug.in_switch = debug.in_switch || !holds(said, "not available");
  int ranks = count_after(said, "nRanks ");
  if (ranks == 0) ranks = count_after(said, "nranks ");
  if (ranks > debug.ranks) {
    debug.ranks = ranks;
    debug.hosts = count_after(said, "nNodes ");
  } else if (ranks == debug.ranks && debug.hosts == 0) {
    debug.hosts = count_after(said, "nNodes ");
  }
  if (const auto at = said.find(" coll channels"); at != std::string_view::npos)
    debug.channels = std::max(debug.channels, count_after(said, ""));
}

void read_line(std::string_view line, NcclDebug& debug, std::map<std::string, NcclCalls>& calls) {
  constexpr std::string_view kVersion = "NCCL version ";
  if (const auto at = line.find(kVersion); at != std::string_view::npos && debug.version.empty()) {
    const std::string_view rest = line.substr(at + kVersion.size());
    debug.version = rest.substr(0, rest.find_first_of(" \t\r"));
  }
  if (const auto at = line.find(kWarning); at != std::string_view::npos) {
    constexpr std::size_t kShown = 160;
    if (debug.warnings++ == 0)
      debug.first_warning = line.substr(at + kWarning.size()).substr(0, kShown);
  }
  const auto at = line.find(kInfo);
  if (at == std::string_view::npos) return;
  const std::string_view said = line.substr(at + kInfo.size());
  read_group(said, debug);
  read_connection(said, debug);
  read_call(said, calls);
}

}  // namespace

bool is_nccl_debug(std::string_view bytes) {
  constexpr std::size_t kLooked = std::size_t{1} << 20U;
  return holds(bytes.substr(0, kLooked), kInfo);
}

Result<NcclDebug> read_nccl_debug(const std::string& file, std::string_view text) {
  NcclDebug debug;
  debug.file = file;
  std::map<std::string, NcclCalls> calls;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    read_line(line, debug, calls);
  }
  for (auto& [name, row] : calls) debug.calls.push_back(row);
  if (debug.ranks == 0)
    return Error{.code = lf::kNoMeasurement,
                 .message = "NCCL's output does not say of how many ranks a group is",
                 .hint =
                     "keep the output from the start: NCCL_DEBUG=INFO, and "
                     "NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV,COLL for its calls",
                 .where = {.file = file}};
  return debug;
}

}  // namespace loadfactor::calibrate
