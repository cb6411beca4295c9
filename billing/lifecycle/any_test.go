package lifecycle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/internal/testkit"
)

// The whole life under any timeline of commands, answers of the provider and time; what must hold is in check, in the
// store and in life.write.
func TestLifecycle_RandomLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		l := someLife(t, draw)
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			l.step(draw)
		}
	})
}

// The same with metered prices: whatever comes between, all that was used is billed once.
func TestLifecycle_RandomLifeWithUsage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		l := someLife(t, draw)
		l.meter(draw)
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			l.step(draw)
		}
		l.endUsage()
	})
}

// drawing lets rapid draw.
func drawing(t *rapid.T) chance {
	return func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
}

// massSteps is the number of steps in each life of TestLifecycle_ManyRandomLives.
const massSteps = 50

// rapid draws and records slowly, so that most lives are drawn from a plain generator. A failure names the
// life.
func TestLifecycle_ManyRandomLives(t *testing.T) {
	t.Parallel()
	seed, lives := testkit.Seed(t), testkit.Scale(20_000, 60_000)
	if testing.Short() { // of each mutant
		lives = 400
	}
	const parts = 4 // at a time, where there are as many processors
	for part := range parts {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for n := part; n < lives; n += parts {
				liveOnce(named{t, seed, n}, n%50 == 0)
			}
		})
	}
}

// Lives in which a rule was broken once. What a life does changes with the commands that can be drawn, so that each
// fault has a test of its own, too.
func TestLifecycle_LivesThatFailed(t *testing.T) {
	t.Parallel()
	for _, n := range []named{
		{t, 7864928619911497577, 10022}, // a coupon on a paid invoice that was credited later counted as never given
	} {
		liveOnce(n, true)
	}
}

// liveOnce lives one drawn life.
func liveOnce(n named, thorough bool) {
	random := rand.New(rand.NewPCG(n.seed, uint64(n.life)))
	draw := func(n int, _ string) int { return random.IntN(n) }
	l := someLife(n, draw)
	l.thorough = thorough
	metered := n.life%10 == 1
	if metered {
		l.meter(draw)
	}
	for range massSteps {
		l.step(draw)
	}
	if metered {
		l.endUsage()
	}
}

// named says which life failed.
type named struct {
	*testing.T
	seed uint64
	life int
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.T.Errorf("life %d of seed %d\n"+format, append([]any{n.life, n.seed}, args...)...)
}

var _ require.TestingT = named{}
