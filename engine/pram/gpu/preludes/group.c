// What a program needs that one group runs: shared cells are in the group's own memory, processors are its members.

FUNCTION void load_cells(NEAR word* own, GLOBAL const word* all, word cells) {
  for (word i = MEMBER; i < cells; i += 256) own[i] = all[i];
}
FUNCTION void store_cells(NEAR const word* own, GLOBAL word* all, word cells) {
  for (word i = MEMBER; i < cells; i += 256) all[i] = own[i];
}

// A rank whose order is that of signed numbers.
FUNCTION word signed_rank(word processor, word drawn, word seed) {
  return (word)(rank_of(processor, drawn, seed) ^ 1ul << 63);
}

// Combines what members write to cells of one variable, in the order of processors and of each one's targets, in a
// tree for each cell. `cells` (-1: none) and `values`: of a member. `places`: room for three words for each target. Of the
// group: `keys` and `sorted`, 256 words for each target.
FUNCTION void combine_in_order(NEAR word* own, const word* cells, const word* values, word* places, int targets,
                               NEAR word* keys, NEAR word* sorted, word how, word type, int* bad) {
  const word orders = 256 * targets;
  for (int t = 0; t < targets; t++) {
    keys[MEMBER * targets + t] = cells[t] < 0 ? (word)(~0ul >> 1) : cells[t] * orders + (word)(MEMBER * targets + t);
    places[3 * t] = places[3 * t + 1] = places[3 * t + 2] = 0;
  }
  WAIT_FOR_GROUP();
  // How many keys come before this one, before its cell's, and before the next cell's.
  for (word i = 0; i < orders; i++) {
    const word key = keys[i];
    for (int t = 0; t < targets; t++) {
      places[3 * t] += key < cells[t] * orders + (word)(MEMBER * targets + t);
      places[3 * t + 1] += key < cells[t] * orders;
      places[3 * t + 2] += key < (cells[t] + 1) * orders;
    }
  }
  for (int t = 0; t < targets; t++) {
    if (cells[t] >= 0) sorted[places[3 * t]] = values[t];
  }
  for (word apart = 1; apart < orders; apart *= 2) {
    WAIT_FOR_GROUP();
    for (int t = 0; t < targets; t++) {
      const word place = places[3 * t];
      if (cells[t] < 0 || ((place - places[3 * t + 1]) & (2 * apart - 1)) != 0) continue;
      if (place + apart < places[3 * t + 2]) sorted[place] = both_words(sorted[place], sorted[place + apart], how, type, bad);
    }
  }
  for (int t = 0; t < targets; t++) {
    if (cells[t] >= 0 && places[3 * t] == places[3 * t + 1]) own[cells[t]] = sorted[places[3 * t]];
  }
  WAIT_FOR_GROUP();
}
