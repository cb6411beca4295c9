package hosted_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/hosted"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func charge(status payment.Status, age time.Duration) payment.Transaction {
	return payment.Transaction{Type: payment.Charge, Status: status, CreatedAt: now.Add(-age)}
}

func TestState(t *testing.T) {
	t.Parallel()
	open := invoice.Invoice{Status: invoice.Open}
	asked := charge(payment.Pending, time.Minute)
	asked.Action = payment.Action{Token: "t", URL: "https://bank.example", ExpiresAt: now.Add(time.Hour)}
	late := asked
	late.Action.ExpiresAt = now
	prompted := charge(payment.Pending, time.Minute)
	prompted.Method.Type = "mobile_money_mtn"
	failed := func(many int, oldest time.Duration) (all []payment.Transaction) {
		for n := range many {
			all = append(all, charge(payment.Declined, oldest*time.Duration(n+1)/time.Duration(many)))
		}
		return all
	}
	five := func(oldest time.Duration) []payment.Transaction { return failed(5, oldest) }
	closed := now.AddDate(0, 0, -30)
	for name, c := range map[string]struct {
		facts hosted.Facts
		want  hosted.State
	}{
		"nobody has paid":               {hosted.Facts{Invoice: open}, hosted.Payable},
		"the last payment failed":       {hosted.Facts{Invoice: open, Attempts: five(5 * time.Hour)[:1]}, hosted.Payable},
		"a payment is under way":        {hosted.Facts{Invoice: open, Attempts: []payment.Transaction{charge(payment.Pending, 0)}}, hosted.Waiting},
		"the bank asks the payer":       {hosted.Facts{Invoice: open, Attempts: []payment.Transaction{asked}}, hosted.Confirm},
		"the bank asked too long ago":   {hosted.Facts{Invoice: open, Attempts: []payment.Transaction{late}}, hosted.Waiting},
		"the phone asks the payer":      {hosted.Facts{Invoice: open, Attempts: []payment.Transaction{prompted}}, hosted.Prompt},
		"five failed within the hour":   {hosted.Facts{Invoice: open, Attempts: five(59 * time.Minute)}, hosted.Resting},
		"the fifth was an hour ago":     {hosted.Facts{Invoice: open, Attempts: five(time.Hour)}, hosted.Payable},
		"fifteen failed within a day":   {hosted.Facts{Invoice: open, Attempts: failed(hosted.Looked, 23*time.Hour)}, hosted.Resting},
		"the fifteenth was a day ago":   {hosted.Facts{Invoice: open, Attempts: failed(hosted.Looked, 24*time.Hour)}, hosted.Payable},
		"four failed":                   {hosted.Facts{Invoice: open, Attempts: five(time.Minute)[:4]}, hosted.Payable},
		"paid":                          {hosted.Facts{Invoice: invoice.Invoice{Status: invoice.Paid, PaidAt: closed}}, hosted.Paid},
		"void":                          {hosted.Facts{Invoice: invoice.Invoice{Status: invoice.Void, VoidedAt: closed}}, hosted.Ended},
		"given up":                      {hosted.Facts{Invoice: invoice.Invoice{Status: invoice.Uncollectible, UncollectibleAt: closed}}, hosted.Ended},
		"taken back":                    {hosted.Facts{Invoice: invoice.Invoice{Status: invoice.TakenBack}}, hosted.Ended},
		"paid, and the link has a day":  {hosted.Facts{LinkDays: 31, Invoice: invoice.Invoice{Status: invoice.Paid, PaidAt: closed}}, hosted.Paid},
		"paid 30 days ago":              {hosted.Facts{LinkDays: 30, Invoice: invoice.Invoice{Status: invoice.Paid, PaidAt: closed}}, hosted.Expired},
		"void 30 days ago":              {hosted.Facts{LinkDays: 30, Invoice: invoice.Invoice{Status: invoice.Void, VoidedAt: closed}}, hosted.Expired},
		"given up, and paid since then": {hosted.Facts{LinkDays: 30, Invoice: invoice.Invoice{Status: invoice.Paid, UncollectibleAt: closed, PaidAt: now}}, hosted.Paid},
		"open for ever":                 {hosted.Facts{LinkDays: 1, Invoice: open}, hosted.Payable},
	} {
		c.facts.Now, c.facts.Real = now, now
		require.Equal(t, c.want, c.facts.State(), name)
		err := c.facts.Payable()
		require.Equal(t, c.want == hosted.Payable, err == nil, name)
	}
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	open := invoice.Invoice{Status: invoice.Open}
	for status, want := range map[payment.Status]bool{
		payment.Declined: true, payment.Failed: true, payment.Canceled: false, payment.Pending: false, payment.Success: false,
	} {
		facts := hosted.Facts{Invoice: open, Attempts: []payment.Transaction{charge(status, 0)}}
		require.Equal(t, want, facts.Declined(), status)
		facts.Invoice.Status = invoice.Paid
		require.False(t, facts.Declined())
	}
	require.False(t, hosted.Facts{Invoice: open}.Declined())
}
