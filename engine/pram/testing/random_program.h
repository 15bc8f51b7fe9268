// Random programs from the language's grammar, for comparing ways to run them.
#pragma once

#include <string>

#include "base/random.h"

namespace lanewise::pram {

/// Writes a program with the inputs A[n] and R[n] (int and real; n is their size), the results C[n], D[n],
/// E[n, 2], x and y, in any mode, with one block for everything or several. Most runs succeed; some fail or
/// have conflicts.
class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  std::string text() {
    static constexpr const char* kModes[] = {"EREW",
                                             "CREW",
                                             "CREW",
                                             "CRCW common",
                                             "CRCW arbitrary",
                                             "CRCW priority",
                                             "CRCW combining +",
                                             "CRCW combining min",
                                             "CRCW combining max"};
    const uint64_t mode = pick(9);
    const char* const own = mode >= 6 && pick(3) == 0 ? " combining max" : "";
    text_ =
        std::string("mode ") + kModes[mode] +
        "\ninput A[n] : int\ninput R[n] : real\noutput C[n] : int = 3\noutput D[n] : real\noutput x : int\n"
        "output y : int = 2" +
        own +
        "\noutput E[n, 2] : int\nfunction f(a : int, b : int) : int = a * 2 - b + A[a % "
        "n]\n";
    if (pick(3) != 0) {
      text_ += "processors n\n";
      block(0);
    } else {
      const bool again = pick(2) == 0;
      if (again) text_ += "for h = 1 to 2 {\n";
      for (uint64_t i = 0; i < 2; ++i) {
        text_ += again ? "processors max(n - h + 1, 0) {\n" : "processors n {\n";
        block(1);
        text_ += "}\n";
      }
      if (again) text_ += "}\n";
    }
    return text_;
  }

 private:
  uint64_t pick(uint64_t bound) { return random_.below(bound); }
  std::string number() { return std::to_string(static_cast<int64_t>(pick(12)) - 3); }
  void line(size_t depth, const std::string& text) { text_ += std::string(2 * depth, ' ') + text + "\n"; }

  /// With private variables of its own: u is equal for all processors as long as only some lines write it.
  void block(size_t depth) {
    line(depth, "private a = p");
    line(depth, "private r = R[p]");
    line(depth, "private u = 2");
    statements(depth, 3);
  }

  void statements(size_t depth, size_t nesting) {
    for (uint64_t i = 1 + pick(3); i > 0; --i) statement(depth, nesting);
  }

  void statement(size_t depth, size_t nesting) {
    const uint64_t kind = nesting == 0 ? pick(6) : pick(11);
    if (kind < 2) return line(depth, "a = " + integer(3));
    if (kind == 10) return line(depth, pick(4) == 0 ? "u = min(a, 5)" : "u = u * 2 % 7");
    if (kind == 2) return line(depth, "r = " + real(2));
    if (kind < 5) return line(depth, cell() + " = " + integer(3));
    if (kind == 5) return line(depth, pick(2) == 0 ? "D[p] = " + real(2) : "C[p], a = a, " + integer(2));
    if (kind == 6 && pick(4) == 0) return keep_from_a_cell(depth);
    if (kind < 8) {
      line(depth, "if " + condition(2) + " {");
      statements(depth + 1, nesting - 1);
      if (pick(2) == 0) {
        line(depth, "} else {");
        statements(depth + 1, nesting - 1);
      }
      return line(depth, "}");
    }
    const std::string counter = "k" + std::to_string(loops_++);
    if (kind == 8) {
      line(depth, "for " + counter + " = 0 to " + (pick(2) == 0 ? "p % 3" : "2") + " {");
      statements(depth + 1, nesting - 1);
    } else {
      line(depth, "private " + counter + " = 0");
      line(depth, "while " + counter + " < 3 and " + condition(1) + " {");
      statements(depth + 1, nesting - 1);
      line(depth + 1, counter + " = " + counter + " + 1");
    }
    line(depth, "}");
  }

  /// Processors that may or may not be excluded from a cell that others use.
  void keep_from_a_cell(size_t depth) {
    static constexpr const char* kCells[] = {"0", "n / 2", "n - 1", "u % n"};
    const std::string fixed = kCells[pick(4)];
    const std::string from = pick(4) == 0 ? kCells[pick(4)] : fixed;
    line(depth, "if p " + comparison() + " " + fixed + " { C[p] = C[" + from + "] - " + integer(1) + " }");
  }

  std::string index() {
    switch (pick(8)) {
      case 0:
        return "(p + " + std::to_string(pick(3)) + ") % n";
      case 1:
        return "(p / 2)";
      case 2:
        return "a % n";
      case 3:
        return pick(4) == 0 ? "p + 1" : "n - 1 - p";
      case 4:
        return pick(2) == 0 ? "(2 * p + 1) % n" : "(p * u + 1) % n";
      default:
        return "p";
    }
  }
  std::string cell() {
    switch (pick(6)) {
      case 0:
        return pick(3) == 0 ? "x" : "y";
      case 1:
        return "E[" + index() + ", " + (pick(2) == 0 ? "0" : "a % 2") + "]";
      default:
        return "C[" + index() + "]";
    }
  }

  std::string integer(size_t height) {
    if (height == 0 || pick(4) == 0) {
      switch (pick(6)) {
        case 0:
          return "p";
        case 1:
          return "n";
        case 2:
          return pick(3) == 0 ? "u" : "a";
        case 3:
          return "A[" + index() + "]";
        case 4:
          return cell();
        default:
          return "(" + number() + ")";
      }
    }
    static constexpr const char* kOperators[] = {"+", "-", "*", "/", "%"};
    switch (pick(6)) {
      case 0:
        return "min(" + integer(height - 1) + ", " + integer(height - 1) + ")";
      case 1:
        return "(" + condition(height - 1) + " ? " + integer(height - 1) + " : " + integer(height - 1) + ")";
      case 2:
        return "f(" + integer(height - 1) + ", " + integer(height - 1) + ")";
      default: {
        const uint64_t op = pick(5);
        const bool divides = op >= 3 && pick(10) != 0;  // usually by a constant
        return "(" + integer(height - 1) + " " + kOperators[op] + " " +
               (divides ? "7" : integer(height - 1)) + ")";
      }
    }
  }

  std::string real(size_t height) {
    if (height == 0 || pick(3) == 0) {
      if (pick(3) == 0) return "r";
      return pick(2) == 0 ? "R[" + index() + "]" : "0.5";
    }
    static constexpr const char* kOperators[] = {"+", "-", "*", "/"};
    if (pick(4) == 0) return "max(" + real(height - 1) + ", " + integer(0) + ")";
    return "(" + real(height - 1) + " " + kOperators[pick(4)] + " " + real(height - 1) + ")";
  }

  std::string comparison() {
    static constexpr const char* kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    return kComparisons[pick(6)];
  }

  std::string condition(size_t height) {
    if (height > 0 && pick(3) == 0) {
      return "(" + condition(height - 1) + (pick(2) == 0 ? " and " : " or ") + condition(height - 1) + ")";
    }
    if (pick(5) == 0) return "not " + real(1) + " < " + real(1);
    if (pick(6) == 0) return "u < " + number();
    return integer(height > 0 ? 1 : 0) + " " + comparison() + " " + integer(0);
  }

  Random random_;
  std::string text_;
  uint64_t loops_ = 0;
};

}  // namespace lanewise::pram
