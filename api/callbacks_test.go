package api

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/contract"
	"perennial/internal/id"
)

func TestCallback_VerifiedStoredSignalled(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	txn := as[Payment](t, 201, b.charge(t, sub.CustomerID))
	path := "/callbacks/" + b.test.providerID
	raw := "{ \"any\":  \"bytes\" }\n"

	problem(t, 401, "callback_signature_invalid", "",
		b.send(t, "POST", path, raw, "Signature", "forged", "Event", "e0", "Transaction", txn.ID))
	require.Zero(t, b.count(t, "select count(*) from provider_callbacks"))

	b.engine.onSignal = func(context.Context) error { return errors.New("no engine") } // best effort: it is stored
	for range 3 {
		require.Equal(t, 200, b.send(t, "POST", path, raw, "Signature", "good", "Event", "e1", "Transaction",
			txn.ID, "Ref", "pi_1").Status)
	}
	require.Equal(t, raw, string(b.provider.body), "a signature covers the bytes as they came")
	require.Equal(t, 1,
		b.count(t, "select count(*) from provider_callbacks where transaction_id = $1 and provider_ref = 'pi_1'", txn.ID))
	require.Equal(t, []contract.Owner{
		{EnvironmentID: b.test.environmentID, TransactionID: txn.ID},
		{EnvironmentID: b.test.environmentID, TransactionID: txn.ID},
		{EnvironmentID: b.test.environmentID, TransactionID: txn.ID},
	}, b.engine.checks, "a repeat is told on too: the first signal may have been lost")
}

func TestCallback_FindsTransactionByProviderReference(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	txn := as[Payment](t, 201, b.charge(t, cust.ID))
	b.succeed(t, txn.ID)
	send := func(path string, headers ...string) response {
		return b.send(t, "POST", path, "{}", append([]string{"Signature", "good"}, headers...)...)
	}
	require.Equal(t, 200, send("/callbacks/"+b.test.providerID, "Event", "e1", "Ref", "pi_"+txn.ID).Status)
	require.Len(t, b.engine.checks, 1)

	// A callback about another environment's payment, or an unknown one, is stored and signaled to no workflow.
	require.Equal(t, 200, send("/callbacks/"+b.other.providerID, "Event", "e2", "Transaction",
		txn.ID, "Ref", "pi_"+txn.ID).Status)
	require.Equal(t, 200, send("/callbacks/"+b.test.providerID, "Event", "e3").Status)
	require.Len(t, b.engine.checks, 1)
	lost := id.New(id.Transaction, b.clock()) // its row went with a restore, its money did not
	require.Equal(t, 200, send("/callbacks/"+b.test.providerID, "Event", "e4", "Transaction",
		lost, "Ref", "pi_lost").Status)
	require.Equal(t, 1, b.count(t, "select count(*) from provider_callbacks where lost_transaction_id = $1", lost))
	require.Equal(t, 3, b.count(t, "select count(*) from provider_callbacks where transaction_id is null"))

	problem(t, 404, "provider_config_not_found", "",
		send("/callbacks/"+id.New(id.ProviderConfig, b.clock()), "Event", "e"))
	problem(t, 404, "provider_config_not_found", "", send("/callbacks/x", "Event", "e"))
}

func TestCallback_PathNamesProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	send := func(path, event string) response {
		return b.send(t, "POST", path, "{}", "Signature", "good", "Event", event)
	}
	own := "/callbacks/stripe/" + b.test.providerID
	require.Equal(t, 200, send(own, "e1").Status)
	require.Equal(t, own, b.provider.path)
	require.Equal(t, 200, send(own+"/s%2Becret", "e2").Status)
	require.Equal(t, own+"/s%2Becret", b.provider.path, "as it came: some providers sign it")
	problem(t, 404, "provider_config_not_found", "", send("/callbacks/adyen/"+b.test.providerID, "e3"))
	problem(t, 404, "route_not_found", "", send(own+"/a/b", "e4"))
	require.Equal(t, 2, b.count(t, "select count(*) from provider_callbacks"))
}
