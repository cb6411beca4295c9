package movefile

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/moving"
)

// A pipe can be read once, and an import reads three times.
func TestOpen_NotARegularFile(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, t.TempDir()} {
		_, err := Open(path, "")
		require.Equal(t, "import_file_unreadable", fault.From(err).Code)
		require.ErrorContains(t, err, "regular file")
	}
}

// A row in another encoding is refused, and those behind it are read.
func TestRead_NotUTF8(t *testing.T) {
	t.Parallel()
	records := read(t, "customers.csv", "id,name\na,Ren\xe9\nb,Ren\u00e9\n")
	require.Len(t, records, 2)
	require.ErrorContains(t, records[0].Refused, "name is not UTF-8")
	require.Equal(t, 2, records[0].Line)
	require.Equal(t, "Ren\u00e9", records[1].Customer.Name)

	_, err := Open(written(t, "customers.csv", "id,metadata.\xe9\n"), "")
	require.Equal(t, "import_csv_column_unknown", fault.From(err).Code)
}

// A row that cannot be read has no type, whatever its file has: an import asks for it among the customers.
func TestEach_UnreadableRowHasNoType(t *testing.T) {
	t.Parallel()
	f, err := Open(written(t, "balances.csv", "customer,currency,amount\na,EUR,1\nb,EU\xe9,2\n"), "")
	require.NoError(t, err)
	for of, want := range map[moving.Type][]int{moving.BalanceType: {2}, "": {3}, moving.CustomerType: nil} {
		var lines []int
		require.NoError(t, f.Each(func(t moving.Type) bool { return t == of }, func(r Record) error {
			lines = append(lines, r.Line)
			return nil
		}))
		require.Equal(t, want, lines, of)
	}
}

// A quote that is not closed takes the rows behind it: that is said with the lines that it reached.
func TestRead_UnclosedQuote(t *testing.T) {
	t.Parallel()
	short := read(t, "customers.csv", "id,name\na,Ada\nb,\"Bob\nc,Cy\n")
	require.Len(t, short, 2)
	require.Equal(t, 3, short[1].Line)
	require.ErrorContains(t, short[1].Refused, "from line 3 to line 4")

	long := read(t, "customers.csv", "id,name\na,\"A\nda\"\nb,\"Bob\n"+strings.Repeat("c,Cy\n", maxLine/4))
	require.Len(t, long, 2)
	require.Equal(t, 4, long[1].Line)
	require.ErrorContains(t, long[1].Refused, "Nothing behind it was read")
}

func TestOpen_ColumnTwice(t *testing.T) {
	t.Parallel()
	_, err := Open(written(t, "customers.csv", "id,email,id\n"), "")
	require.Equal(t, "import_csv_column_twice", fault.From(err).Code)
}
