package settlement_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers/settlement"
)

func read(t *testing.T, provider, format, file string) (rows []settlement.Row) {
	t.Helper()
	r, err := settlement.Open(provider, format, strings.NewReader(file))
	require.NoError(t, err)
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// The columns of the report "Balance change from activity" in another order, with others between them.
func TestStripe(t *testing.T) {
	t.Parallel()
	rows := read(t, "stripe", "", "\ufeff"+`balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,customer_facing_amount,customer_facing_currency,payment_intent_id
txn_1,2026-11-02 10:00:00,usd,20.00,0.88,19.12,charge,ch_1,20.00,usd,pi_1
txn_2,2026-11-03 10:00:00,usd,-5.00,0.00,-5.00,refund,re_1,-4.60,eur,pi_1
txn_3,2026-11-04 10:00:00,usd,-20.00,15.00,-35.00,dispute,du_1,,,pi_2
txn_4,2026-11-05 10:00:00,jpy,500,0,500,charge,ch_3,500,jpy,pi_3
txn_5,2026-11-06 10:00:00,usd,-1.00,0.00,-1.00,fee,,,,
txn_6,2026-11-07 10:00:00,usd,-100.00,0.00,-100.00,payout,po_1,,,
txn_7,2026-11-07 10:00:00,usd,1.00,0.00,1.00,transfer_of_a_new_kind,tr_1,,,
txn_8,2026-11-08 10:00:00,jpy,5.50,0,5.50,charge,ch_4,,,pi_4
txn_9,2026-11-08 10:00:00,zzz,5.50,0,5.50,charge,ch_4,,,pi_4
`)
	require.Len(t, rows, 9)
	require.Equal(t, settlement.Row{
		Line: 2, Kind: "charge", Type: "charge", Reference: "pi_1", Amount: 2000, Currency: "USD", Fee: 88, Gross: 2000, Net: 1912,
		SettledCurrency: "USD", Summed: true,
	}, rows[0])
	require.Equal(t, settlement.Row{
		Line: 3, Kind: "refund", Type: "refund", Reference: "re_1", ChargeRef: "pi_1", Amount: 460, Currency: "EUR",
		Gross: -500, Net: -500, SettledCurrency: "USD", Summed: true,
	}, rows[1])
	require.Equal(t, []any{"dispute", "du_1", "pi_2"}, []any{rows[2].Kind, rows[2].Reference, rows[2].ChargeRef})
	require.EqualValues(t, 500, rows[3].Amount)
	require.Equal(t, []string{"fee", "other", "unknown"}, []string{rows[4].Kind, rows[5].Kind, rows[6].Kind})
	require.Contains(t, rows[7].Problem, "`gross` is not one of JPY", "never rounded in silence")
	require.Contains(t, rows[8].Problem, "ZZZ")
}

func TestAdyen(t *testing.T) {
	t.Parallel()
	const head = "Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type," +
		"Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC)," +
		"Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Payment Method Variant\n"
	rows := read(t, "adyen", "", head+
		// From Adyen's page, the first with a reference of ours.
		"C,M,1813702551707653,txn_01ABC-c0123456789ab,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,GBP,,4.88,,0.04,0.01,0.07,visaclassic\n"+
		"C,M,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,349.99,,1,EUR,357.49,,7.5,,,,visaclassic\n"+
		"C,M,1313642467023511,txn_01ABD-r0123456789ab,visa,2013-03-26 22:37:26,CET,Refunded,8813642467170922,EUR,3.99,,1,EUR,4.09,,,0.10,,,visaclassic\n"+
		"C,M,,,,2013-06-11 04:55:40,BST,Fee,Transaction Fees June,,,,,EUR,12.30,,,,,,\n"+
		"C,M,,,,2013-06-11 04:55:40,BST,MerchantPayout,batch 4,,,,,EUR,500.00,,,,,,\n")
	require.Equal(t, settlement.Row{
		Line: 2, Kind: "charge", Type: "Settled", Reference: "1813702551707653", PaymentID: "txn_01ABC", Amount: 500,
		Currency: "GBP", Fee: 12, Gross: 500, Net: 488, SettledCurrency: "GBP", Summed: true,
	}, rows[0])
	require.Equal(t, []any{"dispute", "2313642467170922", "1313642467023511", ""},
		[]any{rows[1].Kind, rows[1].Reference, rows[1].ChargeRef, rows[1].PaymentID})
	require.Equal(t, []any{"refund", "8813642467170922", "txn_01ABD"},
		[]any{rows[2].Kind, rows[2].Reference, rows[2].PaymentID})
	require.EqualValues(t, 399, rows[2].Amount)
	require.Equal(t, []any{"fee", "other"}, []any{rows[3].Kind, rows[4].Kind})
	require.EqualValues(t, 1230, rows[3].Amount)
}

func TestPawapay(t *testing.T) {
	t.Parallel()
	rows := read(t, "pawapay", "", `Creation Date,MSISDN,Transaction ID,Amount,Currency,Country,MNO,Type
2026-11-02T10:00:00Z,237653456789,f4401bd2-1568-4140-bf2d-eb77d2b2b639,5000,XAF,CMR,MTN_MOMO_CMR,Deposit
2026-11-02T10:00:00Z,237653456789,f4401bd2-1568-4140-bf2d-eb77d2b2b639,-100,XAF,CMR,MTN_MOMO_CMR,DEPOSIT_FEE
2026-11-03T10:00:00Z,237653456789,a4401bd2-1568-4140-bf2d-eb77d2b2b639,-500,XAF,CMR,MTN_MOMO_CMR,Refund
2026-11-03T10:00:00Z,,,-500,XAF,CMR,,Compensation
`)
	require.Equal(t, []string{"charge", "fee", "refund", "unknown"},
		[]string{rows[0].Kind, rows[1].Kind, rows[2].Kind, rows[3].Kind})
	require.EqualValues(t, 5000, rows[0].Amount)
	require.Equal(t, "a4401bd2-1568-4140-bf2d-eb77d2b2b639", rows[2].Reference)
}

func TestNeutral(t *testing.T) {
	t.Parallel()
	rows := read(t, "flutterwave", settlement.Neutral, `type,reference,charge_reference,amount,currency,fee
charge,chg_1,,10.50,GHS,0.20
dispute,,chg_1,10.50,ghs,
something,chg_1,,1,GHS,
`)
	require.Equal(t, settlement.Row{
		Line: 2, Kind: "charge", Type: "charge", Reference: "chg_1", Amount: 1050, Currency: "GHS", Fee: 20, SettledCurrency: "GHS",
	}, rows[0])
	require.Equal(t, []string{"dispute", "chg_1"}, []string{rows[1].Kind, rows[1].ChargeRef})
	require.Equal(t, "unknown", rows[2].Kind)
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ provider, format, file, code string }{
		"a provider without a format": {"flutterwave", "", "a,b\n", "settlement_format_not_public"},
		"an unknown provider":         {"paypal", "neutral", "a,b\n", "settlement_provider_unknown"},
		"an unknown format":           {"stripe", "xml", "a,b\n", "settlement_format_unknown"},
		"another report":              {"stripe", "", "id,Type,Amount\n", "settlement_column_missing"},
		"nothing":                     {"stripe", "", "", "settlement_unreadable"},
		"a quote that never ends": {
			"pawapay", "", `"` + strings.Repeat("x", 2<<20), "settlement_unreadable",
		},
	} {
		_, err := settlement.Open(c.provider, c.format, strings.NewReader(c.file))
		require.Error(t, err, name)
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
	require.Contains(t, settlement.ErrNotPublic.Detail, "--format neutral", "it says what to do instead")
	require.Equal(t, []string{"adyen", "pawapay", "stripe"}, settlement.Providers())
}

// A fee is what the provider takes, and below zero what it gives back.
func TestFees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider, format, file string
		want                   []money.Minor
	}{
		"stripe": {"stripe", "", `reporting_category,currency,gross,fee,net,source_id,payment_intent_id,customer_facing_amount,customer_facing_currency
fee,usd,-1.00,0.00,-1.00,,,,
fee,usd,2.00,0.00,2.00,,,2.00,usd
tax,usd,-0.19,0.00,-0.19,,,,
`, []money.Minor{100, -200, 19}},
		"adyen": {"adyen", "", `psp reference,merchant reference,type,modification reference,gross currency,gross debit (gc),gross credit (gc),net currency,net debit (nc),net credit (nc)
,,Fee,fees,,,,EUR,12.30,
,,MiscCosts,fees,,,,EUR,,2.00
,,Fee,fees,USD,,3.00,EUR,,2.50
`, []money.Minor{1230, -200, -250}},
		"neutral": {"flutterwave", settlement.Neutral, "type,reference,amount,currency\nfee,,1.50,GHS\nfee,,-0.50,GHS\n",
			[]money.Minor{150, -50}},
		"pawapay, which names no sign": {"pawapay", "", "transaction id,amount,currency,type\nx,-20,XAF,Deposit fee\ny,20,XAF,Deposit fee\n",
			[]money.Minor{20, 20}},
	} {
		var got []money.Minor
		for _, row := range read(t, c.provider, c.format, c.file) {
			require.Empty(t, row.Problem, name)
			require.Equal(t, "fee", row.Kind, name)
			got = append(got, row.Amount)
		}
		require.Equal(t, c.want, got, name)
	}
}

// A row that is no CSV is named, and the next one is read; a quote that is never closed ends the file with an error, not
// with all of it in memory.
func TestNext_WrongRows(t *testing.T) {
	t.Parallel()
	const head = "type,reference,amount,currency\n"
	rows := read(t, "stripe", settlement.Neutral, head+"charge,pi\"_1,1,EUR\ncharge,pi_2,1,EUR\n")
	require.Len(t, rows, 2)
	require.Contains(t, rows[0].Problem, "CSV")
	require.Empty(t, rows[1].Problem)
	r, err := settlement.Open("stripe", settlement.Neutral,
		strings.NewReader(head+`charge,"`+strings.Repeat("x", 3<<20)))
	require.NoError(t, err)
	_, err = r.Next()
	require.Equal(t, "settlement_unreadable", fault.From(err).Code)
}
