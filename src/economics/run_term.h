// How long a way to pay is paid for a run that ends.
#pragma once

#include <optional>

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct RunTerm {
  Seconds commitment;   // Paid to its end, however short the run; zero where hours are paid.
  double bound = 1.0;   // Share of its GPUs that it binds; the others are there without the run.
  bool renews = false;  // Ends for good: a longer run pays another whole term, or goes on by the
  std::optional<double> onward;  // hour at this multiple of the rate, whichever is less.
  double idle = 1.0;             // Share of the rate that its machines cost when the run is over.

  bool is_renewed(Seconds run) const {
    return renews && commitment > Seconds() && run > commitment;
  }
  bool outlasts(Seconds run) const { return commitment > run; }
  // The time at the rate of the run that a run of this length pays for.
  Seconds paid_seconds(Seconds run) const;
  // The time that its machines are held, at work or not.
  Seconds held(Seconds run) const;
  // The longest run that so much time at its rate pays for; zero where it does not pay what binds.
  Seconds longest_run(Seconds paid) const;
};

}  // namespace loadfactor::economics
