// The entries of one noun, each read when it is first asked for.
//
// Names and aliases are known from the start, without parsing. Reading is guarded by a lock;
// what has been read never moves or changes, so pointers and references stay good for as long as
// the shelf lives, on any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/index/converted.h"
#include "catalog/index/name_rule.h"
#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Two entries that claim one name.
struct NameClash {
  std::string name;
  std::size_t entry;  // The entry that is refused the name.
  std::size_t owner;  // The entry that has the name already.
};

template <typename Spec>
class Shelf {
 public:
  using Loader = Spec (*)(const DataFile&, Diagnostics&);

  // `files` outlive the shelf; of two with the same name the later one counts.
  Shelf(const std::vector<const DataFile*>& files, Loader loader, double per_usd = 1);

  std::size_t size() const { return files_.size(); }
  const std::vector<std::string>& names() const { return names_; }  // Sorted.
  const NameIndex& index() const { return index_; }
  const std::vector<NameClash>& clashes() const { return clashes_; }
  // Every other spelling and its entry.
  const std::vector<std::pair<std::string, std::size_t>>& aliases() const { return aliases_; }
  const DataFile& file(std::size_t entry) const { return *files_[entry]; }
  // The entry of exactly this name, unread.
  bool has(std::string_view name) const;

  // The entry, or the first error of its file.
  Result<const Spec*> get(std::size_t entry) const;
  // All entries, sorted by name. Broken ones are there as far as they could be read.
  const std::vector<Spec>& all() const;
  // Reads an entry and adds its errors.
  const Spec& read(std::size_t entry, Diagnostics& diagnostics) const;

 private:
  const Spec& read_locked(std::size_t entry) const;

  std::vector<const DataFile*> files_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::size_t>> aliases_;
  NameIndex index_;
  std::vector<NameClash> clashes_;
  Loader loader_;
  double per_usd_;
  mutable std::mutex mutex_;
  mutable std::vector<Spec> specs_;
  mutable std::vector<bool> is_read_;
  mutable std::vector<Diagnostics> problems_;
};

template <typename Spec>
Shelf<Spec>::Shelf(const std::vector<const DataFile*>& files, Loader loader, double per_usd)
    : loader_(loader), per_usd_(per_usd) {
  std::map<std::string, const DataFile*, std::less<>> by_name;
  for (const DataFile* file : files) by_name[std::string(stem(file->path))] = file;
  for (const auto& [name, file] : by_name) {
    names_.push_back(name);
    files_.push_back(file);
  }
  const auto add = [this](const std::string& name, std::size_t entry) {
    if (const auto owner = index_.add(name, entry)) clashes_.push_back({name, entry, *owner});
  };
  for (std::size_t i = 0; i < names_.size(); ++i) add(names_[i], i);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    for (const auto& alias : scan_aliases(files_[i]->text)) {
      add(alias, i);
      aliases_.emplace_back(alias, i);
    }
  }
  specs_.resize(files_.size());
  is_read_.resize(files_.size());
  problems_.resize(files_.size());
}

template <typename Spec>
bool Shelf<Spec>::has(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

template <typename Spec>
const Spec& Shelf<Spec>::read_locked(std::size_t entry) const {
  if (!is_read_[entry]) {
    specs_[entry] = loader_(*files_[entry], problems_[entry]);
    convert(specs_[entry], per_usd_);
    is_read_[entry] = true;
  }
  return specs_[entry];
}

template <typename Spec>
Result<const Spec*> Shelf<Spec>::get(std::size_t entry) const {
  const std::lock_guard lock(mutex_);
  const Spec& spec = read_locked(entry);
  if (!problems_[entry].empty()) return problems_[entry].errors().front();
  return &spec;
}

template <typename Spec>
const std::vector<Spec>& Shelf<Spec>::all() const {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < files_.size(); ++i) read_locked(i);
  return specs_;
}

template <typename Spec>
const Spec& Shelf<Spec>::read(std::size_t entry, Diagnostics& diagnostics) const {
  const std::lock_guard lock(mutex_);
  const Spec& spec = read_locked(entry);
  diagnostics.add_all(problems_[entry]);
  return spec;
}

}  // namespace loadfactor::catalog
