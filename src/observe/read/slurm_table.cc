#include "observe/read/slurm_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "observe/read/cells.h"

namespace loadfactor::observe {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 33> kHeaders{
    {{"jobid", "id"},
     {"jobidraw", "raw_id"},
     {"jobname", "name"},
     {"name", "name"},
     {"user", "user"},
     {"account", "account"},
     {"state", "state"},
     {"st", "state"},
     {"start", "start"},
     {"start_time", "start"},
     {"end", "end"},
     {"end_time", "end"},
     {"nodelist", "nodes"},
     {"nodelist(reason)", "nodes"},
     {"alloctres", "tres"},
     {"reqtres", "req_tres"},
     {"tres_alloc", "tres"},
     {"tres_per_node", "tres_per_node"},
     {"gres", "gres"},
     {"gres_used", "gres_used"},
     {"tresusageinave", "usage"},
     {"tresusageintot", "usage_of_all"},
     {"ntasks", "tasks"},
     {"cluster", "cluster"},
     {"cluster_name", "cluster"},
     {"elapsedraw", "elapsed_seconds"},
     {"elapsed", "elapsed"},
     {"time", "elapsed"},
     {"time_left", "left"},
     {"hostnames", "nodes"},
     {"nodes", "node_count"},
     {"partition", "partition"},
     {"submit", "submit"}}};

// Where the columns of a padded table begin, by the line of dashes below its header.
std::vector<std::size_t> column_starts(std::string_view dashes) {
  std::vector<std::size_t> starts;
  if (dashes.find_first_not_of("- ") != std::string_view::npos) return starts;
  for (std::size_t i = 0; i < dashes.size(); ++i)
    if (dashes[i] == '-' && (i == 0 || dashes[i - 1] == ' ')) starts.push_back(i);
  return starts;
}

// A mark behind the last cell, as `sacct -p` writes it, begins no other cell.
void drop_empty(std::vector<std::string_view>& cells, std::size_t least) {
  while (cells.size() > least && cells.back().empty()) cells.pop_back();
}

}  // namespace

void join_rest(std::vector<std::string_view>& cells, std::size_t width) {
  drop_empty(cells, width);
  if (cells.size() <= width) return;
  const auto first = std::find_if(cells.begin() + static_cast<std::ptrdiff_t>(width) - 1,
                                  cells.end(), [](auto cell) { return !cell.empty(); });
  const std::string_view last = cells.back();
  cells[width - 1] = {first->data(),
                      static_cast<std::size_t>(last.data() + last.size() - first->data())};
  cells.resize(width);
}

std::optional<Columns> header_of(const std::vector<std::string_view>& cells) {
  Columns columns;
  std::size_t known = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string word = lower_case(cells[i]);
    for (const auto& [name, meaning] : kHeaders)
      if (word == name) {
        columns.emplace(std::string(meaning), i);
        ++known;
      }
  }
  if (known < 2) return std::nullopt;
  return columns;
}

bool looks_like_hosts(std::string_view cell) {
  if (cell.empty() || cell.front() == '(' || cell == "None assigned") return false;
  const bool has_digit = cell.find_first_of("0123456789") != std::string_view::npos;
  return has_digit && cell.find_first_of("=:|/ ") == std::string_view::npos &&
         !(cell.front() >= '0' && cell.front() <= '9') && cell.find('.') == std::string_view::npos;
}

std::string_view cell_of(const std::vector<std::string_view>& cells, const Columns& columns,
                         const std::string& name) {
  const auto found = columns.find(name);
  return found == columns.end() || found->second >= cells.size() ? std::string_view()
                                                                 : cells[found->second];
}

char mark_of(std::string_view text) {
  const auto line = text.substr(0, std::min(text.find('\n'), text.size()));
  for (const char mark : {'|', '\t'})
    if (line.find(mark) != std::string_view::npos) return mark;
  return ' ';
}

JobTable::JobTable(std::string_view text) : rest_(text), mark_(mark_of(text)) {
  std::string_view rest = text;
  take_line(rest);
  if (mark_ == ' ') starts_ = column_starts(take_line(rest));
  auto names = split_row(take_line(text), mark_);
  header_ = header_of(names);
  if (header_ && mark_ != ' ' && starts_.empty()) {
    drop_empty(names, 1);
    width_ = names.size();
    const auto name = header_->find("name");
    is_name_last_ = name != header_->end() && name->second + 1 == width_;
  }
  if (header_) take_line(rest_), ++line_;
  if (!starts_.empty()) take_line(rest_), ++line_;
}

bool JobTable::next(std::vector<std::string_view>& cells) {
  if (rest_.empty()) return false;
  text_ = take_line(rest_);
  ++line_;
  if (starts_.empty()) {
    cells = split_row(text_, mark_);
    if (width_ > 0) drop_empty(cells, width_);
    if (is_name_last_) join_rest(cells, width_);
    return true;
  }
  cells.clear();
  for (std::size_t i = 0; i < starts_.size() && starts_[i] < text_.size(); ++i) {
    const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1] : text_.size();
    cells.push_back(trimmed(text_.substr(starts_[i], end - starts_[i])));
  }
  return true;
}

}  // namespace loadfactor::observe
