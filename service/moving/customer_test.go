package moving

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/service/tenancy"
	"perennial/test/scene"
)

const customerInFull = `{"type":"customer","id":"c-1","email":"ada@example.com","phone":"+491701234567","country":"DE",` +
	`"region":"BE","address":{"line1":"Unter den Linden 1","city":"Berlin","postalCode":"10117"},"locale":"de-DE",` +
	`"timeZone":"Europe/Berlin","taxIds":[{"type":"eu_vat","value":"DE136695976","verifiedAt":"2026-01-10T00:00:00Z",` +
	`"verifiedBy":"key_1"},{"type":"company","value":"HRB 1","country":"DE"}],"createdAt":1765000000}`

// exportedLine returns the record of the only customer of a scene, without its id there.
func exportedLine(t *testing.T, s *scene.Scene) (record map[string]any) {
	t.Helper()
	svc, _ := at(s)
	var file bytes.Buffer
	require.NoError(t, svc.Export(t.Context(), s.Env, ExportOptions{}, &file))
	_, customers, _ := strings.Cut(file.String(), "\n") // behind the settings
	first, _, _ := strings.Cut(customers, "\n")
	require.NoError(t, json.Unmarshal([]byte(first), &record))
	require.NotEmpty(t, record["perennialId"])
	delete(record, "perennialId")
	return record
}

func TestExport_CustomerInFull(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	svc, by := at(from)
	require.Equal(t, "imported", svc.imported(t, by, ImportOptions{}, customerInFull).outcomes["c-1"])
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(customerInFull), &sent))
	sent["createdAt"] = exportedLine(t, from)["createdAt"] // in the file it is text
	require.Equal(t, sent, exportedLine(t, from))

	line, err := json.Marshal(exportedLine(t, from))
	require.NoError(t, err)
	other, there := at(to)
	require.Equal(t, "imported", other.imported(t, there, ImportOptions{}, string(line)).outcomes["c-1"])
	require.Equal(t, exportedLine(t, from), exportedLine(t, to))
}

func TestImport_CustomerRefused(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	for code, replace := range map[string][2]string{
		"locale_malformed":     {`"de-DE"`, `"German"`},
		"time_zone_unknown":    {`"Europe/Berlin"`, `"Berlin"`},
		"import_text_too_long": {`"10117"`, `"` + strings.Repeat("1", 21) + `"`},
		"tax_id_form":          {`"DE136695976"`, `"136695976"`},
	} {
		line := strings.Replace(customerInFull, replace[0], replace[1], 1)
		require.Equal(t, "1 "+code, svc.imported(t, by, ImportOptions{}, line).outcomes["c-1"])
	}
}

// A dry run removes the tax ids of customers, but keeps the exemption that follows from them.
func TestImport_DryRunReversesTheCharge(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	s.Plan(t, scene.Monthly(money.Minor(1000)))
	_, err := svc.Catalog.CreateTaxRate(t.Context(), by,
		tax.Definition{Rate: tax.Rate{Name: "VAT", Percent: money.Whole(20)}}, nil)
	require.NoError(t, err)
	total := func(exempt string) money.Minor {
		line := strings.Replace(customerInFull, `"country"`, `"taxExempt":"`+exempt+`","country"`, 1)
		return svc.imported(t, by, ImportOptions{DryRun: true}, line, subscriptionOf(1, "")).next["s-1"].Total
	}
	require.Equal(t, money.Minor(1200), total("none"))
	seller := invoice.Seller{Name: "Acme", Country: "FR"}
	_, err = svc.Tenancy.UpdateSettings(t.Context(), by, tenancy.SettingsUpdate{Seller: &seller}, nil)
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), total("none"))
	require.Equal(t, money.Minor(1200), total("taxed"), "by hand")
}
