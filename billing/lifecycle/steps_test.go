package lifecycle_test

import (
	"cmp"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/retry"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// chance draws a number below n. rapid shows what in a life that it has reduced.
type chance func(n int, what string) int

// intervals are those of most lives. None is a multiple of another, so that add-ons have the interval of their plan: the
// account knows one. See someMixed for several.
var intervals = []period.Interval{
	month, month, month, // most changes keep the interval
	{Unit: period.Day, Count: 365}, {Unit: period.Week, Count: 1}, {Unit: period.Day, Count: 4},
	{Unit: period.Day, Count: 30},
}

func somePlans(draw chance) []plan.Plan {
	plans := make([]plan.Plan, 5)
	for i := range plans {
		amounts := make([]money.Minor, 1+draw(3, "prices"))
		for j := range amounts {
			amounts[j] = money.Minor([]int{0, 1 + draw(9, "cents"), draw(100_000, "price")}[draw(3, "kind of price")])
		}
		plans[i] = flat(fmt.Sprintf("plan_%d", i), intervals[draw(len(intervals), "interval")], amounts...)
		if draw(2, "seats") == 0 {
			plans[i].Prices = append(plans[i].Prices, somePrice(draw, plans[i].ID+"_seats"))
		}
		if draw(4, "a fee") == 0 {
			fee := plan.Flat(plans[i].ID+"_fee", "Setup", money.Minor(draw(10_000, "fee")))
			fee.Once = true
			plans[i].Prices = append(plans[i].Prices, fee)
		}
		plans[i].TrialEnd = []plan.TrialEnd{"", "", plan.TrialEndCancel, plan.TrialEndPause}[draw(4, "a trial's end")]
		if draw(5, "a measure of its own") == 0 {
			plans[i].ProrationMeasure = someMeasure(draw)
		}
		if draw(4, "a policy of its own") == 0 {
			policy := somePolicy(draw)
			plans[i].Dunning = &policy
		}
	}
	return plans
}

func someLife(t require.TestingT, draw chance) *life {
	plans := somePlans(draw)
	addOns := someAddOns(draw, plans)
	settings := subscription.Settings{
		Dunning: somePolicy(draw), ProrationMeasure: someMeasure(draw),
		PastDueBilling: []subscription.PastDueBilling{
			subscription.SkipPastDue, subscription.AccruePastDue,
		}[draw(2, "past due billing")],
		RenewalReminderDays: []int{0, 0, 1, 3}[draw(4, "reminder days")],
		InvoiceGraceMinutes: []int{0, 0, 60, 3 * 24 * 60}[draw(4, "invoice grace")],
	}
	trialDays := []int{0, 0, 0, 14, 60}[draw(5, "trial")]
	in := subscribing.NewInput{TrialDays: &trialDays}
	if draw(3, "with add-ons") == 0 {
		in.AddOns = someChosen(draw, addOns, plans[0].Interval)
	}
	if trialDays == 0 && draw(4, "a start in the past") == 0 {
		in.StartsAt = created.Add(-time.Duration(draw(36*86400, "seconds")) * time.Second)
		in.Backdated = []subscribing.BackdatedBilling{"", subscribing.BillCurrentPeriod}[draw(2, "backdated billing")]
	}
	if trialDays == 0 && draw(4, "an anchor") == 0 {
		start := cmp.Or(in.StartsAt, created).Truncate(time.Second)
		interval := period.Schedule{Anchor: start, Location: paris, Interval: plans[0].Interval}.Period(0)
		in.Anchor = start.Add(time.Duration(1+draw(int(interval.Seconds())-7200, "seconds")) * time.Second)
		in.Proration = []subscription.ProrationBehavior{"", subscription.NoProration}[draw(2, "up to the anchor")]
	}
	if trialDays == 0 && in.StartsAt.IsZero() && draw(5, "waits for its first payment") == 0 {
		in.Behavior = []subscription.PaymentBehavior{subscription.PendPayment, subscription.AttemptOnce}[draw(2, "how")]
	}
	l := newLifeOf(t, append(plans, addOns...), settings, plans[0], in)
	if settings.RenewalReminderDays > 0 {
		l.store.customer.PaymentMethod = "mobile_money_mtn"
	}
	if draw(2, "taxed") == 0 {
		l.store.taxRates = someTaxRates(draw)
		l.store.settings.Seller.Country = []string{"", "FR", "DE"}[draw(3, "seller")]
	}
	l.late, l.abroad = draw(2, "late") == 0, draw(3, "plans of another currency") == 0
	if draw(3, "on a clock") == 0 {
		l.onClock()
	}
	if draw(6, "a policy of the customer") == 0 {
		policy := somePolicy(draw)
		l.store.customer.Dunning = &policy
	}
	if draw(10, "no provider") == 0 {
		l.store.provider = nil
	} else if draw(2, "limits") == 0 {
		l.store.provider.Limits = money.Limits{
			Minimum: 50, Granularity: money.Minor([]int{1, 10, 100}[draw(3, "granularity")]),
		}
	}
	return l
}

func someMeasure(draw chance) proration.Measure {
	return []proration.Measure{
		"", "", proration.Second, proration.Day, proration.DayInclusive, proration.Fixed30,
	}[draw(6, "measure")]
}

func someBehavior(draw chance) subscription.ProrationBehavior {
	return []subscription.ProrationBehavior{
		"", subscription.InvoiceNow, subscription.NextInvoice, subscription.NextInvoice, subscription.NoProration,
	}[draw(5, "behavior")]
}

// somePrice draws a price per unit.
func somePrice(draw chance, id string) plan.Price {
	p := plan.Price{
		ID: id, Price: rating.Price{
			Model: rating.PerUnit, UnitPrice: money.Units(money.Minor(draw(5000, "unit price")), "EUR"),
		},
	}
	if draw(3, "volume") == 0 {
		p.Price = rating.Price{Model: rating.Volume, Tiers: []rating.Tier{
			{UpTo: money.Whole(3), UnitPrice: p.UnitPrice}, {UnitPrice: money.Whole(1), FlatAmount: 7},
		}}
	}
	return p
}

// somePolicy draws a dunning policy.
func somePolicy(draw chance) dunning.Policy {
	p := dunning.Policy{Retry: retry.Policy{Base: 24 * time.Hour, Factor: 2, Retries: []int{3, 3, 0}[draw(3, "retries")]}}
	if draw(4, "a list") == 0 {
		p.Retry = retry.List(3*24*time.Hour, 24*time.Hour)
	}
	p.Retry.MaxJitter = []time.Duration{0, time.Hour}[draw(2, "jitter")]
	switch draw(4, "rules") {
	case 0:
		p.Retry.Rules = []retry.Rule{{Code: payment.CodeInvalidAccount, Never: true}}
	case 1:
		p.Retry.Rules = []retry.Rule{{Code: payment.CodeDeclined, DayOfMonth: 1 + draw(31, "day of the month")}}
	}
	p.CancelAfter([]int{0, 0, 20}[draw(3, "patience")])
	if draw(4, "pause") == 0 {
		p.Final, p.CancelAfterDays = dunning.Pause, 0
	}
	if draw(4, "a minimum") == 0 {
		p.Minimums = []dunning.Minimum{{Currency: "EUR", Amount: money.Minor(1 + draw(10_000, "minimum"))}}
	}
	return p
}

// anyPlan draws one of somePlans.
func (l *life) anyPlan(draw chance) plan.Plan {
	return l.newest(fmt.Sprintf("plan_%d", draw(5, "to")))
}

// step performs one drawn event.
func (l *life) step(draw chance) {
	if len(l.sub().Scheduled) > 0 && l.behind() {
		l.advance()
	}
	l.oneWaits()
	if l.metered && !l.idleUsage {
		l.useSome(draw)
		l.crossSome(draw)
		if l.lazy && draw(6, "usage is rated") == 0 {
			l.billUsage()
		}
	}
	kind := draw(44, "step")
	if l.refusesIncomplete(kind) || l.refusesPending(kind, draw) {
		return
	}
	switch kind {
	case 0, 1:
		l.pass(time.Duration(1+draw(20*86400, "seconds")) * time.Second)
	case 2, 3:
		l.toNext(time.Duration(draw(3, "beside")-1) * time.Nanosecond)
	case 4, 5:
		l.result(answer.Succeeded)
	case 6, 7:
		l.result([]answer.Outcome{answer.Declined, answer.Failed}[draw(2, "how it fails")])
	case 8:
		l.lateAnswer(draw)
	case 9:
		l.oddAnswer(draw)
	case 10:
		l.refundAnswer(draw)
	case 11:
		l.pay()
	case 12:
		if can := draw(4, "removed") > 0; l.store.customer.ErasedAt.IsZero() {
			l.newMethod(can)
		}
	case 13, 14:
		l.how = someBehavior(draw)
		l.changePlan(l.anyPlan(draw), draw(3, "at period end") == 0)
	case 20, 21:
		l.how = someBehavior(draw)
		l.changeQuantity(int64(1+draw(6, "quantity")), draw(3, "at period end") == 0)
	case 22:
		l.newVersion(l.newest(l.sub().PlanID), l.somePrices(draw))
	case 23:
		l.migrate(draw, draw(3, "at period end") == 0)
	case 24:
		l.taxOtherwise(draw)
	case 25:
		l.endTrial(time.Duration(draw(60, "days")) * 24 * time.Hour)
	case 26, 27:
		l.coupon(draw)
	case 28:
		if draw(3, "a refund") == 0 {
			l.refundSome(draw)
		} else {
			l.creditSome(draw)
		}
	case 29, 30:
		l.how = someBehavior(draw)
		l.changeAddOns(draw, draw(3, "at period end") == 0)
	case 35, 36:
		l.how = someBehavior(draw)
		l.scheduleChange(draw)
	case 37, 38:
		l.grantSome(draw)
	case 39:
		l.withdrawChange(draw)
	case 31:
		l.migrateAddOn(draw, draw(3, "at period end") == 0)
	case 32:
		l.pause(draw)
	case 33:
		l.unpause()
	case 34:
		l.setTerms(draw)
	case 40:
		l.moveAnchor(someBehavior(draw))
	case 41:
		l.finalizeDraft()
	case 42, 43:
		l.pendChange(draw)
	case 15:
		l.schedule(lifecycle.Cancel{})
	case 16:
		l.schedule(lifecycle.Reactivate{})
	case 17:
		switch draw(10, "one in ten") {
		case 0, 1:
			l.cancelNow(draw(2, "refund") == 0)
		case 2:
			l.erase()
			l.moveTo(l.now.Add(time.Duration(draw(90, "days until the erasure comes")) * 24 * time.Hour))
			if l.metered && !l.idleUsage && draw(2, "a rating was under way") == 0 {
				l.billUsage()
			}
			l.advance()
		case 3, 4, 5:
			l.skipRetry()
		case 6, 7:
			l.resume()
		case 8, 9:
			l.cancelPayment(draw)
		}
	case 19:
		if id := l.some(draw, func(t payment.Transaction) bool { return t.RefundOwed > 0 }); id != "" {
			l.payOwed(id, draw(2, "as credit") == 0)
		}
	case 18:
		switch open := l.open(); {
		case len(open) == 0:
		case draw(3, "one in three") == 0:
			l.giveUp(open[draw(len(open), "which invoice")], draw(2, "void") == 0)
		case draw(3, "another") == 0:
			l.markPaid(open[draw(len(open), "which invoice")])
		}
	}
}

// toNext moves to the next automatic action, or a nanosecond beside it.
func (l *life) toNext(offset time.Duration) {
	if l.alike && l.sub().Status == subscription.Paused {
		return
	}
	if to := l.sub().NextActionAt.Add(offset); l.sub().NextAction != subscription.ActionNone && !to.Before(l.now) {
		l.until(to)
	}
}

// lateAnswer lets the provider contradict or repeat itself about a closed charge.
func (l *life) lateAnswer(draw chance) {
	if id := l.some(draw, func(t payment.Transaction) bool {
		return t.Type == payment.Charge && t.Status != payment.Pending && t.Provider != "" && !t.External()
	}); id != "" {
		l.answer(id, []answer.Outcome{
			answer.Succeeded, answer.Succeeded, answer.Failed,
		}[draw(3, "late answer")])
	}
}

// oddAnswer draws an answer about a live attempt that proves neither a capture nor its failure.
func (l *life) oddAnswer(draw chance) {
	id := l.some(draw, func(t payment.Transaction) bool { return t.Type == payment.Charge && t.Status == payment.Pending })
	if id == "" {
		return
	}
	switch draw(9, "odd answer") {
	case 0:
		l.mismatch(id)
	case 1:
		l.impossible(id, fault.Invalid)
	case 2:
		l.impossible(id, fault.Conflict)
	case 3:
		l.asksPayer(id)
	default:
		odd := []answer.Outcome{
			answer.Canceled, answer.Pending, answer.Unknown, answer.NotSent, answer.NotFound,
		}
		l.answer(id, odd[draw(len(odd), "outcome")])
	}
}

func (l *life) refundAnswer(draw chance) {
	if id := l.some(draw, func(t payment.Transaction) bool {
		return t.Type == payment.Refund && t.Status != payment.Refunded
	}); id != "" {
		l.answer(id, []answer.Outcome{
			answer.Succeeded, answer.Failed, answer.Unknown,
		}[draw(3, "of a refund")])
	}
}

// some draws a transaction of a kind; empty: there is none.
func (l *life) some(draw chance, kind func(payment.Transaction) bool) string {
	var found []string
	for _, t := range l.store.transactions {
		if kind(t) {
			found = append(found, t.ID)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[draw(len(found), "which transaction")]
}
