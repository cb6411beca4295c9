package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/db"
)

func TestCreateCustomer_Contacts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for body, want := range map[string]Customer{
		`{"email":"a@example.com","name":"Ada Lovelace"}`: {Email: "a@example.com",
			Name: "Ada Lovelace"},
		`{"phone":"+237670000001","first_name":"Ada","last_name":"Lovelace"}`: {Phone: "+237670000001",
			Name: "Ada Lovelace"},
		`{"email":"a@example.com","last_name":"Lovelace","metadata":{"crm":"7"}}`: {
			Email: "a@example.com", Name: "Lovelace", Metadata: Metadata{"crm": "7"},
		},
		`{"email":"ünïcode@example.com","name":"<Ada> & \u00e9"}`: {Email: "ünïcode@example.com", Name: "<Ada> & é"},
	} {
		got := as[Customer](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/customers", body))
		require.Equal(t, got, as[Customer](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/customers/"+got.ID, nil)))
		want.TaxExempt = "none"
		want.ID, want.CreatedAt, want.Metadata, want.CreditBalance = got.ID, got.CreatedAt,
			view.RenderMetadata(metadata.Pairs(want.Metadata)), []Credit{}
		require.Equal(t, want, got)
	}
}

func TestUpdateCustomer_KeepsOmittedFields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test, "metadata", map[string]string{"a": "1"})
	got := as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID,
		`{"name":"Ada King","phone":"+447700900123"}`))
	cust.Name, cust.Phone = "Ada King", "+447700900123"
	require.Equal(t, cust, got)
	got = as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"","metadata":{}}`))
	cust.Name, cust.Metadata = "", Metadata{}
	require.Equal(t, cust, got)

	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.updated", nil))
	require.Len(t, events.Data, 2)
	require.Equal(t, []string{"name", "metadata"}, dataOf[event.CustomerUpdated](t, events.Data[0]).Changed)
	require.Equal(t, []string{"name", "phone"}, dataOf[event.CustomerUpdated](t, events.Data[1]).Changed,
		"names of fields, never their values")
	require.Empty(t, b.engine.woken)

	before := b.effects(t)
	b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{}`)
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
}

func TestUpdateCustomer_PaymentDetailsKeepMethod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	path := "/api/customers/" + cust.ID
	got := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"paymentDetails":{"paymentMethodToken":"pm_2"}}`))
	require.Equal(t, "card", got.PaymentMethod)
	require.Equal(t, &PaymentDetails{PaymentMethodToken: "pm_2"}, got.PaymentDetails, "details are replaced as a whole")
	got = as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"paymentMethod":""}`))
	require.Empty(t, got.PaymentMethod)
	require.Nil(t, got.PaymentDetails)
}

func TestListCustomers_ByEmail(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ada := b.newCustomer(t, b.test)
	b.newCustomer(t, b.test, "email", "grace@example.com")
	b.newCustomer(t, b.other)
	got := as[httpkit.List[Customer]](t, 200, b.ask(t, b.test, "GET", "/api/customers?email=ada%40example.com", nil))
	require.Equal(t, []Customer{ada}, got.Data)
	require.Empty(t, as[httpkit.List[Customer]](t, 200,
		b.ask(t, b.test, "GET", "/api/customers?email=nobody%40example.com", nil)).Data)
}

func TestGetCustomer_ShowsCredit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	invoiceID := b.newInvoice(t, b.test, sub.ID)
	rich := as[Customer](t, 200, b.ask(t, b.test, "GET", "/api/customers/"+sub.CustomerID, nil))
	poor := b.newCustomer(t, b.test)
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		for currency, amounts := range map[money.Currency][]money.Minor{"USD": {450, -100}, "EUR": {7}, "JPY": {5, -5}} {
			for _, amount := range amounts {
				if err := tx.Customers.AddCredit(ctx, b.test.environmentID, rich.ID, currency,
					invoice.CreditEntry{Amount: amount, Reason: invoice.CreditProration}, invoiceID, b.clock()); err != nil {
					return err
				}
			}
		}
		return nil
	})
	rich.CreditBalance = []Credit{{Currency: "EUR", Amount: 7, Plain: 7}, {Currency: "USD", Amount: 350, Plain: 350}}
	require.Equal(t, rich, as[Customer](t, 200, b.ask(t, b.test, "GET", "/v1/customers/"+rich.ID, nil)))
	require.Equal(t, []Customer{poor, rich}, as[httpkit.List[Customer]](t, 200,
		b.ask(t, b.test, "GET", "/v1/customers", nil)).Data)
	rich.Name = "Countess"
	require.Equal(t, rich, as[Customer](t, 200,
		b.ask(t, b.test, "PATCH", "/v1/customers/"+rich.ID, `{"name":"Countess"}`)))
	require.Empty(t, as[Customer](t, 200, b.ask(t, b.test, "GET", "/v1/customers/"+poor.ID, nil)).CreditBalance)
}

func TestUpdateCustomer_NewMethodWakesSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	// best effort: the answer is the same
	b.engine.onSignal = func(context.Context) error { return errors.New("no engine") }
	got := as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+sub.CustomerID,
		`{"paymentMethod":"card","paymentDetails":{"provider":"stripe","customerToken":"cus_1","paymentMethodToken":"pm_2"}}`))
	require.Equal(t, "pm_2", got.PaymentDetails.PaymentMethodToken)
	require.Len(t, b.engine.woken, 1)
	require.Equal(t, sub.ID, b.engine.woken[0].Ref.ID)
	row, err := b.store.Subscriptions.Get(t.Context(), b.test.environmentID, sub.ID)
	require.NoError(t, err)
	require.False(t, row.MethodChangedAt.IsZero(), "the reconciler finds it by this")
}

func TestDeleteCustomer_KeepsTransactions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	plan := b.newPlan(t, b.test)
	second := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": sub.CustomerID, "planId": plan.ID}))
	paid := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"customerId": sub.CustomerID, "amount": 500, "currency": "USD"}))

	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/v1/customers/"+sub.CustomerID, nil).Status)
	require.Zero(t, b.count(t,
		"select count(*) from customers x where x::text ilike '%ada@example.com%' or x::text like '%pm\\_1%'"), "at once")
	require.Equal(t, sub.CustomerID, b.engine.erasures[0].CustomerID)
	b.eraseAll(t)

	for _, subID := range []string{sub.ID, second.ID} {
		got := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+subID, nil))
		require.Equal(t, "canceled", got.Status)
		require.Equal(t, "customer_deleted", got.CancelReason)
	}
	require.Equal(t, sub.CustomerID, as[Payment](t, 200,
		b.ask(t, b.test, "GET", "/api/payments/"+paid.ID, nil)).CustomerID)
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "GET", "/api/customers/"+sub.CustomerID, nil))
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "PATCH", "/api/customers/"+sub.CustomerID, `{"name":"x"}`))
	problem(t, 404, "customer_not_found", "customerId", b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": sub.CustomerID, "planId": plan.ID}))
	require.Empty(t, as[httpkit.List[Customer]](t, 200, b.ask(t, b.test, "GET", "/api/customers", nil)).Data)
	for _, table := range []string{"customers", "transactions", "events", "idempotency_keys", "subscriptions"} {
		require.Zero(t, b.count(t,
			"select count(*) from "+table+" x where x::text ilike '%ada@example.com%' or x::text like '%pm\\_1%'"), table)
	}
	require.NotContains(t, b.log.String(), "ada@example.com")
}

// A crash after the erasure and before the answer must not make the repeat a 404.
func TestDeleteCustomer_RepeatedAfterCrash(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	path := "/api/customers/" + cust.ID
	b.ask(t, b.test, "DELETE", path, nil, "Idempotency-Key", "k") // the response is lost
	again := b.ask(t, b.test, "DELETE", path, nil, "Idempotency-Key", "k")
	require.Equal(t, 200, again.Status, "%s", again.Body)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "DELETE", path, nil, "Idempotency-Key", "another"))
}

// A creation that is under way when the customer is deleted comes either before the deletion, which then cancels the
// new subscription, or after it, and is refused by the database.
func TestDeleteCustomer_CancelsSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 10 {
		sub := b.newSubscription(t, b.test)
		form := map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID}
		requests := []*http.Request{b.request(t, "DELETE", "/api/customers/"+sub.CustomerID, nil, "Authorization",
			"Bearer "+b.test.key)}
		for range 4 {
			requests = append(requests, b.request(t, "POST", "/api/subscriptions", form, "Authorization", "Bearer "+b.test.key))
		}
		answers := b.together(requests)
		require.Equal(t, 200, answers[0].Status, "%s", answers[0].Body)
		for _, created := range answers[1:] {
			if created.Status != 201 {
				problem(t, 404, "customer_not_found", "customerId", created)
			}
		}
	}
	b.eraseAll(t)
	require.Zero(t, b.count(t, "select count(*) from subscriptions where status <> 'canceled'"))
}

func TestDeleteCustomer_ManySubscriptions(t *testing.T) {
	t.Parallel()
	const many = 500
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.multiply(t, sub.ID, many-1)
	b.engine.away()
	began := time.Now()
	deleted := b.ask(t, b.test, "DELETE", "/api/customers/"+sub.CustomerID, nil)
	require.Equal(t, 200, deleted.Status, "%s", deleted.Body)
	t.Logf("%d subscriptions: %s", many, time.Since(began))
	require.Equal(t, 1, b.count(t, "select count(*) from erasures where customer_id = $1 and finished_at is null",
		sub.CustomerID))
	require.Zero(t, b.count(t, "select count(*) from subscriptions where status = 'canceled'"),
		"the request locks none of them")
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "GET", "/api/customers/"+sub.CustomerID, nil))
	problem(t, 404, "customer_not_found", "customerId", b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"customerId": sub.CustomerID, "amount": 500, "currency": "USD"}))
	problem(t, 409, "subscription_canceled", "", b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/reactivate", nil))
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'customer.deleted'"))
}

// Texts of persons are erased with the customer; our own codes stay.
func TestDeleteCustomer_ErasesCancelReason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	second := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID}))
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/cancel",
		`{"reason":"Ada Lovelace moves","immediateEffect":true}`).Status)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+sub.CustomerID, nil).Status)
	b.eraseAll(t)

	told := map[string]string{}
	for _, e := range as[httpkit.List[Event]](t, 200,
		b.ask(t, b.test, "GET", "/api/events?type=subscription.canceled", nil)).Data {
		canceled := dataOf[event.SubscriptionCanceled](t, e)
		told[canceled.SubscriptionID] = canceled.CancelReason
	}
	require.Equal(t, map[string]string{sub.ID: "", second.ID: "customer_deleted"}, told)
	for _, table := range []string{"events", "subscriptions", "idempotency_keys"} {
		require.Zero(t, b.count(t, "select count(*) from "+table+" x where x::text like '%Ada Lovelace%'"), table)
	}
}
