/// Errors as values, each able to point at the line of the user's file that caused it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace loadfactor {

/// A place in a user's file. Lines and columns count from 1; 0 means "whole file".
struct SourceSpan {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< In characters (code points), not bytes.
  std::uint32_t length = 1;  ///< In characters.
};

/// A place in our own code. std::source_location is out of reach of clang-tidy 14.
struct CodeLocation {
  const char* file = "";
  int line = 0;
  static CodeLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// Who can mend it, and so the exit status.
enum class ErrorKind : std::uint8_t {
  kInvalidInput,  ///< The user can fix it: exit status 2.
  kInfeasible,    ///< Valid question, no answer exists: exit status 3.
  kUnavailable,   ///< The outside world failed (file, GPU, socket): exit status 4.
  kInternal,      ///< Our bug: exit status 70.
};

struct [[nodiscard]] Error {
  int code = 0;             ///< The nnn of LFnnn; every code has a row in base/error_codes.cc.
  std::string message;      ///< What is wrong, in the user's words, lower case, no full stop.
  std::string hint;         ///< What to do next; may be empty.
  SourceSpan where;         ///< Where in the user's input.
  std::string source_line;  ///< The text of that line, for the caret; may be empty.
  std::vector<std::string> notes;                    ///< Outer context, innermost first.
  CodeLocation raised_at = CodeLocation::current();  ///< Where in our code; shown with -vv.

  Error&& with(std::string note) && {
    notes.push_back(std::move(note));
    return std::move(*this);
  }
};

/// Collects every error of an input, so that a user mends a file once.
class Diagnostics {
 public:
  void add(Error error) { errors_.push_back(std::move(error)); }
  void add_all(const Diagnostics& other) {
    errors_.insert(errors_.end(), other.errors_.begin(), other.errors_.end());
  }
  bool empty() const { return errors_.empty(); }
  std::size_t size() const { return errors_.size(); }
  const std::vector<Error>& errors() const { return errors_; }

 private:
  std::vector<Error> errors_;
};

/// Either a T or an Error. The interface is the part of std::expected that we use;
/// the class exists because clang-tidy 14 cannot see libstdc++ 12's <expected>.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): `return value;` and `return Error{…};` are the point.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

#define LF_CONCAT_INNER(a, b) a##b
#define LF_CONCAT(a, b) LF_CONCAT_INNER(a, b)
/// TRY(const auto gpu, catalog.find_gpu(name)); returns the error to the caller or defines `gpu`.
#define TRY(declaration, expression) \
  TRY_INNER(LF_CONCAT(try_result_, __COUNTER__), declaration, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): `declaration` is not an expression.
#define TRY_INNER(temporary, declaration, expression)              \
  auto temporary = (expression);                                   \
  if (!temporary.has_value()) return std::move(temporary).error(); \
  declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)

/// Renders an error as a compiler would: place, code, message, the offending line, a caret, help.
std::string render(const Error& error);

/// Renders all errors of an input, in file order, a blank line between them. After the first 50
/// it only says how many more there are.
std::string render(const Diagnostics& diagnostics);

/// The exit status that an error of this code asks for: 2, 3, 4 or 70.
int exit_status(int error_code);

}  // namespace loadfactor
