// What the words of a page mean: `{id, word, meaning}` each, shown where the word first stands.
#pragma once

#include <string>
#include <vector>

#include "catalog/spec/glossary.h"
#include "loadfactor/value.h"

namespace loadfactor::report {

Value service_definitions();
Value run_definitions();
// Pages that speak of money alone.
Value money_definitions();

// A word as it stands on a page, and its meaning.
struct PageWord {
  std::string word;
  std::string meaning;
};
// The words of the glossary, in every form that it gives them.
std::vector<PageWord> page_words(const std::vector<catalog::GlossaryTerm>& glossary);
// Those of the words that stand as whole words in the texts of a part of a page, as
// `{word, meaning}`; of several forms of one word the first.
Value words_within(const std::vector<PageWord>& words, const Value& part);

}  // namespace loadfactor::report
