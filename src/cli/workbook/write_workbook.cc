#include "cli/workbook/write_workbook.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#ifdef LF_HAS_XLSXWRITER
#include <xlsxwriter.h>
#endif
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error_codes.h"
#include "cli/session/files.h"

namespace loadfactor::cli {
namespace {

[[maybe_unused]] Error cannot_write(std::string message, std::string hint) {
  return Error{.code = lf::kCannotWrite, .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

#ifndef LF_HAS_XLSXWRITER

bool can_write_workbooks() {
  return false;
}

Result<bool> write_workbook(const std::string& /*cells*/, const std::string& path) {
  return cannot_write(
      fmt::format("cannot write {}: this program was built without libxlsxwriter", path),
      "build it where libxlsxwriter-dev is installed (scripts/setup does that), or write .csv, "
      ".json or .html");
}

#else

bool can_write_workbooks() {
  return true;
}

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kForms{"text",   "title", "head", "money",
                                                 "number", "share", "note"};

// How each form looks, and as an input.
class Formats {
 public:
  explicit Formats(lxw_workbook* book) {
    for (std::size_t i = 0; i < kForms.size(); ++i)
      for (const bool is_input : {false, true}) {
        lxw_format* made = workbook_add_format(book);
        dress(made, kForms[i]);
        if (is_input) format_set_font_color(made, 0x1A4FBF);
        formats_[2 * i + (is_input ? 1 : 0)] = made;
      }
  }
  lxw_format* of(std::string_view form, bool is_input) const {
    for (std::size_t i = 0; i < kForms.size(); ++i)
      if (kForms[i] == form) return formats_[2 * i + (is_input ? 1 : 0)];
    return nullptr;
  }

 private:
  static void dress(lxw_format* format, std::string_view form) {
    if (form == "title") {
      format_set_bold(format);
      format_set_font_size(format, 14);
    } else if (form == "head") {
      format_set_bold(format);
      format_set_bottom(format, LXW_BORDER_THIN);
    } else if (form == "money") {
      format_set_num_format(format, "#,##0.00");
    } else if (form == "number") {
      format_set_num_format(format, "#,##0.######");
    } else if (form == "share") {
      format_set_num_format(format, "0.0 %");
    } else if (form == "note") {
      format_set_italic(format);
      format_set_font_color(format, 0x666666);
    }
  }
  std::array<lxw_format*, 2 * kForms.size()> formats_{};
};

void write_cell(lxw_worksheet* sheet, lxw_row_t row, lxw_col_t column, const json& cell,
                const Formats& formats) {
  lxw_format* format = formats.of(cell["form"].get<std::string>(), cell.contains("input"));
  const bool is_number = cell.contains("number");
  if (cell.contains("formula")) {
    const std::string formula = "=" + cell["formula"].get<std::string>();
    if (is_number)
      worksheet_write_formula_num(sheet, row, column, formula.c_str(), format,
                                  cell["number"].get<double>());
    else
      worksheet_write_formula_str(sheet, row, column, formula.c_str(), format,
                                  cell["text"].get<std::string>().c_str());
  } else if (is_number) {
    worksheet_write_number(sheet, row, column, cell["number"].get<double>(), format);
  } else if (const auto text = cell["text"].get<std::string>(); !text.empty()) {
    worksheet_write_string(sheet, row, column, text.c_str(), format);
  }
}

void write_sheet(lxw_workbook* book, const json& sheet, const Formats& formats) {
  const auto name = sheet["name"].get<std::string>();
  lxw_worksheet* made = workbook_add_worksheet(book, name.c_str());
  lxw_col_t at = 0;
  for (const auto& width : sheet["widths"]) {
    worksheet_set_column(made, at, at, width.get<double>(), nullptr);
    ++at;
  }
  lxw_row_t row = 0;
  for (const auto& cells : sheet["rows"]) {
    lxw_col_t column = 0;
    for (const auto& cell : cells) write_cell(made, row, column++, cell, formats);
    ++row;
  }
  worksheet_fit_to_pages(made, 1, 0);
  worksheet_set_landscape(made);
}

}  // namespace

namespace {

// A file of the library's own, which it can only write by name; gone with this.
class Scratch {
 public:
  Scratch() {
    path_ = (std::filesystem::temp_directory_path() / "loadfactor-XXXXXX").string();
    descriptor_ = ::mkstemp(path_.data());
  }
  ~Scratch() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    std::error_code failed;
    std::filesystem::remove(path_, failed);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool is_there() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

lxw_error fill_workbook(const json& book, const std::string& path) {
  lxw_workbook* made = workbook_new(path.c_str());
  if (made == nullptr) return LXW_ERROR_MEMORY_MALLOC_FAILED;
  // The same plan is the same file, whenever it is written.
  lxw_doc_properties properties{};
  constexpr time_t kOneDay = 1'767'225'600;
  properties.created = kOneDay;
  workbook_set_properties(made, &properties);
  const Formats formats(made);
  for (const auto& sheet : book["sheets"]) write_sheet(made, sheet, formats);
  return workbook_close(made);
}

}  // namespace

Result<bool> write_workbook(const std::string& cells, const std::string& path) {
  const Scratch scratch;
  if (!scratch.is_there())
    return cannot_write(fmt::format("cannot write {}: no file can be made for it", path),
                        "let TMPDIR name a folder that can be written");
  const lxw_error wrong = fill_workbook(json::parse(cells), scratch.path());
  if (wrong != LXW_NO_ERROR)
    return cannot_write(fmt::format("cannot write {}: {}", path, lxw_strerror(wrong)),
                        "is there room for it?");
  const auto written = read_file(scratch.path());
  if (!written) return written.error();
  return write_file(path, *written);
}

#endif

}  // namespace loadfactor::cli
