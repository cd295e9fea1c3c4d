// The same octagon operations in the Parma Polyhedra Library, with 64-bit integer bounds.
//
// Reads a workload from standard input and prints one line per operation: its name, nanoseconds per call, and the sum of
// the results' finite upper bounds (so that the two programs can be seen to compute the same).
// The incremental closure is not public in the library; opening it lets the library show its best.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>
#define private public
#define protected public
#include <ppl.hh>
#undef private
#undef protected

using namespace Parma_Polyhedra_Library;
typedef Octagonal_Shape<int64_t> Octagon;

struct Difference { long from, to, bound; };

static Linear_Expression literal(long index) {
  Linear_Expression e(Variable(index / 2));
  return index % 2 == 0 ? e : -e;
}

static std::vector<Difference> read_differences() {
  size_t count;
  std::cin >> count;
  std::vector<Difference> differences(count);
  for (Difference &d : differences) std::cin >> d.from >> d.to >> d.bound;
  return differences;
}

static Constraint constraint(const Difference &d) { return literal(d.to) - literal(d.from) <= d.bound; }

static Octagon unclosed(size_t variables, const std::vector<Difference> &differences) {
  Octagon octagon(variables, UNIVERSE);
  for (const Difference &d : differences) octagon.add_constraint(constraint(d));
  return octagon;
}

// Least time per call over several rounds of copies made beforehand where the operation changes its operand.
template <typename Operation>
static double measure(const Octagon &start, bool copy_before, Operation operation) {
  typedef std::chrono::steady_clock Clock;
  double best = 1e18, spent = 0;
  size_t calls = 1;
  for (int round = 0; round < 7 || spent < 0.5; ++round) {
    std::vector<std::unique_ptr<Octagon>> operands;
    if (copy_before)
      for (size_t k = 0; k < calls; ++k) operands.emplace_back(new Octagon(start));
    Clock::time_point begin = Clock::now();
    for (size_t k = 0; k < calls; ++k) operation(copy_before ? *operands[k] : const_cast<Octagon &>(start));
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    spent += seconds;
    if (seconds < 0.0005 && calls < (copy_before ? 256u : 1000000u)) {
      calls *= 2;
      --round;
      continue;
    }
    best = std::min(best, seconds * 1e9 / calls);
  }
  return best;
}

static std::string sum_of_upper_bounds(const Octagon &octagon) {
  Coefficient sum = 0, numerator, denominator;
  bool maximum;
  for (size_t v = 0; v < octagon.space_dimension(); ++v)
    if (octagon.maximize(Linear_Expression(Variable(v)), numerator, denominator, maximum))
      sum += numerator / denominator;
  std::ostringstream text;
  text << sum;
  return text.str();
}

int main() {
  size_t variables;
  std::cin >> variables;
  Octagon first = unclosed(variables, read_differences());
  Octagon second = unclosed(variables, read_differences());
  std::vector<Difference> tests = read_differences();

  double closure = measure(first, true, [](Octagon &o) { o.strong_closure_assign(); });
  first.strong_closure_assign();
  second.strong_closure_assign();
  std::cout << "closure " << closure << ' ' << sum_of_upper_bounds(first) << '\n';

  std::vector<Constraint> constraints;
  for (const Difference &d : tests) constraints.push_back(constraint(d));
  size_t next = 0;
  double incremental = measure(first, false, [&](Octagon &start) {
    Octagon o(start);
    size_t k = next++ % tests.size();
    o.add_constraint(constraints[k]);
    o.incremental_strong_closure_assign(Variable(tests[k].to / 2));
    if (o.marked_empty()) std::abort();
  });
  next = 0;
  double in_full = measure(first, false, [&](Octagon &start) {
    Octagon o(start);
    o.add_constraint(constraints[next++ % tests.size()]);
    if (o.is_empty()) std::abort();
  });
  Octagon tested(first);
  for (const Constraint &c : constraints) tested.add_constraint(c);
  std::cout << "incremental " << std::min(incremental, in_full) << ' ' << sum_of_upper_bounds(tested) << '\n';

  double join = measure(first, false, [&](Octagon &start) {
    Octagon o(start);
    o.upper_bound_assign(second);
  });
  Octagon joined(first);
  joined.upper_bound_assign(second);
  std::cout << "join " << join << ' ' << sum_of_upper_bounds(joined) << '\n';

  bool all = true;
  double inclusion = measure(first, false, [&](Octagon &start) { all &= joined.contains(start); });
  if (!all) std::abort();
  std::cout << "inclusion " << inclusion << ' ' << sum_of_upper_bounds(first) << '\n';
}
