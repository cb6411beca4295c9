package payments

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/monthly"
	"perennial/billing/payment"
	"perennial/billing/reconciliation"
	"perennial/db"
	"perennial/providers/settlement"
	"perennial/service/usecase"
)

const (
	// settledPage is the number of entries, and of payments, that are looked up at once.
	settledPage = 500
	// maxSettled bounds the entries of one comparison. About 100 bytes of each are kept until the end, to know which
	// payments no entry was about.
	maxSettled = 2_000_000
)

// ErrTooManyEntries refuses more than can be remembered.
var ErrTooManyEntries = fault.InvalidParam("file", "settlement_too_large",
	"The files have more than 2,000,000 entries. Compare the accounts of the provider apart.")

// SettledInput names the files of a provider, and the month whose payments they should have.
type SettledInput struct {
	Provider string
	From, To time.Time
	Files    []*settlement.Reader
	// Found is called with each difference as it is found; an error ends the comparison.
	Found func(reconciliation.Difference) error
	// Progress is told the number of entries so far; nil: it is not.
	Progress func(entries int)
}

// Settled compares the files of a provider with the payments of a month: each entry with its payment, of whatever
// month, and then each payment of the month that no entry was about. In memory is a page of entries, and which payments
// had one. Faults: settlement_unreadable, settlement_too_large.
func (s *Service) Settled(
	ctx context.Context, by usecase.Caller, in SettledInput,
) (reconciliation.Summary, error) {
	c := settling{in: in, seen: map[string]struct{}{}, environmentID: by.EnvironmentID}
	err := s.Store.OneMoment(ctx, func(all db.Reader) error {
		c.all = all
		for _, file := range in.Files {
			if err := c.file(ctx, file); err != nil {
				return err
			}
		}
		return c.absent(ctx)
	})
	return c.summary, err
}

// settling is one comparison under way.
type settling struct {
	in            SettledInput
	all           db.Reader
	environmentID string
	summary       reconciliation.Summary
	seen          map[string]struct{} // what entries were about: reconciliation.Entry.Accounts
}

// file compares the entries of a file, a page at a time.
func (c *settling) file(ctx context.Context, file *settlement.Reader) error {
	var page []reconciliation.Entry
	for end := false; !end; {
		row, err := file.Next()
		switch {
		case errors.Is(err, io.EOF):
			end = true
		case err != nil:
			return err
		default:
			page = append(page, entryOf(row))
		}
		if len(page) < settledPage && !end {
			continue
		}
		if err := c.compare(ctx, page); err != nil {
			return err
		}
		page = page[:0]
		if c.summary.Entries > maxSettled {
			return ErrTooManyEntries
		}
		if c.in.Progress != nil {
			c.in.Progress(c.summary.Entries)
		}
	}
	return nil
}

func entryOf(r settlement.Row) reconciliation.Entry {
	return reconciliation.Entry{
		Line: r.Line, Kind: reconciliation.Kind(r.Kind), Type: r.Type, Reference: r.Reference, ChargeRef: r.ChargeRef,
		PaymentID: r.PaymentID, Amount: r.Amount, Currency: r.Currency, Fee: r.Fee, Gross: r.Gross, Net: r.Net,
		SettledCurrency: r.SettledCurrency, Summed: r.Summed, Problem: r.Problem,
	}
}

// compare compares a page of entries.
func (c *settling) compare(ctx context.Context, page []reconciliation.Entry) error {
	known, err := c.lookUp(ctx, page)
	if err != nil {
		return err
	}
	for _, e := range page {
		c.summary.Entry(e)
		found := known.of(e)
		found.Accounted = func(key string) bool { _, seen := c.seen[key]; return seen }
		differences, accounted := reconciliation.Compare(e, found)
		for _, id := range accounted {
			key := e.Accounts(id)
			if found.Accounted(key) {
				differences = append(differences, reconciliation.Repeated(e, known.byID[id]))
			}
			c.seen[key] = struct{}{}
			if t := known.byID[id]; t != nil && !c.ofMonth(*t) {
				c.summary.Earlier++
			}
		}
		if err := c.say(differences...); err != nil {
			return err
		}
	}
	return nil
}

func (c *settling) ofMonth(t payment.Transaction) bool {
	at := t.CompletedAt
	return !at.Before(c.in.From) && at.Before(c.in.To)
}

func (c *settling) say(differences ...reconciliation.Difference) error {
	for _, d := range differences {
		c.summary.Add(d)
		if err := c.in.Found(d); err != nil {
			return err
		}
	}
	return nil
}

// knowledge has the payments here that a page of entries may be about.
type knowledge struct {
	byID    map[string]*payment.Transaction
	byRef   map[string]*payment.Transaction // by type and the provider's reference
	refunds map[string][]payment.Transaction
}

// lookUp reads the payments that entries name.
func (c *settling) lookUp(ctx context.Context, page []reconciliation.Entry) (knowledge, error) {
	k := knowledge{
		byID: map[string]*payment.Transaction{}, byRef: map[string]*payment.Transaction{},
		refunds: map[string][]payment.Transaction{},
	}
	var refs, ids []string
	for _, e := range page {
		for _, ref := range []string{e.Reference, e.ChargeRef} {
			if ref != "" {
				refs = append(refs, ref)
			}
		}
		if e.PaymentID != "" {
			ids = append(ids, e.PaymentID)
		}
	}
	found, err := c.all.Payments.OfProvider(ctx, c.environmentID, c.in.Provider, refs, ids)
	if err != nil {
		return k, err
	}
	var disputed []string
	for _, t := range found {
		k.add(t)
	}
	for _, e := range page { // few are about money that went back without us
		switch e.Kind {
		case reconciliation.Dispute, reconciliation.DisputeReversed, reconciliation.ChargeReversed:
			if t := k.charge(e); t != nil {
				disputed = append(disputed, t.ID)
			}
		default:
		}
	}
	if len(disputed) == 0 {
		return k, nil
	}
	back, err := c.all.Payments.RefundsOf(ctx, c.environmentID, slices.Compact(slices.Sorted(slices.Values(disputed))))
	for _, t := range back {
		k.add(t)
		k.refunds[t.ChargeID] = append(k.refunds[t.ChargeID], t)
	}
	return k, err
}

// add notes a payment. Of a canceled charge and the success that it became, the success is the provider's charge.
func (k knowledge) add(t payment.Transaction) {
	k.byID[t.ID] = &t
	key := string(t.Type) + " " + t.ProviderRef
	if t.ProviderRef == "" || k.byRef[key] != nil && t.Status != payment.Success {
		return
	}
	k.byRef[key] = &t
}

// charge returns the charge that an entry is about; nil: there is none here.
func (k knowledge) charge(e reconciliation.Entry) *payment.Transaction {
	ref := e.Reference
	if e.ChargeRef != "" {
		ref = e.ChargeRef
	}
	if t := k.byRef[string(payment.Charge)+" "+ref]; t != nil {
		return t
	}
	if t := k.byID[e.PaymentID]; t != nil && t.Type == payment.Charge {
		return t
	}
	return nil
}

func (k knowledge) of(e reconciliation.Entry) reconciliation.Found {
	f := reconciliation.Found{Charge: k.charge(e), Refund: k.byRef[string(payment.Refund)+" "+e.Reference]}
	if t := k.byID[e.PaymentID]; f.Refund == nil && t != nil && t.Type == payment.Refund {
		f.Refund = t
	}
	if f.Charge != nil {
		f.Refunds = k.refunds[f.Charge.ID]
	}
	return f
}

// absent names the payments of the month that no entry was about.
func (c *settling) absent(ctx context.Context) error {
	for _, movement := range []monthly.Movement{monthly.Collected, monthly.Refunded} {
		f := db.MonthFilter{Movement: movement, From: c.in.From, To: c.in.To, Oldest: true}
		page := db.Page{Limit: settledPage}
		for more := true; more; {
			payments, hasMore, err := c.all.Invoices.MonthPayments(ctx, c.environmentID, f, page)
			if err != nil {
				return err
			}
			for _, p := range payments {
				page.StartingAfter = p.ID
				if err := c.count(p); err != nil {
					return err
				}
			}
			more = hasMore
		}
	}
	return nil
}

func (c *settling) count(p monthly.Payment) error {
	if p.Provider != c.in.Provider {
		return nil
	}
	c.summary.Payments++
	if _, seen := c.seen[p.ID]; seen {
		c.summary.Accounted++
		return nil
	}
	return c.say(reconciliation.Absent(payment.Transaction{
		ID: p.ID, Type: typeOf(p), ProviderRef: p.ProviderRef, Amount: p.Amount, Currency: p.Currency,
	}, p.At))
}

func typeOf(p monthly.Payment) payment.Type {
	if p.Movement == monthly.Collected {
		return payment.Charge
	}
	return payment.Refund
}
