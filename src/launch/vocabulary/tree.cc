#include "launch/vocabulary/tree.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "config/document.h"

namespace loadfactor::launch {
namespace {

bool reads_as_other(const std::string& text) {
  constexpr std::array<std::string_view, 9> kWords{"true", "false", "yes",  "no", "on",
                                                   "off",  "null",  "none", "y"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end() || lower == "n";
}

bool is_plain(const std::string& text) {
  if (text.empty() || reads_as_other(text)) return false;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
  };
  if (!is_letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
}

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Whether a block of lines gives a text back as it was: it ends in one line break, and nothing in
// it is a break to YAML alone.
bool is_block_text(const std::string& text) {
  const bool ends_once = text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n");
  return ends_once && text.find('\r') == std::string::npos &&
         text.find("\xE2\x80\xA8") == std::string::npos &&
         text.find("\xE2\x80\xA9") == std::string::npos &&
         text.find("\xC2\x85") == std::string::npos;
}

class YamlWriter {
 public:
  std::string take() { return std::move(out_); }

  void map(const Tree& tree, int depth, bool in_item) {
    bool first = in_item;
    for (const Branch& branch : tree.branches) {
      if (!first) indent(depth);
      first = false;
      key(branch);
      value(branch.value, branch.remark, depth);
    }
  }
  void list(const Tree& tree, int depth) {
    for (const Tree& item : tree.items) {
      indent(depth);
      out_ += "- ";
      if (item.kind == Tree::Kind::kMap && !item.branches.empty()) {
        map(item, depth + 1, true);
      } else {
        scalar_line(item, "", depth);
      }
    }
  }

 private:
  void indent(int depth) { out_.append(static_cast<std::size_t>(2 * depth), ' '); }
  void key(const Branch& branch) {
    out_ += (is_plain(branch.key) ? branch.key : in_quotes(branch.key)) + ":";
  }
  void value(const Tree& tree, const std::string& remark, int depth) {
    const bool is_map = tree.kind == Tree::Kind::kMap && !tree.branches.empty();
    const bool is_list = tree.kind == Tree::Kind::kList && !tree.items.empty();
    if (!is_map && !is_list) {
      out_ += ' ';
      return scalar_line(tree, remark, depth);
    }
    out_ += (remark.empty() ? "" : "  # " + remark) + "\n";
    if (is_map) map(tree, depth + 1, false);
    if (is_list) list(tree, depth);
  }
  void scalar_line(const Tree& tree, const std::string& remark, int depth) {
    const bool is_block = tree.kind == Tree::Kind::kText && is_block_text(tree.scalar);
    const std::string comment = remark.empty() ? "" : "  # " + remark;
    if (is_block) return block(tree.scalar, comment, depth);
    out_ += scalar(tree) + comment + "\n";
  }
  void block(const std::string& text, const std::string& comment, int depth) {
    // Where the first line begins with blanks, a reader must be told what is indentation.
    const auto first = text.find_first_not_of('\n');
    const bool begins_blank = first != std::string::npos && text[first] == ' ';
    out_ += (begins_blank ? "|2" : "|") + comment + "\n";
    std::size_t from = 0;
    while (from < text.size()) {
      const auto end = std::min(text.find('\n', from), text.size());
      if (end > from) {
        indent(depth + 1);
        out_.append(text, from, end - from);
      }
      out_ += '\n';
      from = end + 1;
    }
  }
  static std::string scalar(const Tree& tree) {
    switch (tree.kind) {
      case Tree::Kind::kWord:
        return tree.scalar;
      case Tree::Kind::kText:
        return is_plain(tree.scalar) ? tree.scalar : in_quotes(tree.scalar);
      case Tree::Kind::kList:
        return "[]";
      case Tree::Kind::kMap:
        return "{}";
      default:
        return "null";
    }
  }
  std::string out_;
};

void write_json(const Tree& tree, int depth, std::string& out) {
  const std::string inner(static_cast<std::size_t>(2 * depth + 2), ' ');
  const std::string outer(static_cast<std::size_t>(2 * depth), ' ');
  const auto each = [&](const auto& all, char open, char close, const auto& write) {
    out += open;
    bool first = true;
    for (const auto& one : all) {
      out += (first ? "\n" : ",\n") + inner;
      first = false;
      write(one);
    }
    if (!first) out += "\n" + outer;
    out += close;
  };
  switch (tree.kind) {
    case Tree::Kind::kMap:
      return each(tree.branches, '{', '}', [&](const Branch& branch) {
        out += in_quotes(branch.key) + ": ";
        write_json(branch.value, depth + 1, out);
      });
    case Tree::Kind::kList:
      return each(tree.items, '[', ']',
                  [&](const Tree& item) { write_json(item, depth + 1, out); });
    case Tree::Kind::kText:
      out += in_quotes(tree.scalar);
      return;
    case Tree::Kind::kWord:
      out += tree.scalar;
      return;
    case Tree::Kind::kNothing:
      out += "null";
  }
}

// A plain scalar of YAML that is no text.
bool is_word(const config::Node& node) {
  if (node.style == config::ScalarStyle::kQuoted) return false;
  if (node.style != config::ScalarStyle::kPlain) return true;
  if (node.scalar == "true" || node.scalar == "false") return true;
  double number = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  const auto done = std::from_chars(node.scalar.data(), end, number);
  return done.ec == std::errc() && done.ptr == end;
}

}  // namespace

// Here, where what a branch is, is known.
Tree::Tree() = default;
Tree::Tree(const Tree& other) = default;
Tree::Tree(Tree&& other) noexcept = default;
Tree& Tree::operator=(const Tree& other) = default;
Tree& Tree::operator=(Tree&& other) noexcept = default;
Tree::~Tree() = default;

Tree Tree::word(std::string_view plain) {
  Tree tree;
  tree.kind = Kind::kWord;
  tree.scalar = plain;
  return tree;
}
Tree Tree::number(std::int64_t count) {
  return word(std::to_string(count));
}
Tree Tree::flag(bool is) {
  return word(is ? "true" : "false");
}
Tree Tree::text(std::string_view words) {
  Tree tree;
  tree.kind = Kind::kText;
  tree.scalar = words;
  return tree;
}
Tree Tree::list(std::vector<Tree> items) {
  Tree tree;
  tree.kind = Kind::kList;
  tree.items = std::move(items);
  return tree;
}
Tree Tree::texts(const std::vector<std::string>& words) {
  Tree tree = list();
  for (const auto& each : words) tree.items.push_back(text(each));
  return tree;
}
Tree Tree::map(std::vector<Branch> branches) {
  Tree tree;
  tree.kind = Kind::kMap;
  tree.branches = std::move(branches);
  return tree;
}

Tree& Tree::set(std::string key, std::string_view words, std::string remark) {
  return set(std::move(key), text(words), std::move(remark));
}

Tree& Tree::set(std::string key, const char* words, std::string remark) {
  return set(std::move(key), text(words), std::move(remark));
}

Tree Tree::map() {
  return map(std::vector<Branch>());
}

Tree& Tree::set(std::string key, Tree value, std::string remark) {
  kind = Kind::kMap;
  branches.push_back({std::move(key), std::move(value), std::move(remark)});
  return *this;
}

Tree& Tree::at(std::string_view key) {
  kind = Kind::kMap;
  for (Branch& branch : branches)
    if (branch.key == key) return branch.value;
  branches.push_back({std::string(key), map(), {}});
  return branches.back().value;
}

const Tree* Tree::find(std::string_view key) const {
  for (const Branch& branch : branches)
    if (branch.key == key) return &branch.value;
  return nullptr;
}

const Tree* Tree::path(std::string_view keys) const {
  const Tree* here = this;
  while (here != nullptr && !keys.empty()) {
    const auto dot = std::min(keys.find('.'), keys.size());
    here = here->find(keys.substr(0, dot));
    keys.remove_prefix(std::min(dot + 1, keys.size()));
  }
  return here;
}

std::string to_yaml(const Tree& tree) {
  YamlWriter writer;
  if (tree.kind == Tree::Kind::kMap) writer.map(tree, 0, false);
  if (tree.kind == Tree::Kind::kList) writer.list(tree, 0);
  return writer.take();
}

std::string to_json(const Tree& tree) {
  std::string out;
  write_json(tree, 0, out);
  return out + "\n";
}

Tree tree_of(const config::Node& node) {
  switch (node.kind) {
    case config::NodeKind::kScalar:
      return is_word(node) ? Tree::word(node.scalar) : Tree::text(node.scalar);
    case config::NodeKind::kList: {
      Tree tree = Tree::list();
      for (const auto& item : node.items) tree.items.push_back(tree_of(item));
      return tree;
    }
    case config::NodeKind::kMap: {
      Tree tree = Tree::map();
      for (const auto& member : node.members) tree.set(member.key, tree_of(member.value));
      return tree;
    }
    default:
      return {};
  }
}

}  // namespace loadfactor::launch
