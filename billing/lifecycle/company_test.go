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

// TestLifecycle_Company: ten years of a company whose customers change their minds, pay late or never, are refunded and
// dispute; a third of them pay for what they use, too. Its books balance at each year's end, and when everybody has
// left and paid, nobody owes anything.
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

// customerLife is a life that mostly goes as it should.
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
		case what == "odd answer" && drawn < 3: // what a person must look into
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

// liveUntil passes time up to an instant, with a command or an odd answer now and then. Most charges succeed.
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

// over: it is canceled, and nothing is to be decided or paid.
func (c *customerLife) over() bool {
	return c.sub().Status == subscription.Canceled && c.live("") == nil && len(c.open()) == 0
}

// leave cancels the subscription, and has everything paid and paid back.
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

// books are the accounts of a company, in minor units of its one currency: what it has and what others owe it, and
// beside that where it comes from.
type books struct {
	cash       money.Minor // captured, less what went back
	owed       money.Minor // of failed refunds, and of those under way: to go back
	receivable money.Minor // due of open invoices
	givenUp    money.Minor // due of uncollectible ones
	usage      money.Minor // of the lines among revenue that bill usage
	revenue    money.Minor // of all lines that stand, less their discounts and credit notes
	taxes      money.Minor // added to them
	credit     money.Minor // of customers, grants included; below zero what is carried forward to their next invoices
	granted    money.Minor // of grants, less what expired or was voided: what they cost the company
}

// add posts all rows of a life, unless the provider gave money back twice, which a person must sort out.
func (b *books) add(l *life) {
	if l.reviewed {
		return
	}
	for _, inv := range l.store.invoices {
		switch inv.Status {
		case invoice.InDraft, invoice.Void:
			continue
		case invoice.Open:
			b.receivable += inv.AmountDue
		case invoice.Uncollectible:
			b.givenUp += inv.AmountDue
		case invoice.Paid:
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
