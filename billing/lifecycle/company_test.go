package lifecycle_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/internal/testkit"
)

// TestLifecycle_Company lives ten years of a company. Its customers change plans, pay late or never, are refunded and
// dispute; a third of them also pay for usage. Its books balance at each year's end, and when all customers have left
// and paid, none owes anything.
func TestLifecycle_Company(t *testing.T) {
	t.Parallel()
	const years = 10
	seed := testkit.Seed(t)
	customers := make([]*customerLife, testkit.Scale(10, 1000))
	for n := range customers {
		customers[n] = newCustomerLife(named{t, seed, n}, rand.New(rand.NewPCG(seed, uint64(n))), n%3 == 1)
	}
	for year := 1; year <= years; year++ {
		var books books
		for _, c := range customers {
			c.liveUntil(created.AddDate(year, 0, 0))
			books.add(c.life)
		}
		require.Zero(t, books.balance(), "the books of year %d", year)
		t.Logf("year %2d: %+v", year, books)
	}
	var books books
	for _, c := range customers {
		c.leave()
		books.add(c.life)
	}
	t.Logf("closed:  %+v", books)
	require.Zero(t, books.balance(), "the books at the end")
	require.Zero(t, books.receivable, "everybody has paid")
	require.Zero(t, books.owed, "all that was to go back went back")
	require.Positive(t, books.revenue)
	require.Positive(t, books.usage)
}

// customerLife is a life with few failures.
type customerLife struct {
	*life
	draw chance
}

func newCustomerLife(t require.TestingT, random *rand.Rand, metered bool) *customerLife {
	draw := func(n int, what string) int {
		drawn := random.IntN(n)
		switch {
		case what == "one in ten" && drawn < 3 && random.IntN(20) > 0, // few leave for good
			what == "step" && drawn == 15 && random.IntN(20) > 0:
			return n - 1
		case what == "odd answer" && drawn < 3: // needs review
			return n - 1
		case what == "interval": // months and years
			return drawn % 4
		case what == "no provider":
			return 1
		}
		return drawn
	}
	c := &customerLife{life: someLife(t, draw), draw: draw}
	if c.thorough = false; metered {
		c.meter(draw)
	}
	return c
}

// liveUntil moves time to an instant, with occasional commands and odd answers. Most charges succeed.
func (c *customerLife) liveUntil(to time.Time) {
	for c.decided().Before(to) && !c.over() {
		switch {
		case c.draw(12, "something happens") == 0:
			c.step(c.draw)
		case c.metered:
			c.useSome(c.draw)
		}
		if c.live("") != nil && c.draw(8, "declined") > 0 {
			c.result(answer.Succeeded)
		} else {
			c.result(answer.Declined)
		}
		if c.sub().Status == subscription.PastDue && !c.behind() && c.draw(3, "pays after all") == 0 {
			c.pay()
			c.result(answer.Succeeded)
		}
		if left := to.Sub(c.decided()); left > 0 {
			c.pass(min(left, time.Duration(1+c.draw(20*86400, "seconds"))*time.Second))
		}
	}
}

// over reports whether it is canceled and has nothing to decide or pay.
func (c *customerLife) over() bool {
	return c.sub().Status == subscription.Canceled && c.live("") == nil && len(c.open()) == 0
}

// leave cancels the subscription, and completes all payments and refunds.
func (c *customerLife) leave() {
	if c.sub().Status != subscription.Canceled {
		c.advance()
		c.cancelNow(false)
	}
	require.Equal(c.t, subscription.Canceled, c.sub().Status)
	if c.metered {
		c.endUsage()
	}
	for c.live("") != nil {
		c.result(answer.Failed)
	}
	for _, inv := range c.open() {
		require.Equal(c.t, collection.Closed, inv.Collection.Phase)
		c.markPaid(inv)
	}
	for owed := func(t payment.Transaction) bool { return t.RefundOwed > 0 }; c.some(c.draw, owed) != ""; {
		c.payOwed(c.some(c.draw, owed), true)
	}
	for _, t := range c.ofType(payment.Refund) {
		if t.Status == payment.Pending {
			c.answer(t.ID, answer.Succeeded)
		}
	}
}

// books are the accounts of a company, in minor units of its one currency: its assets and claims, and their sources.
type books struct {
	cash       money.Minor // captured, less refunded
	owed       money.Minor // of failed and pending refunds: to be refunded
	receivable money.Minor // due on open invoices
	givenUp    money.Minor // due on uncollectible ones
	usage      money.Minor // of the lines in revenue that bill usage
	revenue    money.Minor // of all lines of valid invoices, less their discounts and credit notes
	taxes      money.Minor // added to them
	credit     money.Minor // of customers, with grants; below zero: carried forward to their next invoices
	granted    money.Minor // of grants, less expired and voided amounts: their cost for the company
}

// add posts all rows of a life, unless the provider refunded twice, which a person must resolve.
func (b *books) add(l *life) {
	if l.reviewed {
		return
	}
	for _, inv := range l.store.billed() {
		switch inv.Status {
		case invoice.InDraft, invoice.Void:
			continue
		case invoice.Open:
			b.receivable += inv.AmountDue
		case invoice.Uncollectible:
			b.givenUp += inv.AmountDue
		case invoice.Paid, invoice.TakenBack:
		}
		given := inv.Credited
		b.usage += meteredOf(inv.Lines)
		b.revenue, b.taxes = b.revenue+inv.Subtotal()-inv.Discount-(given.Total-given.Tax), b.taxes+inv.Tax-given.Tax
	}
	for _, t := range l.store.transactions {
		switch {
		case t.Type == payment.Charge && t.Status == payment.Success:
			b.cash += t.Amount
			b.owed += t.RefundOwed
		case t.Type == payment.Refund && t.Status == payment.Refunded && t.ReturnedAt.IsZero():
			b.cash -= t.Amount
		case t.Type == payment.Refund && t.Status == payment.Pending:
			b.owed += t.Amount
		}
	}
	b.credit += l.store.balance + balance.Left(l.store.grants)
	b.granted += l.store.granted
}

// balance returns the assets of the company less their sources: zero.
func (b books) balance() money.Minor {
	return b.cash - b.owed + b.receivable + b.givenUp + b.granted - b.revenue - b.taxes - b.credit
}
