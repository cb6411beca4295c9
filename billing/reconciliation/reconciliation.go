// Package reconciliation owns the comparison of what a payment provider settled with what was booked here: which entry
// of the provider is which payment, and every difference by its kind. It does not own the files of providers
// (providers/settlement), nor where payments are read.
package reconciliation

import (
	"time"

	"perennial/billing/money"
	"perennial/billing/payment"
)

// Kind is the kind of an entry of the provider.
type Kind string

// The kinds.
const (
	Charge          Kind = "charge"
	ChargeReversed  Kind = "charge_reversed" // a part that was not captured, or a charge that failed after all
	Refund          Kind = "refund"
	RefundReturned  Kind = "refund_returned"
	Dispute         Kind = "dispute" // money that a bank took back
	DisputeReversed Kind = "dispute_reversed"
	Fee             Kind = "fee"   // of no payment
	Other           Kind = "other" // no payment: a payout, a transfer
	Unknown         Kind = "unknown"
)

// Entry is one entry of the provider. Amounts are in minor units and not below zero. A fee, and the amount of an entry
// that is one, is below zero where the provider gave it back.
type Entry struct {
	Line      int    // in the file, from 1
	Kind      Kind   // as understood
	Type      string // as the file says
	Reference string // the provider's id of the charge, the refund or the dispute; empty: not said
	ChargeRef string // of a refund or a dispute: the provider's id of its charge; empty: not said
	PaymentID string // our id, where the file has it
	Amount    money.Minor
	Currency  money.Currency
	// Fee and what the provider adds up, in the currency of the settlement; Summed: the file says all three.
	Fee             money.Minor
	Gross           money.Minor
	Net             money.Minor
	SettledCurrency money.Currency
	Summed          bool
	Problem         string // why the entry cannot be read; empty: it can
}

// Difference is one difference, by what is to be looked into.
type Difference struct {
	Code      Code
	Line      int       // of the file; 0: it is not in the file
	Reference string    // the provider's id
	PaymentID string    // ours; empty: it is not with us
	At        time.Time // when it was booked here; zero: it is not with us
	Theirs    Amount    // in the file
	Ours      Amount    // here
	Detail    string    // for people: what differs, and what to look at
}

// Amount is an amount of a currency; without a currency there is none.
type Amount struct {
	Amount   money.Minor
	Currency money.Currency
}

// Code is the code of a difference.
type Code string

// The codes.
const (
	ChargeNotWithUs    Code = "charge_not_with_us"
	RefundNotWithUs    Code = "refund_not_with_us"
	DisputeNotWithUs   Code = "dispute_not_with_us"
	ChargeNotInFile    Code = "charge_not_in_file"
	RefundNotInFile    Code = "refund_not_in_file"
	DisputeNotInFile   Code = "dispute_not_in_file"
	AmountDiffers      Code = "amount_differs"
	CurrencyDiffers    Code = "currency_differs"
	StatusDiffers      Code = "status_differs"
	RefundNotReturned  Code = "refund_not_returned_with_us"
	ChargeReversedThey Code = "charge_reversed_by_provider"
	FeeDiffers         Code = "fee_differs" // gross less fee is not net, by the file's own figures
	Twice              Code = "twice_in_file"
	NotUnderstood      Code = "not_understood"
)

// Found are the payments here that an entry may be.
type Found struct {
	Charge  *payment.Transaction // the charge of the entry; nil: not with us
	Refund  *payment.Transaction // the refund of the entry; nil: not with us
	Refunds []payment.Transaction
	// Accounted says whether an earlier entry accounted for a payment, by the key of Accounts; nil: none did.
	Accounted func(key string) bool
}

// Accounts returns the key under which an entry accounts for a payment. Money that came back is another entry about the
// same payment, and accounts for that alone, whichever of the two the file has first.
func (e Entry) Accounts(paymentID string) string {
	if e.Kind == RefundReturned || e.Kind == DisputeReversed {
		return paymentID + "+"
	}
	return paymentID
}

// Compare returns the differences of an entry, and the ids of the payments that it accounts for. An entry of no payment
// has only its own figures.
func Compare(e Entry, f Found) (differences []Difference, accounted []string) {
	c := comparison{e: e}
	switch {
	case e.Problem != "":
		c.say(NotUnderstood, nil, e.Problem)
		return c.all, nil
	case e.Kind == Unknown:
		c.say(NotUnderstood, nil, "The type `"+e.Type+"` is unknown, so that it was not compared. Compare it by hand.")
	case e.Kind == Charge:
		c.charge(f.Charge)
	case e.Kind == ChargeReversed:
		c.chargeReversed(f)
	case e.Kind == Refund, e.Kind == RefundReturned:
		c.refund(f.Refund)
	case e.Kind == Dispute, e.Kind == DisputeReversed:
		c.dispute(f)
	}
	if e.Summed && e.Gross-e.Fee != e.Net {
		c.say(FeeDiffers, nil, "In the file, gross less fee is not net: the provider kept another fee than it names.")
	}
	return c.all, c.accounted
}

// comparison is that of one entry.
type comparison struct {
	e         Entry
	all       []Difference
	accounted []string
}

// say adds a difference to a payment; nil: to none.
func (c *comparison) say(code Code, t *payment.Transaction, detail string) {
	d := Difference{Code: code, Line: c.e.Line, Reference: c.e.Reference, Detail: detail}
	if d.Reference == "" {
		d.Reference = c.e.ChargeRef
	}
	if c.e.Currency != "" {
		d.Theirs = Amount{c.e.Amount, c.e.Currency}
	}
	if t != nil {
		d.PaymentID, d.At, d.Ours = t.ID, t.CompletedAt, Amount{t.Amount, t.Currency}
	}
	c.all = append(c.all, d)
}

func (c *comparison) charge(t *payment.Transaction) {
	if t == nil {
		c.say(ChargeNotWithUs, nil,
			"The provider settled a charge that is not booked here. Another program may use the account.")
		return
	}
	c.accounted = append(c.accounted, t.ID)
	if t.Status != payment.Success {
		c.say(StatusDiffers, t, "The provider settled it, and here it is "+string(t.Status)+
			". Check it at the provider, and resolve it.")
	}
	c.amount(t)
}

// amount compares the amounts where the currencies are the same.
func (c *comparison) amount(t *payment.Transaction) {
	switch {
	case t.Currency != c.e.Currency:
		c.say(CurrencyDiffers, t, "The currencies differ.")
	case t.Amount != c.e.Amount:
		c.say(AmountDiffers, t, "The amounts differ.")
	}
}

func (c *comparison) refund(t *payment.Transaction) {
	if t == nil {
		c.say(RefundNotWithUs, nil,
			"The provider gave money back that is not booked here. It may have been refunded at its dashboard.")
		return
	}
	c.accounted = append(c.accounted, t.ID)
	switch {
	case c.e.Kind == RefundReturned && t.ReturnedAt.IsZero() && t.Status == payment.Refunded:
		c.say(RefundNotReturned, t, "The money of the refund came back at the provider, and here it did not.")
	case c.e.Kind == Refund && t.Status != payment.Refunded:
		c.say(StatusDiffers, t, "The provider gave the money back, and here the refund is "+string(t.Status)+".")
	}
	c.amount(t)
}

// chargeReversed compares money of a charge that the provider took back: here it is a refund without a reference.
func (c *comparison) chargeReversed(f Found) {
	if back := booked(f, c.e); back != nil {
		c.accounted = append(c.accounted, back.ID)
		return
	}
	c.say(ChargeReversedThey, f.Charge, "The provider took a charge or a part of it back, and here it is captured.")
}

// dispute compares what a bank took because of a dispute: here it is a refund of the charge without a reference.
func (c *comparison) dispute(f Found) {
	switch t := f.Charge; {
	case t == nil:
		c.say(DisputeNotWithUs, nil, "A bank took money of a charge that is not booked here.")
	case len(t.Disputes) == 0:
		c.say(DisputeNotWithUs, t, "A bank took money of this charge because of a dispute that is not known here.")
	default:
		back := booked(f, c.e)
		switch {
		case back == nil && c.e.Kind == DisputeReversed:
			c.say(AmountDiffers, t, "The bank gave money back because of a dispute, and here it had taken no such amount.")
		case back == nil:
			c.say(AmountDiffers, t, "The bank took another amount because of the dispute than is booked here.")
		case c.e.Kind == DisputeReversed && back.ReturnedAt.IsZero():
			c.accounted = append(c.accounted, back.ID)
			c.say(RefundNotReturned, back, "The bank gave the money of the dispute back, and here it did not.")
		default:
			c.accounted = append(c.accounted, back.ID)
		}
	}
}

// booked returns the refund without a provider's reference that books an entry's amount; nil: none does. A charge may
// have several over the same amount: one that no earlier entry accounted for comes first, and of those one that came
// back where the entry says that money did.
func booked(f Found, e Entry) (best *payment.Transaction) {
	rank := 0
	for i := range f.Refunds {
		r := &f.Refunds[i]
		if r.ProviderRef != "" || r.Status != payment.Refunded || r.Amount != e.Amount || r.Currency != e.Currency {
			continue
		}
		of := 1
		if f.Accounted == nil || !f.Accounted(e.Accounts(r.ID)) {
			of += 2
		}
		if e.Kind == DisputeReversed && !r.ReturnedAt.IsZero() {
			of++
		}
		if of > rank {
			best, rank = r, of
		}
	}
	return best
}

// Absent returns the difference of a payment of the month that no entry accounts for.
func Absent(t payment.Transaction, at time.Time) Difference {
	d := Difference{
		Code: ChargeNotInFile, Reference: t.ProviderRef, PaymentID: t.ID, At: at, Ours: Amount{t.Amount, t.Currency},
		Detail: "It is booked here and is not in the file. Of the month's last days, it may be in the next file.",
	}
	switch {
	case t.Type == payment.Refund && t.ProviderRef == "":
		d.Code = DisputeNotInFile
	case t.Type == payment.Refund:
		d.Code = RefundNotInFile
	}
	return d
}

// Repeated returns the difference of an entry that the file has once more.
func Repeated(e Entry, t *payment.Transaction) Difference {
	c := comparison{e: e}
	c.say(Twice, t, "The file has this entry more than once, so that its amount may count twice.")
	return c.all[0]
}
