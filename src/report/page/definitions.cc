#include "report/page/definitions.h"

#include <array>
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

}  // namespace

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
