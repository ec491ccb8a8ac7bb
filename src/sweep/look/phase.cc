#include "sweep/look/phase.h"

#include <algorithm>

namespace loadfactor::sweep {

std::size_t place_on(const SeenAxis& axis, const CellValue& cell) {
  if (axis.is_binned) {
    const double number = number_in(cell).value_or(axis.range.first);
    std::size_t place = 0;
    while (place + 1 < axis.values.size() && *number_in(axis.values[place + 1]) <= number) ++place;
    return place;
  }
  const auto found = std::find(axis.values.begin(), axis.values.end(), cell);
  return static_cast<std::size_t>(found - axis.values.begin());
}

PhaseMaker::PhaseMaker(const Identity& identity, const std::vector<SeenAxis>& axes, PhaseMap map)
    : identity_(identity), axes_(axes), map_(std::move(map)) {}

std::string PhaseMaker::panel_of(const CaseRow& row) const {
  std::string name;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const SeenAxis& axis = axes_[i];
    // Samples, seeds and what changes nothing are repetitions, which a place of the map counts.
    const bool is_told = axis.varies() && !axis.follows && !axis.is_idle && !axis.is_binned &&
                         i != map_.x && i != map_.y &&
                         identity_.columns[axis.column].meaning != "seed";
    if (!is_told) continue;
    const std::size_t place = place_on(axis, row.cells[axis.column]);
    if (place >= axis.labels.size()) continue;
    if (!name.empty()) name += ", ";
    const std::string& label = axis.labels[place];
    const bool is_word = std::holds_alternative<std::string>(row.cells[axis.column]);
    name += is_word ? label : identity_.columns[axis.column].name + " " + label;
  }
  return name;
}

void PhaseMaker::take(const CaseRow& row) {
  const std::string name = panel_of(row);
  const auto known = panels_.find(name);
  std::size_t panel = panels_.size();
  if (known == panels_.end()) {
    panels_[name] = panel;
    panel_names_.push_back(name);
  } else {
    panel = known->second;
  }
  if (panel >= kMostPanels) return;
  const SeenAxis& x = axes_[map_.x];
  const SeenAxis& y = axes_[map_.y];
  const std::size_t at_x = place_on(x, row.cells[x.column]);
  const std::size_t at_y = place_on(y, row.cells[y.column]);
  if (at_x >= x.values.size() || at_y >= y.values.size()) return;
  Heap& heap = heaps_[{panel, at_y, at_x}];
  ++heap.cases;
  const CellValue shown = map_.shows ? row.cells[*map_.shows] : CellValue();
  const auto number = number_in(shown);
  const auto* word = std::get_if<std::string>(&shown);
  if (map_.is_number && number && row.status == CaseStatus::kAnswer) {
    heap.sum += *number;
    ++heap.numbers;
  } else {
    // What a case without a feasible answer names besides is no answer.
    const bool is_answered = row.status == CaseStatus::kAnswer || row.status == CaseStatus::kNo;
    const bool is_said = is_answered && word != nullptr && !word->empty();
    const bool lacks_figure = map_.shows && row.status == CaseStatus::kAnswer;
    ++heap.words[is_said        ? *word
                 : lacks_figure ? std::string("without it")
                                : std::string(name_of(row.status))];
  }
}

PhaseMap PhaseMaker::finish() {
  std::map<std::string, std::int64_t> frequency;
  bool has_range = false;
  map_.panels_left_out =
      static_cast<std::int64_t>(panels_.size() - std::min(panels_.size(), kMostPanels));
  panel_names_.resize(std::min(panel_names_.size(), kMostPanels));
  for (const std::string& name : panel_names_) map_.panels.push_back({name, {}});
  for (const auto& [key, heap] : heaps_) {
    const auto [panel, at_y, at_x] = key;
    PhaseCell cell{.x = at_x, .y = at_y, .cases = heap.cases};
    if (heap.numbers > 0) {
      cell.number = heap.sum / static_cast<double>(heap.numbers);
      cell.numbers = heap.numbers;
      cell.share = static_cast<double>(heap.numbers) / static_cast<double>(heap.cases);
      map_.spread.take(cell.number);
      map_.range.first = has_range ? std::min(map_.range.first, cell.number) : cell.number;
      map_.range.second = has_range ? std::max(map_.range.second, cell.number) : cell.number;
      has_range = true;
    } else {
      const auto most =
          std::max_element(heap.words.begin(), heap.words.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      cell.word = most->first;
      cell.share = static_cast<double>(most->second) / static_cast<double>(heap.cases);
      ++frequency[cell.word];
      for (const auto& [word, count] : heap.words)
        if (count == most->second && word != cell.word) cell.tied.push_back(word);
      for (const std::string& word : cell.tied) ++frequency[word];
    }
    map_.panels[panel].cells.push_back(std::move(cell));
  }
  std::vector<std::pair<std::int64_t, std::string>> ordered;
  for (const auto& [word, count] : frequency) ordered.emplace_back(-count, word);
  std::sort(ordered.begin(), ordered.end());
  for (auto& each : ordered) map_.words.push_back(std::move(each.second));
  return std::move(map_);
}

}  // namespace loadfactor::sweep
