package paper

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
)

// Fonts are the fonts of a page. DejaVu Sans is always there, as regular.ttf and bold.ttf: it has Latin, Greek,
// Cyrillic, Arabic and Hebrew. Its licence (Bitstream Vera and Arev) allows embedding and selling with software;
// go-fonts/dejavu has the text.
type Fonts struct {
	Fallback string // path of a TrueType file for all other characters; empty: none
}

// WithFallback returns the fonts with a TrueType file for the characters that the built-in one lacks; an empty path:
// none. It refuses a file that is none, since a wrong one would show in the first PDF only.
func WithFallback(path string) (Fonts, error) {
	if path == "" {
		return Fonts{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return Fonts{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil || !bytes.Equal(head, []byte{0, 1, 0, 0}) && string(head) != "true" {
		return Fonts{}, errors.New(path + " is no TrueType font")
	}
	return Fonts{Fallback: path}, nil
}

const (
	regular  = "regular.ttf"
	bold     = "bold.ttf"
	fallback = "fallback.ttf"
)

// files are the only files that a page can reach.
func (f Fonts) files() fs.FS { return files(f) }

type files Fonts

// Open opens a font. Fault: fs.ErrNotExist.
func (f files) Open(name string) (fs.File, error) {
	switch {
	case name == regular:
		return memory(name, dejavusans.TTF), nil
	case name == bold:
		return memory(name, dejavusansbold.TTF), nil
	case name == fallback && f.Fallback != "":
		return os.Open(f.Fallback)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// file is a file in memory.
type file struct {
	*bytes.Reader

	name string
}

func memory(name string, content []byte) file { return file{bytes.NewReader(content), name} }

func (f file) Stat() (fs.FileInfo, error) { return f, nil }
func (f file) Close() error               { return nil }
func (f file) Name() string               { return f.name }
func (f file) Mode() fs.FileMode          { return 0o444 }
func (f file) ModTime() time.Time         { return time.Time{} }
func (f file) IsDir() bool                { return false }
func (f file) Sys() any                   { return nil }
