package settlement

import (
	"regexp"
	"strings"
)

// adyen reads the "Settlement details report". Amounts are in major units: gross in the currency of the payment (GC),
// fees and net in that of the settlement (NC). The Psp Reference is that of the payment, and the Modification Reference
// that of the capture, refund or chargeback. The type says the direction, since which of debit and credit a gross
// stands in differs between the samples.
//
// Sources: https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report
// (columns, types).
var adyen = dialect{
	required: []string{
		"psp reference", "merchant reference", "type", "modification reference", "gross currency", "gross debit (gc)",
		"gross credit (gc)", "net currency", "net debit (nc)", "net credit (nc)",
	},
	source: "https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report",
	read:   readAdyen,
}

var adyenKinds = map[string]string{
	"settled": charge, "settledreversed": chargeReversed, "refunded": refund, "refundedreversed": refundReturned,
	"chargeback": dispute, "secondchargeback": dispute, "chargebackreversed": disputeReversed,
	"fee": fee, "misccosts": fee, "authorisationschemefee": fee, "invoicededuction": fee,
	"merchantpayout": other, "depositcorrection": other, "matchedstatement": other, "bankinstructionreturned": other,
	"internalcompanypayout": other, "balancetransfer": other, "reserveadjustment": other,
}

// adyenFees are the columns of fees. Commission is instead of the others, so that all are added.
var adyenFees = []string{"commission (nc)", "markup (nc)", "scheme fees (nc)", "interchange (nc)"}

// adyenReference is the reference that we give to a payment or a refund: our id and what it is.
var adyenReference = regexp.MustCompile(`^([A-Za-z0-9_]{1,60})-[cruxp][0-9a-f]{12}$`)

func readAdyen(r record) (row Row, err error) {
	row.Type = r.text("type")
	if row.Kind = adyenKinds[strings.ToLower(row.Type)]; row.Kind == "" {
		row.Kind = unknown
	}
	if m := adyenReference.FindStringSubmatch(r.text("merchant reference")); m != nil {
		row.PaymentID = m[1]
	}
	row.Reference = r.text("psp reference")
	if row.Kind != charge && row.Kind != chargeReversed && row.Reference != "" {
		row.ChargeRef, row.Reference = row.Reference, r.text("modification reference")
	}
	if text := r.text("net currency"); text != "" {
		if row.SettledCurrency, err = r.currency("net currency"); err != nil {
			return row, err
		}
		for _, column := range adyenFees {
			part, err := r.amount(column, row.SettledCurrency)
			if err != nil {
				return row, err
			}
			row.Fee += part
		}
	}
	if r.text("gross currency") == "" || row.Kind == fee && row.SettledCurrency != "" { // fees and payouts have a net alone
		return readAdyenNet(r, row)
	}
	if row.Currency, err = r.currency("gross currency"); err != nil {
		return row, err
	}
	debit, err := r.amount("gross debit (gc)", row.Currency)
	if err != nil {
		return row, err
	}
	credit, err := r.amount("gross credit (gc)", row.Currency)
	if err != nil {
		return row, err
	}
	row.Amount = absolute(debit) + absolute(credit)
	return summedAdyen(r, row)
}

// readAdyenNet reads an entry without a gross.
func readAdyenNet(r record, row Row) (Row, error) {
	debit, err := r.amount("net debit (nc)", row.SettledCurrency)
	if err != nil {
		return row, err
	}
	credit, err := r.amount("net credit (nc)", row.SettledCurrency)
	row.Amount, row.Currency, row.Fee = absolute(debit-credit), row.SettledCurrency, 0
	if row.Kind == fee { // a credit gives one back
		row.Amount = debit - credit
	}
	return row, err
}

// summedAdyen adds gross, fee and net where they are in one currency: what a settled payment brings is its gross less
// the fees.
func summedAdyen(r record, row Row) (Row, error) {
	if row.Kind != charge || row.Currency != row.SettledCurrency {
		return row, nil
	}
	debit, err := r.amount("net debit (nc)", row.SettledCurrency)
	if err != nil {
		return row, err
	}
	credit, err := r.amount("net credit (nc)", row.SettledCurrency)
	row.Gross, row.Net, row.Summed = row.Amount, absolute(credit-debit), true
	return row, err
}
