package story

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// begin is chosen so that periods start on the last day of a month: 31 January, 28 February, 31 March.
var begin = time.Date(2026, time.January, 17, 9, 0, 0, 0, time.UTC)

// The prices in cents, and the cards by the names that the simulator gives them.
const (
	starterPrice = 1900
	proPrice     = 4900
	trialDays    = 14
	firstCard    = "pm_card_visa"
	secondCard   = "pm_card_mastercard"
	noFunds      = "pm_card_visa_chargeDeclinedInsufficientFunds"
)

// steps is the story. Every figure is written down, not computed: the upgrade on 15 May leaves 16 of 31 days, which is
// 25.29 of the new price less 9.81 of the old one.
func steps() []step {
	const starter, upgrading = starterTotal, "15.48 USD"
	nothing := facts{none, none, none, none}
	paid := func(next string) facts { return facts{"active", starter + " paid", "success, attempt 1", next} }
	failed := func(attempt int, status, next string) facts {
		return facts{status, starter + " open", fmt.Sprintf("declined, attempt %d", attempt), next}
	}
	upgraded := func(status, next string) facts {
		return facts{status, upgrading + " paid", "success, attempt 1", next}
	}
	return []step{
		{"plans: Starter 19.00, Pro 49.00", plans, nothing,
			events(one("plan.created", starterName), one("plan.created", proName))},
		{"a customer with a card", customer, nothing, one("customer.created", customerName)},
		{"subscribes to Starter, 14 days free", subscribe, facts{"trialing", none, none, "trial_notice 28 Jan 09:00"},
			one("subscription.created", starterName)},
		{"the trial ends: first payment", advance(time.January, 31), paid("renewal 28 Feb 09:00"),
			events(one("subscription.trial_will_end", starterName), renewed(), settled(starter), activated(),
				clockAt("31 Jan 09:00"))},
		{"renewal", advance(time.February, 28), paid("renewal 31 Mar 09:00"),
			events(renewed(), settled(starter), clockAt("28 Feb 09:00"))},
		{"renewal", advance(time.March, 31), paid("renewal 30 Apr 09:00"),
			events(renewed(), settled(starter), clockAt("31 Mar 09:00"))},
		{"the card begins to fail", cardFails, paid("renewal 30 Apr 09:00"), nil},
		{"renewal: no funds", advance(time.April, 30), failed(1, "active", "payment_retry 1 May 09:00"),
			events(renewed(), declined(), clockAt("30 Apr 09:00"))},
		{"first retry, a day later", advance(time.May, 1), failed(2, "active", "payment_retry 3 May 09:00"),
			events(declined(), clockAt("1 May 09:00"))},
		{"second retry, 2 days later", advance(time.May, 3), failed(3, "active", "payment_retry 7 May 09:00"),
			events(declined(), clockAt("3 May 09:00"))},
		{"third retry, 4 days later", advance(time.May, 7), failed(4, "past_due", "renewal 31 May 09:00"),
			events(declined(), one("subscription.past_due", customerName), clockAt("7 May 09:00"))},
		{"a good card", goodCard, facts{"active", starter + " paid", "success, attempt 5", "renewal 31 May 09:00"},
			events(clockAt("9 May 09:00"), one("customer.updated", customerName), settled(starter), activated())},
		{"upgrade to Pro, 16 of 31 days left", upgrade, upgraded("active", "renewal 31 May 09:00"),
			events(clockAt("15 May 09:00"), one("subscription.plan_changed", proName), one("subscription.updated", proName),
				billed(upgrading), settled(upgrading))},
		{"cancel at the period's end", cancel(false), upgraded("active", "cancel 31 May 09:00"),
			events(one("subscription.cancel_scheduled", customerName), one("subscription.updated", proName))},
		{"stay after all", reactivate, upgraded("active", "renewal 31 May 09:00"),
			events(one("subscription.reactivated", customerName), one("subscription.updated", proName))},
		{"cancel now", cancel(true), upgraded("canceled", none), one("subscription.canceled", customerName)},
	}
}

type object map[string]any

func plans(ctx context.Context, p *player) (err error) {
	if p.starter, err = p.plan(ctx, starterName, starterPrice); err != nil {
		return err
	}
	p.pro, err = p.plan(ctx, proName, proPrice)
	return err
}

func (p *player) plan(ctx context.Context, name string, price int) (string, error) {
	var out struct {
		ID string `json:"id"`
	}
	in := object{"name": name, "currency": "USD", "interval": "month", "amount": price}
	err := p.client.change(ctx, http.MethodPost, "/api/plans", in, &out)
	p.names[out.ID] = name
	return out.ID, err
}

func customer(ctx context.Context, p *player) error {
	var clock, out struct {
		ID string `json:"id"`
	}
	in := object{"name": clockName, "now": begin.Unix()}
	if err := p.client.change(ctx, http.MethodPost, "/api/test-clocks", in, &clock); err != nil {
		return err
	}
	p.clock, p.names[clock.ID] = clock.ID, clockName
	in = p.method(firstCard)
	in["email"], in["name"], in["testClockId"] = "ada@example.com", customerName, p.clock
	err := p.client.change(ctx, http.MethodPost, "/api/customers", in, &out)
	p.customer, p.names[out.ID] = out.ID, customerName
	return err
}

// method is a payment method as the API takes it: tokens of the provider, never a card number.
func (p *player) method(card string) object {
	return object{"paymentMethod": "card", "paymentDetails": object{
		"provider": "stripe", "customerToken": p.card, "paymentMethodToken": card,
	}}
}

func subscribe(ctx context.Context, p *player) error {
	var out subscription
	in := object{"customerId": p.customer, "planId": p.starter, "trialDays": trialDays}
	err := p.client.change(ctx, http.MethodPost, "/api/subscriptions", in, &out)
	p.subscription = out.ID
	return err
}

// advance moves the clock to nine o'clock of a day in 2026.
func advance(month time.Month, day int) func(context.Context, *player) error {
	return func(ctx context.Context, p *player) error {
		return p.advance(ctx, time.Date(2026, month, day, 9, 0, 0, 0, time.UTC))
	}
}

// advanceBudget is the real time that the clock may need for one of the story's hops.
const advanceBudget = time.Minute

func (p *player) advance(ctx context.Context, to time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, advanceBudget)
	defer cancel()
	var clock struct {
		Status    string   `json:"status"`
		Now       int64    `json:"now"`
		BlockedBy []string `json:"blockedBy"`
	}
	path := "/api/test-clocks/" + p.clock
	if err := p.client.change(ctx, http.MethodPost, path+"/advance", object{"to": to.Unix()}, &clock); err != nil {
		return err
	}
	for clock.Status != "ready" {
		if err := p.client.rest(ctx, pause); err != nil {
			return fmt.Errorf("the test clock stands at %s and does not arrive at %s: %w", at(clock.Now), to, err)
		}
		if err := p.client.get(ctx, path, &clock); err != nil {
			return err
		}
	}
	if clock.Now != to.Unix() {
		return fmt.Errorf("the test clock stopped at %s instead of %s, held by %v", at(clock.Now), to, clock.BlockedBy)
	}
	p.now = to
	return nil
}

func cardFails(ctx context.Context, p *player) error {
	return p.client.script(ctx, p.simulator, p.card, firstCard, noFunds)
}

func goodCard(ctx context.Context, p *player) error {
	if err := advance(time.May, 9)(ctx, p); err != nil {
		return err
	}
	return p.client.change(ctx, http.MethodPatch, "/api/customers/"+p.customer, p.method(secondCard), nil)
}

func upgrade(ctx context.Context, p *player) error {
	if err := advance(time.May, 15)(ctx, p); err != nil {
		return err
	}
	return p.client.change(ctx, http.MethodPatch, "/api/subscriptions/"+p.subscription, object{"planId": p.pro}, nil)
}

func cancel(now bool) func(context.Context, *player) error {
	return func(ctx context.Context, p *player) error {
		in := object{"immediateEffect": now, "reason": "the story ends"}
		return p.client.change(ctx, http.MethodPost, "/api/subscriptions/"+p.subscription+"/cancel", in, nil)
	}
}

func reactivate(ctx context.Context, p *player) error {
	return p.client.change(ctx, http.MethodPost, "/api/subscriptions/"+p.subscription+"/reactivate", object{}, nil)
}
