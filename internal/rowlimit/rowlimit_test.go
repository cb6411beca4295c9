package rowlimit_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/rowlimit"
)

// Rows of any number are read, as long as each is short enough; one whose quote is not closed ends the file.
func TestReader(t *testing.T) {
	t.Parallel()
	in := rowlimit.New(strings.NewReader(strings.Repeat("a,b\n", 5000)+`"`+strings.Repeat("c,d\n", 5000)), 8192)
	rows := csv.NewReader(in)
	read := 0
	for {
		in.Begin()
		row, err := rows.Read()
		if err != nil {
			require.ErrorIs(t, err, rowlimit.ErrTooLong)
			break
		}
		require.Equal(t, []string{"a", "b"}, row)
		read++
	}
	require.Equal(t, 5000, read)
}
