package payment_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/internal/statedoc"
	"perennial/billing/payment"
)

// matrix states for both types which status (row) may become which (column): x yes, . no.
var matrix = map[payment.Type]string{
	payment.Charge: `
-        pending success failed declined canceled refunded
pending  .       x       x      x        x        .
success  .       .       .      .        .        .
failed   .       x       .      .        .        .
declined .       x       .      .        .        .
canceled .       .       .      .        .        .
refunded .       .       .      .        .        .
`,
	payment.Refund: `
-        pending success failed declined canceled refunded
pending  .       .       x      .        x        x
success  .       .       .      .        .        .
failed   .       .       .      .        .        x
declined .       .       .      .        .        x
canceled .       .       .      .        .        .
refunded .       .       .      .        .        .
`,
}

func TestStatus_EveryTransition(t *testing.T) {
	t.Parallel()
	statuses := statedoc.Consts(t, "Status")
	for _, typ := range statedoc.Consts(t, "Type") {
		rows := strings.Split(strings.TrimSpace(matrix[payment.Type(typ)]), "\n")
		require.Equal(t, statuses, strings.Fields(rows[0])[1:], "every status has a column")
		require.Len(t, rows, len(statuses)+1, "every status has a row")
		for r, row := range rows[1:] {
			cells := strings.Fields(row)
			require.Equal(t, statuses[r], cells[0])
			for c, cell := range cells[1:] {
				got := payment.CanBecome(payment.Type(typ), payment.Status(statuses[r]), payment.Status(statuses[c]))
				require.Equal(t, cell == "x", got, "%s: %s to %s", typ, statuses[r], statuses[c])
			}
		}
	}
}

func TestStatus_UnknownHasNoTransition(t *testing.T) {
	t.Parallel()
	for _, to := range statedoc.Consts(t, "Status") {
		require.False(t, payment.CanBecome(payment.Charge, "paid", payment.Status(to)))
		require.False(t, payment.CanBecome(payment.Charge, payment.Pending, "paid"))
	}
}
