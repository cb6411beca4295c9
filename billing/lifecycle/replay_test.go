package lifecycle_test

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/internal/testkit"
)

// restored is the life as a backup has it, some time after the moment of the backup. What is random from here on
// differs from what was random before.
func (l *life) restored() *life {
	out := *l
	out.store, out.captured = l.store.clone(), maps.Clone(l.captured)
	out.ids, out.redeemed = &ids{world: "b"}, maps.Clone(l.redeemed)
	out.account.uses = append([]use(nil), l.account.uses...)
	out.account.stretches = slices.Clone(l.account.stretches)
	out.account.events = maps.Clone(l.account.events)
	return &out
}

// verdict returns the provider's outcome of an attempt. It depends on the id alone, so that each repeat gets the same.
func verdict(id string) answer.Outcome {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return []answer.Outcome{answer.Succeeded, answer.Succeeded, answer.Declined}[h.Sum32()/7%3]
}

// made are the amounts of the invoices and charges that a life has and an earlier store of it has not, by id.
func (l *life) made(since *store) map[string]money.Minor {
	out := map[string]money.Minor{}
	for _, inv := range l.store.invoices {
		if since.invoice(inv.ID) == nil {
			out[inv.ID] = inv.Total
		}
	}
	for _, t := range l.store.transactions {
		if t.Type == payment.Charge && since.transaction(t.ID) == nil {
			out[t.ID] = t.Amount
		}
	}
	return out
}

// alone lets time pass without commands; the provider answers what it is asked.
func (l *life) alone(to time.Time) {
	for {
		for t := l.live(""); t != nil; t = l.live("") {
			if l.answer(t.ID, verdict(t.ID)); l.store.transaction(t.ID).Status == payment.Pending {
				return // it needs review
			}
		}
		l.lazy = false
		at := l.sub().NextActionAt
		if at.Before(l.now) { // a retry came due while a person's attempt was pending
			at = l.now
		}
		if l.sub().NextAction == "none" || at.After(to) {
			l.until(to)
			return
		}
		l.until(at)
	}
}

// A database that is restored to a moment before does again what the schedule did after it, under the same ids and for
// the same amounts, so that the provider's key repeats.
func TestAdvance_RepeatedAfterARestore(t *testing.T) {
	t.Parallel()
	seed, work := testkit.Seed(t), 0
	for n := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		draw := func(n int, _ string) int { return random.IntN(n) }
		l := someLife(named{t, seed, n}, draw)
		if n%3 == 1 {
			l.meter(draw)
		}
		for range random.IntN(30) {
			l.step(draw)
		}
		again, backup := l.restored(), l.store.clone()
		to := l.now.AddDate(0, 0, 1+random.IntN(90))

		l.alone(to)
		again.alone(to)

		require.Equal(t, l.made(backup), again.made(backup), "life %d of seed %d", n, seed)
		work += len(again.made(backup))
	}
	require.Greater(t, work, 300, "something was repeated")
}

// The lost window is made up for in one go, at a later time than before.
func TestAdvance_RepeatedLateAfterARestore(t *testing.T) {
	t.Parallel()
	seed, work := testkit.Seed(t), 0
	for n := range 300 {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		draw := func(n int, _ string) int { return random.IntN(n) }
		l := someLife(named{t, seed, n}, draw)
		if n%3 == 1 {
			l.meter(draw)
		}
		for range random.IntN(30) {
			l.step(draw)
		}
		l.toNext(-1)
		again, backup := l.restored(), l.store.clone()
		again.late = true
		to := l.now.Add(time.Duration(random.IntN(12*3600)) * time.Second)

		l.until(to)
		again.until(to)

		require.Equal(t, l.made(backup), again.made(backup), "life %d of seed %d", n, seed)
		work += len(again.made(backup))
	}
	require.Greater(t, work, 50, "something was repeated")
}

// A refund that nobody asked for has the same id, and with it the same key at the provider, when it is repeated after a
// restore, at a later time.
func TestRecord_RefundRepeatedAfterARestore(t *testing.T) {
	t.Parallel()
	for _, ended := range []answer.Outcome{answer.Declined, answer.Canceled} {
		l := begun(t, settings)
		l.result(ended)
		l.toNext(0)
		l.result(answer.Succeeded)
		again := l.restored()
		again.moveTo(l.now.Add(time.Hour))

		for _, life := range []*life{l, again} {
			life.answer(life.charges()[0].ID, answer.Succeeded)
			require.Len(t, life.refunds(), 1)
		}

		require.Equal(t, l.refunds()[0].ID, again.refunds()[0].ID)
	}
}
