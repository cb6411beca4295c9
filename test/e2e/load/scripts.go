package load

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"perennial/test/e2e/world"
)

// Buyer subscribes in real time and then changes its mind in one way or another.
func Buyer(ctx context.Context, a *Actor) error {
	customer, err := a.Customer(ctx, a.Card(), "")
	if err != nil {
		return err
	}
	a.think(ctx)
	chosen := a.plan()
	sub, err := a.Subscribe(ctx, customer, chosen.id, 0)
	if err != nil {
		return err
	}
	path := "/api/subscriptions/" + sub
	for range 1 + a.rand.IntN(3) {
		a.think(ctx)
		switch a.rand.IntN(5) {
		case 0:
			err = may(a.env.Change(ctx, http.MethodPatch, path, world.Object{"planId": a.other(chosen).id}))
		case 1:
			err = may(a.env.Change(ctx, http.MethodPost, path+"/cancel", world.Object{"reason": "later"}))
			if err == nil {
				err = may(a.env.Change(ctx, http.MethodPost, path+"/reactivate", nil))
			}
		case 2:
			_, err = a.env.Change(ctx, http.MethodPatch, "/api/customers/"+customer, a.Method(a.Card()))
		case 3:
			err = may(a.env.Change(ctx, http.MethodPost, "/api/payments", world.Object{"subscriptionId": sub}))
		default:
			if a.chance(60) {
				return may(a.env.Change(ctx, http.MethodPost, path+"/cancel",
					world.Object{"immediateEffect": true, "refund": "prorated", "reason": "now"}))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Payer makes charges of its own.
func Payer(ctx context.Context, a *Actor) error { return PaysWith(a.Card())(ctx, a) }

// PaysWith is a Payer with one payment method.
func PaysWith(token string) Script {
	return func(ctx context.Context, a *Actor) error {
		customer, err := a.Customer(ctx, token, "")
		if err != nil {
			return err
		}
		for range 1 + a.rand.IntN(3) {
			a.think(ctx)
			if _, err := a.pay(ctx, customer, token); err != nil {
				return err
			}
		}
		return nil
	}
}

// RefundsWith makes one charge, waits for its end, and gives a part of it back.
func RefundsWith(token string) Script {
	return func(ctx context.Context, a *Actor) error {
		customer, err := a.Customer(ctx, token, "")
		if err != nil {
			return err
		}
		id, err := a.pay(ctx, customer, token)
		if err != nil {
			return err
		}
		charge := struct{ Status string }{"pending"}
		for charge.Status == "pending" {
			a.think(ctx)
			if err := a.env.Get(ctx, "/api/payments/"+id, &charge); err != nil {
				return err
			}
		}
		if charge.Status != "success" {
			return nil
		}
		return may(a.env.Change(ctx, http.MethodPost, "/api/payments/"+id+"/refund", world.Object{"amount": 100}))
	}
}

func (a *Actor) pay(ctx context.Context, customer, token string) (id string, err error) {
	return a.env.Create(ctx, "/api/payments", world.Object{
		"customerId": customer, "amount": 100 + a.rand.IntN(5000), "currency": currencyOf(token), "description": "once",
	})
}

// Traveller lives on a test clock and goes through some months of renewals.
func Traveller(ctx context.Context, a *Actor) error {
	now := time.Date(2027, time.Month(1+a.rand.IntN(12)), 1+a.rand.IntN(31), 9, 0, 0, 0, time.UTC)
	clock, err := a.env.Create(ctx, "/api/test-clocks", world.Object{"now": now.Unix()})
	if err != nil {
		return err
	}
	customer, err := a.Customer(ctx, "pm_card_visa", clock)
	if err != nil {
		return err
	}
	if _, err := a.Subscribe(ctx, customer, a.plan().id, a.rand.IntN(2)*14); err != nil {
		return err
	}
	for range 2 + a.rand.IntN(2) {
		a.think(ctx)
		if a.chance(30) { // a month in which the first attempts fail
			bad, good := a.Method("pm_card_chargeCustomerFail"), a.Method("pm_card_visa")
			if _, err := a.env.Change(ctx, http.MethodPatch, "/api/customers/"+customer, bad); err != nil {
				return err
			}
			now = now.AddDate(0, 0, 10+a.rand.IntN(28))
			if err := Advance(ctx, a.env, clock, now); err != nil {
				return err
			}
			if _, err := a.env.Change(ctx, http.MethodPatch, "/api/customers/"+customer, good); err != nil {
				return err
			}
		}
		now = now.AddDate(0, 1, a.rand.IntN(10))
		if err := Advance(ctx, a.env, clock, now); err != nil {
			return err
		}
	}
	return nil
}

// Advance brings a test clock to an instant, however often a payment that hangs stops it on the way.
func Advance(ctx context.Context, env *world.Environment, clock string, to time.Time) error {
	path := "/api/test-clocks/" + clock
	for {
		_, err := env.Change(ctx, http.MethodPost, path+"/advance", world.Object{"to": to.Unix()})
		if may(world.Answer{}, err) != nil {
			return err
		}
		var at struct {
			Status string `json:"status"`
			Now    int64  `json:"now"`
		}
		for at.Status != "ready" {
			if err := env.Get(ctx, path, &at); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("clock %s stands at %s on its way to %s: %w", clock, time.Unix(at.Now, 0).UTC(), to, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
		if at.Now == to.Unix() {
			return nil
		}
	}
}
