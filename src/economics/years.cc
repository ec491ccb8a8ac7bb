#include "economics/years.h"

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "economics/api_floor.h"

namespace loadfactor::economics {
namespace {

constexpr int kMonthsPerYear = 12;

// Machines that were bought together and are sold together.
struct Lot {
  int ordered = 0;  // Month of the payment,
  int from = 0;     // of the first work,
  int until = 0;    // and after the last.
  double gpus = 0;
  Dollars price;            // All of them together.
  Dollars resale;           // Got at the end.
  Dollars written_a_month;  // In a straight line.
};

// Machines that were reserved together.
struct Reservation {
  int until = 0;    // The month after the last that is paid.
  Dollars worth;    // Rent of a month at the prices of today,
  double rent = 1;  // and what it was when it was signed, over today's.
};

class YearCounter {
 public:
  YearCounter(const LongPlan& plan, const YearTerms& terms)
      : plan_(plan), terms_(terms), months_(static_cast<int>(plan.first->months.size())) {
    result_.years.resize(static_cast<std::size_t>((months_ + kMonthsPerYear - 1) / kMonthsPerYear));
  }

  YearsResult count() {
    const int change = plan_.then != nullptr ? std::min(plan_.change, months_) : months_;
    buy(*plan_.first, 0, change);
    if (plan_.then != nullptr) buy(*plan_.then, change, months_);
    for (int month = 0; month < months_; ++month) pay(month, change);
    for (const Lot& lot : lots_) settle(lot);
    close_books();
    return std::move(result_);
  }

 private:
  YearBook& year_of(int month) {
    return result_.years[static_cast<std::size_t>(std::min(month, months_ - 1) / kMonthsPerYear)];
  }

  double worth(double month) const {
    return std::pow(1 + terms_.discount, -month / kMonthsPerYear);
  }

  void flow(Dollars amount, double month) {
    result_.cash += amount;
    result_.npv += amount * worth(month);
  }

  // Machines are bought when those that have not lived out are too few.
  void buy(const LongWay& way, int begin, int end) {
    if (!way.owns() || begin >= end) return;
    const int life = std::max(1, static_cast<int>(std::lround(way.capital.life / kMonth)));
    const std::size_t before = lots_.size();
    for (int month = std::max(begin, std::min(end, terms_.lead)); month < end; ++month) {
      double missing = way.months[static_cast<std::size_t>(month)].owned;
      for (std::size_t i = before; i < lots_.size(); ++i)
        if (month < lots_[i].until) missing -= lots_[i].gpus;
      if (missing > 0) add_lot(way, missing, month, end, life);
    }
  }

  void add_lot(const LongWay& way, double gpus, int from, int end, int life) {
    Lot lot{std::max(0, from - terms_.lead), from, std::min(end, from + life), gpus, {}, {}, {}};
    const double better = lot.ordered >= terms_.gain_from ? terms_.gain : 1;
    lot.price = way.capital.price * gpus * terms_.rent.at(kMonth * lot.ordered) / better;
    const double left = residual_when_sold(way.capital, kMonth * (lot.until - lot.from));
    const double moved = terms_.rent.at(kMonth * lot.until) / terms_.rent.at(kMonth * lot.ordered);
    lot.resale = lot.price * residual_on_path(left, moved);
    lot.written_a_month = lot.price * (1 - way.capital.residual) / life;
    lots_.push_back(lot);
  }

  // The way of a month: before the first machines are delivered it is the bridge.
  const LongWay& way_of(int month, int change) const {
    const LongWay* way = month < change ? plan_.first : plan_.then;
    const bool is_late = way->owns() && month < terms_.lead && plan_.bridge != nullptr;
    return is_late ? *plan_.bridge : *way;
  }

  // Reservations are signed for what those that run do not cover, at the rent of their year, and
  // are paid to the end of their term, whether they are still needed or not.
  Dollars pay_reserved(int month, const LongWay& way, Dollars needed) {
    Dollars paid;
    for (const Reservation& signed_before : reservations_) {
      if (month >= signed_before.until) continue;
      needed = needed - signed_before.worth;
      paid += signed_before.worth * signed_before.rent;
    }
    constexpr double kRounding = 1e-9;
    if (needed.base() <= kRounding) return paid;
    const double rent = terms_.rent.at(kYear * (month / kMonthsPerYear));
    reservations_.push_back({month + way.term, needed, rent});
    return paid + needed * rent;
  }

  void pay(int month, int change) {
    const LongWay& way = way_of(month, change);
    const WayMonth& now = way.months[static_cast<std::size_t>(month)];
    const Seconds year = kYear * (month / kMonthsPerYear);
    const Dollars operating = now.running + now.fixed + now.floating * terms_.rent.at(year) +
                              pay_reserved(month, way, now.reserved) +
                              now.tokens / floor_growth(terms_.half_life, year);
    YearBook& book = year_of(month);
    book.cost += now.capital + operating;
    book.operating += operating;
    book.energy += now.energy;
    book.gpus = now.gpus;
    book.owned = now.owned;
    const Dollars revenue =
        terms_.revenue.empty() ? Dollars() : terms_.revenue[static_cast<std::size_t>(month)];
    book.revenue += revenue;
    flow(revenue - operating, month + 1);
  }

  void settle(const Lot& lot) {
    year_of(lot.ordered).purchases += lot.price;
    flow(lot.price * -1, lot.ordered);
    YearBook& last = year_of(lot.until - 1);
    last.resale += lot.resale;
    flow(lot.resale, lot.until);
    const Dollars written = terms_.depreciation == Depreciation::kMacrs ? write_off_by_macrs(lot)
                                                                        : write_off_evenly(lot);
    last.disposal += lot.resale - (lot.price - written);
  }

  // In a straight line to what a life leaves, while it works.
  Dollars write_off_evenly(const Lot& lot) {
    for (int month = lot.from; month < lot.until; ++month)
      year_of(month).depreciation += lot.written_a_month;
    return lot.written_a_month * (lot.until - lot.from);
  }

  // By the years of the plan; of the year of the sale half is allowed.
  Dollars write_off_by_macrs(const Lot& lot) {
    const int bought = lot.from / kMonthsPerYear;
    const int sold = (lot.until - 1) / kMonthsPerYear;
    Dollars written;
    for (int year = bought; year <= sold; ++year) {
      const bool is_last = year == sold && year > bought;
      const Dollars share = lot.price * (share_of(year - bought) * (is_last ? 0.5 : 1));
      result_.years[static_cast<std::size_t>(year)].depreciation += share;
      written += share;
    }
    return written;
  }

  double share_of(int year) const {
    const auto place = static_cast<std::size_t>(year);
    return place < terms_.macrs.size() ? terms_.macrs[place] : 0;
  }

  void close_books() {
    for (std::size_t i = 0; i < result_.years.size(); ++i) {
      YearBook& book = result_.years[i];
      book.cash = book.revenue + book.resale - book.purchases - book.operating;
      book.profit = book.revenue - book.operating - book.depreciation + book.disposal;
      book.tax = book.profit * terms_.tax;
      flow(book.tax * -1, std::min(months_, (static_cast<int>(i) + 1) * kMonthsPerYear));
    }
  }

  const LongPlan& plan_;
  const YearTerms& terms_;
  int months_;
  std::vector<Lot> lots_;
  std::vector<Reservation> reservations_;
  YearsResult result_;
};

}  // namespace

bool LongWay::owns() const {
  return std::any_of(months.begin(), months.end(),
                     [](const WayMonth& month) { return month.owned > 0; });
}

YearsResult count_years(const LongPlan& plan, const YearTerms& terms) {
  return YearCounter(plan, terms).count();
}

}  // namespace loadfactor::economics
