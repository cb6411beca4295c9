package reconciliation

import (
	"cmp"
	"maps"
	"slices"

	"perennial/billing/money"
)

// Summary counts a comparison.
type Summary struct {
	Entries     int // of the file
	Payments    int // of the month, here
	Accounted   int // of them, that the file has
	Earlier     int // entries about payments of other months
	Differences map[Code]int
	Sums        map[money.Currency]*Sums
}

// Sums are the sums of a file in one currency of the payments, in minor units; fees are in that of the settlement.
type Sums struct {
	Charged, Refunded, Disputed money.Minor
	Fees                        money.Minor // of the entries, and those without a payment
}

// Entry counts an entry of the file. Fees are known from the file alone: payments here have none.
func (s *Summary) Entry(e Entry) {
	s.Entries++
	if e.Problem != "" {
		return
	}
	if e.Currency != "" {
		of := s.of(e.Currency)
		switch e.Kind {
		case Charge:
			of.Charged += e.Amount
		case ChargeReversed:
			of.Charged -= e.Amount
		case Refund:
			of.Refunded += e.Amount
		case RefundReturned:
			of.Refunded -= e.Amount
		case Dispute:
			of.Disputed += e.Amount
		case DisputeReversed:
			of.Disputed -= e.Amount
		case Fee:
			of.Fees += e.Amount
		case Other, Unknown:
		}
	}
	if e.Fee != 0 && e.Kind != Other {
		s.of(cmp.Or(e.SettledCurrency, e.Currency)).Fees += e.Fee
	}
}

func (s *Summary) of(c money.Currency) *Sums {
	if s.Sums == nil {
		s.Sums = map[money.Currency]*Sums{}
	}
	if s.Sums[c] == nil {
		s.Sums[c] = &Sums{}
	}
	return s.Sums[c]
}

// Add counts a difference.
func (s *Summary) Add(d Difference) {
	if s.Differences == nil {
		s.Differences = map[Code]int{}
	}
	s.Differences[d.Code]++
}

// Codes returns the codes of the differences, sorted.
func (s *Summary) Codes() []Code { return slices.Sorted(maps.Keys(s.Differences)) }

// Currencies returns the currencies of the file, sorted.
func (s *Summary) Currencies() []money.Currency { return slices.Sorted(maps.Keys(s.Sums)) }
