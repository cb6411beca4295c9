package flutterwave

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func chargeWith(id, reference, status, txn string) string {
	return `{"id":"` + id + `","amount":19.99,"currency":"USD","reference":"` + reference + `","status":"` + status +
		`","meta":{"txn_id":"` + txn + `"},"created_datetime":"2026-05-24T15:33:11.005Z","disputed":true}`
}

func listed(items string) string {
	return `{"status":"success","meta":{"page_info":{"total":1,"current_page":1,"total_pages":1}},"data":[` + items + `]}`
}

// A list that shows other charges did not take our filter: then it proves nothing about ours.
func TestLookupCharge_ByReference(t *testing.T) {
	t.Parallel()
	const other = "ffffffffffffffffffffffffffffffff"
	for name, c := range map[string]struct {
		body    string
		outcome providers.Outcome
		ref     string
	}{
		"found":     {listed(chargeWith("chg_1", ourRef, "succeeded", "txn_42")), providers.Succeeded, "chg_1"},
		"empty":     {listed(""), providers.NotFound, ""},
		"no filter": {listed(chargeWith("chg_2", other, "succeeded", "txn_9")), providers.Unknown, ""},
		"among other": {listed(chargeWith("chg_2", other, "failed", "") + "," +
			chargeWith("chg_1", ourRef, "pending", "")), providers.Pending, "chg_1"},
		"the one that captured": {listed(chargeWith("chg_1", ourRef, "failed", "") + "," +
			chargeWith("chg_2", ourRef, "succeeded", "") + "," + chargeWith("chg_3", ourRef, "pending", "")),
			providers.Succeeded, "chg_2"},
	} {
		f := against(t, func(w http.ResponseWriter, r *http.Request) {
			expect(t, "GET /charges?reference="+ourRef, r.Method+" "+r.URL.RequestURI())
			expect(t, "", r.Header.Get("X-Idempotency-Key"))
			_, _ = io.WriteString(w, c.body)
		})
		in := providers.LookupRequest{TransactionID: "txn_42", Key: ourSend}
		res, err := f.LookupCharge(t.Context(), in)
		require.NoError(t, err, name)
		require.Equal(t, c.outcome, res.Outcome, name)
		require.Equal(t, c.ref, res.Ref, name)
		require.NotContains(t, string(res.Response), "txn_9", name)
		canceled, err := f.CancelCharge(t.Context(), in)
		require.NoError(t, err, name)
		require.Equal(t, res, canceled, "a cancel says how the charge stands: %s", name)
	}
}

func TestLookupCharge_WithoutAKeyIsUnknown(t *testing.T) {
	t.Parallel()
	f := against(t, func(http.ResponseWriter, *http.Request) { t.Error("there is nothing to ask") })
	res, err := f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42"})
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}

func TestLookup_AnothersReferenceIsRefused(t *testing.T) {
	t.Parallel()
	f := answering(t, 200, `{"data":`+chargeWith("chg_1", ourRef, "succeeded", "txn_other")+`}`)
	for name, ask := range map[string]func() error{
		"charge": func() error {
			_, err := f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
			return err
		},
		"cancel": func() error {
			_, err := f.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
			return err
		},
		"refund": func() error {
			_, err := f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
			return err
		},
	} {
		require.Equal(t, "provider_reference_mismatch", fault.From(ask()).Code, name)
	}
}

func TestLookup_ReferencesAreEscaped(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 1)
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.EscapedPath()
		w.WriteHeader(http.StatusNotFound)
	})
	in := providers.LookupRequest{TransactionID: "txn_42", Ref: "../customers"}
	for kind, ask := range map[string]func() (providers.Result, error){
		"charges": func() (providers.Result, error) { return f.LookupCharge(t.Context(), in) },
		"refunds": func() (providers.Result, error) { return f.LookupRefund(t.Context(), in) },
	} {
		res, err := ask()
		require.NoError(t, err)
		require.Equal(t, providers.Unknown, res.Outcome)
		require.Equal(t, "/"+kind+"/..%2Fcustomers", <-paths)
	}
}

// since serves a captured charge with lists of refunds, two a page, and of chargebacks.
func since(t *testing.T, pages []string, chargebacks string) *Flutterwave {
	t.Helper()
	return against(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/charges/chg_1":
			_, _ = io.WriteString(w, `{"data":`+chargeWith("chg_1", ourRef, "succeeded", "txn_42")+`}`)
		case "/refunds":
			expect(t, "2026-05-24T15:33:11.005Z", r.URL.Query().Get("from"))
			page, err := strconv.Atoi(r.URL.Query().Get("page"))
			if err != nil || page < 1 || page > len(pages) {
				t.Errorf("page %q", r.URL.Query().Get("page"))
				return
			}
			_, _ = fmt.Fprintf(w, `{"meta":{"page_info":{"current_page":%d,"total_pages":%d}},"data":[%s]}`,
				page, len(pages), pages[page-1])
		case "/chargebacks":
			_, _ = io.WriteString(w, chargebacks)
		}
	})
}

func TestLookupCharge_Since(t *testing.T) {
	t.Parallel()
	f := since(t, []string{
		`{"id":"rfd_1","amount_refunded":5,"charge_id":"chg_1","status":"completed","meta":{"txn_id":"txn_43"}},` +
			`{"id":"rfd_2","amount_refunded":1,"charge_id":"chg_9","status":"succeeded","meta":{}}`,
		`{"id":"rfd_3","amount_refunded":2.5,"charge_id":"chg_1","status":"new","meta":{}},` +
			`{"id":"rfd_4","amount_refunded":3,"charge_id":"chg_1","status":"failed"}`,
	}, listed(`{"id":7,"amount":19.99,"charge_id":"chg_1","status":"initiated"},`+
		`{"id":"cbk_8","amount":1,"charge_id":"chg_1","status":"won"},`+
		`{"id":"cbk_9","amount":2,"charge_id":"chg_1","status":"accepted"},`+
		`{"id":"cbk_5","amount":3,"charge_id":"chg_1","status":"declined"},`+
		`{"id":"cbk_0","amount":2,"charge_id":"chg_9","status":"lost"}`))
	const stage = providers.StageChargeback
	in := providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1", Since: true}
	res, err := f.LookupCharge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []providers.SeenRefund{
		{Ref: "rfd_1", TransactionID: "txn_43", Amount: 500}, {Ref: "rfd_3", Amount: 250, Pending: true},
	}, res.Refunds)
	require.Equal(t, []providers.Dispute{
		{Ref: "7", State: providers.DisputeOpen, Stage: stage, Amount: 1999, Currency: "USD", Withdrawn: 1999},
		{Ref: "cbk_8", State: providers.DisputeWon, Stage: stage, Amount: 100, Currency: "USD"},
		{Ref: "cbk_9", State: providers.DisputeLost, Stage: stage, Amount: 200, Currency: "USD", Withdrawn: 200},
		{Ref: "cbk_5", State: providers.DisputeUnderReview, Stage: stage, Amount: 300, Currency: "USD", Withdrawn: 300},
	}, res.Disputes)
	in.Since = false
	res, err = f.LookupCharge(t.Context(), in)
	require.NoError(t, err)
	require.Empty(t, res.Refunds)
	require.Empty(t, res.Disputes)
}

// Half of the operations on the money is worse than none: it would be booked as all. The capture itself is sure.
func TestLookupCharge_SinceIsWholeOrUnread(t *testing.T) {
	t.Parallel()
	const fine = `{"id":"rfd_1","amount_refunded":5,"charge_id":"chg_1","status":"completed"}`
	const noList = `{"status":"failed"}`
	long := make([]string, listPages+1)
	for i := range long {
		long[i] = fine
	}
	for name, f := range map[string]*Flutterwave{
		"too long":           since(t, long, listed("")),
		"no chargebacks":     since(t, []string{fine}, noList),
		"an odd refund":      since(t, []string{`{"amount_refunded":0.001,"charge_id":"chg_1"}`}, listed("")),
		"an odd chargeback":  since(t, []string{fine}, listed(`{"id":1,"charge_id":"chg_1"}`)),
		"no list of refunds": since(t, []string{`7`}, listed("")),
	} {
		res, err := f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1", Since: true})
		require.NoError(t, err, name)
		require.Equal(t, providers.Succeeded, res.Outcome, name)
		require.True(t, res.SinceUnread, name)
		require.Empty(t, res.Refunds, name)
		require.Empty(t, res.Disputes, name)
		require.NotEmpty(t, res.FailureReason, name)
	}
}
