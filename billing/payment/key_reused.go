package payment

import "time"

// CodeKeyReused is the fault of a request whose key the provider knows from a request with other parameters. A restore
// of the database leads to it: the derived key is sent again, but the payer had changed the card in the lost window.
const CodeKeyReused = "provider_key_reused"

// KeyReused returns a pending transaction whose key was reused as one to be looked up next: the first use of the key
// may have moved the money, and then the provider has an operation with our id. It returns false where the payment
// needs review: the provider cannot be asked, or look-ups have found nothing for the AbsenceGap, which outlasts the lag
// of its search index. now is real time.
func (p Protocol) KeyReused(t Transaction, now time.Time) (Transaction, bool) {
	if t.Status != Pending || !t.ParkedAt.IsZero() || t.FirstSentAt.IsZero() || !p.canAsk(t.ProviderRef) {
		return t, false
	}
	t.Checks += 2 - t.Checks%2 // an even number makes the next move a look-up
	if t.NotFoundAt.IsZero() {
		t.NextCheckAt = now
		return t, true
	}
	t.NextCheckAt = now.Add(p.gap(t.Checks))
	return t, now.Sub(t.NotFoundAt) < p.AbsenceGap
}
