package movefile

import (
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

// The forms of records, as a line of JSON has them. PerennialID is written by an export. Imported
// where it came from, it says that the record is there; the ids mean nothing elsewhere.

type customerForm struct {
	Type           moving.Type    `json:"type"`
	ID             string         `json:"id"`
	PerennialID    string         `json:"perennialId,omitempty"`
	Email          string         `json:"email,omitempty"`
	Name           string         `json:"name,omitempty"`
	Phone          string         `json:"phone,omitempty"`
	Country        string         `json:"country,omitempty"`
	Region         string         `json:"region,omitempty"`
	TaxExempt      string         `json:"taxExempt,omitempty"`
	TaxIDs         tax.IDs        `json:"taxIds,omitempty"`
	PaymentMethod  string         `json:"paymentMethod,omitempty"`
	PaymentDetails *detailsForm   `json:"paymentDetails,omitempty"`
	Metadata       metadata.Pairs `json:"metadata,omitempty"`
	CreatedAt      *stamp         `json:"createdAt,omitempty"`
}

type detailsForm struct {
	PhoneNumber        string `json:"phoneNumber,omitempty"`
	Provider           string `json:"provider,omitempty"`
	CustomerToken      string `json:"customerToken,omitempty"`
	PaymentMethodToken string `json:"paymentMethodToken,omitempty"`
}

type balanceForm struct {
	Type        moving.Type    `json:"type"`
	PerennialID string         `json:"perennialId,omitempty"`
	Customer    string         `json:"customer"`
	Currency    money.Currency `json:"currency"`
	Amount      money.Minor    `json:"amount"`
}

type subscriptionForm struct {
	Type               moving.Type         `json:"type"`
	ID                 string              `json:"id"`
	PerennialID        string              `json:"perennialId,omitempty"`
	Customer           string              `json:"customer"`
	Plan               string              `json:"plan"`
	PlanVersion        int                 `json:"planVersion,omitempty"`
	Currency           money.Currency      `json:"currency,omitempty"`
	Quantity           int64               `json:"quantity,omitempty"`
	AddOns             []addOnForm         `json:"addOns,omitempty"`
	Status             subscription.Status `json:"status"`
	Anchor             *stamp              `json:"anchor,omitempty"`
	CurrentPeriodStart *stamp              `json:"currentPeriodStart,omitempty"`
	CurrentPeriodEnd   *stamp              `json:"currentPeriodEnd,omitempty"`
	TrialEndsAt        *stamp              `json:"trialEndsAt,omitempty"`
	PaidThrough        *stamp              `json:"paidThrough,omitempty"`
	TimeZone           string              `json:"timeZone,omitempty"`
	CancelAtPeriodEnd  bool                `json:"cancelAtPeriodEnd,omitempty"`
	CancelReason       string              `json:"cancelReason,omitempty"`
	PendingPlan        string              `json:"pendingPlan,omitempty"`
	PendingPlanVersion int                 `json:"pendingPlanVersion,omitempty"`
	PendingQuantity    int64               `json:"pendingQuantity,omitempty"`
	CollectionMethod   terms.Method        `json:"collectionMethod,omitempty"`
	NetDays            int                 `json:"netDays,omitempty"`
	PendingAddOns      *[]addOnForm        `json:"pendingAddOns,omitempty"`
	Metadata           metadata.Pairs      `json:"metadata,omitempty"`
	CreatedAt          *stamp              `json:"createdAt,omitempty"`

	PausedAt    *stamp                   `json:"pausedAt,omitempty"`
	ResumesAt   *stamp                   `json:"resumesAt,omitempty"`
	PauseReason subscription.PauseReason `json:"pauseReason,omitempty"`
}

type addOnForm struct {
	Plan        string `json:"plan"`
	PlanVersion int    `json:"planVersion,omitempty"`
	Quantity    int64  `json:"quantity,omitempty"`
}

func (f customerForm) record() moving.Customer {
	c := moving.Customer{
		ID: f.ID, Email: f.Email, Name: f.Name, Phone: f.Phone, Country: f.Country, Region: f.Region,
		TaxExempt: tax.Exemption(f.TaxExempt), TaxIDs: f.TaxIDs, PaymentMethod: f.PaymentMethod, Metadata: f.Metadata,
		CreatedAt: at(f.CreatedAt),
	}
	if f.TaxExempt == "none" { // as the API has it
		c.TaxExempt = ""
	}
	if f.PaymentDetails != nil {
		c.PaymentDetails = moving.PaymentDetails(*f.PaymentDetails)
	}
	return c
}

func customerFormOf(c moving.Customer, perennialID string) customerForm {
	f := customerForm{
		Type: moving.CustomerType, ID: c.ID, PerennialID: perennialID, Email: c.Email, Name: c.Name, Phone: c.Phone,
		Country: c.Country, Region: c.Region, TaxExempt: string(c.TaxExempt), TaxIDs: c.TaxIDs,
		PaymentMethod: c.PaymentMethod, Metadata: c.Metadata, CreatedAt: stampOf(c.CreatedAt),
	}
	if c.PaymentDetails != (moving.PaymentDetails{}) {
		details := detailsForm(c.PaymentDetails)
		f.PaymentDetails = &details
	}
	return f
}

func (f subscriptionForm) record() moving.Subscription {
	r := moving.Subscription{
		ID: f.ID, Customer: f.Customer, Plan: f.Plan, PlanVersion: f.PlanVersion, Quantity: f.Quantity, Status: f.Status,
		Currency: f.Currency,
		Anchor:   at(f.Anchor), CurrentPeriodStart: at(f.CurrentPeriodStart), CurrentPeriodEnd: at(f.CurrentPeriodEnd),
		TrialEndsAt: at(f.TrialEndsAt), PaidThrough: at(f.PaidThrough), TimeZone: f.TimeZone,
		CancelAtPeriodEnd: f.CancelAtPeriodEnd, CancelReason: f.CancelReason, PendingPlan: f.PendingPlan,
		PendingPlanVersion: f.PendingPlanVersion, PendingQuantity: f.PendingQuantity, Metadata: f.Metadata,
		Terms:     terms.Terms{Method: f.CollectionMethod, NetDays: f.NetDays},
		AddOns:    addOnRecords(f.AddOns),
		CreatedAt: at(f.CreatedAt), PausedAt: at(f.PausedAt), ResumesAt: at(f.ResumesAt), PauseReason: f.PauseReason,
	}
	if f.PendingAddOns != nil {
		pending := addOnRecords(*f.PendingAddOns)
		r.PendingAddOns = &pending
	}
	return r
}

func addOnRecords(forms []addOnForm) (records []moving.AddOn) {
	for _, f := range forms {
		records = append(records, moving.AddOn(f))
	}
	return records
}

func addOnForms(records []moving.AddOn) []addOnForm {
	forms := make([]addOnForm, len(records))
	for i, r := range records {
		forms[i] = addOnForm(r)
	}
	return forms
}

func subscriptionFormOf(r moving.Subscription, perennialID string) subscriptionForm {
	f := subscriptionForm{
		Type: moving.SubscriptionType, ID: r.ID, PerennialID: perennialID, Customer: r.Customer, Plan: r.Plan,
		PlanVersion: r.PlanVersion, Currency: r.Currency, Quantity: r.Quantity, Status: r.Status, Anchor: stampOf(r.Anchor),
		CurrentPeriodStart: stampOf(r.CurrentPeriodStart), CurrentPeriodEnd: stampOf(r.CurrentPeriodEnd),
		TrialEndsAt: stampOf(r.TrialEndsAt), PaidThrough: stampOf(r.PaidThrough), TimeZone: r.TimeZone,
		CancelAtPeriodEnd: r.CancelAtPeriodEnd, CancelReason: r.CancelReason, PendingPlan: r.PendingPlan,
		PendingPlanVersion: r.PendingPlanVersion, PendingQuantity: r.PendingQuantity, Metadata: r.Metadata,
		CollectionMethod: r.Terms.Method, NetDays: r.Terms.NetDays,
		AddOns:    addOnForms(r.AddOns),
		CreatedAt: stampOf(r.CreatedAt), PausedAt: stampOf(r.PausedAt), ResumesAt: stampOf(r.ResumesAt),
		PauseReason: r.PauseReason,
	}
	if r.PendingAddOns != nil {
		pending := addOnForms(*r.PendingAddOns)
		f.PendingAddOns = &pending
	}
	return f
}
