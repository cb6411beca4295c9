package charging_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/providers/adyen"
	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/test/life"
	"perennial/test/scene"
)

// adyenAsking returns a charge for which Adyen asks the payer; Adyen completes it only with what the payer's browser
// returns.
func adyenAsking(t *testing.T) asking {
	t.Helper()
	return adyenCharging(t, "SIM_AUTHENTICATE", nil)
}

// adyenCharging is a subscription with a card at Adyen. between may stand between the adapter and the network.
func adyenCharging(t *testing.T, token string, between http.RoundTripper) asking {
	t.Helper()
	card := customer.PaymentDetails{CustomerToken: "shopper_9", PaymentMethodToken: token}
	return newAskingAt(t, "adyen", card, adyensim.New(adyensim.Config{}), func(url string) (providers.Provider, error) {
		return adyen.Factory{}.Open(providers.Account{BaseURL: url, Transport: between, Credentials: map[string]string{
			adyen.FieldAPIKey: "AQE_of_the_test", adyen.FieldMerchantAccount: "AcmeECOM",
		}})
	})
}

// visits lets the payer decide at the bank's page and returns the query that the browser brings back.
func (a asking) visits(decision string) url.Values {
	a.t.Helper()
	page := strings.NewReader(url.Values{"decision": {decision}}.Encode())
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.Last().Action.URL, page)
	require.NoError(a.t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(a.t, err)
	require.NoError(a.t, res.Body.Close())
	require.Equal(a.t, http.StatusSeeOther, res.StatusCode)
	back, err := url.Parse(res.Header.Get("Location"))
	require.NoError(a.t, err)
	require.True(a.t, strings.HasPrefix(back.String(), contract.ReturnLink(billingURL, a.Last().Action.Token)+"?"))
	return back.Query()
}

func (a asking) fault(kind string) {
	a.t.Helper()
	answer := a.sim.Control(a.t, "POST", "faults", `{"kind":"`+kind+`","path":"POST /v71/payments/details","count":100}`)
	require.Equal(a.t, 200, answer.Status, answer.Raw)
}

func TestActionCompleted_ByReturn(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	txn := a.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.True(t, strings.HasPrefix(txn.Action.URL, a.sim.URL+"/checkoutshopper/threeDS/redirect/"), txn.Action.URL)
	require.Equal(t, 1, a.count("payment.action_required"))
	a.Until(a.Clock.Now().Add(23 * time.Hour))
	require.Equal(t, []string{db.CallCharge}, a.calls(txn.ID), "there is nothing to ask")

	brings := a.visits("confirm")
	require.Empty(t, a.sim.Moved(core.Capture), "the payer alone moves nothing")
	a.brings(txn, url.Values{})
	require.Zero(t, a.Last().Action.ReturnedAt, "nothing was brought")
	brings.Set("secret", "canary")
	a.brings(txn, brings)
	require.NotContains(t, a.Last().Action.Brought, "canary", "only what the provider needs is kept")
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	require.Equal(t, subscription.Active, a.Snap.Status)
	require.Equal(t, []string{db.CallCharge, db.CallComplete}, a.calls(txn.ID))
	a.Clock.Add(time.Minute)
	a.brings(a.Last(), brings) // the page is reloaded
	a.Until(a.Clock.Now())
	require.Len(t, a.sim.Moved(core.Capture), 1)
	for _, table := range []string{"transactions", "provider_calls", "events", "payment_sends"} {
		require.Zero(t, life.Count(t, a.Scene, "select count(*) from "+table+" x where x::text like '%"+
			brings.Get("redirectResult")+"%'"), table)
	}
	a.Sound()
}

func TestActionCompleted_RefusedAtThePage(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	a.brings(a.Last(), a.visits("refuse"))
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Declined, a.Last().Status)
	require.Equal(t, "3D Not Authenticated", a.Last().FailureReason)
	require.Equal(t, subscription.ActionPaymentRetry, a.Snap.NextAction)
	a.Sound()
}

// The payer does not return: the attempt fails when its time is over, without a request. The retry asks again.
func TestActionCompleted_Expires(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	first := a.Last()
	late := a.visits("confirm")
	a.Until(first.Action.ExpiresAt)
	require.Equal(t, payment.Failed, a.Last().Status)
	require.Equal(t, payment.Unconfirmed, a.Last().FailureReason)
	require.Equal(t, first.Action.ExpiresAt, a.Last().CompletedAt)
	require.Equal(t, []string{db.CallCharge}, a.calls(first.ID))
	a.brings(first, late)
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Failed, a.Last().Status, "too late, and nothing was captured")

	a.Until(a.Snap.NextAt)
	second := a.Last()
	require.NotEqual(t, first.ID, second.ID)
	a.brings(second, a.visits("confirm"))
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

func TestActionCompleted_SubscriptionCanceled(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	brings := a.visits("confirm")
	a.Command(life.Command{Name: contract.CommandCancel, ImmediateEffect: true})
	a.brings(a.Last(), brings)
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Canceled, a.Last().Status)
	require.Empty(t, a.sim.Moved(core.Capture))
	a.Sound()
}

// A customer is deleted while asked: link and page are gone, and the charge ends without a request.
func TestActionCompleted_CustomerDeleted(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	txn := a.Last()
	a.brings(txn, a.visits("confirm"))
	life.EraseAll(t, a.Scene, life.DeleteCustomer(t, a.Scene, a.Payer.ID), 0)
	require.Zero(t, life.Count(t, a.Scene, "select count(*) from transactions where action_brought is not null"))
	a.Reload()
	a.Until(a.Clock.Now().Add(life.Day))
	require.Equal(t, payment.Canceled, a.Last().Status)
	require.Equal(t, []string{db.CallCharge}, a.calls(txn.ID))
	require.Empty(t, a.sim.Moved(core.Capture))
	a.Sound()
}

// A new card is tried at once.
func TestActionCompleted_MethodChanged(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	a.Clock.Add(time.Hour)
	good := customer.PaymentDetails{CustomerToken: "shopper_9", PaymentMethodToken: "M5N7TQ4TG5PFWR50"}
	a.SetMethod(t, a.Payer.ID, &good)
	a.Wake()
	a.Until(a.Clock.Now())
	require.Len(t, a.Transactions(), 2)
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// Without an answer nothing is known, so that the charge outlives the payer's time until a repeat is answered.
func TestActionCompleted_SilenceIsUnknown(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"reset", "reset_booked"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			a := adyenAsking(t)
			end := a.Last().Action.ExpiresAt
			a.Until(end.Add(-time.Hour)) // the simulator keeps a key for a day
			a.fault(kind)
			a.brings(a.Last(), a.visits("confirm"))
			a.Until(end.Add(time.Hour))
			require.Equal(t, payment.Pending, a.Last().Status)
			require.Equal(t, payment.ConfirmDecided, a.Last().Confirmation(a.Clock.Now()))
			require.Equal(t, 200, a.sim.Control(t, "DELETE", "faults", "").Status)
			a.Until(end.Add(3 * time.Hour))
			require.Equal(t, payment.Success, a.Last().Status)
			require.Len(t, a.sim.Moved(core.Capture), 1)
			a.Sound()
		})
	}
}

// Anyone can forge a return address: a value that Adyen did not write leaves the charge waiting for the payer.
func TestActionCompleted_ForgedReturn(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	page := a.Last().Action.URL
	a.brings(a.Last(), url.Values{"redirectResult": {"forged"}})
	a.Until(a.Clock.Now())
	require.Equal(t, payment.ConfirmNow, a.Last().Confirmation(a.Clock.Now()))
	require.Equal(t, page, a.Last().Action.URL)
	require.Empty(t, a.Last().Action.Brought)
	a.Clock.Add(time.Minute)
	a.brings(a.Last(), a.visits("confirm"))
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	a.Sound()
}

// PostgreSQL restarts, so that Adyen may have completed the charge already, and the payer returns with a value that
// Adyen refuses. A later, valid return still completes the charge; a charge that is not confirmed in time, or before a
// new card, is canceled at Adyen.
func TestActionCompleted_ForgedReturnAfterARestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then func(a asking)
		want string // the last call
	}{
		"confirmed": {func(a asking) { a.brings(a.Last(), a.visits("confirm")) }, db.CallComplete},
		"expires":   {func(a asking) { a.Clock.Set(a.Last().Action.ExpiresAt) }, db.CallCancel},
		"a new card": {func(a asking) {
			card := customer.PaymentDetails{CustomerToken: "shopper_9", PaymentMethodToken: "M5N7TQ4TG5PFWR50"}
			a.SetMethod(a.t, a.Payer.ID, &card)
			a.Wake()
		}, db.CallCancel},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := adyenAsking(t)
			txn := a.Last().ID
			a.Restore()
			a.brings(a.Last(), url.Values{"redirectResult": {"forged"}})
			a.Until(a.Clock.Now())
			require.Equal(t, payment.ConfirmNow, a.Last().Confirmation(a.Clock.Now()))
			require.NotZero(t, a.Last().Action.HandedAt, "Adyen may have completed it before")
			a.Clock.Add(time.Minute)
			c.then(a)
			a.Until(a.Clock.Now())
			calls := a.calls(txn)
			require.Equal(t, c.want, calls[len(calls)-1])
			if c.want == db.CallComplete {
				require.Equal(t, payment.Success, a.Last().Status)
				require.Len(t, a.sim.Moved(core.Capture), 1)
			}
			a.Sound()
		})
	}
}

// The worker dies after Adyen has authorised, and another one completes again.
func TestActionCompleted_WorkerDies(t *testing.T) {
	t.Parallel()
	a := adyenAsking(t)
	a.brings(a.Last(), a.visits("confirm"))
	ctx, die := context.WithCancel(t.Context())
	gateway := a.Payments.Gateway
	a.Payments.Gateway = scene.Gateway{Only: dying{gateway.(scene.Gateway).Only, die}}
	in := contract.ResolveInput{EnvironmentID: a.Env, TransactionID: a.Last().ID, Now: a.Clock.Now()}
	_, err := a.Payments.Charge(ctx, in)
	require.Error(t, err)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	require.Equal(t, payment.Pending, a.Last().Status)
	a.Payments.Gateway = gateway
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// dying takes its worker's context away when the provider has answered.
type dying struct {
	providers.Provider
	die func()
}

func (d dying) CompleteCharge(ctx context.Context, in providers.CompleteRequest) (providers.Result, error) {
	res, err := d.Provider.CompleteCharge(ctx, in)
	d.die()
	return res, err
}
