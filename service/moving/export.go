package moving

import (
	"cmp"
	"context"
	"io"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/moving"
	"perennial/billing/postal"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/movefile"
)

// ExportOptions are the options of an export.
type ExportOptions struct {
	// WithPaymentTokens writes the provider's tokens of customers. Without them, and without a phone number, a customer
	// has no payment method.
	WithPaymentTokens bool
	// Left is called with objects that have something which records cannot hold; nil: no call.
	Left func(objectID string, what Leftover) error
}

// Leftover is something that records cannot hold.
type Leftover string

// The leftovers.
const (
	WaitingProrations Leftover = "waiting_prorations" // of a subscription
	PendingChange     Leftover = "pending_change"     // of a subscription: it waits for its payment
	UnpaidChange      Leftover = "unpaid_change"      // of a subscription: it is made, and its invoice is not paid
	ElsewhereChange   Leftover = "elsewhere_change"   // of a subscription: it would credit a period that was paid here
	NotBegun          Leftover = "incomplete"         // a subscription that waits for its first payment
	PastDue           Leftover = "past_due"           // a subscription that the import refuses: its debt stays here
	OwnFeatures       Leftover = "features"           // of a customer, for one subscription alone
)

// Export writes one snapshot of an environment as JSON Lines that Import reads: settings, what is sold, customers with
// their payment methods, balances and credit grants, subscriptions and webhook endpoints, and for the books invoices,
// credit notes and transactions. It leaves out deleted customers.
func (s *Service) Export(ctx context.Context, environmentID string, o ExportOptions, out io.Writer) error {
	w := movefile.NewWriter(out)
	return s.Store.Export(ctx, environmentID, func(all *db.Snapshot) error {
		e := &exporting{ExportOptions: o, all: all, w: w, environmentID: environmentID, names: &planNames{}}
		for _, part := range []func(context.Context) error{
			e.settings, e.products, e.taxRates, e.metrics, e.plans, e.coupons, e.customers, e.paymentMethods, e.balances,
			e.creditGrants, e.subscriptions, e.endpoints,
			func(ctx context.Context) error { return all.Invoices(ctx, w.Invoice) },
			func(ctx context.Context) error { return all.CreditNotes(ctx, w.CreditNote) },
			func(ctx context.Context) error { return all.Transactions(ctx, w.Transaction) },
		} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// exporting is the state of an export.
type exporting struct {
	ExportOptions
	all           *db.Snapshot
	w             *movefile.Writer
	environmentID string
	names         *planNames
}

func (e *exporting) left(objectID string, what Leftover) error {
	if e.Left == nil {
		return nil
	}
	return e.Left(objectID, what)
}

func (e *exporting) settings(ctx context.Context) error {
	s, err := e.all.Settings(ctx)
	if err != nil {
		return err
	}
	return e.w.Settings(moving.SettingsOf(s), e.environmentID)
}

func (e *exporting) customers(ctx context.Context) error {
	return e.all.Customers(ctx, func(c customer.Customer, externalID string) error {
		record := exportedCustomer(c, externalID, e.ExportOptions)
		var others bool
		if record.Features, others = moving.FeaturesOf(c.Features); others {
			if err := e.left(c.ID, OwnFeatures); err != nil {
				return err
			}
		}
		return e.w.Customer(record, c.ID)
	})
}

// paymentMethods writes those that can be charged with what the file has of them.
func (e *exporting) paymentMethods(ctx context.Context) error {
	return e.all.PaymentMethods(ctx, func(m customer.Method, externalID, customerExternalID string) error {
		if !e.WithPaymentTokens {
			m.Details.CustomerToken, m.Details.PaymentMethodToken = "", ""
		}
		if !(customer.Customer{}).WithMethod(m).CanPay() {
			return nil
		}
		record := moving.MethodOf(m)
		record.ID, record.Customer = cmp.Or(externalID, m.ID), cmp.Or(customerExternalID, m.CustomerID)
		return e.w.PaymentMethod(record, m.ID)
	})
}

func (e *exporting) balances(ctx context.Context) error {
	return e.all.Balances(ctx, func(b db.Credit, externalID string) error {
		return e.w.Balance(moving.Balance{
			Customer: cmp.Or(externalID, b.CustomerID), Currency: b.Currency, Amount: b.Balance,
		}, b.CustomerID)
	})
}

func (e *exporting) creditGrants(ctx context.Context) error {
	return e.all.CreditGrants(ctx, func(g balance.Grant, externalID, customerExternalID string) error {
		record := moving.GrantOf(g, e.names.all(g.PlanIDs))
		record.ID, record.Customer = cmp.Or(externalID, g.ID), cmp.Or(customerExternalID, g.CustomerID)
		return e.w.CreditGrant(record, g.ID)
	})
}

func (e *exporting) subscriptions(ctx context.Context) error {
	return e.all.Subscriptions(ctx, func(s db.ExportedSubscription) error {
		if s.Status == subscription.Incomplete {
			return e.left(s.ID, NotBegun)
		}
		record := exportedSubscription(s, e.names)
		movable := record.Movable()
		for _, l := range []struct {
			what Leftover
			is   bool
		}{
			{WaitingProrations, len(s.PendingLines) > 0}, {PendingChange, s.PendingChange != nil},
			{UnpaidChange, s.PaidFor != nil},
			{ElsewhereChange, len(movable) < len(record.ScheduledChanges)}, {PastDue, s.Status == subscription.PastDue},
		} {
			if !l.is {
				continue
			}
			if err := e.left(s.ID, l.what); err != nil {
				return err
			}
		}
		record.ScheduledChanges = movable
		if e.WithPaymentTokens {
			record.PaymentMethod = cmp.Or(s.MethodExternalID, s.PaymentMethodID)
		}
		return e.w.Subscription(record, s.ID)
	})
}

func (e *exporting) endpoints(ctx context.Context) error {
	return e.all.Endpoints(ctx, func(p db.WebhookEndpoint, externalID string) error {
		return e.w.Endpoint(moving.Endpoint{
			ID: cmp.Or(externalID, p.ID), URL: p.URL, Description: p.Description, Events: p.Events,
			PayloadShape: p.PayloadShape,
		}, p.ID)
	})
}

func exportedCustomer(c customer.Customer, externalID string, o ExportOptions) moving.Customer {
	if !o.WithPaymentTokens {
		c.PaymentDetails.CustomerToken, c.PaymentDetails.PaymentMethodToken = "", ""
		if !c.CanPay() {
			c.PaymentMethod, c.PaymentDetails = "", customer.PaymentDetails{}
		}
	}
	var owing *moving.OverduePolicy
	if c.OverduePolicy != nil {
		policy := moving.OverdueOf(*c.OverduePolicy)
		owing = &policy
	}
	return moving.Customer{
		ID: cmp.Or(externalID, c.ID), Email: c.Email, Name: c.Name, Phone: c.Phone,
		Address: addressOf(c), Country: c.Country, Region: c.Region, Locale: c.Locale, TimeZone: c.TimeZone,
		TaxExempt: c.TaxExempt, TaxIDs: c.TaxIDs, Metadata: c.Metadata, PaymentMethod: c.PaymentMethod,
		PaymentDetails: detailsOf(c), Dunning: moving.DunningOf(c.Dunning), OverduePolicy: owing,
		CreatedAt: moving.At(c.CreatedAt),
	}
}

// exportedSubscription returns the record of a subscription. It leaves the first period out until it is paid.
func exportedSubscription(s db.ExportedSubscription, names *planNames) moving.Subscription {
	r := moving.Subscription{
		ID: cmp.Or(s.ExternalID, s.ID), Customer: cmp.Or(s.CustomerExternalID, s.CustomerID), Plan: names.of(s.PlanID),
		PlanVersion: s.PlanVersion, Quantity: s.Quantity, Status: s.Status, Anchor: moving.At(s.AnchorAt),
		CurrentPeriodStart: moving.At(s.CurrentPeriod.Start), CurrentPeriodEnd: moving.At(s.CurrentPeriod.End),
		TrialEndsAt: moving.At(s.TrialEndsAt), TimeZone: s.TimeZone, CancelAtPeriodEnd: s.CancelAtPeriodEnd,
		CancelReason: s.CancelReason,
		PendingPlan:  names.of(s.PendingPlanID), PendingPlanVersion: s.PendingPlanVersion,
		Currency: s.Currency, PendingQuantity: s.PendingQuantity, AddOns: names.addOns(s.AddOns),
		CollectionMethod: s.Terms.Method, NetDays: s.Terms.NetDays,
		Metadata: s.Metadata, CreatedAt: moving.At(s.CreatedAt), UsageThresholds: s.UsageThresholds,
	}
	if s.PendingAddOns != nil {
		pending := names.addOns(*s.PendingAddOns)
		r.PendingAddOns = &pending
	}
	r.Coupons = moving.CouponsOf(s.Subscription)
	for _, c := range s.Scheduled {
		r.ScheduledChanges = append(r.ScheduledChanges, names.change(c))
	}
	if own := s.PlanPeriod(); len(s.AddOns) == 0 && s.Status == subscription.Active && s.PeriodIndex > 0 {
		r.CurrentPeriodStart, r.CurrentPeriodEnd = moving.At(own.Start), moving.At(own.End) // an add-on was shorter
	}
	r.PausedAt, r.ResumesAt, r.PauseReason = moving.At(s.PausedAt), moving.At(s.ResumesAt), s.PauseReason
	if s.Status == subscription.Active {
		r.PaidThrough = moving.At(cmp.Or(s.PaidThrough, s.CurrentPeriod.Start))
	}
	return r
}

// planNames has the names of plans in an export: their keys in a catalogue file, or their names, which another
// environment can have too, or the ids of their records where several plans have the name.
type planNames struct {
	names, records  map[string]string // by id
	taken           map[string]int    // by name
	keyed, recorded map[string]string // ids, by key and by the id of a record
}

func (n *planNames) add(p db.SoldPlan) {
	if n.names == nil {
		n.names, n.records, n.taken = map[string]string{}, map[string]string{}, map[string]int{}
		n.keyed, n.recorded = map[string]string{}, map[string]string{}
	}
	if p.Version > 1 {
		return
	}
	name, record := cmp.Or(p.Key, p.Name), cmp.Or(p.ExternalID, p.ID)
	n.names[p.ID], n.records[p.ID], n.recorded[record] = name, record, p.ID
	n.taken[name]++
	if p.Key != "" {
		n.keyed[p.Key] = p.ID
	}
}

// of returns the name of a plan by which an import finds it: by keys first, then by the ids of records, then by names.
func (n *planNames) of(planID string) string {
	name, record := n.names[planID], n.records[planID]
	switch {
	case n.taken[name] == 1 && cmp.Or(n.keyed[name], n.recorded[name], planID) == planID:
		return name
	case cmp.Or(n.keyed[record], planID) == planID:
		return cmp.Or(record, planID)
	default:
		return planID
	}
}

func (n *planNames) all(planIDs []string) (names []string) {
	for _, planID := range planIDs {
		names = append(names, n.of(planID))
	}
	return names
}

func (n *planNames) addOns(of subscription.AddOns) []moving.AddOn {
	records := make([]moving.AddOn, len(of))
	for i, a := range of {
		records[i] = moving.AddOn{Plan: n.of(a.ID), PlanVersion: a.Version, Quantity: a.Quantity}
	}
	return records
}

func (n *planNames) change(c subscription.ScheduledChange) moving.ScheduledChange {
	r := moving.ScheduledChange{
		At: moving.At(c.At), Plan: n.of(c.Plan.ID), PlanVersion: c.Plan.Version, Quantity: c.Quantity,
		ProrationBehavior: c.Proration, Anchor: c.Anchor,
	}
	if c.AddOns != nil {
		all := n.addOns(*c.AddOns)
		r.AddOns = &all
	}
	return r
}

// addressOf returns the address of a customer; nil: none.
func addressOf(c customer.Customer) *postal.Address {
	if c.Address == (postal.Address{}) {
		return nil
	}
	return &c.Address
}

// detailsOf returns the payment details of a customer; nil: none.
func detailsOf(c customer.Customer) *moving.PaymentDetails {
	if c.PaymentDetails == (customer.PaymentDetails{}) {
		return nil
	}
	d := moving.PaymentDetails(c.PaymentDetails)
	return &d
}
