// Megatron's arguments as its log prints them, one a line.
#include <algorithm>
#include <string>
#include <vector>

#include "launch/findings/flags.h"
#include "launch/read/readers.h"
#include "launch/shell/shell_reader.h"
#include "launch/vocabulary/program.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {

void read_argument_dump(const Source& source, Findings& findings) {
  const Program megatron = read_program("megatron");
  const OldNames old_names("megatron");
  std::vector<Word> words;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    const auto parts = split_words(source.lines.line(source.text, line), line, 1);
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      const std::string& dots = parts[i].text;
      if (dots.size() < 3 || dots.find_first_not_of('.') != std::string::npos) continue;
      const std::string& value = parts[i + 1].text;
      if (parts[i - 1].text == "world_size")
        findings.set("world", value, place_of(source, parts[i + 1]));
      std::string name = "--" + parts[i - 1].text;
      std::replace(name.begin(), name.end(), '_', '-');
      name = old_names.current(name);
      const auto match = megatron.find(name);
      if (!match || value == "None" || value == "False") break;
      Word flag = parts[i - 1];
      flag.text = name;
      words.push_back(flag);
      if (value == "True") break;
      if (match->flag->kind == FlagKind::kSwitch) {
        words.pop_back();
        break;
      }
      std::string text = value;
      // A list of layers keeps its brackets; of others the first entry is read.
      if (match->flag->name == "--moe-layer-freq")
        for (std::size_t more = i + 2; more < parts.size(); ++more) text += parts[more].text;
      else
        std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '\'' || c == ','; });
      Word given = parts[i + 1];
      given.text = text;
      if (match->flag->kind == FlagKind::kInteger && !whole_number(text)) {
        words.pop_back();
        break;
      }
      words.push_back(given);
      break;
    }
  }
  read_megatron({.source = source, .words = words, .at = {&source, 1}, .is_dump = true}, findings);
}

}  // namespace loadfactor::launch
