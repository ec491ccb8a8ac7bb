#include "cli/session/list_option.h"

#include <fmt/format.h>

namespace loadfactor::cli {

std::vector<std::string> list_items(const std::string& flag, const std::string& text) {
  std::vector<std::string> items;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = text.find(',', from);
    const std::size_t length = comma == std::string::npos ? comma : comma - from;
    items.push_back(CLI::detail::trim_copy(text.substr(from, length)));
    if (items.back().empty())
      throw CLI::ValidationError(
          flag, fmt::format("item {} of '{}' is empty: write values with one comma between two",
                            items.size(), text));
    if (comma == std::string::npos) return items;
    from = comma + 1;
  }
}

CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const TakeItem& take) {
  const auto read = [flag, take](const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      for (const std::string& item : list_items(flag, text))
        if (const std::string wrong = take(item); !wrong.empty())
          throw CLI::ValidationError(flag, wrong);
  };
  // The scenario behind it is no item.
  return verb.add_option_function<std::vector<std::string>>(flag, read, help)
      ->allow_extra_args(false);
}

}  // namespace loadfactor::cli
