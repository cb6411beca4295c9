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

// restored returns the life from a backup, some time after the backup. Random ids differ from the earlier ones from
// here on.
func (l *life) restored() *life {
	out := *l
	out.store, out.captured = l.store.clone(), maps.Clone(l.captured)
	out.ids, out.redeemed = &ids{world: "b"}, maps.Clone(l.redeemed)
	out.account.uses = append([]use(nil), l.account.uses...)
	out.account.stretches = slices.Clone(l.account.stretches)
	out.account.events = maps.Clone(l.account.events)
	return &out
}

// verdict returns the provider's outcome of an attempt. It depends only on the id, so that each repeat gets the same.
func verdict(id string) answer.Outcome {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return []answer.Outcome{answer.Succeeded, answer.Succeeded, answer.Declined}[h.Sum32()/7%3]
}

// made returns the amounts of the invoices, charges and credit notes of changes that an earlier store of a life does not
// have, by id.
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
	for _, n := range l.store.notes[len(since.notes):] {
		if n.TakenBackBy != "" {
			out[n.ID] = n.Total
		}
	}
	return out
}

// alone passes time without commands; the provider answers requests.
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

// A database that is restored to an earlier moment repeats the automatic actions with the same ids and amounts, so that
// the provider sees the same keys.
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

// The lost window is repeated at once, later than before.
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

		want, got := l.made(backup), again.made(backup)
		if ended := l.sub().CanceledAt; !ended.Equal(again.sub().CanceledAt) {
			// A subscription that ends late, for it is past due, is used until then: its last usage is of another time.
			deleteLastUsage(l, want)
			deleteLastUsage(again, got)
		}
		require.Equal(t, want, got, "life %d of seed %d", n, seed)
		work += len(got)
	}
	require.Greater(t, work, 50, "something was repeated")
}

// deleteLastUsage leaves the invoice of the usage until the end out.
func deleteLastUsage(l *life, made map[string]money.Minor) {
	for id := range made {
		if inv := l.store.invoice(id); inv != nil && !inv.UsageUntil.IsZero() && inv.UsageUntil.Equal(l.sub().CanceledAt) {
			delete(made, id)
		}
	}
}

// An automatic refund has the same id, and so the same key at the provider, when it is repeated later after a restore.
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
