package invoice_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
)

func TestNumbering_Validate(t *testing.T) {
	t.Parallel()
	for numbering, param := range map[invoice.Numbering]string{
		{}:                                 "",
		{Prefix: "ACME-2026/", Digits: 12}: "",
		{Prefix: strings.Repeat("A", 20)}:  "",
		{Prefix: strings.Repeat("A", 21)}:  "invoiceNumbers.prefix",
		{Prefix: "A B"}:                    "invoiceNumbers.prefix",
		{Prefix: "2026-1"}:                 "invoiceNumbers.prefix",
		{Prefix: "Ä"}:                      "invoiceNumbers.prefix",
		{Prefix: "A", Digits: -1}:          "invoiceNumbers.digits",
		{Prefix: "A", Digits: 13}:          "invoiceNumbers.digits",
	} {
		err := numbering.Validate()
		if param == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, param, fault.From(err).Param, "%+v", numbering)
	}
}

func TestShownNumber_IsTheNumberWhereNoTextWasIssued(t *testing.T) {
	t.Parallel()
	require.Equal(t, "42", invoice.Invoice{Number: 42}.ShownNumber())
	require.Equal(t, "A-0042", invoice.Invoice{Number: 42, NumberText: "A-0042"}.ShownNumber())
}
