package movefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/moving"
)

func all(moving.Type) bool { return true }

// written makes a file.
func written(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// read reads all records of a file.
func read(t *testing.T, name, content string) (records []Record) {
	t.Helper()
	f, err := Open(written(t, name, content), "")
	require.NoError(t, err)
	require.NoError(t, f.Each(all, func(r Record) error { records = append(records, r); return nil }))
	return records
}

const customerLine = `{"type":"customer","id":"c-1","email":"ada@example.com","name":"Ada, Countess","taxIds":[{"type":"eu_vat","value":"DE123"}],` +
	`"address":{"line1":"1 Main St","postalCode":"10117"},"locale":"de",` +
	`"paymentMethod":"card","paymentDetails":{"provider":"stripe","paymentMethodToken":"pm_1"},"metadata":{"crm":"7"}}`

const subscriptionLine = `{"type":"subscription","id":"s-1","perennialId":"sub_x","customer":"c-1","plan":"Pro","quantity":3,"status":"active",` +
	`"anchor":"2025-01-31T10:00:00+01:00","currentPeriodStart":1793437200,"currentPeriodEnd":"1796029200","cancelAtPeriodEnd":true}`

// The same record has the same contents and the same hash in either format, in any order of fields, with or without the
// id that an export adds.
func TestRead_FormatsAgree(t *testing.T) {
	t.Parallel()
	lines := read(t, "move.jsonl", "\ufeff"+customerLine+"\n\n"+subscriptionLine)
	customers := read(t, "customers.csv", "\ufeffname,id,email,taxIds.eu_vat,paymentMethod,paymentDetails.provider,"+
		"paymentDetails.paymentMethodToken,metadata.crm,country,address.line1,address.city,address.postalCode,locale\n"+
		"\"Ada, Countess\",c-1, ada@example.com ,DE123,card,stripe,pm_1,7,,1 Main St,,10117,de\n")
	subscriptions := read(t, "mixed.csv",
		"type,id,customer,plan,quantity,status,anchor,currentPeriodStart,currentPeriodEnd,cancelAtPeriodEnd\n"+
			"subscription,s-1,c-1,Pro,3,active,2025-01-31T09:00:00Z,1793437200,2026-11-30T09:00:00Z,TRUE\n")

	require.Len(t, lines, 2)
	require.NoError(t, lines[1].Refused)
	require.Equal(t, 3, lines[1].Line)
	require.Equal(t, moving.At(time.Date(2025, 1, 31, 9, 0, 0, 0, time.UTC)), lines[1].Subscription.Anchor)
	for i, r := range []Record{customers[0], subscriptions[0]} {
		require.NoError(t, r.Refused)
		require.Equal(t, lines[i].Customer, r.Customer)
		require.Equal(t, lines[i].Subscription, r.Subscription)
		require.Equal(t, lines[i].Hash, r.Hash)
		require.Equal(t, 2, r.Line)
	}
	require.NotEqual(t, lines[0].Hash, parse([]byte(strings.Replace(customerLine, "pm_1", "pm_2", 1))).Hash)
}

// An export reads back unchanged.
func TestWrite_IsReadAgain(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := NewWriter(&out)
	c := parse([]byte(customerLine))
	s := parse([]byte(strings.Replace(subscriptionLine, `"quantity":3`,
		`"quantity":3,"addOns":[{"plan":"Backup","planVersion":2,"quantity":4}],"pendingAddOns":[],`+
			`"usageThresholds":[{"metricName":"calls","quantity":"150","invoice":true},{"amount":5000}]`, 1)))
	require.Equal(t, "quantity calls 150", (*s.Subscription.UsageThresholds)[0].Key())
	require.Equal(t, []moving.AddOn{{Plan: "Backup", PlanVersion: 2, Quantity: 4}}, s.Subscription.AddOns)
	require.NotNil(t, s.Subscription.PendingAddOns)
	b := moving.Balance{Customer: "c-1", Currency: "EUR", Amount: -250}
	require.NoError(t, w.Customer(*c.Customer, "cust_1"))
	require.NoError(t, w.Subscription(*s.Subscription, "sub_1"))
	require.NoError(t, w.Balance(b, "cust_1"))

	again := read(t, "export.jsonl", out.String())

	require.Equal(t, c.Customer, again[0].Customer)
	require.Equal(t, c.Hash, again[0].Hash)
	require.Equal(t, s.Subscription, again[1].Subscription)
	require.Equal(t, s.Hash, again[1].Hash)
	require.Equal(t, &b, again[2].Balance)
	require.Equal(t, []string{"cust_1", "sub_1", "cust_1"},
		[]string{again[0].PerennialID, again[1].PerennialID, again[2].PerennialID})
	require.Equal(t, "c-1/EUR", again[2].ID)
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]string{
		`not JSON`:                        {"", "import_line_malformed"},
		`[]`:                              {"", "import_line_malformed"},
		`{"type":"customer","id":"a"} {}`: {"", "import_line_malformed"},
		"{\"type\":\"customer\",\"id\":\"\xff\"}":           {"", "import_line_malformed"},
		`{"type":"customer","id":"\u0000"}`:                 {"", "import_line_malformed"},
		`{"type":"gift"}`:                                   {"type", "import_type_unknown"},
		`{}`:                                                {"type", "import_type_unknown"},
		`{"type":"customer","emial":"a"}`:                   {"emial", "import_field_unknown"},
		`{"type":"subscription","quantity":"many"}`:         {"quantity", "import_field_invalid"},
		`{"type":"subscription","anchor":"31.01.2026"}`:     {"anchor", "import_field_invalid"},
		`{"type":"subscription","cancelAtPeriodEnd":"yes"}`: {"cancelAtPeriodEnd", "import_field_invalid"},
		`{"type":"customer","paymentDetails":{"paymentMethodToken":1}}`: {
			"paymentDetails.paymentMethodToken", "import_field_invalid",
		},
		`{"type":"balance","amount":1.5}`: {"amount", "import_field_invalid"},
	} {
		f := fault.From(parse([]byte(line)).Refused)
		require.NotNil(t, f, line)
		require.Equal(t, want, [2]string{f.Param, f.Code}, line)
	}
	require.Equal(t, "not imported", parse([]byte(`{"type":"invoice","anything":1}`)).LeftOut)
	require.Equal(t, "canceled", parse([]byte(`{"type":"subscription","status":"canceled"}`)).LeftOut)
}

// A line that cannot be read is refused by its number, and those behind it are read.
func TestRead_GoesOnBehindBadLines(t *testing.T) {
	t.Parallel()
	records := read(t, "move.jsonl", strings.Repeat("x", maxLine+1)+"\n"+customerLine)
	require.Len(t, records, 2)
	require.Error(t, records[0].Refused)
	require.Equal(t, "c-1", records[1].ID)

	rows := read(t, "customers.csv", "id,email\na\nb,b@example.com\n")
	require.Len(t, rows, 2)
	require.Error(t, rows[0].Refused)
	require.Equal(t, 2, rows[0].Line)
	require.Equal(t, "b", rows[1].ID)
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"customers.csv": {"id,e-mail\n", "import_csv_column_unknown"},
		"people.csv":    {"id,email\n", "import_csv_type_missing"},
		"balances.csv":  {"", "import_file_unreadable"},
	} {
		_, err := Open(written(t, name, c[0]), "")
		require.Error(t, err, name)
		require.Equal(t, c[1], fault.From(err).Code, name)
	}
	_, err := Open(filepath.Join(t.TempDir(), "absent.jsonl"), "")
	require.Equal(t, "import_file_unreadable", fault.From(err).Code)
}

// Whatever the contents of a file, it is read to its end, and no line is both accepted and refused.
func TestRead_AnyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "any")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.Map(rapid.IntRange(0, len(customerLine)),
				func(n int) string { return customerLine[:n] + "\n" + customerLine[n:] }))
		require.NoError(t, os.WriteFile(path, []byte("id,email,type\n"+text.Draw(t, "text")), 0o600))
		for _, format := range []Format{CSV, JSONL} {
			f, err := Open(path, format)
			require.NoError(t, err)
			require.NoError(t, f.Each(all, func(r Record) error {
				require.Positive(t, r.Line)
				require.False(t, r.Refused != nil && r.LeftOut != "")
				return nil
			}))
		}
	})
}
