package story

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// facts are the visible state of the subscription after a step, as texts, so that the printed values are checked.
type facts struct {
	status  string // "active"
	invoice string // the latest: "19.00 USD paid"
	payment string // its latest: "success, attempt 1"
	next    string // "renewal 28 Feb 09:00"
}

// none is printed for absent values.
const none = "–"

// columns pairs the facts with the names under which they are printed.
func (f facts) columns() [][2]string {
	return [][2]string{{"status", f.status}, {"invoice", f.invoice}, {"payment", f.payment}, {"next", f.next}}
}

// differences lists the differences between the wanted facts and the seen ones, a line each.
func (f facts) differences(seen facts) []string {
	var out []string
	got := seen.columns()
	for i, want := range f.columns() {
		if want[1] != got[i][1] {
			out = append(out, fmt.Sprintf("%s: expected %q, got %q", want[0], want[1], got[i][1]))
		}
	}
	return out
}

// The parts of the API's resources that the story looks at.
type (
	subscription struct {
		ID           string `json:"id"`
		Status       string `json:"status"`
		NextAction   string `json:"nextAction"`
		NextActionAt int64  `json:"nextActionAt"`
	}
	invoice struct {
		ID        string `json:"id"`
		Number    int64  `json:"number"`
		Status    string `json:"status"`
		Currency  string `json:"currency"`
		AmountDue int64  `json:"amountDue"`
	}
	payment struct {
		ID            string `json:"id"`
		InvoiceID     string `json:"invoiceId"`
		Status        string `json:"status"`
		AttemptNumber int    `json:"attemptNumber"`
	}
	page[T any] struct {
		Data []T `json:"data"`
	}
)

// look reads the subscription, its latest invoice and that invoice's latest payment.
func (p *player) look(ctx context.Context) (seen facts, number int64, err error) {
	seen = facts{status: none, invoice: none, payment: none, next: none}
	if p.subscription == "" {
		return seen, 0, nil
	}
	var sub subscription
	if err := p.client.get(ctx, "/api/subscriptions/"+p.subscription, &sub); err != nil {
		return seen, 0, err
	}
	seen.status = sub.Status
	if sub.NextActionAt != 0 {
		seen.next = sub.NextAction + " " + at(sub.NextActionAt).Format("2 Jan 15:04")
	}
	var invoices page[invoice]
	newest := "/api/invoices?limit=1&subscriptionId=" + url.QueryEscape(p.subscription)
	if err := p.client.get(ctx, newest, &invoices); err != nil {
		return seen, 0, err
	}
	if len(invoices.Data) == 0 {
		return seen, 0, nil
	}
	last := invoices.Data[0]
	seen.invoice = fmt.Sprintf("%s %s %s", amount(last.AmountDue), last.Currency, last.Status)
	var payments page[payment]
	if err := p.client.get(ctx, "/api/payments?limit=1&invoiceId="+url.QueryEscape(last.ID), &payments); err != nil {
		return seen, 0, err
	}
	if len(payments.Data) > 0 {
		seen.payment = fmt.Sprintf("%s, attempt %d", payments.Data[0].Status, payments.Data[0].AttemptNumber)
	}
	return seen, last.Number, nil
}

// amount writes minor units of a currency with two decimals; the story's is USD.
func amount(minor int64) string { return fmt.Sprintf("%d.%02d", minor/100, minor%100) }

func at(unix int64) time.Time { return time.Unix(unix, 0).UTC() }
