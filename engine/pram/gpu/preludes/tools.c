// Kernels that serve every program: sets of processors, and what many of them write to one cell. A write is a
// cell (-1: none) and a value; its processor is the one at its position of a set.

// Bits of those positions of a set that `kept` has not.
KERNEL others(word positions, word form, GLOBAL const uint* set, GLOBAL const uint* kept, GLOBAL uint* out) {
  const word first = POSITION * 32;
  if (first >= positions) return;
  const word rest = positions - first;
  const uint whole = rest < 32 ? (1u << rest) - 1 : ~0u;
  out[POSITION] = (form == BITS ? set[POSITION] : whole) & ~kept[POSITION];
}

// counts[i] = the ones in 8 words.
KERNEL count_ones(word words, GLOBAL const uint* bits, GLOBAL word* counts) {
  const word first = POSITION * 8;
  if (first >= words) return;
  word sum = 0;
  for (word i = first; i < first + 8 && i < words; i++) sum += ones_of(bits[i]);
  counts[POSITION] = sum;
}

// Each count becomes the sum of those before it. One group.
KERNEL sum_before(word size, GLOBAL word* counts) {
  LOCAL word sums[256];
  const word each = (size + 255) / 256;
  const word first = MEMBER * each;
  const word last = lesser(first + each, size);
  word sum = 0;
  for (word i = first; i < last; i++) sum += counts[i];
  sums[MEMBER] = sum;
  WAIT_FOR_GROUP();
  word before = 0;
  for (word i = 0; i < (word)MEMBER; i++) before += sums[i];
  for (word i = first; i < last; i++) {
    const word count = counts[i];
    counts[i] = before;
    before += count;
  }
}

// The processors at the positions of a set that have a bit; `before` is what sum_before made of their counts.
KERNEL list_ones(word positions, word form, GLOBAL const uint* set, GLOBAL const uint* bits, GLOBAL const word* before,
                 GLOBAL uint* out) {
  const word position = POSITION;
  if (position >= positions) return;
  const word at_word = position / 32;
  const uint own = bits[at_word];
  if (!(own >> (position % 32) & 1)) return;
  word place = before[at_word / 8] + ones_of(own & ((1u << (position % 32)) - 1));
  for (word i = at_word / 8 * 8; i < at_word; i++) place += ones_of(bits[i]);
  out[place] = form == LIST ? set[position] : (uint)position;
}

KERNEL set_all(word size, GLOBAL word* words, word value) {
  if (POSITION < size) words[POSITION] = value;
}

KERNEL write_values(word positions, GLOBAL const word* cells, GLOBAL const word* values, GLOBAL word* memory) {
  if (POSITION < positions && cells[POSITION] >= 0) memory[cells[POSITION]] = values[POSITION];
}

// Each written cell gets the least rank of its writers.
KERNEL claim(word positions, word form, GLOBAL const uint* set, GLOBAL const word* cells, GLOBAL word* ranks, word drawn,
             word seed) {
  const word who = processor_at(POSITION, positions, form, set);
  if (who < 0 || cells[POSITION] < 0) return;
  GLOBAL word* best = ranks + cells[POSITION];
  const uword rank = rank_of(who, drawn, seed);
  if (rank < (uword)*best) atomic_least(best, rank);  // it only becomes less
}

KERNEL write_winners(word positions, word form, GLOBAL const uint* set, GLOBAL const word* cells, GLOBAL const word* values,
                     GLOBAL const word* ranks, word drawn, word seed, GLOBAL word* memory) {
  const word who = processor_at(POSITION, positions, form, set);
  if (who < 0 || cells[POSITION] < 0) return;
  if ((uword)ranks[cells[POSITION]] == rank_of(who, drawn, seed)) memory[cells[POSITION]] = values[POSITION];
}

// Fails where a cell has writers of two ranks.
KERNEL check_alone(word positions, word form, GLOBAL const uint* set, GLOBAL const word* cells, GLOBAL const word* ranks,
                   GLOBAL word* status) {
  const word who = processor_at(POSITION, positions, form, set);
  if (who >= 0 && cells[POSITION] >= 0 && ranks[cells[POSITION]] != who) status[0] = 1;
}

// Fails where a cell holds something else than a writer's value.
KERNEL check_same(word positions, GLOBAL const word* cells, GLOBAL const word* values, GLOBAL const word* memory,
                  GLOBAL word* status) {
  if (POSITION < positions && cells[POSITION] >= 0 && memory[cells[POSITION]] != values[POSITION]) status[0] = 1;
}

// What is written to a cell, combined in any order.
KERNEL gather(word positions, GLOBAL const word* cells, GLOBAL const word* values, GLOBAL word* gathered, word how) {
  if (POSITION >= positions || cells[POSITION] < 0) return;
  GLOBAL word* cell = gathered + cells[POSITION];
  const word value = values[POSITION];
  switch (how) {
    case ADD: atomic_sum(cell, value); break;
    case MIN: if (value < *cell) atomic_min_signed(cell, value); break;  // it only becomes less
    case MAX: if (value > *cell) atomic_max_signed(cell, value); break;
    case AND: atomic_all(cell, value); break;
    case OR: atomic_any(cell, value); break;
    default: atomic_odd(cell, value); break;
  }
}

KERNEL write_gathered(word positions, GLOBAL const word* cells, GLOBAL const word* gathered, GLOBAL word* memory) {
  if (POSITION < positions && cells[POSITION] >= 0) memory[cells[POSITION]] = gathered[cells[POSITION]];
}

KERNEL clear_cells(word positions, GLOBAL const word* cells, GLOBAL word* gathered, word empty) {
  if (POSITION < positions && cells[POSITION] >= 0) gathered[cells[POSITION]] = empty;
}

// The greatest magnitude of a value.
KERNEL find_most(word positions, GLOBAL const word* cells, GLOBAL const word* values, GLOBAL word* most) {
  if (POSITION >= positions || cells[POSITION] < 0) return;
  const word value = values[POSITION];
  const uword size = value < 0 ? 0 - (uword)value : (uword)value;
  if (size > (uword)most[0]) atomic_most(most, size);
}

// What is combined in a fixed order: each write to a variable is a key, its cell times `orders` plus its place in the
// order of writers, and a value. -1: nothing, the greatest key.
KERNEL make_keys(word positions, GLOBAL const word* cells, GLOBAL const word* given, word target, word targets, word orders,
                 GLOBAL word* keys, GLOBAL word* values) {
  if (POSITION >= positions) return;
  const word to = target * positions + POSITION;
  const word cell = cells[POSITION];
  keys[to] = cell < 0 ? -1 : cell * orders + POSITION * targets + target;
  values[to] = cell < 0 ? 0 : given[POSITION];  // who writes nothing left no value
}

// A step of Batcher's bitonic sort of a power of two: `pairs` that are `apart`; runs of `run` ascend and descend in turn.
KERNEL exchange(word pairs, word run, word apart, GLOBAL word* keys, GLOBAL word* values) {
  if (POSITION >= pairs) return;
  const word a = 2 * POSITION - (POSITION & (apart - 1)), b = a + apart;
  const word low = keys[a], high = keys[b];
  if (((uword)low > (uword)high) != ((a & run) == 0)) return;
  keys[a] = high;
  keys[b] = low;
  const word value = values[a];
  values[a] = values[b];
  values[b] = value;
}

// Where the writes to the same cell begin among sorted keys; -1 for nothing.
KERNEL find_firsts(word size, GLOBAL const word* keys, word orders, GLOBAL word* firsts) {
  if (POSITION >= size) return;
  const word key = keys[POSITION];
  word low = 0, high = POSITION;
  while (low < high) {
    const word middle = (low + high) / 2;
    if (keys[middle] < key / orders * orders) low = middle + 1;
    else high = middle;
  }
  firsts[POSITION] = key < 0 ? -1 : low;
}

// A level of each cell's tree: values whose places are multiples of 2 * apart take in the one that is `apart`.
KERNEL combine_pairs(word size, word apart, GLOBAL const word* firsts, GLOBAL word* values, word how, word type,
                     GLOBAL word* status) {
  const word i = POSITION;
  if (i + apart >= size) return;
  const word first = firsts[i];
  if (first < 0 || ((i - first) & (2 * apart - 1)) != 0 || firsts[i + apart] != first) return;
  int bad = 0;
  values[i] = both_words(values[i], values[i + apart], how, type, &bad);
  if (bad) status[0] = 1;
}

KERNEL write_firsts(word size, GLOBAL const word* keys, word orders, GLOBAL const word* firsts, GLOBAL const word* values,
                    GLOBAL word* memory) {
  if (POSITION < size && firsts[POSITION] == POSITION) memory[keys[POSITION] / orders] = values[POSITION];
}
