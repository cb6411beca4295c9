package flutterwave

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

func failed(code, kind, rest string) string {
	return `{"status":"failed","error":{"type":"` + kind + `","code":"` + code + `","message":"m"` + rest + `}}`
}

func field(name string) string {
	return `,"validation_errors":[{"field_name":"` + name + `","message":"is not valid"}]`
}

// Only a documented refusal ends an attempt, and only if it cannot be about an earlier request of ours.
func TestRefused_WhatEachAnswerProves(t *testing.T) {
	t.Parallel()
	const unknown, notSent, ended, declined = providers.Unknown, providers.NotSent, providers.Failed, providers.Declined
	for _, c := range []struct {
		name     string
		status   int
		body     string
		charged  providers.Outcome
		refunded providers.Outcome
		found    providers.Outcome
	}{
		{"unauthorized", 401, failed("10401", "UNAUTHORIZED", ""), notSent, notSent, unknown},
		{"forbidden", 403, failed("10403", "FORBIDDEN", ""), notSent, notSent, unknown},
		{"limited", 429, `too many`, notSent, notSent, unknown},
		{"server error", 500, failed("10500", "INTERNAL_SERVER_ERROR", ""), unknown, unknown, unknown},
		{"gateway", 502, `<html>`, unknown, unknown, unknown},
		{"unavailable", 503, ``, unknown, unknown, unknown},
		{"a documented code under 500", 500, failed("10400", "REQUEST_NOT_VALID", ""), unknown, unknown, unknown},
		{"invalid", 400, failed("10400", "REQUEST_NOT_VALID", field("currency")), ended, ended, unknown},
		{"unprocessable", 422, failed("10422", "UNPROCESSABLE", ""), ended, ended, unknown},
		{"code as a number", 400, `{"error":{"type":"X","code":10400}}`, ended, ended, unknown},
		{"the payer's card", 400, failed("10400", "INVALID", field("payment_method_id")), declined, ended, unknown},
		{"the payer's phone", 400, failed("10400", "INVALID", field("customer.phone.number")), declined, ended, unknown},
		{"absent", 404, failed("10404", "RESOURCE_NOT_FOUND", ""), declined, ended, providers.NotFound},
		{"wrong path", 404, `{"message":"no Route matched"}`, unknown, unknown, unknown},
		{"conflict", 409, failed("10409", "RESOURCE_CONFLICT", ""), unknown, unknown, unknown},
		{"conflict by its code", 400, failed("10409", "CONFLICT", ""), unknown, unknown, unknown},
		{"our reference exists", 400, failed("10400", "REQUEST_NOT_VALID", field("reference")), unknown, unknown, unknown},
		{"duplicate by its type", 400, failed("10400", "DUPLICATE_REQUEST", ""), unknown, unknown, unknown},
		{"not documented", 418, failed("19999", "TEAPOT", ""), unknown, unknown, unknown},
		{"a page under 200", 200, `<html>`, unknown, unknown, unknown},
		{"another object", 200, `{"status":"success","data":{"name":"x"}}`, unknown, unknown, unknown},
		{"failed under 200", 200, `{"status":"failed","data":{"id":"chg_1","status":"new"}}`, unknown, unknown, unknown},
		{"no content", 204, ``, unknown, unknown, unknown},
	} {
		f := answering(t, c.status, c.body)
		charge, err := f.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, c.name)
		require.Equal(t, c.charged, charge.Outcome, c.name)
		require.Equal(t, c.status, charge.HTTPStatus, c.name)
		require.NotEmpty(t, charge.FailureReason, c.name)
		if c.charged == declined {
			require.Equal(t, providers.InvalidAccount, charge.FailureCode, c.name)
		}
		refund, err := f.Refund(t.Context(), sampleRefund())
		require.NoError(t, err, c.name)
		require.Equal(t, c.refunded, refund.Outcome, c.name)
		for _, ask := range []func() (providers.Result, error){
			func() (providers.Result, error) {
				return f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
			},
			func() (providers.Result, error) {
				return f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "rfd_1"})
			},
		} {
			found, err := ask()
			require.NoError(t, err, c.name)
			require.Equal(t, c.found, found.Outcome, c.name)
		}
		for _, ask := range []func() (providers.Result, error){
			func() (providers.Result, error) {
				return f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: ourSend})
			},
			func() (providers.Result, error) {
				return f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: ourSend})
			},
		} {
			found, err := ask()
			require.NoError(t, err, c.name)
			require.Equal(t, unknown, found.Outcome, "a list that is missing is not a charge that is: %s", c.name)
		}
	}
}

func TestRefused_ConflictSaysWhenToAskAgain(t *testing.T) {
	t.Parallel()
	res, err := answering(t, 409, failed("10409", "RESOURCE_CONFLICT", "")).Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Positive(t, res.RetryAfter)
}

func TestRefused_HidesWhatTheAnswerRepeats(t *testing.T) {
	t.Parallel()
	res, err := answering(t, 400, `{"status":"failed","error":{"type":"REQUEST_NOT_VALID","code":"10400","message":`+
		`"`+canary+` `+hashCanary+` tok-1 +233 241234567 ama@example.com is wrong"},"customer":{"name":"Ama"}}`).
		Charge(t.Context(), samplePrompt())
	require.NoError(t, err)
	require.Equal(t, providers.Failed, res.Outcome)
	require.Contains(t, res.FailureReason, "is wrong")
	require.NotEmpty(t, res.Response)
	requireClean(t, res)
}
