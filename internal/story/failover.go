package story

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// failoverPrice is the price of the second story while pawaPay is away, in XAF.
const failoverPrice = 2500

// outageTime ends the outage automatically where the story is interrupted.
const outageTime = "1m"

// failover plays a payment whose provider refuses connections: it surely was not taken, so the backup takes it at once.
func (p *player) failover(ctx context.Context, c Config, t *table) error {
	t.note("pawaPay refuses connections, and Flutterwave stands by:\n")
	const secret = "simulated-webhook-secret"
	err := p.account(ctx, "flutterwave", object{
		"clientId": "simulated", "clientSecret": "simulated-secret", "webhookSecret": secret,
	}, secret)
	if err != nil {
		return fmt.Errorf("an account at Flutterwave: %w", err)
	}
	outage := p.control("pawapay", "outage")
	if err := p.client.plain(ctx, http.MethodPut, outage, object{"mode": "refuse", "for": outageTime}, nil); err != nil {
		return fmt.Errorf("an outage of pawaPay: %w", err)
	}
	defer func() { // otherwise it ends automatically
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = p.client.plain(ctx, http.MethodPut, outage, object{"mode": ""}, nil)
	}()
	var made struct {
		ID string `json:"id"`
	}
	in := object{"customerId": p.customer, "amount": failoverPrice, "currency": mobileCurrency}
	// Without the header that waits, as above.
	err = p.client.send(ctx, http.MethodPost, p.client.api+"/api/payments",
		http.Header{"Idempotency-Key": {"story-" + p.client.run + "-failover"}}, in, &made)
	if err != nil {
		return fmt.Errorf("a payment while pawaPay is away: %w", err)
	}
	return p.takenByBackup(ctx, c, t, made.ID)
}

// send is one request to move the money, as the API shows it.
type send struct {
	Provider string `json:"provider"`
	Reason   string `json:"reason"`
	Outcome  string `json:"outcome"`
}

// takenByBackup looks until the backup has the money, and shows each send with the reason of its choice.
func (p *player) takenByBackup(ctx context.Context, c Config, t *table, id string) error {
	want := []send{{"pawapay", "named by the payment method", "not_sent"}, {"flutterwave", "backup", "succeeded"}}
	var seen struct {
		Status string `json:"status"`
		Sends  []send `json:"sends"`
	}
	so, err := c.until(ctx, func() (bool, error) {
		err := p.client.get(ctx, "/api/payments/"+url.PathEscape(id), &seen)
		return err == nil && seen.Status == "success", err
	})
	if err != nil {
		return fmt.Errorf("the backup takes the payment: %w", err)
	}
	for i, s := range seen.Sends {
		told, total := fmt.Sprintf("send %d: %s", i+1, s.Provider), fmt.Sprintf("%d %s", failoverPrice, mobileCurrency)
		t.row(c.Now(), told, facts{none, total, s.Outcome, s.Reason}, 0)
	}
	if wrong := fmt.Sprintf("expected %v, got %v", want, seen.Sends); !so || fmt.Sprint(seen.Sends) != fmt.Sprint(want) {
		t.wrong([]string{wrong})
		return &Deviation{Step: "the backup takes the payment", Differences: []string{wrong}}
	}
	// Those of pawaPay cannot have it: its port is closed.
	if err := p.capturedOnce(ctx, t, "flutterwave", "Flutterwave", id); err != nil {
		return err
	}
	t.note("1 payment, and Flutterwave's own books agree: 1 capture, %d %s.", failoverPrice, mobileCurrency)
	return nil
}
