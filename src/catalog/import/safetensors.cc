#include "catalog/import/safetensors.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/foreign_map.h"
#include "config/document.h"

namespace loadfactor::catalog {
namespace {

using config::Document;
using config::Member;
using config::Node;
using config::NodeKind;

struct DtypeBits {
  std::string_view name;
  int bits;
};
constexpr std::array kBits{
    DtypeBits{"BOOL", 8},    DtypeBits{"U8", 8},      DtypeBits{"I8", 8},   DtypeBits{"F8_E4M3", 8},
    DtypeBits{"F8_E5M2", 8}, DtypeBits{"F8_E8M0", 8}, DtypeBits{"F4", 4},   DtypeBits{"F6_E2M3", 6},
    DtypeBits{"F6_E3M2", 6}, DtypeBits{"I16", 16},    DtypeBits{"U16", 16}, DtypeBits{"F16", 16},
    DtypeBits{"BF16", 16},   DtypeBits{"I32", 32},    DtypeBits{"U32", 32}, DtypeBits{"F32", 32},
    DtypeBits{"I64", 64},    DtypeBits{"U64", 64},    DtypeBits{"F64", 64}, DtypeBits{"C64", 64},
};

// Ten times the largest checkpoint there is; keeps every product inside 64 bits.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 45;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 46;
constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // The format's own limit.

std::optional<Document> open_json(std::string file, std::string text, Diagnostics& diagnostics) {
  auto document = config::parse_json(std::move(file), std::move(text));
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  check_keys(*document, diagnostics);
  return *std::move(document);
}

void read_weight_map(ForeignMap& root, SafetensorsIndex& index) {
  auto map = root.map({"weight_map"});
  if (!map) {
    if (!root.has("weight_map"))
      root.report_missing("weight_map", "it names the shard of a tensor");
    return;
  }
  for (const Member& member : map->node().members) {
    if (const auto shard = map->text_at(member)) index.weight_map[member.key] = *shard;
  }
  if (map->node().members.empty()) {
    root.report("weight_map", lf::kNothingUsable, "weight_map names no tensor");
  }
}

void read_metadata(ForeignMap& root, SafetensorsIndex& index) {
  auto metadata = root.map({"metadata"});
  if (!metadata) {
    if (!root.has("metadata")) root.report_missing("metadata", "total_size stands in it");
    return;
  }
  const auto total = metadata->integer({"total_size"}, {1, kMaxBytes});
  if (!total && !metadata->has("total_size")) metadata->report_missing("total_size");
  index.total_size = total.value_or(0);
  index.total_parameters = metadata->integer({"total_parameters"}, {1, kMaxElements});
}

void report_text(std::string_view file, int code, std::string message, Diagnostics& diagnostics) {
  diagnostics.add(Error{.code = code,
                        .message = std::move(message),
                        .where = {.file = std::string(file), .line = 0, .column = 0}});
}

// The JSON between the length and the data, or nothing if the length cannot be right.
std::optional<std::string> header_text(const SafetensorsBytes& input, Diagnostics& diagnostics) {
  if (input.bytes.size() < kLengthBytes) {
    report_text(input.file, lf::kSyntax,
                fmt::format("a safetensors file begins with 8 bytes of length, this one has {}",
                            input.bytes.size()),
                diagnostics);
    return std::nullopt;
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = (length << 8U) | static_cast<unsigned char>(input.bytes[i]);
  }
  if (length > kMaxHeader) {
    report_text(input.file, lf::kTooLarge,
                fmt::format("the header claims {} bytes; safetensors allows 100 MB", length),
                diagnostics);
    return std::nullopt;
  }
  if (length > input.bytes.size() - kLengthBytes) {
    report_text(input.file, lf::kSyntax,
                fmt::format("the header claims {} bytes, only {} are here", length,
                            input.bytes.size() - kLengthBytes),
                diagnostics);
    return std::nullopt;
  }
  return std::string(input.bytes.substr(kLengthBytes, static_cast<std::size_t>(length)));
}

// A list of whole numbers, each within [0, high].
std::vector<std::int64_t> read_numbers(ForeignMap& tensor, std::string_view key,
                                       std::int64_t high) {
  std::vector<std::int64_t> numbers;
  const Node* items = tensor.list({key});
  if (items == nullptr) {
    if (!tensor.has(key)) tensor.report_missing(key);
    return numbers;
  }
  for (const Node& item : items->items) {
    const auto value = tensor.whole_item(key, item, {0, high});
    numbers.push_back(value.value_or(0));
  }
  return numbers;
}

// The elements of a shape, or nothing if there are more than anybody stores.
std::optional<std::int64_t> product(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent != 0 && elements > kMaxElements / extent) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

void check_extent(ForeignMap& map, const StoredTensor& tensor) {
  const auto elements = product(tensor.shape);
  if (!elements) {
    return map.report("shape", lf::kAbsurdMagnitude,
                      fmt::format("{} has more elements than any tensor", tensor.name));
  }
  const std::int64_t bytes = (*elements * safetensors_bits(tensor.dtype) + 7) / 8;
  if (bytes == tensor.bytes()) return;
  map.report("data_offsets", lf::kChecksumMismatch,
             fmt::format("{} takes {} bytes by its shape but {} by its offsets", tensor.name, bytes,
                         tensor.bytes()));
}

std::optional<StoredTensor> read_tensor(ForeignMap map, const std::string& name) {
  const std::size_t before = map.diagnostics().size();
  StoredTensor tensor{.name = name};
  tensor.dtype = map.text({"dtype"}).value_or("");
  if (!map.has("dtype")) map.report_missing("dtype");
  if (!tensor.dtype.empty() && safetensors_bits(tensor.dtype) == 0) {
    map.report("dtype", lf::kUnknownWord, fmt::format("'{}' is not a dtype", tensor.dtype),
               "BF16, F16, F32, F8_E4M3, I8 and U8 are");
  }
  tensor.shape = read_numbers(map, "shape", kMaxElements);
  const auto offsets = read_numbers(map, "data_offsets", kMaxBytes);
  if (map.diagnostics().size() != before) return std::nullopt;
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    map.report("data_offsets", lf::kOutOfRange, "data_offsets must be a begin and an end");
    return std::nullopt;
  }
  tensor.begin = offsets[0];
  tensor.end = offsets[1];
  check_extent(map, tensor);
  return tensor;
}

// The ranges must tile the data: each begins where the one before it ends.
void check_tiling(ForeignMap& root, const SafetensorsHeader& header) {
  std::vector<const StoredTensor*> by_offset;
  for (const StoredTensor& tensor : header.tensors) by_offset.push_back(&tensor);
  std::stable_sort(by_offset.begin(), by_offset.end(), [](const auto* a, const auto* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::int64_t expected = 0;
  for (const StoredTensor* tensor : by_offset) {
    if (tensor->begin != expected) {
      root.report(tensor->name, lf::kChecksumMismatch,
                  fmt::format("{} begins at byte {}, but the tensor before it ends at {}",
                              tensor->name, tensor->begin, expected));
      return;
    }
    expected = tensor->end;
  }
}

void check_file_size(ForeignMap& root, const SafetensorsBytes& input, std::int64_t header_bytes,
                     const SafetensorsHeader& header) {
  if (!input.file_size) return;
  const std::int64_t held = *input.file_size - static_cast<std::int64_t>(kLengthBytes);
  if (held - header_bytes == header.data_bytes) return;
  root.diagnostics().add(
      root.document().error(lf::kChecksumMismatch, root.node().position,
                            fmt::format("the tensors take {} bytes, but the file holds {}",
                                        header.data_bytes, held - header_bytes),
                            "the file is incomplete; fetch it again"));
}

}  // namespace

std::int64_t StoredTensor::elements() const {
  return product(shape).value_or(0);
}

int safetensors_bits(std::string_view dtype) {
  for (const DtypeBits& row : kBits) {
    if (row.name == dtype) return row.bits;
  }
  return 0;
}

std::optional<SafetensorsIndex> parse_safetensors_index(std::string file, std::string text,
                                                        Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  const auto document = open_json(std::move(file), std::move(text), diagnostics);
  if (!document) return std::nullopt;
  auto root = as_map(*document, "a safetensors index", diagnostics);
  if (!root) return std::nullopt;
  SafetensorsIndex index{.file = document->file};
  read_metadata(*root, index);
  read_weight_map(*root, index);
  if (diagnostics.size() != before) return std::nullopt;
  return index;
}

std::optional<SafetensorsHeader> parse_safetensors_header(const SafetensorsBytes& input,
                                                          Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  auto text = header_text(input, diagnostics);
  if (!text) return std::nullopt;
  const auto header_bytes = static_cast<std::int64_t>(text->size());
  const auto document = open_json(input.file, *std::move(text), diagnostics);
  if (!document) return std::nullopt;
  auto root = as_map(*document, "a safetensors header", diagnostics);
  if (!root) return std::nullopt;
  SafetensorsHeader header{.file = input.file};
  for (const Member& member : document->root.members) {
    if (member.key == "__metadata__") continue;
    auto map = root->map_at(member);
    if (!map) continue;
    if (auto tensor = read_tensor(*std::move(map), member.key)) {
      header.data_bytes = std::max(header.data_bytes, tensor->end);
      header.tensors.push_back(*std::move(tensor));
    }
  }
  if (diagnostics.size() != before) return std::nullopt;
  check_tiling(*root, header);
  check_file_size(*root, input, header_bytes, header);
  if (diagnostics.size() != before) return std::nullopt;
  return header;
}

}  // namespace loadfactor::catalog
