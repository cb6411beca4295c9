package charging_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/providers/flutterwave"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/flutterwavesim"
	"perennial/providers/simulator/simtest"
	"perennial/providers/simulator/stripesim"
	"perennial/providers/stripe"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

const billingURL = "https://billing.example"

// asking is a subscription whose bank wants the payer of its first invoice to confirm the charge.
type asking struct {
	*life.Life
	t   *testing.T
	sim *simtest.Sim
}

var askingCard = customer.PaymentDetails{CustomerToken: "cus_9", PaymentMethodToken: "pm_card_authenticationRequired"}

func newAsking(
	t *testing.T, card customer.PaymentDetails, dialect core.Dialect, open func(url string) (providers.Provider, error),
) asking {
	t.Helper()
	return newAskingAt(t, "stripe", card, dialect, open)
}

// newAskingAt is newAsking with an account at a provider of that name.
func newAskingAt(
	t *testing.T, provider string, card customer.PaymentDetails, dialect core.Dialect,
	open func(url string) (providers.Provider, error),
) asking {
	t.Helper()
	s := scene.New(t)
	_, err := s.Pool.Exec(t.Context(), "update provider_configs set provider = $1 where id = $2", provider, s.Config.ID)
	require.NoError(t, err)
	s.Config.Provider = provider
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	sim := simtest.Start(t, ledger, dialect, func(c *core.Config) { c.Now = s.Clock.Now })
	adapter, err := open(sim.URL)
	require.NoError(t, err)
	s.Payments.Gateway, s.Payments.PublicURL = scene.Gateway{Only: adapter}, billingURL
	l := &life.Life{Scene: s, T: t, Payer: s.Customer(t, "")}
	s.SetMethod(t, l.Payer.ID, &card)
	p := scene.Monthly(1000)
	s.Plan(t, p)
	l.Ref = s.Subscribe(t, l.Payer, p)
	l.Reload()
	l.Until(s.Clock.Now())
	return asking{l, t, sim}
}

func stripeAsking(t *testing.T) asking {
	t.Helper()
	return newAsking(t, askingCard, stripesim.New(stripesim.Config{}), func(url string) (providers.Provider, error) {
		return stripe.New(stripe.Config{SecretKey: "sk_test_asking0123456789", BaseURL: url})
	})
}

// decide settles a payment as the payer would at the bank's page.
func (a asking) decide(txn payment.Transaction, decision string) {
	a.t.Helper()
	answer := a.sim.Control(a.t, "POST", "payments/"+txn.ProviderRef+"/settle", `{"status":"`+decision+`"}`)
	require.Equal(a.t, 200, answer.Status, answer.Raw)
}

// returns is the payer's browser at our address.
func (a asking) returns(txn payment.Transaction) {
	a.t.Helper()
	a.brings(txn, nil)
}

// brings lets the payer's browser return to our address with the query that the provider added.
func (a asking) brings(txn payment.Transaction, query url.Values) {
	a.t.Helper()
	got, _, err := service.New(a.Store, a.Clock.Now).Payments.PayerReturned(a.t.Context(), txn.Action.Token, query)
	require.NoError(a.t, err)
	require.Equal(a.t, txn.ID, got.ID)
	a.Reload()
}

// calls are the operations of the requests about a payment, oldest first.
func (a asking) calls(txn string) (operations []string) {
	a.t.Helper()
	found, err := a.Store.Payments.ProviderCalls(a.t.Context(), a.Env, txn)
	require.NoError(a.t, err)
	for _, c := range found {
		operations = append(operations, c.Operation)
	}
	return operations
}

func (a asking) count(event string) (n int) {
	for _, e := range a.Events() {
		if e == event {
			n++
		}
	}
	return n
}

func TestAction_Confirmed(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	txn := a.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.Equal(t, a.Clock.Now().Add(24*time.Hour), txn.Action.ExpiresAt)
	require.True(t, strings.HasPrefix(txn.Action.URL, a.sim.URL+"/redirect/authenticate/"), txn.Action.URL)
	var link string
	var by int64
	require.NoError(t, a.Pool.QueryRow(t.Context(),
		`select data ->> 'confirmUrl', (data ->> 'confirmBy')::bigint from events where type = 'payment.action_required'`).
		Scan(&link, &by))
	require.Equal(t, billingURL+"/confirm/"+txn.Action.Token, link)
	require.Equal(t, txn.Action.ExpiresAt.Unix(), by)
	require.NotContains(t, string(txn.ProviderResponse), "authenticate/", "the page is not shown")

	a.Until(a.Clock.Now().Add(23 * time.Hour))
	require.Len(t, a.Transactions(), 1, "the schedule waits")
	require.Equal(t, payment.Pending, a.Last().Status)
	require.LessOrEqual(t, len(a.calls(txn.ID)), 9, "look-ups are few while nobody but the payer can act")
	require.Equal(t, 1, a.count("payment.action_required"), "announced once")

	a.decide(txn, "succeeded")
	for range 2 { // the page is reloaded
		a.returns(txn)
		a.Until(a.Clock.Now())
	}
	require.Equal(t, payment.Success, a.Last().Status)
	require.Empty(t, a.Last().Action.URL)
	require.Equal(t, subscription.Active, a.Snap.Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

func TestAction_RefusedIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	a.decide(a.Last(), "failed")
	a.returns(a.Last())
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Declined, a.Last().Status)
	require.Contains(t, a.Last().FailureReason, "authentication")
	require.Equal(t, subscription.ActionPaymentRetry, a.Snap.NextAction)
	a.Sound()
}

// The payer does not confirm: the charge is canceled at the provider and fails, and dunning continues. The retry asks
// again.
func TestAction_Expires(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	first := a.Last()
	a.Until(first.Action.ExpiresAt)
	require.Equal(t, payment.Failed, a.Last().Status)
	require.Equal(t, "DECLINED", a.Last().FailureCode)
	require.Equal(t, payment.Unconfirmed, a.Last().FailureReason)
	require.Len(t, a.sim.Moved(core.Canceled), 1)
	require.Equal(t, subscription.ActionPaymentRetry, a.Snap.NextAction)
	due := first.Action.ExpiresAt.Add(life.Day)
	require.WithinRange(t, a.Snap.NextAt, due, due.Add(time.Hour), "counted from the failure, with jitter")

	a.Until(a.Snap.NextAt)
	second := a.Last()
	require.NotEqual(t, first.ID, second.ID)
	require.NotEqual(t, first.Action.Token, second.Action.Token)
	require.Equal(t, 2, a.count("payment.action_required"))
	a.decide(second, "succeeded")
	a.returns(second)
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// The payer confirms at the last moment: a capture before the cancel counts.
func TestAction_ConfirmedAtTheLastMoment(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	a.decide(a.Last(), "succeeded")
	a.Clock.Set(a.Last().Action.ExpiresAt)
	a.Check(a.Last().ID)
	require.Equal(t, payment.Success, a.Last().Status)
	require.Empty(t, a.sim.Moved(core.Canceled))
	a.Sound()
}

func TestAction_SubscriptionCanceled(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	a.Command(life.Command{Name: contract.CommandCancel, ImmediateEffect: true})
	require.Equal(t, payment.ConfirmEnded, a.Last().Confirmation(a.Clock.Now()))
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Canceled, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Canceled), 1)
	a.Sound()
}

// A new card is tried at once: the payer need not confirm the old one any more.
func TestAction_MethodChanged(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	first := a.Last()
	a.Clock.Set(a.Clock.Now().Add(time.Hour))
	a.SetMethod(t, a.Payer.ID, &customer.PaymentDetails{CustomerToken: "cus_9", PaymentMethodToken: "pm_card_visa"})
	a.Wake()
	require.Equal(t, payment.ConfirmExpired, a.Last().Confirmation(a.Clock.Now()))
	a.Until(a.Clock.Now())
	charges := a.Transactions()
	require.Len(t, charges, 2)
	require.Equal(t, payment.Success, a.Last().Status)
	require.Equal(t, collection.Manual, a.Last().Trigger)
	require.NotEqual(t, first.ID, a.Last().ID)
	require.Len(t, a.sim.Moved(core.Canceled), 1)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// A customer is deleted while asked: the link dies, and the charge is canceled.
func TestAction_CustomerDeleted(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	token := a.Last().Action.Token
	life.EraseAll(t, a.Scene, life.DeleteCustomer(t, a.Scene, a.Payer.ID), 0)
	_, _, err := a.Store.Payments.TransactionByConfirmToken(t.Context(), token)
	require.ErrorIs(t, err, db.ErrTransactionNotFound)
	a.Reload()
	a.Until(a.Clock.Now().Add(life.Day))
	require.Equal(t, payment.Canceled, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Canceled), 1)
	require.Zero(t, life.Count(t, a.Scene, "select count(*) from transactions where action_url is not null"))
	a.Sound()
}

var redirectedCard = customer.PaymentDetails{CustomerToken: "cus_9", PaymentMethodToken: "pmd_sim_redirect_url"}

func flutterwaveAsking(t *testing.T) asking {
	t.Helper()
	dialect := flutterwavesim.New(flutterwavesim.Config{Clients: map[string]string{"client": "secret-of-the-client"}})
	return newAsking(t, redirectedCard, dialect, func(url string) (providers.Provider, error) {
		return flutterwave.New(flutterwave.Config{ClientID: "client", ClientSecret: "secret-of-the-client", BaseURL: url})
	})
}

// A customer is deleted while a provider that cannot cancel waits for the payer. The charges, one of a subscription and
// one of its own, must not stay pending for ever, although the erasure has removed the page.
func TestAction_CustomerDeletedWithoutCancel(t *testing.T) {
	t.Parallel()
	a := flutterwaveAsking(t)
	a.Payer.PaymentDetails = redirectedCard
	own := a.OwnCharge(t)
	a.Charge(t, own.ID)
	own, err := a.Store.Payments.Transaction(t.Context(), a.Env, own.ID)
	require.NoError(t, err)
	require.NotEmpty(t, own.Action.URL)
	end := own.Action.ExpiresAt.Add(2 * time.Hour) // and its last look-up

	life.EraseAll(t, a.Scene, life.DeleteCustomer(t, a.Scene, a.Payer.ID), 0)
	a.Reload()
	a.Until(end)
	require.Equal(t, payment.Failed, a.Last().Status)
	a.Charge(t, own.ID)
	own, err = a.Store.Payments.Transaction(t.Context(), a.Env, own.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, own.Status)
	require.Empty(t, a.sim.Moved(core.Capture))
	a.Sound()
}

// Flutterwave cannot cancel. The attempt fails an hour after the link has closed; who pays even later has paid.
func TestAction_ExpiresWithoutCancel(t *testing.T) {
	t.Parallel()
	a := flutterwaveAsking(t)
	txn := a.Last()
	require.NotEmpty(t, txn.Action.URL)
	a.Until(txn.Action.ExpiresAt.Add(time.Hour - time.Second))
	require.Equal(t, payment.Pending, a.Last().Status)
	require.Equal(t, payment.ConfirmExpired, a.Last().Confirmation(a.Clock.Now()))
	a.Until(txn.Action.ExpiresAt.Add(time.Hour))
	require.Equal(t, payment.Failed, a.Last().Status)
	require.Equal(t, payment.Unconfirmed, a.Last().FailureReason)

	a.decide(txn, "succeeded")
	a.CheckAsked(txn.ID)
	require.Equal(t, payment.Success, a.Last().Status, "a late success counts")
	require.Equal(t, subscription.Active, a.Snap.Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// Without a public URL to send payers to, no payer is asked and no token is made.
func TestAction_WithoutPublicURL(t *testing.T) {
	t.Parallel()
	a := stripeAsking(t)
	a.Payments.PublicURL = ""
	a.Until(a.Last().Action.ExpiresAt)
	a.Until(a.Snap.NextAt)
	require.Equal(t, payment.Declined, a.Last().Status)
	require.Zero(t, a.Last().Action)
	a.Sound()
}
