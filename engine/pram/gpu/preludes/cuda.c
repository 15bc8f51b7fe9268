// The words of kernels, as CUDA says them. Groups have 256 members.
typedef long word;
typedef unsigned long uword;
typedef unsigned int uint;
typedef unsigned long long driver_word;

#define KERNEL extern "C" __global__ void
#define FUNCTION static __device__ inline
#define GLOBAL
#define LOCAL __shared__
#define NEAR
#define MEMBER threadIdx.x
#define POSITION ((word)(blockIdx.x * 256ul + threadIdx.x))
#define GROUP ((word)blockIdx.x)
#define GROUPS ((word)gridDim.x)
#define WAIT_FOR_GROUP() __syncthreads()

FUNCTION double as_real(word bits) { return __longlong_as_double(bits); }
FUNCTION word as_word(double value) { return __double_as_longlong(value); }
FUNCTION word high_half(word a, word b) { return __mul64hi(a, b); }
FUNCTION word zeros_before(uword value) { return __clzll((long long)value); }
FUNCTION uint ones_of(uint bits) { return __popc(bits); }

FUNCTION void atomic_least(GLOBAL word* at, uword value) { atomicMin((driver_word*)at, (driver_word)value); }
FUNCTION void atomic_most(GLOBAL word* at, uword value) { atomicMax((driver_word*)at, (driver_word)value); }
FUNCTION void atomic_min_signed(GLOBAL word* at, word value) { atomicMin((long long*)at, (long long)value); }
FUNCTION void atomic_max_signed(GLOBAL word* at, word value) { atomicMax((long long*)at, (long long)value); }
FUNCTION void atomic_sum(GLOBAL word* at, word value) { atomicAdd((driver_word*)at, (driver_word)value); }
FUNCTION void atomic_all(GLOBAL word* at, word value) { atomicAnd((driver_word*)at, (driver_word)value); }
FUNCTION void atomic_any(GLOBAL word* at, word value) { atomicOr((driver_word*)at, (driver_word)value); }
FUNCTION void atomic_odd(GLOBAL word* at, word value) { atomicXor((driver_word*)at, (driver_word)value); }
FUNCTION word atomic_swap(GLOBAL word* at, word value) { return (word)atomicExch((driver_word*)at, (driver_word)value); }

#define near_min atomic_min_signed
#define near_max atomic_max_signed
#define near_all atomic_all
#define near_any atomic_any
#define near_odd atomic_odd

// Whether it holds for a member of the group; all have waited. `found`: a word of the group.
#define ANY(holds, found) __syncthreads_or(holds)
#define GROUP_WORD(name)

// Of a group: bits, one for each of a member's 32 neighbours, and count, of all members (for the first one).
#define VOTE(holds, bits, count) \
  const uint bits = __ballot_sync(~0u, holds); \
  const word count = __syncthreads_count(holds)

// What a step wrote is seen by all who wait for it: those of the group, or (not alone) of all groups, which run at
// the same time. The last of them makes `arrived` what is wanted.
FUNCTION void wait_for_all(GLOBAL word* arrived, word wanted) {
  __syncthreads();
  if (MEMBER == 0) {
    __threadfence();
    atomic_sum(arrived, 1);
    while (*(volatile word*)arrived < wanted) {}
    __threadfence();
  }
  __syncthreads();
}
#define WAIT_FOR_STEP(alone, arrived, wanted) \
  if (alone) WAIT_FOR_GROUP(); else wait_for_all(arrived, wanted)
