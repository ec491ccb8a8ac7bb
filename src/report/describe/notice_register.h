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
  Severity severity = Severity::kNote;  // Unless a notice is raised as a graver one.
  std::string_view meaning;             // In general; the notice itself has the figures.
};

std::span<const NoticeKind> notice_register();

// The row of an id, or nothing.
const NoticeKind* find_notice(std::string_view id);

// An argument of this name is whom the notice speaks of, and stands before its text with a colon.
inline constexpr std::string_view kSubject = "subject";

// What a notice says: its own text, or the register's with the notice's arguments. A text of the
// register belongs to an id and to the names of the arguments that it speaks of.
std::string text_of(const Notice& notice);
// The graver of the register's and the notice's own; a text of its own brings its severity.
Severity severity_of(const Notice& notice);

// The same notice with both filled in.
Notice told(Notice notice);

// `{name}` stands for an argument and `{name?row|rows}` for the first word where that argument is
// one of something, else for the second. `<…>` is said only where all arguments in it are given; an
// argument without a text is a fact that a part in angles waits for.
struct NoticeText {
  std::string_view id;
  std::string_view text;
};
// A table for each subject. All texts of an id stand in one of them.
std::span<const std::span<const NoticeText>> notice_texts();
// Parts of notices that are ids with arguments themselves; sorted by id, as notices are.
std::span<const NoticeText> phrase_texts();
// The names of the arguments in a text, in its order, each once.
std::vector<std::string_view> argument_names(std::string_view text);

}  // namespace loadfactor::report
