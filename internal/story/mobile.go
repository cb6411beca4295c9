package story

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// The price of the second story, and the customer's telephone: the simulator leaves its prompt open.
const (
	mobilePrice    = 5000 // XAF has no decimals
	mobileCurrency = "XAF"
	mobileTotal    = "5000 XAF"
	mobilePhone    = "+237670000001"
)

// PlayMobileMoney plays a payment by mobile money: the charge sends a prompt to a telephone, its owner confirms it, and
// pawaPay's callback settles the payment. Then pawaPay refuses connections, and the backup takes the next payment. It
// runs in real time, as telephones do. c.Simulator is the port that controls all providers.
func PlayMobileMoney(ctx context.Context, c Config) error {
	c = c.complete()
	p := &player{client: newClient(c), simulator: c.Simulator, names: map[string]string{}}
	defer p.client.close()
	t := &table{out: c.Out, colour: c.Colour}
	t.note("A customer who pays by mobile money, through pawaPay:\n")
	err := p.account(ctx, "pawapay", object{"apiToken": "simulated-" + p.client.run}, "")
	if err != nil {
		return fmt.Errorf("an account at pawaPay: %w", err)
	}
	if err := p.subscribesByPhone(ctx); err != nil {
		return fmt.Errorf("a customer with mobile money: %w", err)
	}
	prompted := mobile{"pending", "pawapay", "open"}
	txn, err := p.awaitMobile(ctx, c, t, "subscribes: a prompt on the phone", prompted)
	if err != nil {
		return err
	}
	settle := p.control("pawapay", "payments/"+url.PathEscape(txn)+"/settle")
	if err := p.client.plain(ctx, http.MethodPost, settle, object{"status": "succeeded"}, nil); err != nil {
		return fmt.Errorf("the payer confirms: %w", err)
	}
	_, err = p.awaitMobile(ctx, c, t, "the payer confirms: a callback", mobile{"success", "pawapay", "paid"})
	if err != nil {
		return err
	}
	if err := p.calledBack(ctx, c, t, txn); err != nil {
		return err
	}
	return p.failover(ctx, c, t)
}

// control is the address of a command to a simulated provider.
func (p *player) control(provider, command string) string {
	return p.simulator + "/_simulator/" + provider + "/" + command
}

// mobile is the visible state of the payment.
type mobile struct{ payment, provider, invoice string }

// account finds the account of an earlier start at a provider or adds one, and tells the simulator where to send its
// callbacks, signed with secret where that is one of the credentials.
func (p *player) account(ctx context.Context, provider string, credentials object, secret string) error {
	type account struct {
		Provider    string `json:"provider"`
		CallbackURL string `json:"callbackUrl"`
	}
	var all page[account]
	if err := p.client.get(ctx, "/api/payment-providers", &all); err != nil {
		return err
	}
	i := slices.IndexFunc(all.Data, func(a account) bool { return a.Provider == provider })
	var found account
	if i >= 0 {
		found = all.Data[i]
	} else {
		credentials["provider"], credentials["environment"] = provider, "test"
		if err := p.client.change(ctx, http.MethodPost, "/api/payment-providers", credentials, &found); err != nil {
			return err
		}
	}
	in := object{"url": found.CallbackURL, "secret": secret}
	return p.client.plain(ctx, http.MethodPut, p.control(provider, "callbacks"), in, nil)
}

func (p *player) subscribesByPhone(ctx context.Context) error {
	return p.subscribes(ctx, "mobile",
		object{"name": "Mobile", "currency": mobileCurrency, "interval": "month", "amount": mobilePrice},
		object{"name": "Amina Bello", "email": "amina@example.com", "paymentMethod": "mobile_money_mtn",
			"paymentDetails": object{"phoneNumber": mobilePhone, "provider": "pawapay"}})
}

// awaitMobile polls until the payment is in the wanted state, and returns the provider's reference.
func (p *player) awaitMobile(
	ctx context.Context, c Config, t *table, told string, want mobile,
) (ref string, err error) {
	var seen mobile
	so, err := c.until(ctx, func() (bool, error) {
		seen, ref, err = p.seeMobile(ctx)
		return seen == want && ref != "", err
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", told, err)
	}
	t.row(c.Now(), told, facts{"active", mobileTotal + " " + seen.invoice, seen.payment, none}, 0)
	if !so {
		wrong := []string{fmt.Sprintf("expected %v, got %v", want, seen)}
		t.wrong(wrong)
		return "", &Deviation{Step: told, Differences: wrong}
	}
	return ref, nil
}

func (p *player) seeMobile(ctx context.Context) (seen mobile, ref string, err error) {
	type mobilePayment struct {
		Status   string `json:"status"`
		Provider string `json:"provider"`
		Ref      string `json:"providerReference"`
	}
	last, status, err := latest[mobilePayment](ctx, p)
	if err != nil || last == nil {
		return seen, "", err
	}
	return mobile{last.Status, last.Provider, status}, last.Ref, nil
}

// calledBack checks at the simulator that the API took a callback, and that the money moved once.
func (p *player) calledBack(ctx context.Context, c Config, t *table, ref string) error {
	captures, err := p.capturesAt(ctx, "pawapay", func(m movement) bool { return m.Charge == ref })
	if err != nil {
		return err
	}
	taken, err := p.callbackTaken(ctx, c)
	if err != nil {
		return err
	}
	if captures != 1 || !taken {
		wrong := []string{fmt.Sprintf("expected 1 capture and a callback that was taken, got %d and %t", captures, taken)}
		t.wrong(wrong)
		return &Deviation{Step: "pawaPay's books", Differences: wrong}
	}
	t.note("1 invoice paid, and pawaPay's own books agree: 1 capture, %s.", mobileTotal)
	return nil
}

// callbackTaken reports whether a callback of this run was answered with 200.
func (p *player) callbackTaken(ctx context.Context, c Config) (bool, error) {
	type callback struct {
		Status int `json:"status"`
	}
	return c.until(ctx, func() (bool, error) {
		var sent []callback
		err := p.client.plain(ctx, http.MethodGet, p.control("pawapay", "callbacks"), nil, &sent)
		return slices.ContainsFunc(sent, func(s callback) bool { return s.Status == http.StatusOK }), err
	})
}
