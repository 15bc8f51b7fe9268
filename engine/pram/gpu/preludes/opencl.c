// The words of kernels, as OpenCL says them. Groups have 256 members.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF
typedef long word;
typedef ulong uword;

#define KERNEL __kernel void
#define FUNCTION static inline
#define GLOBAL __global
#define LOCAL __local
#define NEAR __local
#define MEMBER get_local_id(0)
#define POSITION ((word)get_global_id(0))
#define GROUP ((word)get_group_id(0))
#define GROUPS ((word)get_num_groups(0))
#define WAIT_FOR_GROUP() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// Groups never wait for each other: nobody says that they run at the same time.
#define WAIT_FOR_STEP(alone, arrived, wanted) WAIT_FOR_GROUP()

FUNCTION double as_real(word bits) { return as_double(bits); }
FUNCTION word as_word(double value) { return as_long(value); }
FUNCTION word high_half(word a, word b) { return mul_hi(a, b); }
FUNCTION word zeros_before(uword value) { return clz(value); }
FUNCTION uint ones_of(uint bits) { return popcount(bits); }

FUNCTION void atomic_least(GLOBAL word* at, uword value) { atom_min((volatile GLOBAL uword*)at, value); }
FUNCTION void atomic_most(GLOBAL word* at, uword value) { atom_max((volatile GLOBAL uword*)at, value); }
FUNCTION void atomic_min_signed(GLOBAL word* at, word value) { atom_min(at, value); }
FUNCTION void atomic_max_signed(GLOBAL word* at, word value) { atom_max(at, value); }
FUNCTION void atomic_sum(GLOBAL word* at, word value) { atom_add(at, value); }
FUNCTION void atomic_all(GLOBAL word* at, word value) { atom_and(at, value); }
FUNCTION void atomic_any(GLOBAL word* at, word value) { atom_or(at, value); }
FUNCTION void atomic_odd(GLOBAL word* at, word value) { atom_xor(at, value); }
FUNCTION word atomic_swap(GLOBAL word* at, word value) { return atom_xchg(at, value); }

#define near_min(at, value) atom_min(at, value)
#define near_max(at, value) atom_max(at, value)
#define near_all(at, value) atom_and(at, value)
#define near_any(at, value) atom_or(at, value)
#define near_odd(at, value) atom_xor(at, value)

// Whether it holds for a member of the group; all have waited. `found`: a word of the group.
FUNCTION int any_of(int holds, LOCAL uint* found) {
  WAIT_FOR_GROUP();
  if (MEMBER == 0) *found = 0;
  WAIT_FOR_GROUP();
  if (holds) atomic_or(found, 1);
  WAIT_FOR_GROUP();
  return *found;
}
#define ANY(holds, found) any_of(holds, &found)
#define GROUP_WORD(name) LOCAL uint name;

FUNCTION uint vote(int holds, LOCAL uint* votes) {
  if (MEMBER < 8) votes[MEMBER] = 0;
  WAIT_FOR_GROUP();
  if (holds) atomic_or(&votes[MEMBER / 32], 1u << (MEMBER % 32));
  WAIT_FOR_GROUP();
  return votes[MEMBER / 32];
}
FUNCTION word sum_of(LOCAL const uint* votes) {
  word sum = 0;
  for (int i = 0; i < 8; i++) sum += ones_of(votes[i]);
  return sum;
}

// Of a group: bits, one for each of a member's 32 neighbours, and count, of all members (for the first one).
#define VOTE(holds, bits, count) \
  LOCAL uint votes[8]; \
  const uint bits = vote(holds, votes); \
  const word count = MEMBER == 0 ? sum_of(votes) : 0
