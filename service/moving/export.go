package moving

import (
	"cmp"
	"context"
	"io"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/moving"
	"perennial/billing/plan"
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
	// Waits is called with subscriptions that have waiting prorations, which records cannot hold; nil: no call.
	Waits func(subscriptionID string) error
	// Scheduled is called with subscriptions that have scheduled changes, or one that waits for its payment, which records
	// cannot hold; nil: no call.
	Scheduled func(subscriptionID string) error
}

// Export writes one snapshot of an environment as JSON Lines that Import reads: customers, balances and subscriptions,
// and for the books credit grants, plans, invoices and transactions. It leaves out deleted customers.
func (s *Service) Export(ctx context.Context, environmentID string, o ExportOptions, out io.Writer) error {
	w := movefile.NewWriter(out)
	return s.Store.Export(ctx, environmentID, func(all *db.Snapshot) error {
		names := &planNames{}
		for _, part := range []func() error{
			func() error {
				return all.Customers(ctx, func(c customer.Customer, externalID string) error {
					return w.Customer(exportedCustomer(c, externalID, o), c.ID)
				})
			},
			func() error {
				return all.Balances(ctx, func(b db.Credit, externalID string) error {
					return w.Balance(moving.Balance{
						Customer: cmp.Or(externalID, b.CustomerID), Currency: b.Currency, Amount: b.Balance,
					}, b.CustomerID)
				})
			},
			func() error {
				return all.Plans(ctx, func(p plan.Plan) error {
					names.add(p)
					return w.Plan(p)
				})
			},
			func() error {
				return all.CreditGrants(ctx, func(g balance.Grant, externalID string) error {
					return w.CreditGrant(g, cmp.Or(externalID, g.CustomerID), names.all(g.PlanIDs))
				})
			},
			func() error {
				return all.Subscriptions(ctx, func(s db.ExportedSubscription) error {
					if len(s.PendingLines) > 0 && o.Waits != nil {
						if err := o.Waits(s.ID); err != nil {
							return err
						}
					}
					if (len(s.Scheduled) > 0 || s.PendingChange != nil) && o.Scheduled != nil {
						if err := o.Scheduled(s.ID); err != nil {
							return err
						}
					}
					return w.Subscription(exportedSubscription(s, names), s.ID)
				})
			},
			func() error { return all.Invoices(ctx, w.Invoice) },
			func() error { return all.Transactions(ctx, w.Transaction) },
		} {
			if err := part(); err != nil {
				return err
			}
		}
		return nil
	})
}

func exportedCustomer(c customer.Customer, externalID string, o ExportOptions) moving.Customer {
	if !o.WithPaymentTokens {
		c.PaymentDetails.CustomerToken, c.PaymentDetails.PaymentMethodToken = "", ""
		if !c.CanPay() {
			c.PaymentMethod, c.PaymentDetails = "", customer.PaymentDetails{}
		}
	}
	return moving.Customer{
		ID: cmp.Or(externalID, c.ID), Email: c.Email, Name: c.Name, Phone: c.Phone,
		Address: addressOf(c), Country: c.Country, Region: c.Region, Locale: c.Locale, TimeZone: c.TimeZone,
		TaxExempt: c.TaxExempt, TaxIDs: c.TaxIDs, Metadata: c.Metadata, PaymentMethod: c.PaymentMethod,
		PaymentDetails: detailsOf(c), CreatedAt: moving.At(c.CreatedAt),
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
	r.PausedAt, r.ResumesAt, r.PauseReason = moving.At(s.PausedAt), moving.At(s.ResumesAt), s.PauseReason
	if s.Status == subscription.Active {
		r.PaidThrough = moving.At(cmp.Or(s.PaidThrough, s.CurrentPeriod.Start))
	}
	return r
}

// planNames has the names of plans in an export: their keys in a catalogue file, or their names, which another
// environment can have too, or their ids where several plans have the name.
type planNames struct {
	names map[string]string // by id
	taken map[string]int
}

func (n *planNames) add(p plan.Plan) {
	if n.names == nil {
		n.names, n.taken = map[string]string{}, map[string]int{}
	}
	if p.Version == 1 {
		name := cmp.Or(p.Key, p.Name)
		n.names[p.ID], n.taken[name] = name, n.taken[name]+1
	}
}

func (n *planNames) of(planID string) string {
	name := n.names[planID]
	if n.taken[name] != 1 {
		return planID
	}
	return name
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
