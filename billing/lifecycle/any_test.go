package lifecycle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/internal/testkit"
)

// Draws whole lives: any timeline of commands, answers of the provider and time. The invariants are in check, in the
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

// The same with metered prices: all usage is billed exactly once.
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

// drawing returns a chance that rapid draws.
func drawing(t *rapid.T) chance {
	return func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
}

// massSteps is the number of steps in each life of TestLifecycle_ManyRandomLives.
const massSteps = 50

// rapid draws and records slowly, so a plain generator draws most lives. A failure names the life.
func TestLifecycle_ManyRandomLives(t *testing.T) {
	t.Parallel()
	seed, lives := testkit.Seed(t), testkit.Scale(20_000, 60_000)
	if testing.Short() { // a run for each mutant
		lives = 400
	}
	const parts = 4 // run in parallel on enough processors
	for part := range parts {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for n := part; n < lives; n += parts {
				liveOnce(named{t, seed, n}, n%50 == 0)
			}
		})
	}
}

// Lives that broke a rule once. A life changes with the set of commands, so each fault has its own test too.
func TestLifecycle_LivesThatFailed(t *testing.T) {
	t.Parallel()
	for _, n := range []named{
		{t, 7864928619911497577, 10022}, // a coupon on a paid invoice that was credited later counted as never given
		{t, 1008, 19081},                // usage of the time in which a change of interval waited was billed, and then free
		{t, 7694515535766624592, 1780},  // lines of a period that began while past due waited, and nothing paid for the change
		{t, 2121556290899447452, 15857}, // late money for an upgrade, beside another change that waited, did not pay for it
	} {
		liveOnce(n, true)
	}
}

// liveOnce runs one drawn life.
func liveOnce(n named, thorough bool) {
	random := rand.New(rand.NewPCG(n.seed, uint64(n.life)))
	draw := func(n int, _ string) int { return random.IntN(n) }
	l := someLife(n, draw)
	l.thorough = thorough
	metered := n.life%10 == 1
	if metered {
		l.meter(draw)
	}
	if n.life%7 == 2 {
		l.store.settings.Overdue = strict
	}
	for range massSteps {
		l.step(draw)
	}
	if metered {
		l.endUsage()
	}
}

// named reports failures with the name of the life.
type named struct {
	*testing.T
	seed uint64
	life int
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	name := fmt.Sprintf("life %d of seed %d", n.life, n.seed)
	n.T.Errorf("%s\n%s\n%s", name, fmt.Sprintf(format, args...), name) // a log may be cut at either end
}

var _ require.TestingT = named{}
