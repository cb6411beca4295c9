package story

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// bank is an API and a simulated Stripe with one payment whose bank asks for a confirmation.
type bank struct {
	content   bool // the bank requires no confirmation
	deaf      bool // the payer's return leads to nothing
	closed    bool // the bank's page is not there
	captures  int
	confirmed bool // at the bank's page
	returned  bool
}

func (f *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	here := "http://" + r.Host
	payment := object{"id": "txn_1", "status": "pending", "confirmUrl": here + "/confirm/TOKEN"}
	state := "open"
	if f.content || f.confirmed && f.returned && !f.deaf {
		payment, state = object{"id": "txn_1", "status": "success"}, "paid"
	}
	var reply any = object{"id": "x_1"}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/payments":
		reply = object{"data": []object{payment}}
	case "GET /api/invoices":
		reply = object{"data": []object{{"status": state}}}
	case "GET /confirm/TOKEN":
		http.Redirect(w, r, here+"/bank", http.StatusSeeOther)
		return
	case "POST /bank":
		if f.closed {
			http.NotFound(w, r)
			return
		}
		f.confirmed = r.PostFormValue("decision") == "confirm"
		http.Redirect(w, r, here+"/confirm/TOKEN/return?x=1", http.StatusSeeOther)
		return
	case "GET /confirm/TOKEN/return":
		f.returned = true
	case "GET /_simulator/stripe/ledger":
		lines := []object{{"kind": "capture", "txn_id": "another"}}
		for range f.captures {
			lines = append(lines, object{"kind": "capture", "txn_id": "txn_1"})
		}
		reply = lines
	}
	_ = json.NewEncoder(w).Encode(reply)
}

func (f *bank) play(t *testing.T) (string, error) {
	t.Helper()
	return playAt(t, f, PlayConfirmation)
}

func TestConfirmation_Whole(t *testing.T) {
	t.Parallel()
	out, err := (&bank{captures: 1}).play(t)
	require.NoError(t, err, out)
	require.Regexp(t, `12.00 EUR open +pending +http://[^ ]+/confirm/TOKEN\n`, out)
	require.Regexp(t, `12.00 EUR paid +success +–\n`, out)
	require.Contains(t, out, "Stripe's own books agree: 1 capture, 12.00 EUR.")
}

func TestConfirmation_StopsAtDeviation(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*bank{
		"nobody is asked": {content: true, captures: 1},
		"never settled":   {deaf: true, captures: 1},
		"captured twice":  {captures: 2},
		"no money":        {},
	} {
		out, err := f.play(t)
		var deviation *Deviation
		require.ErrorAs(t, err, &deviation, name)
		require.Contains(t, out, "✗", name)
	}
	_, err := (&bank{closed: true, captures: 1}).play(t)
	require.ErrorContains(t, err, "404")
}
