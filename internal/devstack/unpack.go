package devstack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/xi2/xz"
)

// unpackPostgres writes the tar.xz inside the jar (a zip) below dir, an empty directory. Unpacking takes seconds, and a
// minute with the race detector, so it ends with ctx.
func unpackPostgres(ctx context.Context, jar []byte, dir string) error {
	files, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return err
	}
	for _, file := range files.File {
		if !strings.HasSuffix(file.Name, ".txz") {
			continue
		}
		packed, err := file.Open()
		if err != nil {
			return err
		}
		defer func() { _ = packed.Close() }() // only read
		unpacked, err := xz.NewReader(packed, 0)
		if err != nil {
			return err
		}
		return untar(interruptible{ctx, unpacked}, dir)
	}
	return errors.New("the archive holds no .txz file")
}

// interruptible reads until its context is done.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// untar writes below dir only: os.Root refuses names and links that lead out.
func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // a directory handle
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(h.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			err = writeFile(root, name, h.FileInfo().Mode().Perm()|0o444, files)
		}
		if err != nil {
			return err
		}
	}
}

func writeFile(root *os.Root, name string, mode os.FileMode, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
