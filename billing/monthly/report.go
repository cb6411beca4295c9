package monthly

import (
	"cmp"
	"maps"
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Sums are the sums of some documents, in minor units: Gross = Net + Tax.
type Sums struct {
	Count     int
	Net       money.Minor
	Tax       money.Minor // added to the lines, and contained in them
	Contained money.Minor // of Tax: contained in the prices
	Gross     money.Minor
}

func (s *Sums) add(w Worth) {
	s.Count++
	s.Net += w.Net()
	s.Tax += w.Tax()
	s.Contained += w.Contained()
	s.Gross += w.Gross
}

// Moved is money of one provider.
type Moved struct {
	Provider  string // external: outside Perennial
	Payments  int
	Refunds   int
	Returns   int
	Collected money.Minor
	Refunded  money.Minor
	Returned  money.Minor // of refunds, this month or before
}

// Net returns what came in less what went back.
func (m Moved) Net() money.Minor { return m.Collected - m.Refunded + m.Returned }

// Section has the figures of one currency, in minor units.
type Section struct {
	Currency      money.Currency
	Issued        Sums
	Voided        Sums // of this month or earlier ones
	Uncollectible Sums
	Notes         Sums
	Moved         map[string]*Moved // by provider
	Receivables   Receivables
	Credit        Credit
}

// Sales returns what was invoiced, less what was voided and credited.
func (s Section) Sales() Sums {
	of := func(get func(Sums) money.Minor) money.Minor { return get(s.Issued) - get(s.Voided) - get(s.Notes) }
	return Sums{
		Count: s.Issued.Count - s.Voided.Count,
		Net:   of(func(s Sums) money.Minor { return s.Net }), Tax: of(func(s Sums) money.Minor { return s.Tax }),
		Contained: of(func(s Sums) money.Minor { return s.Contained }),
		Gross:     of(func(s Sums) money.Minor { return s.Gross }),
	}
}

// Providers returns the money by provider, sorted by name.
func (s Section) Providers() (all []Moved) {
	for _, name := range slices.Sorted(maps.Keys(s.Moved)) {
		all = append(all, *s.Moved[name])
	}
	return all
}

// Report adds the documents of one month up. The zero value is empty. Documents come in any order, each once.
type Report struct {
	sections map[money.Currency]*Section
	taxes    map[taxKey]*TaxRow
}

// of returns the section of a currency.
func (r *Report) of(c money.Currency) *Section {
	if r.sections == nil {
		r.sections = map[money.Currency]*Section{}
	}
	s := r.sections[c]
	if s == nil {
		s = &Section{
			Currency: c, Moved: map[string]*Moved{}, Credit: Credit{ByReason: map[invoice.CreditReason]money.Minor{}},
		}
		r.sections[c] = s
	}
	return s
}

// Sections returns the figures by currency, sorted by code.
func (r *Report) Sections() []Section {
	all := make([]Section, 0, len(r.sections))
	for _, s := range r.sections {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Section) int { return cmp.Compare(a.Currency, b.Currency) })
	return all
}

// Invoice adds a movement of an invoice. A void takes back what credit notes had left of the invoice, in the month of
// the void.
func (r *Report) Invoice(i Invoice) {
	s, counts := r.of(i.Currency), i.Counts()
	switch i.Movement {
	case Issued:
		s.Issued.add(counts)
		r.tax(counts, func(t *TaxRow) *TaxSums { return &t.Issued })
		s.Receivables.Invoiced += i.Asked
	case Voided:
		s.Voided.add(counts)
		r.tax(counts, func(t *TaxRow) *TaxSums { return &t.Voided })
		s.Receivables.Voided += i.Asked - i.CreditedDue
	case Uncollectible:
		s.Uncollectible.add(counts)
		s.Receivables.Uncollectible += i.Outstanding
	case Collected, Refunded, Returned: // of payments
	}
}

// Note adds a credit note.
func (r *Report) Note(n Note) {
	s := r.of(n.Currency)
	s.Notes.add(n.Worth)
	r.tax(n.Worth, func(t *TaxRow) *TaxSums { return &t.Credited })
	s.Receivables.Credited += n.Due
}

// Settlement adds the payment of an invoice.
func (r *Report) Settlement(p Settlement) {
	s := r.of(p.Currency)
	s.Receivables.Paid += p.Amount
	if p.WrittenOff {
		s.Receivables.Recovered += p.Amount
	}
}

// Payment adds money that moved.
func (r *Report) Payment(p Payment) {
	s := r.of(p.Currency)
	m := s.Moved[p.Provider]
	if m == nil {
		m = &Moved{Provider: p.Provider}
		s.Moved[p.Provider] = m
	}
	switch p.Movement {
	case Collected:
		m.Payments, m.Collected = m.Payments+1, m.Collected+p.Amount
	case Refunded:
		m.Refunds, m.Refunded = m.Refunds+1, m.Refunded+p.Amount
	case Returned:
		m.Returns, m.Returned = m.Returns+1, m.Returned+p.Amount
	case Issued, Voided, Uncollectible: // of invoices
	}
}

// Entry adds an entry of a customer's credit, and what it changes of the receivables.
func (r *Report) Entry(e Entry) {
	s := r.of(e.Currency)
	s.Credit.ByReason[e.Reason] += e.Amount
	switch e.Reason {
	case invoice.CreditApplied, invoice.CreditSettled, invoice.CreditReturned:
		s.Receivables.CreditUsed -= e.Amount
	case invoice.CreditCarriedForward, invoice.CreditBroughtForward:
		s.Receivables.Carried -= e.Amount
	default: // it pays for no invoice
	}
}
