package subscriptions

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/invoices"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/subscriptions"
)

// Subscription is one customer's use of one plan. paidThrough, not status, shows whether access is paid: a subscription
// without a trial is active before its first payment succeeds, and stays active while a renewal is retried.
type Subscription struct {
	ID                 string                 `json:"id" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	CustomerID         string                 `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PlanID             string                 `json:"planId" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PlanVersion        int                    `json:"planVersion" example:"1" doc:"The version of the plan whose prices the subscription pays. It stays until the subscription is migrated."`
	Status             string                 `json:"status" enum:"trialing,active,past_due,paused,incomplete,canceled" example:"trialing"`
	Currency           string                 `json:"currency" example:"USD"`
	BillingAnchor      int64                  `json:"billingAnchor" example:"1764849600" doc:"The instant from which all boundaries of its periods are counted."`
	TrialEndsAt        int64                  `json:"trialEndsAt,omitempty" example:"1764849600" doc:"Present when a trial applies. Unix seconds, like all times."`
	CurrentPeriodStart int64                  `json:"currentPeriodStart" example:"1763640000"`
	CurrentPeriodEnd   int64                  `json:"currentPeriodEnd" example:"1764849600" doc:"The first instant after the period: the shortest one that the plan or an add-on is billed for."`
	PlanPeriodEnd      int64                  `json:"planPeriodEnd,omitempty" example:"1796299200" doc:"The end of the period for which the plan is billed, where it is longer because an add-on has a shorter interval. A cancellation at the end of the period, and another plan or quantity from then on, take effect here. Absent: currentPeriodEnd."`
	PaidThrough        int64                  `json:"paidThrough,omitempty" example:"1764849600" doc:"The time until which access is paid or free. Absent: nothing was paid yet."`
	ActivatedAt        int64                  `json:"activatedAt,omitempty" doc:"The time of the first payment."`
	CancelAtPeriodEnd  bool                   `json:"cancelAtPeriodEnd" doc:"The subscription is canceled at currentPeriodEnd, or at planPeriodEnd where it has one, unless it is reactivated."`
	CancelReason       string                 `json:"cancelReason,omitempty" example:"too expensive"`
	CanceledAt         int64                  `json:"canceledAt,omitempty"`
	PastDueAt          int64                  `json:"pastDueAt,omitempty" doc:"The time when the subscription became past due."`
	CollectionPaused   bool                   `json:"collectionPaused" doc:"The dunning policy has paused the collection of this past-due subscription: nothing is billed or collected until it is resumed or its invoice is paid."`
	IncompleteUntil    int64                  `json:"incompleteUntil,omitempty" example:"1763722800" doc:"Of an incomplete one: when it ends, with its first invoice, unless that is paid."`
	PausedAt           int64                  `json:"pausedAt,omitempty" doc:"The time when the subscription was paused, which ended its current period. Absent: it is not paused."`
	ResumesAt          int64                  `json:"resumesAt,omitempty" doc:"The time when the pause ends automatically. Absent: it has no end."`
	PauseReason        string                 `json:"pauseReason,omitempty" enum:"requested,no_payment_method" doc:"no_payment_method: the trial ended without one; one that is added resumes the subscription."`
	Quantity           int64                  `json:"quantity" example:"1" doc:"The units that prices count which are not flat, such as seats."`
	PendingQuantity    int64                  `json:"pendingQuantity,omitempty" doc:"The quantity of the subscription from currentPeriodEnd on, or from planPeriodEnd on where it has one."`
	AddOns             []SubscriptionAddOn    `json:"addOns" doc:"What it has beside its plan."`
	PendingAddOns      *[]SubscriptionAddOn   `json:"pendingAddOns,omitempty" doc:"All add-ons of the subscription from currentPeriodEnd on; one that is paid for longer stays until then. Absent: they stay."`
	Items              []SubscriptionItem     `json:"items" doc:"One for each price of the plan and of the add-ons."`
	Scheduled          []ScheduledChange      `json:"scheduledChanges" doc:"What will change at dates and at the end of the period, in that order."`
	PendingChange      *PendingChange         `json:"pendingChange,omitempty" doc:"A change that is made once its invoice is paid. Until then everything else is as it was. Absent: none waits."`
	Discounts          []SubscriptionDiscount `json:"discounts" doc:"The coupons that it has redeemed, in the order in which they are taken off. Those that have ended are left out."`
	ProrationMeasure   string                 `json:"prorationMeasure" enum:"second,day,day_inclusive,fixed_30" example:"second" doc:"How the current period is divided when a change within it is prorated."`
	PendingLines       []invoices.InvoiceLine `json:"pendingLines,omitempty" doc:"Prorations that wait for the next invoice. Their ids name nothing yet."`
	PendingPlanID      string                 `json:"pendingPlanId,omitempty" doc:"The plan of the subscription from currentPeriodEnd on, or from planPeriodEnd on where it has one."`
	PendingPlanVersion int                    `json:"pendingPlanVersion,omitempty" doc:"The version of that plan."`
	NextAction         string                 `json:"nextAction" enum:"none,begin,trial_notice,trial_end,renewal_reminder,scheduled_change,renewal,cancel,payment_retry,invoice_overdue,finalize_invoice,bill_usage,past_due_cancel,incomplete_end,pending_change_end,resume" example:"trial_end" doc:"Next automatic action."`
	NextActionAt       int64                  `json:"nextActionAt,omitempty" example:"1764849600"`
	TimeZone           string                 `json:"timeZone" example:"UTC" doc:"The IANA time zone in which periods begin."`
	TestClockID        string                 `json:"testClockId,omitempty"`
	CollectionMethod   string                 `json:"collectionMethod" enum:"charge_automatically,send_invoice" example:"charge_automatically" doc:"How its invoices are collected. send_invoice: the customer pays them within netDays, and the subscription becomes past due when one is overdue."`
	PaymentMethodID    string                 `json:"paymentMethodId,omitempty" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The payment method that it is charged with. Absent: the customer's default."`
	NetDays            int                    `json:"netDays,omitempty" doc:"With send_invoice: the days after its issue within which an invoice has to be paid."`
	LatestInvoice      *LatestInvoice         `json:"latestInvoice,omitempty" doc:"In answers to a change, to Prefer: wait and to expand=latestInvoice: the invoice that was made last, and how its payment stands. Absent: elsewhere, or there is none."`
	// UsageThresholds are the subscription's own.
	UsageThresholds *[]view.UsageThreshold `json:"usageThresholds,omitempty" doc:"Usage thresholds of its own, which count in place of those of its plan; an empty list: none. Absent: those of its plan count."`

	Metadata  view.Metadata `json:"metadata"`
	CreatedAt int64         `json:"createdAt" example:"1763640000"`
}

// SubscriptionItem is a price of one subscription. The lines of its invoices name it.
type SubscriptionItem struct {
	ID       string `json:"id" example:"si_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PriceID  string `json:"priceId" example:"price_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Quantity int64  `json:"quantity" example:"1" doc:"Units of the price; 1 of a flat one."`
}

func renderSubscription(s subscription.Subscription) Subscription {
	items := make([]SubscriptionItem, len(s.Items))
	for i, item := range s.Items {
		items[i] = SubscriptionItem{ID: item.ID, PriceID: item.PriceID, Quantity: item.Quantity}
	}
	var payBy int64
	if s.Status == subscription.Incomplete {
		payBy = view.Unix(s.IncompleteUntil)
	}
	return Subscription{
		IncompleteUntil:  payBy,
		ProrationMeasure: string(cmp.Or(s.ProrationMeasure, proration.Second)),
		PendingLines:     invoices.RenderLines(s.PendingLines, s.Currency),
		Quantity:         s.Quantity, PendingQuantity: s.PendingQuantity, Items: items, Discounts: renderDiscounts(s),
		Scheduled: renderChanges(s), PendingChange: renderPending(s.PendingChange),
		AddOns: renderAddOns(s.AddOns), PendingAddOns: renderPendingAddOns(s.PendingAddOns),
		ID: s.ID, CustomerID: s.CustomerID, PlanID: s.PlanID, PlanVersion: s.PlanVersion,
		Status: string(s.Status), Currency: string(s.Currency),
		BillingAnchor: view.Unix(s.AnchorAt),
		TrialEndsAt:   view.Unix(s.TrialEndsAt), CurrentPeriodStart: view.Unix(s.CurrentPeriod.Start),
		CurrentPeriodEnd: view.Unix(s.CurrentPeriod.End), PlanPeriodEnd: planPeriodEnd(s),
		PaidThrough:       view.Unix(s.PaidThrough),
		ActivatedAt:       view.Unix(s.ActivatedAt),
		CancelAtPeriodEnd: s.CancelAtPeriodEnd, CancelReason: s.CancelReason, CanceledAt: view.Unix(s.CanceledAt),
		PausedAt: view.Unix(s.PausedAt), ResumesAt: view.Unix(s.ResumesAt), PauseReason: string(s.PauseReason),
		PastDueAt: view.Unix(s.PastDueAt), CollectionPaused: s.CollectionPaused(), PendingPlanID: s.PendingPlanID,
		PendingPlanVersion: s.PendingPlanVersion,
		NextAction:         string(s.NextAction), NextActionAt: view.Unix(s.NextActionAt), TimeZone: s.TimeZone,
		TestClockID:      s.TestClockID,
		CollectionMethod: string(cmp.Or(s.Terms.Method, terms.Charge)), NetDays: s.Terms.NetDays,
		PaymentMethodID: s.PaymentMethodID,
		UsageThresholds: renderThresholds(s.UsageThresholds),
		Metadata:        view.RenderMetadata(s.Metadata), CreatedAt: view.Unix(s.CreatedAt),
	}
}

// planPeriodEnd returns the end of the plan's own period; 0: it is that of the subscription's.
func planPeriodEnd(s subscription.Subscription) int64 {
	if s.PlanInterval == (period.Interval{}) || s.PeriodIndex == 0 {
		return 0
	}
	return view.Unix(s.PlanPeriod().End)
}

func renderThresholds(own *subscription.UsageThresholds) *[]view.UsageThreshold {
	if own == nil {
		return nil
	}
	shown := append([]view.UsageThreshold{}, view.RenderThresholds(*own)...)
	return &shown
}

type createSubscriptionInput struct {
	Body SubscriptionForm
}

// SubscriptionForm subscribes a customer to a plan.
type SubscriptionForm struct {
	CustomerID string        `json:"customerId" minLength:"1" maxLength:"64" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PlanID     string        `json:"planId" minLength:"1" maxLength:"64" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Currency   string        `json:"currency,omitempty" minLength:"3" maxLength:"3" example:"EUR" doc:"One of the plan's currencies, in which the subscription is billed as long as it lives. Default: the plan's own."`
	Quantity   *int64        `json:"quantity,omitempty" minimum:"1" maximum:"1000000000" example:"5" doc:"How many units, such as seats. Flat prices ignore it. Default: 1."`
	AddOns     []AddOnForm   `json:"addOns,omitempty" maxItems:"20" doc:"What the customer has beside the plan: sold in the currency of the subscription. All intervals are whole multiples of the shortest, at most 120 times as long; each is billed for its own periods, on one invoice where they begin together."`
	TrialDays  *int          `json:"trialDays,omitempty" minimum:"0" maximum:"730" example:"14" doc:"The number of trial days. Default: the plan's trial. 0: no trial."`
	StartsAt   *int64        `json:"startsAt,omitempty" minimum:"1" example:"1761048000" doc:"When the subscription began, in Unix seconds: at most 730 days ago. Its periods are counted from then or from billingAnchor, and it has no trial. Default: now."`
	Backdated  string        `json:"backdatedBilling,omitempty" enum:"all,current_period" example:"current_period" doc:"With startsAt: which periods are billed now. all (the default): the first invoice bills each that has passed, at most 36, and the one that runs. current_period: only the one that runs, in full."`
	Anchor     *int64        `json:"billingAnchor,omitempty" minimum:"1" example:"1764547200" doc:"The instant from which periods are counted, in Unix seconds: after the start, at most one interval later. The first period ends there and costs its part of the interval. Not with a trial. Default: the start."`
	Proration  string        `json:"prorationBehavior,omitempty" enum:"always_invoice,none" doc:"With billingAnchor: whether the first period is billed. always_invoice (the default): at once. none: it is free."`
	CouponCode string        `json:"couponCode,omitempty" maxLength:"50" example:"WELCOME" doc:"The coupon that the subscription redeems, in any case. It is taken off from the first period on."`
	Method     string        `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"send_invoice: no payment is attempted automatically; the customer pays each invoice within netDays. Default: charge_automatically."`
	MethodID   string        `json:"paymentMethodId,omitempty" minLength:"1" maxLength:"64" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The customer's payment method that it is charged with. Default: whichever is the customer's default when a charge is made."`
	NetDays    int           `json:"netDays,omitempty" minimum:"0" maximum:"365" doc:"With send_invoice: the days after its issue within which an invoice has to be paid."`
	Behavior   string        `json:"paymentBehavior,omitempty" enum:"activate,pending,error" doc:"Without a trial: what becomes of the subscription until its first invoice is paid. activate (the default): it is active, and past due once the last attempt has failed. pending: it is incomplete, gives no access, and ends with its invoice unless that is paid within 23 hours. error: as pending, with one attempt that the request waits for (30 seconds, or those of Prefer: wait): if it fails, or asks the payer to confirm it, the subscription has ended and gives no access, and the answer is 402: the ended subscription, its void invoice and their events exist; if the provider stays silent, 202 with status incomplete."`
	Metadata   view.Metadata `json:"metadata,omitempty" maxProperties:"50"`
}

func (f SubscriptionForm) subscription() (subscriptions.NewSubscription, error) {
	in := subscriptions.NewSubscription{
		CustomerID: f.CustomerID, PlanID: f.PlanID, Currency: money.Currency(f.Currency), AddOns: addOnChoices(f.AddOns),
		CouponCode: f.CouponCode,
		Wishes: subscribing.NewInput{
			Quantity: view.Given(f.Quantity), TrialDays: f.TrialDays, Backdated: subscribing.BackdatedBilling(f.Backdated),
			Proration: subscription.ProrationBehavior(f.Proration),
			Terms:     terms.Terms{Method: terms.Method(f.Method), NetDays: f.NetDays},
			Behavior:  subscription.PaymentBehavior(f.Behavior), PaymentMethodID: f.MethodID,
			Metadata: metadata.Pairs(f.Metadata),
		},
	}
	if f.StartsAt != nil {
		in.Wishes.StartsAt = time.Unix(*f.StartsAt, 0).UTC()
	}
	if f.Anchor != nil {
		in.Wishes.Anchor = time.Unix(*f.Anchor, 0).UTC()
	}
	switch {
	case f.Backdated != "" && f.StartsAt == nil:
		return in, fault.InvalidParam("startsAt", "field_missing",
			"`backdatedBilling` is about a start in the past. Send `startsAt` as well.")
	case f.Proration != "" && f.Anchor == nil:
		return in, fault.InvalidParam("billingAnchor", "field_missing",
			"`prorationBehavior` is about the time up to an anchor. Send `billingAnchor` as well.")
	}
	return in, nil
}

func (h *Handler) createSubscription(
	ctx context.Context, c *httpkit.Call, in *createSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	form, err := in.Body.subscription()
	if err != nil {
		return nil, err
	}
	out, err := httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeSubscription,
		func(keep func(*db.Tx, subscription.Subscription) error) error {
			_, err := h.service.CreateSubscription(ctx, usecase.Caller(c), form, keep)
			return err
		})
	if err != nil {
		return nil, err
	}
	made, err := out.Value()
	if err != nil {
		return nil, err
	}
	if form.Wishes.Behavior == subscription.AttemptOnce {
		return h.attempted(ctx, c, made.ID, "", out)
	}
	return h.decided(ctx, c, made.ID, out), nil
}

// madeSubscription names the customer, with whom the stored response is erased: metadata may be personal.
func madeSubscription(s subscription.Subscription) httpkit.Made[Subscription] {
	return httpkit.Made[Subscription]{Resource: renderSubscription(s), CustomerID: s.CustomerID}
}

type getSubscriptionInput struct {
	httpkit.ByID
	Expand string `query:"expand" enum:"latestInvoice" doc:"latestInvoice: with the invoice that was made last, and how its payment stands."`
}

func (h *Handler) getSubscription(
	ctx context.Context, c *httpkit.Call, in *getSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	sub := httpkit.Resource[subscription.Subscription](c)
	if in.Expand == "" {
		return httpkit.OK(renderSubscription(sub)), nil
	}
	var out Subscription
	_, _, err := h.steady(ctx, c, sub.ID, func(sub subscription.Subscription) (err error) {
		out, err = h.withLatest(ctx, c, sub)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpkit.OK(out), nil
}

type listSubscriptionsInput struct {
	httpkit.Page
	CustomerID  string `query:"customerId" maxLength:"64"`
	PlanID      string `query:"planId" maxLength:"64"`
	PlanVersion int    `query:"planVersion" minimum:"1" maximum:"100" doc:"Of the plan; requires planId."`
	AddOnID     string `query:"addOnId" maxLength:"64" doc:"Those that have this add-on, in any version."`
	Status      string `query:"status" enum:"trialing,active,past_due,paused,incomplete,canceled"`
	TestClockID string `query:"testClockId" maxLength:"64"`
}

func (h *Handler) listSubscriptions(
	ctx context.Context, c *httpkit.Call, in *listSubscriptionsInput,
) (*httpkit.Reply[httpkit.List[Subscription]], error) {
	page, err := in.DB(id.Subscription,
		httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("planId", id.Plan, in.PlanID),
		httpkit.Refers("addOnId", id.Plan, in.AddOnID),
		httpkit.Refers("testClockId", id.TestClock, in.TestClockID))
	if err != nil {
		return nil, err
	}
	if in.PlanVersion != 0 && in.PlanID == "" {
		return nil, fault.InvalidParam("planId", "field_missing", "`planVersion` is of a plan. Send `planId` as well.")
	}
	rows, more, err := h.store.Subscriptions.List(ctx, c.EnvironmentID, db.SubscriptionFilter{
		CustomerID: in.CustomerID, PlanID: in.PlanID, PlanVersion: in.PlanVersion, AddOnID: in.AddOnID,
		Status:      subscription.Status(in.Status),
		TestClockID: in.TestClockID,
	}, page)
	return httpkit.ListOf(rows, more, err, renderSubscription)
}

// subscriptionOperations marks the commands as Crowds, but not the creation: commands of one subscription wait for each
// other at its row, while creations wait for nothing.
func (h *Handler) subscriptionOperations() {
	example := Subscription{
		ID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
		PlanID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", PlanVersion: 1, Status: "trialing", Currency: "USD",
		TrialEndsAt:   1764849600,
		BillingAnchor: 1764849600,
		Quantity:      1, ProrationMeasure: "second", CollectionMethod: "charge_automatically", Items: []SubscriptionItem{{
			ID: "si_01jcz6dyqx4w9s1c2k7v5h8m3n", PriceID: "price_01jcz6dyqx4w9s1c2k7v5h8m3n", Quantity: 1,
		}}, AddOns: []SubscriptionAddOn{}, Scheduled: []ScheduledChange{}, Discounts: []SubscriptionDiscount{},
		CurrentPeriodStart: 1763640000, CurrentPeriodEnd: 1764849600, NextAction: "trial_end", NextActionAt: 1764849600,
		TimeZone: "UTC", Metadata: view.Metadata{}, CreatedAt: 1763640000,
	}
	canceled := example
	canceled.Status, canceled.CancelReason, canceled.CanceledAt = "canceled", "too expensive", 1763726400
	canceled.NextAction, canceled.NextActionAt = "none", 0
	pastDue := example
	pastDue.Status, pastDue.PastDueAt, pastDue.TrialEndsAt, pastDue.NextAction = "past_due", 1764849600, 0, "renewal"
	days := 14
	changed := example
	changed.PlanID = "plan_01jcz6f0x3v8r5t2m9k4h7q1wz"
	incomplete, waiting := example, example
	incomplete.Status, incomplete.TrialEndsAt, incomplete.IncompleteUntil = "incomplete", 0, 1763722800
	incomplete.NextAction, incomplete.NextActionAt = "incomplete_end", 1763722800
	incomplete.LatestInvoice = &LatestInvoice{
		ID: "inv_01jcz6dyqx4w9s1c2k7v5h8m3n", Status: "open", Total: 1900, AmountDue: 1900,
	}
	waiting.LatestInvoice = incomplete.LatestInvoice
	waiting.PendingChange = &PendingChange{
		ID: "chg_01jcz6f0x3v8r5t2m9k4h7q1wz", PlanID: changed.PlanID, InvoiceID: waiting.LatestInvoice.ID, ExpiresAt: 1763722800,
	}
	load := httpkit.LoadByID(h.kit, id.Subscription, db.ErrSubscriptionNotFound, h.store.Subscriptions.GetWithKey)
	h.previewOperations(load, example)
	h.timelineOperations(load)
	h.subscriptionCouponOperations(load, example)
	h.pauseOperations(load, example)
	h.scheduledChangeOperations(load, example)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createSubscription", Method: http.MethodPost, Path: "/subscriptions", Tag: "Subscriptions",
		Summary: "Subscribe a customer to a plan",
		Description: "With a trial, the subscription is trialing until the trial ends. Without a trial, it is " +
			"active and its first invoice is collected at once; paidThrough shows that the payment has succeeded. " +
			"Prefer: wait=N waits up to N seconds (at most 30) until that payment is decided or its payer has to confirm it: " +
			"latestInvoice then says how it stands, and where to send the payer.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Waits: true, Attempts: incomplete, Response: example,
		Request: SubscriptionForm{CustomerID: example.CustomerID, PlanID: example.PlanID, TrialDays: &days},
	}, h.createSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getSubscription", Method: http.MethodGet, Path: "/subscriptions/{id}", Tag: "Subscriptions",
		Summary: "Get a subscription", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listSubscriptions", Method: http.MethodGet, Path: "/subscriptions", Tag: "Subscriptions",
		Summary: "List subscriptions", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[Subscription]{Data: []Subscription{example}},
	}, h.listSubscriptions)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateSubscription", Method: http.MethodPatch, Path: "/subscriptions/{id}", Tag: "Subscriptions",
		Summary: "Change the plan, its version, the quantity or the add-ons",
		Description: "effective: now credits the unused time of the prices that go or change their quantity, and charges " +
			"the rest of the period for those that come, by the prorationMeasure of the period; prorationBehavior says when that is " +
			"billed, if at all. effective: period_end changes the subscription " +
			"from the next period on; until then, a request with the current planId, quantity or addOns withdraws that change " +
			"(409 plan_unchanged, quantity_unchanged or add_ons_unchanged if none is scheduled). addOns is the whole list: an " +
			"add-on that is not in it goes, and one that stays keeps its version; a plan with another interval needs add-ons " +
			"of that interval. effectiveAt makes the change at a date: it is listed in scheduledChanges, a change now leaves it " +
			"standing, and at its date it changes what it names, from that date on; one that is impossible by then is dropped " +
			"with subscription.change_dropped. The new plan must be active and sold in the " +
			"subscription's currency, which never changes, and the subscription gets its newest version. planVersion moves the subscription to " +
			"another version of the plan that it is on. trialEndsAt moves the end of a trial, billingAnchor begins a period " +
			"from which all later ones are counted, and metadata replaces all metadata. With the previewToken of a preview of the same " +
			"change, it is made at the cost that was shown, or refused. With paymentBehavior: pending, a change that costs something " +
			"waits as pendingChange until its invoice is paid; meanwhile other changes are refused (409 change_pending). latestInvoice is the invoice that the change made, if " +
			"any; Prefer: wait=N waits up to N seconds (at most 30) until its payment is decided or its payer has to confirm it.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Waits: true, Attempts: waiting, Load: load,
		Response: changed,
		Request:  SubscriptionChange{PlanChoice: PlanChoice{PlanID: changed.PlanID, Effective: "now"}},
	}, h.updateSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "cancelSubscription", Method: http.MethodPost, Path: "/subscriptions/{id}/cancel", Tag: "Subscriptions",
		Summary: "Cancel a subscription",
		Description: "Cancels at the end of the period, which reactivate undoes. What is billed of add-ons beyond the end is given " +
			"back then: paid time as credit, and open invoices are reduced to the time used. With immediateEffect: true, " +
			"cancels now, which is final.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: canceled,
		Request: CancellationForm{CancelForm: CancelForm{Reason: "too expensive", ImmediateEffect: true}},
	}, h.cancelSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "reactivateSubscription", Method: http.MethodPost, Path: "/subscriptions/{id}/reactivate",
		Tag: "Subscriptions", Summary: "Undo a cancellation at period end", Status: http.StatusOK,
		Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example, Request: exampleToken,
	}, h.reactivateSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resumeCollection", Method: http.MethodPost, Path: "/subscriptions/{id}/resume-collection",
		Tag: "Subscriptions", Summary: "Resume the collection of a past-due subscription",
		Description: "Ends the pause of collection that a dunning policy with finalAction pause began, and charges the unpaid invoice " +
			"now. The subscription stays past due until that is paid; from then on it is billed again. Paying the invoice " +
			"ends the pause as well. Prefer: wait=N waits up to N seconds (at most 30) for that payment.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Waits: true, Load: load, Response: pastDue,
	}, h.resumeCollection)
}
