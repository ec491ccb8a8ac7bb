// Everything that an answer may confess: one row for each id.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"

namespace loadfactor::report {

struct NoticeKind {
  std::string_view id;
  Severity severity = Severity::kNote;  // The gravest that occurs.
  std::string_view meaning;             // In general; the notice itself has the figures.
};

std::span<const NoticeKind> notice_register();

// The row of an id, or nothing.
const NoticeKind* find_notice(std::string_view id);

// What a notice says: its own text, or the register's with the notice's arguments. A text of the
// register belongs to an id and to the names of the arguments that it speaks of.
std::string text_of(const Notice& notice);
// The register's, unless the notice brings a text of its own.
Severity severity_of(const Notice& notice);

// The same notice with both filled in.
Notice told(Notice notice);

struct NoticeText {
  std::string_view id;
  std::string_view text;  // With `{name}` in place of each argument.
};
std::span<const NoticeText> notice_texts();
// The names of the arguments in a text, in its order, each once.
std::vector<std::string_view> argument_names(std::string_view text);

}  // namespace loadfactor::report
