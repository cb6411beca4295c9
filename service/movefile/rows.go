package movefile

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"perennial/internal/rowlimit"
)

// rows reads CSV row by row. A quote that is not closed would make one row of the rest of the file, and hold it in
// memory.
type rows struct {
	csv  *csv.Reader
	in   *rowlimit.Reader
	line int // on which the row that was read last begins; counts from 1
	end  int // on which it ends
}

func newRows(in io.Reader) *rows {
	b := rowlimit.New(in, maxLine)
	r := csv.NewReader(b)
	r.ReuseRecord = true
	return &rows{csv: r, in: b}
}

// next returns the next row, which is valid until the next call. Errors: io.EOF, rowlimit.ErrTooLong, *csv.ParseError,
// those of the file.
func (r *rows) next() ([]string, error) {
	r.in.Begin()
	row, err := r.csv.Read()
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong):
		r.line, r.end = wrong.StartLine, wrong.Line
	case err != nil:
		r.line = r.end + 1
	default:
		r.line, _ = r.csv.FieldPos(0)
		last := len(row) - 1
		r.end, _ = r.csv.FieldPos(last)
		r.end += strings.Count(row[last], "\n")
	}
	return row, err
}

// misread returns the fault of a row, and how far it reached.
func misread(wrong *csv.ParseError) error {
	if wrong.Line > wrong.StartLine {
		return malformed("The row reaches from line %d to line %d: a quote is not closed, or its columns are not those of "+
			"the header.", wrong.StartLine, wrong.Line)
	}
	return malformed("Its columns are not those of the header, or a quote is not closed.")
}
