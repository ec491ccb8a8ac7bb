// How a shell script is read: one reader, whose parts stand in files of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/shell/shell.h"
#include "launch/shell/shell_braces.h"
#include "launch/shell/shell_tests.h"
#include "launch/shell/shell_values.h"

namespace loadfactor::launch::shell {

constexpr std::size_t kMostWords = 200'000;   // Arrays that hold each other would grow for ever,
constexpr std::size_t kMostText = 1 << 16;    // and so would variables,
constexpr std::size_t kMostPasses = 1024;     // and loops within loops,
constexpr std::size_t kMostReread = 1 << 24;  // which would be read for minutes,
constexpr std::size_t kMostCalls = 8;         // and functions that call each other.
constexpr std::size_t kMostDocuments = 64;    // Here documents that keep the variables.
constexpr std::size_t kMaxDepth = 4;          // Scripts and words within each other.
constexpr std::size_t kMostRefusals = 4;      // Readings anew without defaults that fail.
constexpr std::size_t kArguments = 9;         // Those that a name of one digit has.

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
inline bool is_name(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (!first && c >= '0' && c <= '9');
}

// Whether a word begins with `NAME=` or `NAME+=`.
bool names_variable(std::string_view word);
// The file that `cat > FILE` or `tee FILE` writes, without its folder; empty where it writes none.
std::string written_file(const std::vector<Word>& words);
// What the shell leaves of `\$` and of an escaped backtick in a here document.
std::string unescaped(std::string_view text);

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Words before a command that are none themselves.
constexpr std::array<std::string_view, 9> kKeywords{"then", "else", "do",    "{",    "!",
                                                    "if",   "elif", "while", "until"};
constexpr const char* kBranchDoubt = "set only where a test holds";
constexpr const char* kLoopDoubt = "another one in each pass of a loop";
constexpr const char* kBehindCommands = "stands behind the first command";
constexpr const char* kElsewhereDoubt = "added to what is set elsewhere";

// Whether what is read runs.
enum class Run : std::uint8_t { kNo, kMaybe, kYes };

// An `if`, a `case`, a group in braces or a subshell around what is read, and the arm of it that is
// read.
struct Branch {
  enum class Kind : std::uint8_t { kIf, kCase, kGroup, kSubshell };
  Kind kind = Kind::kIf;
  Run run = Run::kYes;                      // Whether this arm runs.
  Run taken = Run::kNo;                     // Whether this arm, or one before it, runs.
  std::string doubt = {};                   // Why another arm may run.
  Word subject = {};                        // What the patterns of a `case` are held to.
  bool awaits_pattern = false;              // Whether the next words are a pattern of a `case`.
  bool is_assumed = false;                  // Whether a program before `&&` is taken to go well.
  std::optional<Variables> variables = {};  // Those before a subshell.
};

// A loop around what is read: the list that it goes through, where the text holds it, and where its
// first pass begins.
struct Loop {
  std::string name = {};
  std::vector<Word> values = {};
  std::size_t pass = 0;
  std::size_t at = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  Run run = Run::kYes;       // Whether its body runs at all.
  bool awaits_body = false;  // Whether the condition of a `while` or an `until` is read,
  bool is_until = false;     // and which of both it is.
  bool is_cut = false;       // Whether `break` or `continue` ended this pass.
};

// A place in the text.
struct Spot {
  std::size_t at = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A function of the script, from the brace that opens it to the one that closes it.
struct Function {
  Spot begin;
  std::size_t end = 0;
  bool is_called = false;
};

// A variable that a command alone has, as in `TP=2 serve`, and what it is for those behind it.
struct OwnVariable {
  std::string name;
  std::optional<Word> before;
};

// A call that is being read: where it ends, and where the reading goes on.
struct Call {
  std::size_t end = 0;
  Spot back;
  std::vector<Word> arguments = {};
  bool is_known = true;  // Whether the arguments are in the text.
  std::size_t branches = 0;
  std::size_t loops = 0;
  bool is_over = false;  // Whether a `return` was read.
  std::vector<OwnVariable> own = {};
};

// What a command ends: the function or the script around it, or nothing.
enum class Ending : std::uint8_t { kNothing, kFunction, kScript };

class ShellReader {
 public:
  ShellReader(std::string_view text, Variables variables, const ScriptFiles* files,
              std::size_t depth = 0)
      : text_(text), files_(files), depth_(depth) {
    out_.variables = std::move(variables);
  }

  // The arguments of the script, where they are known.
  void give(std::vector<Word> arguments) {
    arguments_ = std::move(arguments);
    put_arguments();
  }
  ShellText read();

  // Defaults by their doubts that the script is not run with: what has them is not known.
  void leave_out(std::set<std::string> defaults) { left_out_ = std::move(defaults); }
  // Doubts behind which the script ends itself as failed.
  const std::set<std::string>& refused() const { return refused_; }

 private:
  char here() const { return text_[at_]; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  void forward();
  Word& word();
  void open_at(std::uint32_t line, std::uint32_t column);
  // `--tp {2,4}` is as many words as the shell makes of it.
  void push_with_braces(Word done);
  void push(Word done);
  void end_word();
  // A list that the text holds is gone through; what is done with another one is read once.
  void begin_loop(const std::vector<Word>& head);
  bool is_in_open_loop() const;
  // Whether so much of the text may be read once more.
  bool may_reread(std::size_t length);
  void set_pass(const Loop& loop);
  void end_pass();
  void end_command();
  void run_command(std::vector<Word> rest, std::vector<OwnVariable> own);
  // What the shell does itself: `unset`, `read`, `let`, `set`, `shift`, `source`.
  void run_builtin(const std::vector<Word>& words);
  bool assign(const Word& word);
  // Sets what stands before a command, `TP=2 serve`, for the command alone; what was before.
  std::vector<OwnVariable> assign_own(const std::vector<Word>& words, std::size_t count);
  void put_back(std::vector<OwnVariable> own);
  void set_variable(const std::string& name, Word value);
  void append(const std::string& name, Word value);
  void unset(const std::string& name);
  // `read -r NAME`: the text of a here document, or something that is not known.
  void read_into(const std::vector<Word>& words);
  void source(const Word& file);
  // Runs a script that a here document wrote: `bash serve.sh 4`, `srun -N 2 ./serve.sh`. Its
  // commands stand behind what starts it. False where the command runs no such file.
  bool run_written(const std::vector<Word>& words);
  void run_document(std::size_t number, const std::vector<Word>& words, std::size_t file);
  // The text of a file: one that the script wrote, or one that is given beside it.
  const std::string* text_of(std::string_view file) const;
  // `((TP *= 2))` and `((TP > 4))`.
  void compute_line();
  Outcome compute(std::string_view text);

  // A keyword before a command, as soon as it is read.
  void take_keyword(const std::string& keyword);
  void begin_case();
  void end_pattern();
  void end_branch(const std::string& keyword);
  static void enter_arm(Branch& branch, const Outcome& test);
  bool awaits_pattern() const { return !branches_.empty() && branches_.back().awaits_pattern; }
  bool is_in_test() const;
  // Whether the word that is read sets a variable: nothing in it is cut at blanks.
  bool is_in_assignment() const;
  Run run() const;
  std::string doubt() const;  // Why what is read may not run; empty where it does.
  void begin_line();
  // `&&` and `||`: what follows runs only where what stands before it went well, or badly.
  void end_condition();
  // How a command that ran ended.
  void set_outcome(const std::vector<Word>& words, bool negates);
  // Behind the `do` of a loop: `while false` runs no body.
  void begin_body();
  // What a command surely ends: `exit`, `return`, `exec vllm serve`.
  Ending ending_of(const std::vector<Word>& words);
  // `break` and `continue` that surely run end the pass, or all passes, of a list in the text.
  void cut_pass(const std::vector<Word>& words);
  // Why the innermost test around what is read may come out otherwise; empty where none may.
  std::string nearest_guess() const;
  void end_reading(Ending ending);
  // What `&&` and `||` say of a group or a function holds for all of it.
  void begin_group(Branch::Kind kind);
  void begin_subshell();
  void end_subshell();
  void keep_command(std::vector<Word> words);

  Spot spot() const { return {at_, line_, column_}; }
  void go_to(const Spot& spot);
  // `name() {` or `function name {`: what it does is read where it is called.
  bool begin_function();
  // From the brace that opens a body to the one that closes it; false where none does.
  bool skip_body();
  // Whether a command is a function of the script, which is read then with its arguments.
  bool call(const std::vector<Word>& words);
  void enter(Function& function, std::vector<Word> arguments, bool is_known);
  // A function that the script leaves to others to call is read once, with arguments unknown.
  bool call_uncalled();
  // Those of the innermost call; none outside of all.
  void put_arguments();
  void shift();
  // True where a body ends here; what called it goes on.
  bool leave();

  void step();
  bool step_pattern();
  void join_tests();
  void plain();
  // `for ((i = 0; i < 4; i++))` as the list that it goes through.
  void count_loop();
  // What another program prints, as `$(...)`.
  void expand_backticks();
  // `<<EOF`, whose text begins on the next line, and `<<< word`.
  void here_document();
  void skip_here_documents();
  void keep_document(Word text, bool is_quoted);
  void take_here_document(const Word& text, bool is_quoted);
  // A quote that the text ends in.
  void leave_unclosed(std::uint32_t line, std::uint32_t column);
  void continue_line();
  void escape();
  void single();
  void in_quotes();
  void comment();
  void begin_array();
  void end_array();

  // Behind `$`.
  void expand(bool is_quoted);
  void expand_command();
  void expand_braces(bool is_quoted);
  // `${#name[@]}`, how many an array holds, or `${!name[@]}`, where they stand in it.
  void expand_size(const std::string& name, bool lists);
  // `${name[2]}` or `${name[$i]}`; false where it is not in the text.
  bool put_item(const std::string& name, const std::string& index, bool is_quoted);
  void splice(const std::string& name);
  // `${name[@]:1:2}`: some of an array, by where they stand in it; false where that is not known.
  bool splice_part(const std::string& name, const std::string& range);
  void push_all(const std::vector<Word>& items);
  void put_unknown(const std::string& text);
  void put_if_set(const std::string& name, const std::string& words, const std::string& inside);
  void put(const std::string& name, const std::optional<std::string>& otherwise, bool is_quoted);
  // `${NAME:-words}` of a variable that is set to nothing.
  void put_instead(const Word& empty, const std::string& words, bool is_quoted);
  void put_value(const Word& value, bool is_quoted);
  Word unquoted_default(const std::string& name, std::string text) const;
  // Words in double quotes with their variables put in; not known where they stand too deep.
  Word expanded(const std::string& words) const;
  // An unquoted value is cut at its blanks.
  void put_split(const Word& value);

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  bool open_ = false;
  bool spliced_ = false;
  Word current_;
  std::vector<Word> command_;
  bool in_array_ = false;
  std::string array_name_;
  bool adds_to_array_ = false;
  std::vector<Word> array_;
  std::map<std::string, std::vector<Word>> arrays_;
  std::size_t count_ = 0;
  std::vector<Branch> branches_;    // The innermost last.
  Run line_run_ = Run::kYes;        // What `&&` and `||` before a command say of it,
  std::string line_doubt_;          // and why it may be otherwise.
  bool is_line_assumed_ = false;    // Whether a program before `&&` is taken to go well.
  Ending over_ = Ending::kNothing;  // What was ended, so that nothing more of the text runs.
  bool has_command_ = false;        // Whether anything but comments was read,
  bool is_dispatched_ = false;      // and whether a command ran whose name is not in the text.
  Outcome outcome_;                 // How the last command ended,
  bool was_test_ = false;           // which was a test or an assignment,
  bool negates_ = false;            // and whether `!` stands before this one.
  std::vector<Loop> loops_;         // The innermost last.
  std::size_t passes_ = 0;          // How often a loop or a function began anew,
  std::size_t reread_ = 0;          // with how much of the text.
  std::string reads_into_;          // The variable that the next here document is for,
  std::string writes_into_;         // or the file that it is written to.
  std::vector<Word> given_to_;      // The command that it is given to.
  bool is_piped_ = false;           // Whether a command takes what the one before it prints.
  std::map<std::string, std::size_t, std::less<>> written_;  // Documents by their files.
  std::optional<std::vector<Word>> arguments_;  // Those that `set --` gives the script.
  std::set<std::string> left_out_;
  std::set<std::string> refused_;
  const ScriptFiles* files_;
  std::size_t depth_;  // How many scripts and words stand around this one.
  std::map<std::string, Function> functions_;
  std::vector<Call> calls_;  // The innermost last.
  // A mark that ends a here document.
  struct End {
    std::string word;
    bool is_quoted = false;
    bool is_run = true;  // Whether the command runs that it is given to.
  };
  std::vector<End> ends_;
  ShellText out_;
  Variables apart_;  // What commands and subshells had for themselves, where nobody set it since.
  std::vector<OwnVariable> own_;        // Those of a command that still awaits its here document.
  std::vector<std::size_t> name_ends_;  // Where `$NAME` ends in the word that is read.
  std::string syntax_;  // What of the word that is read stands in the text in no quotes.
};

}  // namespace loadfactor::launch::shell
