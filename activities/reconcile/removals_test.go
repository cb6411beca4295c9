package reconcile_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/reconcile"
	"perennial/billing/customer"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
	"perennial/service/customers"
	"perennial/service/payments"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// remover is a customer with payment methods, and a reconciler that removes them at the provider.
type remover struct {
	*scene.Scene
	t        *testing.T
	service  *service.Service
	by       usecase.Caller
	customer customer.Customer
}

func newRemover(t *testing.T) *remover {
	t.Helper()
	s := scene.New(t)
	return &remover{
		Scene: s, t: t, service: service.New(s.Store, s.Clock.Now), customer: s.Customer(t, ""),
		by: usecase.Caller{Actor: db.BySystem("test"), EnvironmentID: s.Env, TimeZone: "UTC"},
	}
}

func (r *remover) add(token string) customer.Method {
	r.t.Helper()
	m, err := r.service.Customers.AddPaymentMethod(r.t.Context(), r.by, r.customer.ID,
		customer.Method{Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: token}}, nil, nil)
	require.NoError(r.t, err)
	return m
}

func (r *remover) remove(m customer.Method) {
	r.t.Helper()
	require.NoError(r.t, r.service.Customers.RemovePaymentMethod(r.t.Context(), r.by, m, customers.Removal{},
		usecase.Around[customers.RemovedMethod]{}))
}

// pass makes one pass, and returns what the provider has removed so far.
func (r *remover) pass() []string {
	r.t.Helper()
	_, err := r.reconciler().Reconcile(r.t.Context())
	require.NoError(r.t, err)
	return r.Provider.RemovedMethods()
}

func (r *remover) reconciler() *reconcile.Reconciler {
	return &reconcile.Reconciler{
		Store: r.Worker, Clock: r.Clock.Now, Waker: &life.Waker{}, RemoveMethod: r.Payments.RemoveMethod,
	}
}

// killedPass makes a pass whose process is killed while the provider is asked.
func (r *remover) killedPass() {
	r.t.Helper()
	ctx, kill := context.WithCancel(r.t.Context())
	asked := false
	r.Provider.DuringRemovals(func() { asked = true; kill() })
	_, _ = r.reconciler().Reconcile(ctx)
	r.Provider.DuringRemovals(nil)
	require.True(r.t, asked)
}

func (r *remover) tokens() (n int) {
	r.t.Helper()
	require.NoError(r.t, r.Pool.QueryRow(r.t.Context(),
		"select count(*) from payment_methods where removed_at is not null and details is not null").Scan(&n))
	return n
}

// A removed method is removed at the provider, as often as it takes, and its token is forgotten then.
func TestRemovals_RepeatedUntilDone(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	require.Empty(t, r.pass(), "nothing is removed")
	r.remove(m)
	r.Provider.KeepMethods(true)
	require.Empty(t, r.pass())
	require.Equal(t, 1, r.tokens(), "the provider still has it")
	r.Provider.KeepMethods(false)
	require.Empty(t, r.pass(), "its time has not come again")
	r.Clock.Add(customer.RemovalPause(0))
	require.Equal(t, []string{"pm_second"}, r.pass())
	require.Zero(t, r.tokens())
	r.Clock.Add(48 * time.Hour)
	require.Equal(t, []string{"pm_second"}, r.pass(), "once")
}

// A process that dies after the removal here, and before or after the provider has done it, leaves it to the next pass
// of any other: at the end the provider has removed it, and its token is forgotten. A repeated request is harmless.
func TestRemovals_ProcessKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		done bool // by the provider, before the process died
		want []string
	}{
		"before the provider did it": {false, []string{"pm_second"}},
		"before that was recorded":   {true, []string{"pm_second", "pm_second"}},
	} {
		r := newRemover(t)
		r.remove(r.add("pm_second"))
		r.Provider.KeepMethods(!c.done)
		r.killedPass()
		require.Equal(t, 1, r.tokens(), "%s: nothing is recorded", name)
		r.Provider.KeepMethods(false)
		require.Equal(t, c.want, r.pass(), "%s: at once, without a pause", name)
		require.Zero(t, r.tokens(), name)
		r.Clock.Add(48 * time.Hour)
		require.Equal(t, c.want, r.pass(), name)
	}
}

// With the customer all of the methods go.
func TestRemovals_WithTheCustomer(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	r.add("pm_second")
	require.NoError(t, r.service.Customers.EraseCustomer(t.Context(), r.by, r.customer.ID, usecase.Around[string]{}))
	r.Clock.Add(time.Hour)
	require.ElementsMatch(t, []string{"pm_canary", "pm_second"}, r.pass())
	require.Zero(t, r.tokens())
}

// A token that was added again stays at the provider: the other method is charged with it.
func TestRemovals_SharedTokenStays(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	r.remove(m)
	r.add("pm_second")
	require.Empty(t, r.pass())
	require.Zero(t, r.tokens())
}

// A payment that has begun with the method goes on: it is removed afterwards, or after a day.
func TestRemovals_WaitForPayments(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	txn, err := r.service.Payments.ChargeCustomer(t.Context(), r.by, payments.NewCharge{
		CustomerID: r.customer.ID, Amount: 700, Currency: "EUR", PaymentMethodID: m.ID}, nil)
	require.NoError(t, err)
	_, err = r.Payments.Charge(t.Context(),
		contract.ResolveInput{EnvironmentID: r.Env, TransactionID: txn.ID, Now: r.Clock.Now()})
	require.NoError(t, err)
	r.remove(m)
	require.Empty(t, r.pass())
	r.Clock.Add(25 * time.Hour)
	require.Equal(t, []string{"pm_second"}, r.pass())
}

// addAccount adds a second account at the provider.
func (r *remover) addAccount() db.ProviderConfig {
	r.t.Helper()
	second := r.Config
	second.ID, second.Primary = id.New(id.ProviderConfig, r.Clock.Now()), false
	r.InTx(r.t, func(tx *db.Tx) error { return tx.Payments.InsertProviderConfig(r.t.Context(), r.Env, second) })
	return second
}

// A disabled account is charged no more, but may have the card: it is asked too.
func TestRemovals_AskDisabledAccounts(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	second := r.addAccount()
	second.DisabledAt = r.Clock.Now()
	r.InTx(t, func(tx *db.Tx) error {
		return tx.Payments.SaveProviderConfig(t.Context(), r.Env, second, []string{"disabled"})
	})
	r.remove(m)
	require.Equal(t, []string{"pm_second", "pm_second"}, r.pass(), "at both")
	require.Zero(t, r.tokens())
}

// A token that is added again between two requests stays at the accounts that were not asked yet.
func TestRemovals_AddedAgainMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	r.addAccount()
	r.remove(m)
	r.Provider.DuringRemovals(sync.OnceFunc(func() { r.add("pm_second") }))
	require.Equal(t, []string{"pm_second"}, r.pass(), "one of two accounts")
	require.Zero(t, r.tokens())
	r.Clock.Add(48 * time.Hour)
	require.Equal(t, []string{"pm_second"}, r.pass(), "the other method is charged with it")
}

// What could not be removed of a token that was added again is not tried again.
func TestRemovals_AddedAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	r := newRemover(t)
	m := r.add("pm_second")
	r.remove(m)
	r.Provider.KeepMethods(true)
	r.Provider.DuringRemovals(sync.OnceFunc(func() { r.add("pm_second") }))
	require.Empty(t, r.pass())
	require.Zero(t, r.tokens(), "the removal is over")
}
