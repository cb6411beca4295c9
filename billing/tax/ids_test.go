package tax_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/tax"
)

func TestIDs_CheckNew(t *testing.T) {
	t.Parallel()
	wrong := tax.ID{Type: "eu_vat", Value: "123456789"}
	ids := tax.IDs{
		{Type: "eu_vat", Value: "DE136695976"}, wrong, {Type: "eu_vat", Value: "DE136695976", Country: "FR"},
		{Type: "company", Value: "of its own form", Country: "FR"}, {Type: "au_abn", Value: "51824753557"},
	}
	require.NoError(t, tax.IDs{wrong}.CheckNew(tax.IDs{wrong}), "it was there before")
	err := ids.CheckNew(nil)
	var joined interface{ Unwrap() []error }
	require.ErrorAs(t, err, &joined)
	got := map[string]string{}
	for _, one := range joined.Unwrap() {
		got[fault.From(one).Param] = fault.From(one).Code
	}
	require.Equal(t, map[string]string{
		"taxIds[1].value": "tax_id_form", "taxIds[2].country": "tax_id_country", "taxIds[4].value": "tax_id_check_digit",
	}, got)
}

func TestID_Standing(t *testing.T) {
	t.Parallel()
	for value, want := range map[tax.ID]tax.Standing{
		{Type: "eu_vat", Value: "DE136695976"}:                   tax.WellFormed,
		{Type: "eu_vat", Value: "DE123456789"}:                   tax.Doubtful,
		{Type: "eu_vat", Value: "DE123456789", VerifiedAt: noon}: tax.Verified,
		{Type: "eu_vat", Value: "123456789"}:                     tax.Unchecked, // stored before forms were checked
		{Type: "company", Value: "HRB 1"}:                        tax.Unchecked,
	} {
		require.Equal(t, want, value.Standing(), value)
	}
}

// A confirmation belongs to a number: it survives another grouping of the digits, and ends with the number.
func TestIDs_ConfirmationEndsWithTheNumber(t *testing.T) {
	t.Parallel()
	ids := tax.IDs{{Type: "company", Value: "HRB 1"}, {Type: "eu_vat", Value: "DE136695976"}}
	confirmed, err := ids.Confirm("eu_vat", "de 136 695 976", noon, "key_1")
	require.NoError(t, err)
	want := tax.ID{Type: "eu_vat", Value: "DE136695976", VerifiedAt: noon, VerifiedBy: "key_1"}
	require.Equal(t, tax.IDs{ids[0], want}, confirmed)
	require.True(t, ids[1].VerifiedAt.IsZero(), "the list that was given stays as it was")

	want.Value = "DE 136695976"
	require.Equal(t, tax.IDs{want},
		tax.IDs{{Type: "eu_vat", Value: "DE 136695976"}}.Following(confirmed))
	shown := tax.IDs{{Type: "eu_vat", Value: "DE136695976", Country: "DE"}} // as the API shows it
	require.Equal(t, noon, shown.Following(confirmed)[0].VerifiedAt)
	other := tax.IDs{{Type: "eu_vat", Value: "DE123456788"}}
	require.Equal(t, other, other.Following(confirmed))
	require.False(t, ids.Equal(confirmed))
	require.True(t, confirmed.Equal(confirmed))

	back, err := confirmed.Confirm("eu_vat", "DE136695976", tax.ID{}.VerifiedAt, "key_2")
	require.NoError(t, err)
	require.Equal(t, ids, back)
	_, err = ids.Confirm("eu_vat", "DE123456788", noon, "key_1")
	require.Equal(t, "tax_id_unknown", fault.From(err).Code)
}

// A confirmation is found also as the first of the list, and its person's name may have 100 characters.
func TestIDs_ConfirmationOfTheFirst(t *testing.T) {
	t.Parallel()
	by := strings.Repeat("x", 100)
	ids := tax.IDs{{Type: "eu_vat", Value: "DE136695976"}, {Type: "company", Value: "HRB 1"}}
	confirmed, err := ids.Confirm("eu_vat", "DE136695976", noon, by)
	require.NoError(t, err)
	require.Equal(t, tax.ID{Type: "eu_vat", Value: "DE136695976", VerifiedAt: noon, VerifiedBy: by}, confirmed[0])
	require.NoError(t, confirmed.Validate())
	require.Equal(t, confirmed, ids.Following(confirmed))
	confirmed[0].VerifiedBy += "x"
	require.ErrorContains(t, confirmed.Validate(), "tax_id_malformed")

	other := slices.Clone(ids)
	other[0].Value = "DE136695977"
	require.False(t, ids.Equal(other))
	later := slices.Clone(ids)
	later[0].VerifiedAt = noon
	require.False(t, ids.Equal(later), "only the time of the confirmation differs")
}
