// Results of a sweep, damaged in any way: they are merged as they were or refused, and what is
// there already stays as it is.
//
// The first bytes say which bytes of a sound file are changed and to what, so that damage is found
// below the head that SQLite checks first; other inputs are files of their own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/check.h"
#include "base/error_codes.h"
#include "sweep/look/look.h"
#include "sweep/store/results.h"

namespace fs = std::filesystem;
namespace sweep = loadfactor::sweep;

namespace {

sweep::Identity identity() {
  sweep::Identity out{.name = "x", .digest = "d", .version = "1", .cases = 64};
  out.inputs = {{"sweep", "aa"}};
  out.columns = {{"gpus", sweep::ColumnKind::kAxis, "", "limits.gpus"},
                 {"cost", sweep::ColumnKind::kFigure, "USD", "options.0.cost"}};
  out.remarks = {{"least", "cost"}, {"saltelli", "gpus"}};
  return out;
}

sweep::CaseRow row(std::int64_t number) {
  sweep::CaseRow out{.number = number};
  out.edits = "{\"limits.gpus\": \"8\"}";
  out.cells = {number, 0.5 * static_cast<double>(number)};
  out.answer = "{\"answer\": 1}";
  return out;
}

struct Place {
  fs::path folder = fs::temp_directory_path() / ("lf-merge-fuzz-" + std::to_string(getpid()));
  std::string sound = (folder / "sound.sqlite").string();
  std::string damaged = (folder / "damaged.sqlite").string();
  std::string whole = (folder / "whole.sqlite").string();
  std::string bytes;

  Place() {
    fs::create_directories(folder);
    auto results = sweep::Results::write_to(sound, identity());
    LF_CHECK(results.has_value(), "a place to write");
    std::vector<std::pair<sweep::CaseRow, double>> rows;
    for (std::int64_t i = 0; i < 40; ++i) rows.emplace_back(row(i), 0.1);
    LF_CHECK(results->add(rows, false).has_value() && results->finish().has_value(), "rows");
    std::ifstream file(sound, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
};

void check_error(const loadfactor::Error& error) {
  LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
}

// Who goes on with a damaged file keeps the rows that are as they were, and no others.
void check_resume(const Place& place, bool is_ours) {
  auto results = sweep::Results::write_to(place.damaged, identity());
  if (!results) return check_error(results.error());
  const auto census = results->census();
  if (!census) return check_error(census.error());
  for (const std::int64_t number : census->done) {
    const auto kept = results->row(number);
    LF_CHECK(kept.has_value() && kept->has_value(), "a row that counts can be read");
    LF_CHECK(!is_ours || **kept == row(number), "and is as it was");
  }
  const auto removed = results->remove(census->damaged);
  if (!removed) check_error(removed.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  std::string bytes = place.bytes;
  const bool is_whole_file = size > 16 && data[0] == 'S';
  if (is_whole_file) bytes.assign(data, data + size);
  // Triples of a place, in 64ths of a page and bytes, and a value.
  for (std::size_t i = 0; !is_whole_file && i + 3 < size; i += 4) {
    const std::size_t at = (data[i] * 65536U + data[i + 1] * 256U + data[i + 2]) % bytes.size();
    bytes[at] = static_cast<char>(data[i + 3]);
  }
  std::ofstream(place.damaged, std::ios::binary) << bytes;
  fs::copy_file(place.sound, place.whole, fs::copy_options::overwrite_existing);
  const auto merged = sweep::merge({place.damaged}, place.whole);
  if (!merged) check_error(merged.error());
  const auto whole = sweep::Results::read_from(place.whole);
  LF_CHECK(whole.has_value(), "what was there is still there");
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto kept = whole->row(i);
    LF_CHECK(kept.has_value() && kept->has_value() && **kept == row(i), "and is as it was");
  }
  if (const auto read = sweep::Results::read_from(place.damaged)) {
    const auto look = sweep::look_at(*read);
    if (!look) check_error(look.error());
  }
  check_resume(place, !is_whole_file);
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(place.damaged + suffix);
  return 0;
}
