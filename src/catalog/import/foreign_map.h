// Reads typed values out of somebody else's JSON object.
//
// Our own files are strict: an unknown key is an error. A file that another program wrote is
// not ours to refuse, so keys that nobody asked for are only listed. What is read is checked as
// hard as ever: type, range and magnitude. `null` counts as absent, because transformers and
// LiteLLM write it for "not set".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Below `low` is out of range (LF207), above `high` is absurd (LF205).
struct WholeRange {
  std::int64_t low = 0;
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

class ForeignMap {
 public:
  // One value may go by several names; the first that is set counts. Two names that are both
  // set and disagree are LF209.
  using Keys = std::initializer_list<std::string_view>;

  // `node` must be a map; see as_map(). Both arguments must outlive the reader.
  ForeignMap(const config::Document& document, const config::Node& node, std::string what,
             Diagnostics& diagnostics);

  bool has(std::string_view key) const;      // Present and not null.
  bool is_null(std::string_view key) const;  // Present and null.
  bool is_list(std::string_view key) const;

  std::optional<std::int64_t> integer(Keys keys, WholeRange range = {});
  std::optional<int> count(Keys keys, int low, int high);
  std::optional<double> number(Keys keys);
  std::optional<bool> boolean(Keys keys);
  std::optional<std::string> text(Keys keys);
  std::optional<ForeignMap> map(Keys keys);
  // The list itself, marked as read; nullptr if absent, LF505 if it is no list.
  const config::Node* list(Keys keys);
  // The items of a list of texts; LF505 for an item that is none.
  std::vector<std::string> texts(Keys keys);
  std::vector<int> counts(Keys keys, int low, int high);
  // One item of a list, checked as integer() would check it; `key` names it in messages.
  std::optional<std::int64_t> whole_item(std::string_view key, const config::Node& item,
                                         WholeRange range);

  // For whoever walks node().members itself, as one must where the keys are names.
  std::optional<std::string> text_at(const config::Member& member);
  std::optional<ForeignMap> map_at(const config::Member& member);

  // Marks keys as known without reading them.
  void allow(Keys keys) { read_.insert(keys.begin(), keys.end()); }
  // Keys that nobody asked for, in file order.
  std::vector<std::string> unread() const;

  // Adds an error at the value of `key`, at the map itself if it is absent.
  void report(std::string_view key, int code, std::string message, std::string hint = {});
  void report_missing(std::string_view key, std::string hint = {});

  const config::Node& node() const { return *node_; }
  const config::Document& document() const { return *document_; }
  Diagnostics& diagnostics() { return *diagnostics_; }

 private:
  const config::Member* find(std::string_view key) const;
  const config::Member* first_set(Keys keys);
  void report_at(const config::Member& member, int code, std::string message,
                 std::string hint = {});

  const config::Document* document_;
  const config::Node* node_;
  std::string what_;
  Diagnostics* diagnostics_;
  std::set<std::string, std::less<>> read_;
};

// The root of a document as a map; LF505 and nothing when it is a list or a scalar.
std::optional<ForeignMap> as_map(const config::Document& document, std::string what,
                                 Diagnostics& diagnostics);

// Reports every duplicate key of the whole document (LF503), because of two values we cannot know
// which one was meant, and every key that is no name but a dump (LF508).
void check_keys(const config::Document& document, Diagnostics& diagnostics);

// The value of a JSON number as a double, which may be infinite (1e999).
double json_number(std::string_view text);

}  // namespace loadfactor::catalog
