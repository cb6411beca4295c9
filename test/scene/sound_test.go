package scene

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/providers"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// failing replaces a test by one that fails, and keeps its output.
type failing struct {
	testing.TB
	failed   bool
	printed  strings.Builder
	cleanups []func()
}

func (f *failing) Helper()               {}
func (f *failing) Failed() bool          { return f.failed }
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) FailNow()              { f.failed = true; panic(f) }
func (f *failing) Cleanup(end func())    { f.cleanups = append(f.cleanups, end) }
func (f *failing) Log(args ...any)       { f.printed.WriteString(args[0].(string)) }

// run is a test from its beginning to its end.
func (f *failing) run(test func()) {
	func() {
		defer func() { _ = recover() }() // FailNow
		test()
	}()
	for _, end := range f.cleanups {
		end()
	}
}

// A second charge fails the run for good, whatever it is that notices: the checker, or another requirement after it.
func TestScene_MarksMoneyTakenTwice(t *testing.T) {
	t.Parallel()
	charge := func(t *testing.T, p *Provider, key string) {
		t.Helper()
		_, err := p.Charge(t.Context(), providers.ChargeRequest{TransactionID: "txn_1", Key: key, Amount: 1, Currency: "EUR"})
		require.NoError(t, err)
	}
	s := New(t)
	backup := s.NewProvider()
	fails := func(f *failing) func() {
		return func() { rule.Watch(f, s.takenTwice); require.Fail(f, "late") }
	}
	charge(t, s.Provider, "a")
	slow := &failing{TB: t}
	slow.run(fails(slow))
	require.Empty(t, slow.printed.String(), "money was taken once, so that it may have been a slow machine")

	charge(t, backup, "b")
	elsewhere := &failing{TB: t}
	elsewhere.run(fails(elsewhere))
	require.Contains(t, elsewhere.printed.String(), rule.Broken, "once at each of two providers")

	charge(t, s.Provider, "c")
	passed := &failing{TB: t}
	passed.run(func() { rule.Watch(passed, s.takenTwice) })
	require.Empty(t, passed.printed.String(), "it passed, so that it was meant")
	sound := &failing{TB: t}
	sound.run(func() { s.RequireSound(sound) })
	require.True(t, sound.failed)
	require.Contains(t, sound.printed.String(), rule.Broken)
}
