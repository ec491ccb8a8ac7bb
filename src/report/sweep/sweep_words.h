// Cells, columns and counts of a sweep as words that the terminal and the page share.
#pragma once

#include <string>
#include <vector>

#include "sweep/look/look.h"

namespace loadfactor::report {

// A figure with its unit, as others of its spread: `$1,234`, `12.3 %`, `use the API`; a dash for
// none.
std::string sweep_cell_text(const sweep::CellValue& cell, const sweep::ResultColumn& column,
                            const sweep::Spread& spread);
// The same, and an axis as the sweep writes it.
std::string sweep_cell_text(const sweep::Look& look, const sweep::LookRow& row, std::size_t column);
// `h100-sxm, batch 64`: what of the axes makes the case.
std::string sweep_case_words(const sweep::Look& look, const sweep::LookRow& row);

// `17`; on a front with the cases that are as good: `17, 18, 21 and 4 more`.
std::string sweep_number_words(const sweep::LookRow& row);
// `0.42 ± 0.03`: a share of a variance with its standard error.
std::string sweep_share_words(double share, double error);
// ` for gpu h100-sxm`: where indices are of a part of the cases; empty where they are of all.
std::string sweep_slice_words(const sweep::Look& look, const sweep::Influence& influence);

// Why indices are not shown; empty where all are.
std::string sweep_indices_words(const sweep::Look& look);

// `80 cases`, `53 of 80 cases`; where filters leave cases out, how many.
std::string sweep_done_words(const sweep::Look& look);
// `5 cases in 3 rows`: those of equal figures share a row.
std::string sweep_front_words(const sweep::Front& front);
// `98 answers, 7 infeasible`.
std::string sweep_tally_words(const sweep::Tally& tally);
// `least cost`, `most load factor`.
std::string sweep_aim_words(const sweep::Look& look, const sweep::Aim& aim);
// `load_factor` as `load factor`.
std::string sweep_column_words(const sweep::ResultColumn& column);
// The name of an axis; with the unit where its values are bins.
std::string sweep_axis_words(const sweep::Look& look, const sweep::SeenAxis& axis);
// Which axes change no figure; empty where all do.
std::string sweep_idle_words(const sweep::Look& look);
// Which columns the sweep aims at that hold words; empty where all hold numbers.
std::string sweep_not_numbers_words(const sweep::Look& look);
// `; 3 other cases are as good`: where the best is not the only one.
std::string sweep_as_good_words(const sweep::Look& look);
// What is shown first: one sentence of at most twelve words or so.
std::string sweep_verdict(const sweep::Look& look);
// `LF102` where it has a code, and what became of the case where it has none.
std::string sweep_code_words(const sweep::FailedCases& failed);

// Columns of a table of cases: the axes that vary, and the figures.
std::vector<std::size_t> sweep_table_columns(const sweep::Look& look);
// `A`, `B`, …: how a word is marked in a map.
std::string sweep_mark(std::size_t word);
// What a place of a map shows: `A`, `A/B` of words that as many cases say, or a mean; a star where
// other cases there say something else, or nothing.
std::string sweep_place_mark(const sweep::Look& look, const sweep::PhaseMap& map,
                             const sweep::PhaseCell& cell);
// What stars and strokes of a map mean, and that its numbers are means; a line for each.
std::vector<std::string> sweep_map_notes(const sweep::PhaseMap& map);

}  // namespace loadfactor::report
