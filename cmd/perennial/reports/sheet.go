package reports

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"io"
	"os"
	"strings"

	"perennial/billing/money"
)

// sheet is one CSV file for a spreadsheet.
type sheet struct {
	buffer *bufio.Writer
	rows   *csv.Writer
	file   *os.File // nil: standard output
}

func newSheet(to io.Writer, file *os.File) *sheet {
	buffer := bufio.NewWriterSize(to, 1<<16)
	return &sheet{buffer: buffer, rows: csv.NewWriter(buffer), file: file}
}

// write writes a row, whose cells are texts of people and of providers, amounts, and times.
func (s *sheet) write(cells ...string) error { return s.rows.Write(cells) }

// end writes what is buffered. whole: the file is complete, and gets its name.
func (s *sheet) end(whole bool) error {
	s.rows.Flush()
	err := cmp.Or(s.rows.Error(), s.buffer.Flush())
	if s.file == nil {
		return err
	}
	err = cmp.Or(err, s.file.Close())
	part := s.file.Name()
	if err != nil || !whole {
		return cmp.Or(err, os.Remove(part))
	}
	return os.Rename(part, strings.TrimSuffix(part, ".part"))
}

// text makes a text harmless to spreadsheets, which take one that begins with =, +, -, @, a tab or a return for a
// formula: it gets an apostrophe. Source: https://owasp.org/www-community/attacks/CSV_Injection.
func text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

// amount shows an amount in major units of its currency: 19.99, or -19.99.
func amount(m money.Minor, c money.Currency) string { return money.FormatUnits(m, c) }
