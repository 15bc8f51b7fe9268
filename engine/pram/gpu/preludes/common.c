// What the kernels of all programs use. Operators on integers set `bad` where they fail.

FUNCTION word add(word a, word b, int* bad) {
  const word sum = (word)((uword)a + (uword)b);
  *bad |= ((a ^ sum) & (b ^ sum)) < 0;
  return sum;
}
FUNCTION word subtract(word a, word b, int* bad) {
  const word difference = (word)((uword)a - (uword)b);
  *bad |= ((a ^ b) & (a ^ difference)) < 0;
  return difference;
}
FUNCTION word multiply(word a, word b, int* bad) {
  const word product = (word)((uword)a * (uword)b);
  *bad |= high_half(a, b) != product >> 63;
  return product;
}
// Rounds down.
FUNCTION word divide(word a, word b, int* bad) {
  const int fails = b == 0 || (b == -1 && a == (word)(1ul << 63));
  const word divisor = fails ? 1 : b;
  const word quotient = a / divisor;
  *bad |= fails;
  return quotient - (quotient * divisor != a && (a < 0) != (divisor < 0));
}
// Has the sign of b.
FUNCTION word modulo(word a, word b, int* bad) {
  const word divisor = b == 0 || b == -1 ? 1 : b;
  const word rest = a % divisor;
  *bad |= b == 0;
  return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}
// The same by numbers above 0, which never fail.
FUNCTION word divide_by(word a, word b) {
  const word quotient = a / b;
  return quotient - (quotient * b != a && a < 0);
}
FUNCTION word modulo_by(word a, word b) {
  const word rest = a % b;
  return rest < 0 ? rest + b : rest;
}
FUNCTION word negate(word a, int* bad) { return subtract(0, a, bad); }
FUNCTION word absolute(word a, int* bad) { return a < 0 ? negate(a, bad) : a; }
FUNCTION word logarithm(word a, int* bad) {
  *bad |= a <= 0;
  return 63 - zeros_before((uword)a | 1);
}
FUNCTION word left_shift(word a, word b, int* bad) {
  const int fails = b < 0 || b > 63;
  const word by = fails ? 0 : b;
  const word result = (word)((uword)a << by);
  *bad |= fails || result >> by != a;
  return result;
}
FUNCTION word right_shift(word a, word b, int* bad) {
  const int fails = b < 0 || b > 63;
  *bad |= fails;
  return a >> (fails ? 0 : b);
}
FUNCTION word fit32(word a, int* bad) {
  *bad |= a != (word)(int)a;
  return a;
}
// Towards zero.
FUNCTION word integer_of(double a, int* bad) {
  const int fits = a >= -9223372036854775808.0 && a < 9223372036854775808.0;  // not of NaN
  *bad |= !fits;
  return fits ? (word)a : 0;
}
FUNCTION word lesser(word a, word b) { return a < b ? a : b; }
FUNCTION word greater(word a, word b) { return a < b ? b : a; }
// NaN if one is; of both zeros -0.
FUNCTION double lesser_real(double a, double b) {
  if (a != a || b != b) return as_real(0x7ff8000000000000l);
  if (a == b) return as_word(a) < 0 ? a : b;
  return a < b ? a : b;
}
// NaN if one is; of both zeros 0.
FUNCTION double greater_real(double a, double b) {
  if (a != a || b != b) return as_real(0x7ff8000000000000l);
  if (a == b) return as_word(a) < 0 ? b : a;
  return a < b ? b : a;
}

// An index, or 0 where it is out of range: there is always a first cell.
FUNCTION word at(word index, word cells, int* bad) {
  const int within = (uword)index < (uword)cells;
  *bad |= !within;
  return within ? index : 0;
}
FUNCTION word at_row(word row, word column, word rows, word columns, int* bad) {
  const int within = (uword)row < (uword)rows && (uword)column < (uword)columns;
  *bad |= !within;
  return within ? row * columns + column : 0;
}
// A cell that processor `who` reads in a step in which nobody else may.
FUNCTION word alone_at(word cell, GLOBAL word* readers, word step, word who, int* bad) {
  const word own = step << 32 | who;
  const word last = atomic_swap(readers + cell, own);
  *bad |= last >> 32 == step && last != own;
  return cell;
}

#define BITS 1
#define LIST 2
// The processor at a position of a set; -1: it is not active.
FUNCTION word processor_at(word position, word positions, word form, GLOBAL const uint* set) {
  if (position >= positions) return -1;
  if (form == BITS) return set[position / 32] >> (position % 32) & 1 ? position : -1;
  return form == LIST ? (word)set[position] : position;
}

// Where a group holds a cell of its own (NEAR: in LOCAL memory), so that those that are 2, 4, 8 or 16 apart lie in
// different banks.
FUNCTION uint place(uint cell) { return cell ^ (cell >> 4 & 15); }
// Cells of a variable that the group holds: its own are `window` numbers from `begin` on, of which each stands for the cell
// `offset` + `stride` times it.
FUNCTION void take_in(NEAR word* own, GLOBAL const word* all, word begin, word window, word stride, word offset, word from,
                      word cells) {
  for (word i = MEMBER; i < window; i += 256) {
    const word cell = offset + stride * (begin + i);
    if (cell >= from && cell < cells) own[place((uint)i)] = all[cell];
  }
}
// Those that are multiples of `each` after `first`, or all where that is none of theirs.
FUNCTION void give_back(NEAR const word* own, GLOBAL word* all, word begin, word window, word stride, word offset, word each,
                        word first, word cells) {
  if (each == 0) return;
  const int theirs = each % stride == 0 && first >= offset && (first - offset) % stride == 0;
  const word step = theirs ? each / stride : 1;
  const word start = theirs ? (first - offset) / stride % step : 0;
  const word skipped = (start - begin % step + step) % step;
  for (word i = skipped + MEMBER * step; i < window; i += 256 * step) {
    const word cell = offset + stride * (begin + i);
    if (cell < cells) all[cell] = own[place((uint)i)];
  }
}
