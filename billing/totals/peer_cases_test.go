package totals_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/money"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfTotals(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "e_totals",
		Readers: map[string]peercases.Reader{
			"round_amount":            peercases.NewReader(checkRoundAmount),
			"unit_amount":             peercases.NewReader(checkUnitAmount),
			"currency_decimals":       peercases.NewReader(checkCurrencyDecimals),
			"subtotal":                peercases.NewReader(checkSubtotal),
			"true_up":                 peercases.NewReader(checkTrueUp),
			"discount":                peercases.NewReader(checkDiscount),
			"line_discounts":          peercases.NewReader(checkTotals),
			"totals":                  peercases.NewReader(checkTotals),
			"coupon_amount":           peercases.NewReader(checkCouponAmount),
			"coupon_totals":           peercases.NewReader(checkCouponTotals),
			"coupon_lifecycle":        peercases.NewReader(checkCouponLifecycle),
			"coupon_redemptions":      peercases.NewReader(checkRedemptions),
			"tax":                     peercases.NewReader(checkTax),
			"tax_sum":                 peercases.NewReader(checkTax),
			"taxes_on_fees":           peercases.NewReader(checkTaxesOnFees),
			"precise_fees":            peercases.NewReader(checkPreciseFees),
			"credit_note":             peercases.NewReader(checkCreditNote),
			"credit_note_over_fees":   peercases.NewReader(checkCreditNoteOverFees),
			"credit_notes_on_invoice": peercases.NewReader(checkCreditNotesOnInvoice),
			"termination_invoice":     peercases.NewReader(checkTerminationInvoice),
			"wallets_on_invoice":      peercases.NewReader(checkWallets),
		},
		Excluded: []peercases.Exclusion{
			{When: inOtherDecimals, Reason: "not an ISO 4217 currency, or not with its ISO decimals"},
			{
				Kind: "allocate", Reason: "amounts are divided by cumulative rounding (docs/rounding.md), not by largest remainder",
			},
			{Kind: "discount", When: finerThanCurrency, Reason: "a price is rounded before a discount is taken off"},
			{
				Rule: "round-each-tax-then-sum", When: roundsEachTax,
				Reason: "each tax is rounded by itself; ours rounds the sum of an invoice once",
			},
			{
				Rule: "lago-coupons-before-tax", When: averageOfNothing,
				Reason: "shows the mean of rates on an empty invoice; ours shows rates",
			},
			{Rule: "coupon-frequency", When: partlyUsed, Reason: "what a coupon for one invoice leaves unused lapses"},
			{Rule: "once-per-invoice", Reason: "a coupon is redeemed for a subscription, not by each of its lines"},
			{Rule: "credit-in-line-order", Reason: "credit is taken off the total, which no line has a part of"},
			{
				Rule: "lago-credit-note-before-total", When: refundsPartly,
				Reason: "an invoice that is paid in part is open, and a note reduces what is due of it before money goes back",
			},
			{Kind: "credit_note_over_fees", When: discountsOfFees, Reason: "fees with discounts of their own, not by a coupon"},
			{Rule: "wallets-by-priority-then-age", When: limitedWallets, Reason: "credit is not limited to kinds of lines"},
		},
	}.Run(t)
}

// finerThanCurrency finds prices with parts of a minor unit.
func finerThanCurrency(c peercases.Case) bool {
	var in struct {
		Price    money.Decimal
		Currency money.Currency
	}
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	m, err := in.Price.Round(in.Currency)
	return err == nil && money.Units(m, in.Currency).Cmp(in.Price) != 0
}

// roundsEachTax finds cases with several rates of which a single one gives no whole amount: there the two rules can
// differ.
func roundsEachTax(c peercases.Case) bool {
	var in taxInput
	if json.Unmarshal(c.Input, &in) != nil || len(in.Rates) < 2 {
		return false
	}
	for _, rate := range in.Rates {
		exact := in.Taxable.Mul(rate.Hundredth())
		m, err := exact.Round(in.Currency)
		if err != nil || money.Units(m, in.Currency).Cmp(exact) != 0 {
			return true
		}
	}
	return false
}

func averageOfNothing(c peercases.Case) bool {
	var in couponTotalsInput
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	var sum money.Minor
	for _, fee := range in.Fees {
		sum += fee.Amount
	}
	var want couponTotalsResult
	return json.Unmarshal(c.Expected, &want) == nil && want.Average != nil && sum == 0
}

func partlyUsed(c peercases.Case) bool {
	var in couponLifecycleInput
	return json.Unmarshal(c.Input, &in) == nil && !in.FullyUsed
}

func refundsPartly(c peercases.Case) bool {
	var in struct {
		Refund bool `json:"refund_mode"`
	}
	return json.Unmarshal(c.Input, &in) == nil && in.Refund
}

func discountsOfFees(c peercases.Case) bool {
	var in creditNoteInput
	return json.Unmarshal(c.Input, &in) == nil && slices.ContainsFunc(in.Fees, func(fee creditNoteFee) bool {
		return fee.Discount != "" && fee.Discount != "0"
	})
}

// checkWallets pays for an invoice with credit grants, in their order: by priority, then by age.
func checkWallets(t *testing.T, in struct {
	Fees []struct {
		Type        string
		Amount, Tax money.Minor
	}
	Wallets []struct {
		Name     string
		Priority int
		Balance  money.Minor
		Types    []string `json:"fee_types"` // limitedWallets decides about it
	}
}, want struct {
	Applied map[string]money.Minor
	Total   *money.Minor `json:"applied_total"`
}) {
	var total money.Minor
	for _, fee := range in.Fees {
		total += fee.Amount + fee.Tax
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var grants []balance.Grant
	for i, w := range in.Wallets { // the oldest first
		grants = append(grants, balance.Grant{
			ID: w.Name, Amount: w.Balance, Left: w.Balance, Priority: w.Priority,
			GivenAt: at.Add(time.Duration(i) * time.Second),
		})
	}
	applied := map[string]money.Minor{}
	for _, use := range balance.Take(grants, total, at.AddDate(0, 0, 1)) {
		applied[use.ID] = use.Amount
	}
	if want.Applied != nil {
		require.Equal(t, want.Applied, applied)
	}
	if want.Total != nil {
		var sum money.Minor
		for _, amount := range applied {
			sum += amount
		}
		require.Equal(t, *want.Total, sum)
	}
}

func limitedWallets(c peercases.Case) bool {
	var in struct {
		Wallets []struct {
			Types []string `json:"fee_types"`
		}
	}
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	for _, wallet := range in.Wallets {
		if len(wallet.Types) > 0 {
			return true
		}
	}
	return false
}
