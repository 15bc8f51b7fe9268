// Who wins a cell that many write to, and what becomes of their values. Several sources may bring it into one.
#ifndef COMBINE
#define COMBINE

// The order in which processors win: by number, or drawn. `drawn`: by a permutation that the seed chooses.
FUNCTION uword rank_of(word processor, word drawn, word seed) {
  if (!drawn) return (uword)processor;
  uword x = (uword)processor + (uword)seed * 0x9E3779B97F4A7C15ul;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ul;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBul;
  return x ^ (x >> 31);
}

#define ADD 0
#define MIN 1
#define MAX 2
#define AND 3
#define OR 4
#define XOR 5
#define MULTIPLY 6
FUNCTION word both_of(word a, word b, word how, int* bad) {
  switch (how) {
    case ADD: return add(a, b, bad);
    case MULTIPLY: return multiply(a, b, bad);
    case MIN: return lesser(a, b);
    case MAX: return greater(a, b);
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
  }
}
FUNCTION double both_reals(double a, double b, word how) {
  switch (how) {
    case ADD: return a + b;
    case MULTIPLY: return a * b;
    case MIN: return lesser_real(a, b);
    default: return greater_real(a, b);
  }
}

#define REAL 1
#define SHORT 2
// Of a variable's type: REAL, SHORT (32 bits), or neither.
FUNCTION word both_words(word a, word b, word how, word type, int* bad) {
  const word both = type == REAL ? as_word(both_reals(as_real(a), as_real(b), how)) : both_of(a, b, how, bad);
  return type == SHORT ? fit32(both, bad) : both;
}
#endif
