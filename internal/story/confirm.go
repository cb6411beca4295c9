package story

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// The price for the customer whose bank requires a confirmation, and Stripe's test card.
const (
	confirmPrice    = 1200
	confirmCurrency = "EUR"
	confirmTotal    = "12.00 EUR"
	confirmCard     = "pm_card_authenticationRequired"
)

// PlayConfirmation plays a charge for which the bank requires the payer's confirmation (3-D Secure, at Stripe): the
// payment shows a link, the payer opens it, confirms at the bank and comes back, and the payment is settled. It runs in
// real time, as payers do. c.Simulator is the port that controls all providers.
func PlayConfirmation(ctx context.Context, c Config) error {
	c = c.complete()
	p := &player{client: newClient(c), simulator: c.Simulator, names: map[string]string{}}
	defer p.client.close()
	t := &table{out: c.Out, colour: c.Colour}
	t.note("A customer whose bank asks for a confirmation (3-D Secure), at Stripe:\n")
	if err := p.subscribesBySecureCard(ctx); err != nil {
		return fmt.Errorf("a customer whose bank asks: %w", err)
	}
	asked, err := p.awaitConfirmed(ctx, c, t, "subscribes: the bank asks the payer", secured{"pending", "open", true})
	if err != nil {
		return err
	}
	if err := p.confirms(ctx, asked.ConfirmURL); err != nil {
		return fmt.Errorf("the payer confirms: %w", err)
	}
	paid, err := p.awaitConfirmed(ctx, c, t, "the payer opens it and confirms", secured{"success", "paid", false})
	if err != nil {
		return err
	}
	if err := p.capturedOnce(ctx, t, "stripe", "Stripe", paid.ID); err != nil {
		return err
	}
	t.note("1 invoice paid, and Stripe's own books agree: 1 capture, %s.", confirmTotal)
	return nil
}

func (p *player) subscribesBySecureCard(ctx context.Context) error {
	return p.subscribes(ctx, "secure",
		object{"name": "Secure", "currency": confirmCurrency, "interval": "month", "amount": confirmPrice},
		object{"name": "Grace Hopper", "email": "grace@example.com", "paymentMethod": "card", "paymentDetails": object{
			"customerToken": "cus_secure_" + p.client.run, "paymentMethodToken": confirmCard, "provider": "stripe",
		}})
}

// secured is the visible state of the payment and its invoice: link reports whether the payer is asked.
type secured struct {
	payment, invoice string
	link             bool
}

// securedPayment is the payment as the API shows it.
type securedPayment struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	ConfirmURL string `json:"confirmUrl"`
}

// awaitConfirmed polls until the payment is in the wanted state. The row ends with the link, while there is one.
func (p *player) awaitConfirmed(
	ctx context.Context, c Config, t *table, told string, want secured,
) (last securedPayment, err error) {
	var seen secured
	so, err := c.until(ctx, func() (bool, error) {
		found, status, err := latest[securedPayment](ctx, p)
		if err != nil || found == nil {
			return false, err
		}
		last = *found
		seen = secured{last.Status, status, last.ConfirmURL != ""}
		return seen == want, nil
	})
	if err != nil {
		return last, fmt.Errorf("%s: %w", told, err)
	}
	next := none
	if last.ConfirmURL != "" {
		next = last.ConfirmURL
	}
	t.row(c.Now(), told, facts{"active", confirmTotal + " " + seen.invoice, seen.payment, next}, 0)
	if !so {
		wrong := []string{fmt.Sprintf("expected %v, got %v", want, seen)}
		t.wrong(wrong)
		return last, &Deviation{Step: told, Differences: wrong}
	}
	return last, nil
}

// confirms is the payer's browser: it opens the link, which leads to the bank's page, confirms there, and is sent back
// to us.
func (p *player) confirms(ctx context.Context, link string) error {
	bank, err := p.browse(ctx, http.MethodGet, link, "")
	if err != nil {
		return err
	}
	back, err := p.browse(ctx, http.MethodPost, bank, "decision=confirm")
	if err != nil {
		return err
	}
	_, err = p.browse(ctx, http.MethodGet, back, "")
	return err
}

// browse makes one request, and returns where the browser would go next; empty: nowhere.
func (p *player) browse(ctx context.Context, method, address, form string) (next string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form))
	if err != nil {
		return "", err
	}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := p.client.http.Transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // it has been read
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err == nil && answer.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s answers %d: %s", method, address, answer.StatusCode, text)
	}
	return answer.Header.Get("Location"), err
}
