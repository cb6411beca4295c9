package postal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/postal"
)

func TestAddress_Check(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address     postal.Address
		code, param string // empty: it is taken
	}{
		"none":         {},
		"whole":        {address: postal.Address{Line1: "12 Rue Joss", Line2: "BP 1234", City: "Douala", PostalCode: "00237"}},
		"city alone":   {address: postal.Address{City: "Kampala"}},
		"second alone": {postal.Address{Line2: "BP 1234"}, "address_line_missing", "address.line1"},
		"line break":   {postal.Address{Line1: "12 Rue Joss\nBP 1234"}, "text_invalid", "address.line1"},
		"blank line":   {postal.Address{Line1: "a", Line2: " "}, "text_blank", "address.line2"},
		"turned text":  {postal.Address{City: "Douala\u202e"}, "text_invalid", "address.city"},
		"card number":  {postal.Address{PostalCode: "4242 4242 4242 4242"}, "card_number_refused", "address.postalCode"},
	} {
		err := c.address.Check()
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, [2]string{c.code, c.param}, [2]string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}
