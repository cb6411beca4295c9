package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// granted returns a life on a plan for 1000 a month, of a customer with grants, before its first invoice.
func granted(t *testing.T, grants ...balance.Grant) *life {
	t.Helper()
	p, other := flat("plan_1", month, 1000), flat("plan_2", month, 3000)
	l := newLife(t, []plan.Plan{p, other}, settings, p, 0)
	for _, g := range grants {
		g.GivenAt = created
		l.grant(g)
	}
	return l
}

// last returns the latest invoice.
func (l *life) last() invoice.Invoice { return l.store.invoices[len(l.store.invoices)-1] }

// lastBack returns the lines that were taken back last.
func (l *life) lastBack() invoice.Invoice { return l.store.takenBack[len(l.store.takenBack)-1] }

func (l *life) left() (left []money.Minor) {
	for _, g := range l.store.grants {
		left = append(left, g.Left)
	}
	return left
}

func TestGrants_AreUsedBeforeThePlainBalance(t *testing.T) {
	t.Parallel()
	l := granted(t,
		balance.Grant{Amount: 300, Priority: 2}, balance.Grant{Amount: 500, Priority: 1},
		balance.Grant{Amount: 900, Priority: 0, PlanIDs: []string{"plan_2"}})
	l.store.balance, l.store.granted = 150, l.store.granted+150 // as if it had been a grant, for the books
	l.advance()

	inv := l.last()
	require.Equal(t, balance.Uses{{ID: "crg_0001", Amount: 500}, {ID: "crg_0000", Amount: 300}}, inv.GrantsUsed)
	require.Equal(t, [2]money.Minor{950, 50}, [2]money.Minor{inv.CreditApplied, inv.AmountDue})
	require.Zero(t, l.store.balance)
	require.Equal(t, []money.Minor{0, 0, 900}, l.left())
	require.Equal(t, 2, l.account.events[event.TypeCreditGrantDepleted])
}

// Catching up issues several invoices at one instant. Each may use the grants of its due time.
func TestGrants_AreJudgedByWhenTheInvoiceWasDue(t *testing.T) {
	t.Parallel()
	paris, err := time.LoadLocation("Europe/Paris")
	require.NoError(t, err)
	l := granted(t, balance.Grant{Amount: 5000, ExpiresAt: created.In(paris).AddDate(0, 2, 0)})
	l.now = created.AddDate(0, 4, 0)
	l.advance()

	var credit []money.Minor
	for _, inv := range l.store.invoices {
		credit = append(credit, inv.CreditApplied)
	}
	require.Equal(t, []money.Minor{1000, 1000, 0}, credit[:3], "not at the instant of its expiry, nor after it")
	require.Equal(t, []money.Minor{3000}, l.left())
	require.Zero(t, l.account.events[event.TypeCreditGrantDepleted], "something is left")
	l.endGrants()
	require.Equal(t, []money.Minor{0}, l.left())
}

func TestGrants_ComeBackFromAVoidedInvoice(t *testing.T) {
	t.Parallel()
	l := granted(t, balance.Grant{Amount: 600, ExpiresAt: created.AddDate(0, 0, 3)})
	l.advance()
	l.result(answer.Declined)
	l.pass(4 * 24 * time.Hour)
	if live := l.live(""); live != nil {
		l.result(answer.Declined)
	}
	l.giveUp(l.last(), true)
	require.Equal(t, []money.Minor{600}, l.left())
	require.Zero(t, l.store.balance, "an expired grant does not become plain credit")

	ended, taken := l.store.grants[0].End(l.decided())
	require.Equal(t, money.Minor(600), taken)
	require.Equal(t, balance.Expired, ended.Status(l.decided()))
}

// Credit notes return amounts to the balance up to the part that grants did not pay, and then to the grants, the last
// used first.
func TestGrants_ComeBackByCreditNotes(t *testing.T) {
	t.Parallel()
	l := granted(t, balance.Grant{Amount: 300, Priority: 1}, balance.Grant{Amount: 200, Priority: 2})
	l.advance()
	l.result(answer.Succeeded)
	for _, c := range []struct {
		amount, plain money.Minor
		left          []money.Minor
	}{
		{450, 450, []money.Minor{0, 0}},
		{100, 500, []money.Minor{0, 50}},
		{250, 500, []money.Minor{100, 200}},
		{200, 500, []money.Minor{300, 200}},
	} {
		_, err := l.creditInvoice(l.last(), creditnote.Request{ID: "cn", Amount: c.amount, Reason: creditnote.Goodwill})
		require.NoError(t, err)
		require.Equal(t, c.plain, l.store.balance)
		require.Equal(t, c.left, l.left())
	}
}

// A refund without a note counts as the part that grants did not pay: a note returns the rest to the grants.
func TestGrants_ComeBackBehindARefund(t *testing.T) {
	t.Parallel()
	l := granted(t, balance.Grant{Amount: 600})
	l.advance()
	l.result(answer.Succeeded)
	l.reviewed = true // the books of a life lack a person's own refunds
	changes, err := lifecycle.RefundCharge(lifecycle.State{Customer: l.store.customer}, l.charges()[0], 400, l.moment())
	require.NoError(t, err)
	l.store.write(changes)
	_, err = l.creditInvoice(l.last(), creditnote.Request{ID: "cn", Reason: creditnote.Goodwill})
	require.NoError(t, err)
	require.Zero(t, l.store.balance)
	require.Equal(t, []money.Minor{600}, l.left())
}

// A grant paid 600 of 1000, money 400. While an unpaid upgrade half way reverses 500, a note over 300 returns 300 to
// the grant: 400 were returned of the part that it did not pay. The upgrade is canceled and voided, so that the 500
// count as used. A note over the rest, 700, returns the other 300 to the grant, and 400 as plain credit. It once
// returned 600 to the grant again.
func TestGrants_ComeBackOnceThoughTimeTakenBackDoesNot(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{
		Status: invoice.Paid, Total: 1000, CreditApplied: 600, GrantsUsed: balance.Uses{{ID: "crg_1", Amount: 600}},
	}
	inv, entries := inv.Credit(invoice.Credited{Total: 300}, nil, 300, invoice.Gone{Beside: 500}, money.Limits{})
	require.Equal(t, []invoice.CreditEntry{{Amount: 300, Reason: invoice.CreditNoted, GrantID: "crg_1"}}, entries)
	gone := invoice.Gone{ToGrants: balance.Uses{{ID: "crg_1", Amount: 300}}}
	_, entries = inv.Credit(invoice.Credited{Total: 700}, nil, 700, gone, money.Limits{})
	require.ElementsMatch(t, []invoice.CreditEntry{
		{Amount: 300, Reason: invoice.CreditNoted, GrantID: "crg_1"}, {Amount: 400, Reason: invoice.CreditNoted},
	}, entries)
}

// The grants of a replaced invoice are returned before the new one uses them.
func TestGrants_OfAReplacedInvoice(t *testing.T) {
	t.Parallel()
	l := granted(t, balance.Grant{Amount: 400, PlanIDs: []string{"plan_1", "plan_2"}})
	l.advance()
	l.result(answer.Declined)
	dearer := l.store.plans[plan.Ref{ID: "plan_2", Version: 1}]
	_, err := l.apply(lifecycle.ChangePlan{Plan: &dearer})
	require.NoError(t, err)
	require.Equal(t, balance.Uses{{ID: "crg_0000", Amount: 400}}, l.last().GrantsUsed)
	require.Equal(t, invoice.Void, l.store.invoices[0].Status)
	require.Equal(t, []money.Minor{0}, l.left())
}
