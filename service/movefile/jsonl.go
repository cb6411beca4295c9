package movefile

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"perennial/billing/fault"
	"perennial/billing/moving"
)

// maxLine bounds a record: 50 notes of the longest kind fit many times.
const maxLine = 1 << 20

// eachLine reads JSON Lines of wanted types. Empty lines are skipped.
func (f File) eachLine(in io.Reader, wants func(moving.Type) bool, emit func(Record, int) error) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	for number := 1; ; number++ {
		line, tooLong, err := nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return unreadable(f.Path, err)
		}
		ended := err != nil
		switch {
		case tooLong && !wants(""):
			err = nil
		case tooLong:
			err = emit(Record{Refused: fault.New(fault.Invalid, "import_line_malformed",
				"The line cannot be read. It has more than %d bytes.", maxLine)}, number)
		default:
			err = nil
			if len(line) == 0 {
				break
			}
			if r, wanted := parseWanted(line, wants); wanted {
				err = emit(r, number)
			}
		}
		if err != nil || ended {
			return err
		}
	}
}

// nextLine reads up to the end of a line. A line that is too long is skipped.
func nextLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}
