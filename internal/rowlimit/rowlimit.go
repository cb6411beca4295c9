// Package rowlimit bounds the rows of a file. A CSV row whose quote is not closed reaches to the end of the file: a
// reader of rows would hold all of that in memory.
package rowlimit

import (
	"errors"
	"io"
)

// ErrTooLong ends a row with more bytes than it may have. Where the next row would begin is unknown.
var ErrTooLong = errors.New("the row is too long")

// Reader reads rows of bounded length. The buffer of the reader of rows is small compared with a row.
type Reader struct {
	in         io.Reader
	most, left int
}

// New returns a reader of rows with at most so many bytes.
func New(in io.Reader, most int) *Reader { return &Reader{in: in, most: most, left: most} }

// Begin begins a row.
func (r *Reader) Begin() { r.left = r.most }

// Read implements io.Reader. Errors: ErrTooLong, those of the file.
func (r *Reader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, ErrTooLong
	}
	n, err := r.in.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
