package story

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// settleAccounts compares what we call paid with what the provider's own books say about this customer: each paid
// invoice was captured once, and nothing else was.
func (p *player) settleAccounts(ctx context.Context, t *table) error {
	var invoices page[invoice]
	if err := p.client.get(ctx, "/api/invoices?limit=100&subscriptionId="+url.QueryEscape(p.subscription), &invoices); err != nil {
		return err
	}
	var movements []struct {
		Kind     string `json:"kind"`
		Amount   int64  `json:"amount"`
		Customer string `json:"customer"`
		Invoice  string `json:"invoice"`
	}
	if err := p.client.plain(ctx, http.MethodGet, p.simulator+"/_simulator/ledger", nil, &movements); err != nil {
		return err
	}
	captured := map[string]int64{}
	captures, total := 0, int64(0)
	for _, m := range movements {
		if m.Customer == p.card && m.Kind == "capture" {
			captures, total = captures+1, total+m.Amount
			captured[m.Invoice] += m.Amount
		}
	}
	var wrong []string
	paid := 0
	for _, i := range invoices.Data {
		if i.Status != "paid" {
			wrong = append(wrong, fmt.Sprintf("invoice %d: expected %q, got %q", i.Number, "paid", i.Status))
			continue
		}
		paid++
		if captured[i.ID] != i.AmountDue {
			wrong = append(wrong, fmt.Sprintf("invoice %d: expected the provider to have captured %s, got %s",
				i.Number, amount(i.AmountDue), amount(captured[i.ID])))
		}
	}
	if paid != captures {
		wrong = append(wrong, fmt.Sprintf("captures: expected one for each of %d paid invoices, got %d", paid, captures))
	}
	if len(wrong) > 0 {
		t.wrong(wrong)
		return &Deviation{Step: "the provider's books", Differences: wrong}
	}
	t.note("%d invoices paid, and the provider's own books agree: %d captures, %s USD.", paid, captures, amount(total))
	return nil
}
