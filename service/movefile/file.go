package movefile

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/moving"
)

// Format is the form of the records in a file.
type Format string

// The formats.
const (
	JSONL Format = "jsonl" // one object a line
	CSV   Format = "csv"   // records of one type, with a header
)

// File is one file of records. It is read anew by each call of Each, so that a move of any size takes little memory.
type File struct {
	Path   string
	Format Format
	of     moving.Type // of a CSV file without a column `type`
}

// Open opens a file. An empty format is derived from the name: `.csv`, or else JSON Lines. The columns of a CSV file
// are checked here, before anything is imported. Faults: import_file_unreadable, import_csv_type_missing,
// import_csv_column_unknown, import_csv_column_twice.
func Open(path string, format Format) (File, error) {
	f := File{Path: path, Format: format}
	if format == "" {
		f.Format = JSONL
		if strings.EqualFold(filepath.Ext(path), ".csv") {
			f.Format = CSV
		}
	}
	if f.Format == CSV {
		f.of = typeOfName(path)
	}
	// A pipe would be empty when it is read again: its records would be lost in silence.
	if is, err := os.Stat(path); err != nil || !is.Mode().IsRegular() {
		return f, unreadable(path, cmp.Or(err, errNotRegular))
	}
	err := f.open(func(in io.Reader) error {
		if f.Format != CSV {
			return nil
		}
		header, err := newRows(in).next()
		if err != nil {
			return unreadable(path, err)
		}
		_, err = newTable(header, f.of)
		return err
	})
	return f, err
}

// Each calls do with every record whose type is wanted, in their order. Lines that cannot be read have no type. An
// error of do ends it and is returned. Faults: import_file_unreadable.
func (f File) Each(wants func(moving.Type) bool, do func(Record) error) error {
	return f.open(func(in io.Reader) error {
		emit := func(r Record, line int) error {
			if !wants(r.Type) {
				return nil
			}
			r.File, r.Line = f.Path, line
			return do(r)
		}
		if f.Format == CSV {
			return f.eachRow(in, wants, emit)
		}
		return f.eachLine(in, wants, emit)
	})
}

// open reads a file from its beginning, without the mark that spreadsheets put there.
func (f File) open(read func(io.Reader) error) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return unreadable(f.Path, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	in := bufio.NewReaderSize(file, 1<<16)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // it was peeked at
	}
	return read(in)
}

var errNotRegular = errors.New("it is read several times and must be a regular file, not a pipe or a directory")

// typeOfName returns the type of a file's records by its name: customers.csv has customers. Empty: not known.
func typeOfName(path string) moving.Type {
	name := strings.ToLower(filepath.Base(path))
	for _, t := range []moving.Type{moving.CustomerType, moving.BalanceType, moving.SubscriptionType} {
		if strings.HasPrefix(name, string(t)) {
			return t
		}
	}
	return ""
}

func unreadable(path string, err error) error {
	return fault.New(fault.Invalid, "import_file_unreadable", "The file %s cannot be read: %v.", path, err).Because(err)
}
