package story

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// telephone is an API and a simulated pawaPay with one payment.
type telephone struct {
	account   bool // an earlier start has added it
	deaf      bool // the payer's confirmation leads to nothing
	captures  int
	callback  int // the status that it was answered with
	confirmed bool
	asked     []string
	refusing  bool     // pawaPay refuses connections
	sends     []object // of the payment meanwhile; nil: the usual ones
}

func (f *telephone) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + r.URL.Path
	f.asked = append(f.asked, request)
	status, state := "pending", "open"
	if f.confirmed && !f.deaf {
		status, state = "success", "paid"
	}
	var reply any = object{"id": "x_1"}
	account := object{"provider": "pawapay", "callbackUrl": "http://api.test/callbacks/pawapay/pp_1"}
	switch request {
	case "GET /api/payment-providers":
		if reply = (object{"data": []object{}}); f.account {
			backup := object{"provider": "flutterwave", "callbackUrl": "http://api.test/callbacks/flutterwave/pp_2"}
			reply = object{"data": []object{{"provider": "stripe"}, account, backup}}
		}
	case "POST /api/payment-providers":
		reply = account
	case "GET /api/payments":
		reply = object{"data": []object{{"status": status, "provider": "pawapay", "providerReference": "dep_1"}}}
	case "GET /api/invoices":
		reply = object{"data": []object{{"status": state}}}
	case "PUT /_simulator/pawapay/outage":
		var in struct{ Mode string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		f.refusing = in.Mode == "refuse"
	case "GET /api/payments/x_1":
		sends := f.sends
		if sends == nil {
			sends = []object{
				{"provider": "pawapay", "reason": "named by the payment method", "outcome": "not_sent"},
				{"provider": "flutterwave", "reason": "backup", "outcome": "succeeded"},
			}
		}
		if status = "pending"; f.refusing {
			status = "success"
		}
		reply = object{"status": status, "sends": sends}
	case "GET /_simulator/flutterwave/ledger":
		reply = []object{{"kind": "capture", "txn_id": "x_1"}, {"kind": "capture", "txn_id": "another"}}
	case "POST /_simulator/pawapay/payments/dep_1/settle":
		f.confirmed = true
	case "GET /_simulator/pawapay/ledger":
		lines := []object{{"kind": "capture", "charge": "another"}}
		for range f.captures {
			lines = append(lines, object{"kind": "capture", "charge": "dep_1"})
		}
		reply = lines
	case "GET /_simulator/pawapay/callbacks":
		reply = []object{{"status": f.callback}}
	}
	_ = json.NewEncoder(w).Encode(reply)
}

func (f *telephone) play(t *testing.T) (string, error) {
	t.Helper()
	return playAt(t, f, PlayMobileMoney)
}

func TestMobileMoney_Whole(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		f := &telephone{account: kept, captures: 1, callback: http.StatusOK}
		out, err := f.play(t)
		require.NoError(t, err, out)
		require.Contains(t, out, "pawaPay's own books agree: 1 capture, 5000 XAF.")
		require.Regexp(t, "send 1: pawapay .*not_sent +named by the payment method", out)
		require.Regexp(t, "send 2: flutterwave .*succeeded +backup", out)
		require.Contains(t, out, "Flutterwave's own books agree: 1 capture, 2500 XAF.")
		require.False(t, f.refusing, "the outage is ended")
		asked := strings.Join(f.asked, "\n")
		require.Equal(t, !kept, strings.Contains(asked, "POST /api/payment-providers"), "the account is kept")
		require.Contains(t, asked, "PUT /_simulator/pawapay/callbacks")
	}
}

func TestMobileMoney_StopsAtDeviation(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]*telephone{
		"never settled":    {deaf: true, captures: 1, callback: http.StatusOK},
		"captured twice":   {captures: 2, callback: http.StatusOK},
		"no money":         {callback: http.StatusOK},
		"callback refused": {captures: 1, callback: http.StatusUnauthorized},
		"no failover": {captures: 1, callback: http.StatusOK, sends: []object{
			{"provider": "pawapay", "reason": "named by the payment method", "outcome": "succeeded"},
		}},
	} {
		out, err := f.play(t)
		var deviation *Deviation
		require.ErrorAs(t, err, &deviation, name)
		require.Contains(t, out, "✗", name)
	}
}
