package story

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// settleAccounts compares our paid invoices with the provider's own books about this customer: each paid invoice was
// captured once, and nothing else was.
func (p *player) settleAccounts(ctx context.Context, t *table) error {
	of := "?limit=100&subscriptionId=" + url.QueryEscape(p.subscription)
	var invoices page[invoice]
	if err := p.client.get(ctx, "/api/invoices"+of, &invoices); err != nil {
		return err
	}
	var payments page[payment]
	if err := p.client.get(ctx, "/api/payments"+of, &payments); err != nil {
		return err
	}
	var movements []movement
	if err := p.client.plain(ctx, http.MethodGet, p.simulator+"/_simulator/ledger", nil, &movements); err != nil {
		return err
	}
	captures := p.captures(movements)
	if wrong := compare(invoices.Data, payments.Data, captures); len(wrong) > 0 {
		t.wrong(wrong)
		return &Deviation{Step: "the provider's books", Differences: wrong}
	}
	var total int64
	for _, m := range captures {
		total += m.Amount
	}
	t.note("%d invoices paid, and the provider's own books agree: %d captures, %s USD.",
		len(invoices.Data), len(captures), amount(total))
	return nil
}

// movement is a line of the simulator's ledger.
type movement struct {
	Kind          string `json:"kind"`
	Amount        int64  `json:"amount"`
	Customer      string `json:"customer"`
	Charge        string `json:"charge"`
	TransactionID string `json:"txn_id"`
}

func (p *player) captures(all []movement) []movement {
	return slices.DeleteFunc(all, func(m movement) bool { return m.Kind != "capture" || m.Customer != p.card })
}

// capturedOnce checks in the books of one provider that the money of a payment moved once. named is the provider's name
// for people.
func (p *player) capturedOnce(ctx context.Context, t *table, provider, named, payment string) error {
	n, err := p.capturesAt(ctx, provider, func(m movement) bool { return m.TransactionID == payment })
	if err == nil && n != 1 {
		wrong := []string{fmt.Sprintf("expected 1 capture, got %d", n)}
		t.wrong(wrong)
		err = &Deviation{Step: named + "'s books", Differences: wrong}
	}
	return err
}

// capturesAt counts captures in the books of one provider.
func (p *player) capturesAt(ctx context.Context, provider string, of func(movement) bool) (n int, _ error) {
	var movements []movement
	if err := p.client.plain(ctx, http.MethodGet, p.control(provider, "ledger"), nil, &movements); err != nil {
		return 0, err
	}
	for _, m := range movements {
		if m.Kind == "capture" && of(m) {
			n++
		}
	}
	return n, nil
}

// compare lists the invoices that were not captured exactly once.
func compare(invoices []invoice, payments []payment, captures []movement) (wrong []string) {
	invoiceOf := map[string]string{}
	for _, t := range payments {
		invoiceOf[t.ID] = t.InvoiceID
	}
	captured := map[string][]int64{}
	for _, m := range captures {
		of := invoiceOf[m.TransactionID]
		if of == "" {
			wrong = append(wrong, fmt.Sprintf("the provider captured %s for %q, which pays no invoice",
				amount(m.Amount), m.TransactionID))
		}
		captured[of] = append(captured[of], m.Amount)
	}
	for _, i := range invoices {
		if i.Status != "paid" {
			wrong = append(wrong, fmt.Sprintf("invoice #%d: expected %q, got %q", i.Number, "paid", i.Status))
		}
		if !slices.Equal(captured[i.ID], []int64{i.AmountDue}) {
			wrong = append(wrong, fmt.Sprintf("invoice #%d: expected one capture of %d, got %v",
				i.Number, i.AmountDue, captured[i.ID]))
		}
	}
	return wrong
}
