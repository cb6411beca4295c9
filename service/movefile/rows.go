package movefile

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// rows reads CSV row by row. A quote that is not closed would make one row of the rest of the file, and hold it in
// memory.
type rows struct {
	csv  *csv.Reader
	in   *bounded
	line int // on which the row that was read last begins; counts from 1
	end  int // on which it ends
}

func newRows(in io.Reader) *rows {
	b := &bounded{in: in}
	r := csv.NewReader(b)
	r.ReuseRecord = true
	return &rows{csv: r, in: b}
}

// next returns the next row, which is valid until the next call. Errors: io.EOF, errRowTooLong, *csv.ParseError, those
// of the file.
func (r *rows) next() ([]string, error) {
	r.in.left = maxLine
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

var errRowTooLong = errors.New("the row is too long")

// bounded reads at most left bytes. The buffer of the CSV reader is small compared with a row.
type bounded struct {
	in   io.Reader
	left int
}

// Read reads.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errRowTooLong
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// misread returns the fault of a row, and how far it reached.
func misread(wrong *csv.ParseError) error {
	if wrong.Line > wrong.StartLine {
		return malformed("The row reaches from line %d to line %d: a quote is not closed, or its columns are not those of "+
			"the header.", wrong.StartLine, wrong.Line)
	}
	return malformed("Its columns are not those of the header, or a quote is not closed.")
}
