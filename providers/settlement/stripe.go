package settlement

import "perennial/billing/money"

// stripe reads the itemized "Balance change from activity" (report types balance_change_from_activity.itemized.*) and
// "Payout reconciliation" (payout_reconciliation.itemized.*) reports. Amounts are in major units with a sign; gross,
// fee and net are in the currency of the settlement, and customer_facing_amount is what the customer saw.
//
// Sources: https://docs.stripe.com/reports/report-types/balance (columns),
// https://docs.stripe.com/reports/reporting-categories (categories).
var stripe = dialect{
	required: []string{"reporting_category", "currency", "gross", "fee", "net", "source_id", "payment_intent_id"},
	source:   "https://docs.stripe.com/reports/balance (itemized)",
	read:     readStripe,
}

// stripeKinds are the reporting categories that are about charges and refunds, and those that certainly are not.
// Others, such as those of Connect, are not understood and say so.
var stripeKinds = map[string]string{
	"charge": charge, "charge_failure": chargeReversed, "partial_capture_reversal": chargeReversed,
	"refund": refund, "refund_failure": refundReturned, "dispute": dispute, "dispute_reversal": disputeReversed,
	"fee": fee, "network_cost": fee, "tax": fee,
	"payout": other, "payout_reversal": other, "payout_minimum_balance_hold": other,
	"payout_minimum_balance_release": other,
	"topup":                          other, "topup_reversal": other, "risk_reserved_funds": other,
}

func readStripe(r record) (row Row, err error) {
	row.Type = r.text("reporting_category")
	if row.Kind = stripeKinds[row.Type]; row.Kind == "" {
		row.Kind = unknown
	}
	if row.SettledCurrency, err = r.currency("currency"); err != nil {
		return row, err
	}
	signed, err := sums(r, &row, "gross", "fee", "net")
	if err != nil {
		return row, err
	}
	row.Amount, row.Currency = absolute(signed), row.SettledCurrency
	if row.Kind == fee { // a gross below zero is what Stripe takes
		row.Amount = -signed
	} else if text := r.text("customer_facing_currency"); text != "" && r.text("customer_facing_amount") != "" {
		if row.Currency, err = r.currency("customer_facing_currency"); err != nil {
			return row, err
		}
		seen, err := r.amount("customer_facing_amount", row.Currency)
		if err != nil {
			return row, err
		}
		row.Amount = absolute(seen)
	}
	switch row.Reference = r.text("source_id"); row.Kind {
	case charge, chargeReversed: // our reference of a charge is its payment intent
		if intent := r.text("payment_intent_id"); intent != "" {
			row.Reference = intent
		}
	default:
		row.ChargeRef = r.text("payment_intent_id")
	}
	return row, nil
}

// sums reads what the file adds up, and returns the gross with its sign.
func sums(r record, row *Row, gross, charged, net string) (signed money.Minor, err error) {
	if row.Gross, err = r.amount(gross, row.SettledCurrency); err != nil {
		return 0, err
	}
	if row.Fee, err = r.amount(charged, row.SettledCurrency); err != nil {
		return 0, err
	}
	row.Net, err = r.amount(net, row.SettledCurrency)
	row.Summed = r.text(net) != ""
	return row.Gross, err
}
