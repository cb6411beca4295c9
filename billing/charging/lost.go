package charging

import (
	"slices"
	"strings"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
)

// Lost is a send that a restored database may have lost, and the question that an account was asked about it. One
// without a number could not be asked about yet; Why says why.
type Lost struct {
	payment.Send

	Last  bool   // every other account and key was asked, and has nothing
	Ends  bool   // no other account can have the money: an operation that ended without it is the end of the charge
	Fresh bool   // there are accounts to ask that owe no answer, so that silence delays nothing
	Blind bool   // another account cannot be asked
	Begin bool   // nothing was asked yet: the search begins after the wait that the answer names
	Why   string // the payment waits, for people

	Counted    bool          // silence in an earlier step of the activity was counted as a check of the payment
	RetryAfter time.Duration // the longest wait that accounts which were silent in earlier steps have asked for
}

// ask makes the step a question of the search.
func (d *decision) ask(s search) {
	s.left.Ask = slices.DeleteFunc(s.left.Ask, d.Progress.unanswered)
	if len(s.left.Ask) == 0 {
		silent := d.Progress.Silent
		d.step.toSearch(silent[0].Provider, payment.MoveHold, unsearched(silent...))
		d.step.Lost.Counted, d.step.Lost.RetryAfter = d.Progress.Counted, d.Progress.Wait
		return
	}
	d.step.Questions, d.step.search = s.left.Ask, &s
	d.step = d.step.Asking(s.left.Ask[0], d.Now)
}

// Asking returns a step whose search asks this one of its Questions. The best one that can be asked now depends on the
// open requests of each account. The Key of Lost is the caller's to fill: it follows from KeyNumber.
func (s Step) Asking(q payment.Question, now time.Time) Step {
	look := s.search
	h := look.holders[slices.IndexFunc(look.holders, func(h Account) bool { return h.ID == q.AccountID })]
	s.AccountID, s.Provider, s.Protocol, s.Number = h.ID, h.Provider, h.Protocol, q.Number
	here := named{h.ID, h.Provider}
	s.toSearch(h.Provider, payment.MoveLookup, unsearched(append(slices.Clone(look.progress.Silent), here)...))
	left, lost := look.left, s.Lost
	lost.Number, lost.ProviderConfigID = q.Number, h.ID
	lost.Counted, lost.RetryAfter = look.progress.Counted, look.progress.Wait
	lost.Reason, lost.SentAt = foundReason, now
	lost.Last, lost.Blind = left.Last && look.closed == nil, look.Blind
	lost.Ends = (left.Last || left.Ended) && look.closed == nil && !look.Blind
	fresh := left.Ask[:min(left.Fresh, len(left.Ask))]
	lost.Fresh = slices.ContainsFunc(fresh, func(q payment.Question) bool { return q.AccountID != h.ID })
	return s
}

// toSearch makes the step one of the search, and says why the payment waits. The transaction shows no account that
// routing has chosen meanwhile.
func (s *Step) toSearch(provider string, move payment.Move, why string) {
	s.Move, s.Lost, s.Backups = move, &Lost{Why: why}, 0
	s.Lost.Provider = provider
	s.unchosen()
}

// foundReason is in the place of a routing reason in the row of a send that a search has found.
const foundReason = "found after a restore"

// restarted is all that is known: a restore begins another life of the server, as a mere restart does.
const restarted = "PostgreSQL was restarted, or restored, after this payment was due. "

// searching is the reason of a payment that waits for its search.
const searching = restarted + "Providers are asked whether they have this payment already."

// named has the names of an account for people.
type named struct{ ID, Provider string }

// unsearched names, for people, the accounts that have not answered.
func unsearched(accounts ...named) string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = routing.Name(a.Provider, a.ID)
	}
	if len(names) == 1 {
		return restarted + "The payment waits until " + names[0] + " answers whether it has it already."
	}
	return restarted + "The payment waits until these answer whether they have it already: " +
		strings.Join(names, ", ") + "."
}
