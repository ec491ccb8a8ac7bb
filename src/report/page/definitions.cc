#include "report/page/definitions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace loadfactor::report {
namespace {

enum class On : unsigned { kService = 1, kRun = 2, kMoney = 4, kAll = 7 };

struct Meaning {
  std::string_view word;
  std::string_view meaning;
  On pages = On::kAll;
};
constexpr std::array<Meaning, 10> kMeanings{{
    {"Full", "work carried, of what the paid machines could carry."},
    {"Pays from", "how full they must be to cost no more than the way they are weighed against."},
    {"Futures", "draws of the uncertain prices, speed and traffic."},
    {"Spot", "spare GPUs at a lower price; the provider can take them away."},
    {"Reserved", "rented for the whole term, used or not."},
    {"On demand", "rented without a term."},
    {"Answers in time", "requests within the promised first token and time per token.",
     On::kService},
    {"MFU", "useful arithmetic over the dense peak of the GPUs.", On::kRun},
    {"Interest", "what the money of the purchase costs a year."},
    {"Busy", "hours that carry work, of all hours of the machines’ life.", On::kRun},
}};

// How terms of the glossary stand on pages; forms of one term side by side.
struct WordOfTerm {
  std::string_view word;
  std::string_view term;
};
constexpr std::array kWordsOfTerms{WordOfTerm{"MFU", "mfu"},
                                   WordOfTerm{"HFU", "hfu"},
                                   WordOfTerm{"load factor", "load_factor"},
                                   WordOfTerm{"Load factor", "load_factor"},
                                   WordOfTerm{"break-even", "break_even"},
                                   WordOfTerm{"Break-even", "break_even"},
                                   WordOfTerm{"goodput", "goodput"},
                                   WordOfTerm{"Goodput", "goodput"},
                                   WordOfTerm{"first token", "ttft"},
                                   WordOfTerm{"TTFT", "ttft"},
                                   WordOfTerm{"time per token", "tpot"},
                                   WordOfTerm{"TPOT", "tpot"},
                                   WordOfTerm{"weights", "weights"},
                                   WordOfTerm{"annuity", "annuity"},
                                   WordOfTerm{"spread price", "annuity"},
                                   WordOfTerm{"knee", "well_used"},
                                   WordOfTerm{"head", "embedding_and_head"},
                                   WordOfTerm{"recompute", "recomputation"},
                                   WordOfTerm{"bubble", "bubble"},
                                   WordOfTerm{"optimizer", "optimizer"},
                                   WordOfTerm{"slowest host", "straggler"},
                                   WordOfTerm{"gradients", "gradients"},
                                   WordOfTerm{"activations", "activations"},
                                   WordOfTerm{"logits", "logits"},
                                   WordOfTerm{"buffers", "buffers"},
                                   WordOfTerm{"context", "context"},
                                   WordOfTerm{"micro-batch", "micro_batch"},
                                   WordOfTerm{"tp", "tp"},
                                   WordOfTerm{"pp", "pp"},
                                   WordOfTerm{"vp", "vp"},
                                   WordOfTerm{"cp", "cp"},
                                   WordOfTerm{"ep", "ep"},
                                   WordOfTerm{"dp", "dp"},
                                   WordOfTerm{"zero-1", "zero"},
                                   WordOfTerm{"zero-2", "zero"},
                                   WordOfTerm{"zero-3", "zero"},
                                   WordOfTerm{"NPV", "npv"},
                                   WordOfTerm{"availability", "availability"},
                                   WordOfTerm{"replica", "replica"},
                                   WordOfTerm{"replicas", "replica"},
                                   WordOfTerm{"spare", "spares"},
                                   WordOfTerm{"spares", "spares"},
                                   WordOfTerm{"SLO", "slo"},
                                   WordOfTerm{"KV cache", "kv_cache"},
                                   WordOfTerm{"collectives", "collectives"},
                                   WordOfTerm{"dense products", "dense_products"},
                                   WordOfTerm{"batch", "batch"},
                                   WordOfTerm{"checkpoint", "checkpoint"},
                                   WordOfTerm{"checkpoints", "checkpoint"},
                                   WordOfTerm{"PUE", "pue"}};

Value definitions(On page) {
  Value::List words;
  for (const auto& [word, meaning, pages] : kMeanings) {
    if ((static_cast<unsigned>(pages) & static_cast<unsigned>(page)) == 0) continue;
    std::string id = "w-";
    for (const char letter : word)
      id += letter == ' '                    ? '-'
            : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32)
                                             : letter;
    words.push_back(Value::Object{{"id", id}, {"word", word}, {"meaning", meaning}});
  }
  return words;
}

bool is_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

bool stands_in(const std::string& word, const std::string& text) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])))
      return true;
  }
  return false;
}

bool stands_in(const std::string& word, const Value& part) {
  if (const auto* text = part.text()) return stands_in(word, *text);
  if (const auto* list = part.list())
    return std::any_of(list->begin(), list->end(),
                       [&](const Value& item) { return stands_in(word, item); });
  const auto* object = part.object();
  return object != nullptr && std::any_of(object->begin(), object->end(), [&](const auto& member) {
           return stands_in(word, member.value);
         });
}

}  // namespace

std::vector<PageWord> page_words(const std::vector<catalog::GlossaryTerm>& glossary) {
  std::vector<PageWord> words;
  for (const WordOfTerm& each : kWordsOfTerms)
    for (const auto& term : glossary)
      if (term.name == each.term) words.push_back({std::string(each.word), term.definition});
  return words;
}

Value words_within(const std::vector<PageWord>& words, const Value& part) {
  Value::List found;
  const std::string* last = nullptr;  // Forms of one word stand side by side.
  for (const PageWord& each : words) {
    if ((last != nullptr && *last == each.meaning) || !stands_in(each.word, part)) continue;
    found.push_back(Value::Object{{"word", each.word}, {"meaning", each.meaning}});
    last = &each.meaning;
  }
  return found;
}

Value service_definitions() {
  return definitions(On::kService);
}
Value run_definitions() {
  return definitions(On::kRun);
}
Value money_definitions() {
  return definitions(On::kMoney);
}

}  // namespace loadfactor::report
