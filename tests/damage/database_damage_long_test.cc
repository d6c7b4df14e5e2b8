#include "tests/damage/damage_sweeps.h"

// At every place what DatabaseDamage tries at some.

namespace siltstone {
namespace {

using DatabaseDamageLong = DamageSweeps;

TEST_F(DatabaseDamageLong, EachBitFlipped) { FlipBits(1); }
TEST_F(DatabaseDamageLong, EachLength) { CutFiles(1); }
TEST_F(DatabaseDamageLong, ZeroesFromEachOffsetOn) { ZeroTails(1); }
TEST_F(DatabaseDamageLong, NoiseFromEachOffsetOn) { NoiseTails(1); }
TEST_F(DatabaseDamageLong, StretchesCopiedElsewhere) { CopyStretches(20'000); }

}  // namespace
}  // namespace siltstone
