package cardnumber

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestIn_CardNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"4242424242424242", "4242 4242 4242 4242", "4242-4242-4242-4242", "4222222222222", "5555555555554444",
		"2223003122003222",
		"378282246310005", "3782 822463 10005", "6011111111111117", "30569309025904", "3566002020360505",
		"6205500000000000004",
		"5060990580000217499", "please charge 4111 1111 1111 1111 instead", "card: 4111111111111111, exp 12/30",
		"ref 12 4242424242424242", "4242\u00a04242\u00a04242\u00a04242", "no. (4111111111111111)",
	} {
		require.True(t, In(text), text)
	}
	err := Check("reason", "4242424242424242")
	require.Equal(t, "card_number_refused", fault.From(err).Code)
	require.Equal(t, "reason", fault.From(err).Param)
}

func TestIn_OtherNumbers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "too expensive", "4242424242424241", "424242424242", "42424242424242424242", "+237670000001", "1763640000000",
		"1763640000000000", "1763640000000000000", "490154203237518", "356938035643809", "0000000000000000",
		"9999999999999995",
		"2026-11-22 10:15:30", "ORD4242424242424242", "inv_4242424242424242", "9b2c4e1a-4242-4242-8242-424242424242",
	} {
		require.False(t, In(text), text)
		require.NoError(t, Check("name", text))
	}
	times, hits := rand.New(rand.NewPCG(1, 2)), 0
	for range 20000 {
		number := fmt.Sprintf("%016d", times.Int64N(1e16))
		if In(number) {
			hits++
		}
		require.False(t, In("o"+number))
		require.False(t, In(fmt.Sprint(1_600_000_000_000_000+times.Int64N(400_000_000_000_000))), "a time in microseconds")
	}
	require.Less(t, hits, 20000*3/100)
}
