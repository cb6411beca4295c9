package payments

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/reconciliation"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers/settlement"
	"perennial/service/servicetest"
)

// ledger has payments of November of one provider, by the provider's references.
type ledger struct {
	stage    servicetest.Stage
	provider string
	customer string
	ids      map[string]string
}

var november = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

func newLedger(t *testing.T, provider string) *ledger {
	t.Helper()
	l := &ledger{stage: servicetest.New(t), provider: provider, ids: map[string]string{}}
	l.customer = l.stage.Scene.Customer(t, "").ID
	_, err := l.stage.Scene.Pool.Exec(t.Context(), "update provider_configs set provider = $1", provider)
	require.NoError(t, err)
	return l
}

func (l *ledger) book(t *testing.T, ref string, amount money.Minor, c money.Currency, change func(*payment.Transaction)) {
	t.Helper()
	txn := payment.Transaction{
		ID: id.New(id.Transaction, november), Type: payment.Charge, Status: payment.Success, CustomerID: l.customer,
		Amount: amount, Currency: c, Trigger: "manual", Provider: l.provider, ProviderConfigID: l.stage.Scene.Config.ID,
		ProviderRef: ref, DueAt: november, CreatedAt: november, CompletedAt: november, Revision: 1,
	}
	if change != nil {
		change(&txn)
	}
	l.ids[ref] = txn.ID
	l.stage.Scene.InTx(t, func(tx *db.Tx) error {
		return tx.Payments.InsertTransaction(t.Context(), l.stage.Scene.Env, txn)
	})
}

// back books a refund of a charge.
func (l *ledger) back(t *testing.T, charge, ref string, amount money.Minor, c money.Currency) {
	t.Helper()
	l.book(t, ref, amount, c, func(txn *payment.Transaction) {
		txn.Type, txn.Status, txn.ChargeID = payment.Refund, payment.Refunded, l.ids[charge]
	})
}

// compare returns the differences as lines: code, line and reference.
func (l *ledger) compare(t *testing.T, format string, files ...string) ([]string, reconciliation.Summary) {
	t.Helper()
	var readers []*settlement.Reader
	for _, file := range files {
		r, err := settlement.Open(l.provider, format, strings.NewReader(file))
		require.NoError(t, err)
		readers = append(readers, r)
	}
	var found []string
	summary, err := New(l.stage.Base, nil, nil).Settled(t.Context(), l.stage.Caller, SettledInput{
		Provider: l.provider, From: november.AddDate(0, 0, -9), To: november.AddDate(0, 0, 20), Files: readers,
		Found: func(d reconciliation.Difference) error {
			found = append(found, string(d.Code)+" "+d.Reference)
			return nil
		},
	})
	require.NoError(t, err)
	return found, summary
}

// The usual books of each test: charges that are right, one that only we have, one that failed here, and a refund.
func (l *ledger) usual(t *testing.T, c money.Currency) {
	t.Helper()
	l.book(t, "right", 2000, c, nil)
	l.book(t, "amount", 3000, c, nil)
	l.book(t, "currency", 4000, c, nil)
	l.book(t, "failed", 5000, c, func(txn *payment.Transaction) {
		txn.Status, txn.FailureCode, txn.FailureReason = payment.Failed, "DECLINED", "declined"
	})
	l.book(t, "ours", 6000, c, nil)
	l.book(t, "october", 7000, c, func(txn *payment.Transaction) {
		txn.CreatedAt, txn.CompletedAt = november.AddDate(0, -1, 0), november.AddDate(0, -1, 0)
	})
	l.back(t, "right", "refund", 500, c)
	l.back(t, "right", "refund_ours", 100, c)
}

func TestSettled_Stripe(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "stripe")
	l.usual(t, "USD")
	l.book(t, "disputed", 8000, "USD", func(txn *payment.Transaction) {
		txn.Disputes = payment.Disputes{{
			ID: id.New(id.Dispute, november), OpenedAt: november,
			Dispute: answer.Dispute{Ref: "du_1", State: answer.DisputeOpen, Amount: 8000, Currency: "USD"},
		}}
	})
	l.back(t, "disputed", "", 8000, "USD")
	const head = "reporting_category,currency,gross,fee,net,source_id,payment_intent_id,customer_facing_amount,customer_facing_currency\n"
	right := head + `charge,usd,20.00,0.50,19.50,ch_1,right,20.00,usd
charge,usd,70.00,0.50,69.50,ch_7,october,,
refund,usd,-5.00,0,-5.00,refund,right,,
dispute,usd,-80.00,15.00,-95.00,du_1,disputed,,
payout,usd,-9.00,0,-9.00,po_1,,,
`
	lies := `charge,usd,30.01,0.50,29.51,ch_2,amount,,
charge,eur,40.00,0.50,39.50,ch_3,currency,,
charge,usd,50.00,0.50,49.50,ch_4,failed,,
charge,usd,1.00,0.10,0.90,ch_9,theirs,,
charge,usd,20.00,0.50,19.50,ch_1,right,20.00,usd
refund,usd,-1.00,0,-1.00,refund_theirs,right,,
dispute,usd,-20.00,15.00,-35.00,du_2,right,,
charge,usd,80.00,0.50,79.00,ch_8,disputed,,
new_kind,usd,1.00,0,1.00,x_1,,,
charge,usd,1.005,0,1.00,ch_9,right,,
`
	found, summary := l.compare(t, "", right+lies)
	require.ElementsMatch(t, []string{
		"amount_differs amount", "currency_differs currency", "status_differs failed", "charge_not_with_us theirs",
		"twice_in_file right", "refund_not_with_us refund_theirs", "dispute_not_with_us du_2", "fee_differs disputed",
		"not_understood x_1", "not_understood ", "charge_not_in_file ours", "refund_not_in_file refund_ours",
	}, found)
	require.Equal(t, []int{15, 8, 6, 1}, []int{summary.Entries, summary.Payments, summary.Accounted, summary.Earlier})
	require.EqualValues(t, 6*50+2*1500+10, summary.Sums["USD"].Fees)
	require.EqualValues(t, 50, summary.Sums["EUR"].Fees)
}

// What is left without lies is what only we have: of the month's last days, it may be in the next file. Several files
// count together.
func TestSettled_SeveralFiles(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "stripe")
	l.book(t, "one", 100, "JPY", nil)
	l.book(t, "two", 1234, "BHD", nil)
	const head = "type,reference,amount,currency\n"
	found, summary := l.compare(t, settlement.Neutral, head+"charge,one,100,JPY\n", head+"charge,two,1.234,BHD\n")
	require.Empty(t, found)
	require.Equal(t, 2, summary.Accounted)
	found, _ = l.compare(t, settlement.Neutral, head+"charge,one,100,JPY\n")
	require.Equal(t, []string{"charge_not_in_file two"}, found)
}

// The newest first, as providers export: what came back stands before what it came back of, and accounts for that alone.
// Two disputes over the same amount are two refunds.
func TestSettled_NewestFirst(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "stripe")
	l.book(t, "charge", 4000, "USD", func(txn *payment.Transaction) {
		for _, ref := range []string{"du_1", "du_2"} {
			txn.Disputes = append(txn.Disputes, payment.Dispute{
				ID: id.New(id.Dispute, november), OpenedAt: november,
				Dispute: answer.Dispute{Ref: ref, State: answer.DisputeOpen, Amount: 1000, Currency: "USD"},
			})
		}
	})
	returned := func(txn *payment.Transaction) {
		txn.Type, txn.Status, txn.ChargeID, txn.ReturnedAt = payment.Refund, payment.Refunded, l.ids["charge"], november
	}
	l.book(t, "refund", 500, "USD", returned)
	l.back(t, "charge", "", 1000, "USD")
	l.book(t, "", 1000, "USD", returned)
	const head = "type,reference,charge_reference,amount,currency\n"
	newest := head + "dispute_reversed,du_2,charge,10.00,USD\nrefund_returned,refund,charge,5.00,USD\n"
	rest := "dispute,du_2,charge,10.00,USD\ndispute,du_1,charge,10.00,USD\nrefund,refund,charge,5.00,USD\n" +
		"charge,charge,,40.00,USD\n"
	found, summary := l.compare(t, settlement.Neutral, newest+rest)
	require.Empty(t, found)
	require.Equal(t, []int{6, 4, 4}, []int{summary.Entries, summary.Payments, summary.Accounted})
	found, _ = l.compare(t, settlement.Neutral, newest)
	require.ElementsMatch(t, []string{
		"charge_not_in_file charge", "refund_not_in_file refund", "dispute_not_in_file ", "dispute_not_in_file ",
	}, found, "what came back does not hide that the file lacks what went")
}

// A file with more entries than are looked up at once.
func TestSettled_Pages(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "stripe")
	l.book(t, "one", 100, "JPY", nil)
	found, summary := l.compare(t, settlement.Neutral, "type,reference,amount,currency\n"+
		strings.Repeat("fee,,1,JPY\n", 1200)+"charge,one,100,JPY\n")
	require.Empty(t, found)
	require.Equal(t, 1201, summary.Entries)
	require.EqualValues(t, 1200, summary.Sums["JPY"].Fees)
}

func TestSettled_Adyen(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "adyen")
	l.usual(t, "EUR")
	const head = "Psp Reference,Merchant Reference,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC)," +
		"Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC)\n"
	found, _ := l.compare(t, "", head+`right,,Settled,m1,EUR,,20.00,EUR,,19.50,0.50
lost,`+l.ids["ours"]+`-c0123456789ab,Settled,m2,EUR,,60.00,EUR,,59.50,0.50
amount,,Settled,m3,EUR,,30.01,EUR,,29.51,0.50
currency,,Settled,m4,USD,,40.00,EUR,,35.00,0.50
failed,,Settled,m5,EUR,,50.00,EUR,,49.50,0.50
theirs,,Settled,m6,EUR,,1.00,EUR,,0.90,0.10
right,,Refunded,refund,EUR,5.00,,EUR,5.00,,
right,,Refunded,refund_theirs,EUR,1.00,,EUR,1.00,,
right,,Chargeback,dispute,EUR,20.00,,EUR,27.50,,7.50
right,,Settled,m1,EUR,,20.00,EUR,,19.50,0.50
october,,Settled,m7,EUR,,70.00,EUR,,69.00,0.50
,,Fee,Transaction Fees,,,,EUR,1.00,,
,,MerchantPayout,batch 1,,,,EUR,100.00,,
right,,SomethingNew,m8,EUR,,1.00,EUR,,1.00,
`)
	require.ElementsMatch(t, []string{
		"amount_differs amount", "currency_differs currency", "status_differs failed", "charge_not_with_us theirs",
		"refund_not_with_us refund_theirs", "dispute_not_with_us dispute", "twice_in_file right", "fee_differs october",
		"not_understood m8", "refund_not_in_file refund_ours",
	}, found, "found by our reference where Adyen's never reached us")
}

func TestSettled_Pawapay(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "pawapay")
	l.usual(t, "XAF")
	found, _ := l.compare(t, "", `Creation Date,Transaction ID,Amount,Currency,Type
2026-11-02,right,2000,XAF,Deposit
2026-11-02,right,-20,XAF,Deposit fee
2026-11-02,amount,3001,XAF,Deposit
2026-11-02,currency,4000,XOF,Deposit
2026-11-02,failed,5000,XAF,Deposit
2026-11-02,theirs,1000,XAF,Deposit
2026-11-02,refund,-500,XAF,Refund
2026-11-02,refund_theirs,-100,XAF,Refund
2026-11-02,right,2000,XAF,Deposit
2026-11-02,x,100.50,XAF,Deposit
2026-11-02,y,-100,XAF,Compensation
`)
	require.ElementsMatch(t, []string{
		"amount_differs amount", "currency_differs currency", "status_differs failed", "charge_not_with_us theirs",
		"refund_not_with_us refund_theirs", "twice_in_file right", "not_understood x", "not_understood y",
		"charge_not_in_file ours", "refund_not_in_file refund_ours",
	}, found)
}

func TestSettled_Flutterwave(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "flutterwave")
	l.usual(t, "GHS")
	_, err := settlement.Open("flutterwave", "", strings.NewReader("a,b\n"))
	require.ErrorIs(t, err, settlement.ErrNotPublic)
	found, _ := l.compare(t, settlement.Neutral, `type,reference,charge_reference,amount,currency,fee
charge,right,,20.00,GHS,0.20
charge,amount,,30.01,GHS,
charge,currency,,40.00,NGN,
charge,failed,,50.00,GHS,
charge,theirs,,1.00,GHS,
refund,refund,right,5.00,GHS,
refund,refund_theirs,right,1.00,GHS,
dispute,,right,20.00,GHS,
charge_reversed,ours,,60.00,GHS,
charge,right,,20.00,GHS,
`)
	require.ElementsMatch(t, []string{
		"amount_differs amount", "currency_differs currency", "status_differs failed", "charge_not_with_us theirs",
		"refund_not_with_us refund_theirs", "dispute_not_with_us right", "charge_reversed_by_provider ours",
		"twice_in_file right", "charge_not_in_file ours", "refund_not_in_file refund_ours",
	}, found)
}

// Another environment's payments are not ours, whatever the file says.
func TestSettled_OfOneEnvironment(t *testing.T) {
	t.Parallel()
	l := newLedger(t, "stripe")
	l.book(t, "theirs", 100, "JPY", nil)
	l.stage.Caller.EnvironmentID = id.New(id.Environment, november)
	found, summary := l.compare(t, settlement.Neutral, "type,reference,amount,currency\ncharge,theirs,100,JPY\n")
	require.Equal(t, []string{"charge_not_with_us theirs"}, found)
	require.Zero(t, summary.Payments)
}
