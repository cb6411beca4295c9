package devstack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/xi2/xz"
)

// postgresMirror holds the server binaries of the embedded-postgres project (github.com/zonkyio), built for many
// systems with their libraries beside them, as Maven artefacts with check sums.
const postgresMirror = "https://repo1.maven.org/maven2/io/zonky/test/postgres"

// postgresReleases is what we download for each major version; 0 is the choice for a new data directory.
var postgresReleases = map[int]string{0: "17.5.0", 15: "15.13.0", 16: "16.9.0", 17: "17.5.0", 18: "18.3.0"}

// downloadPostgres gives server binaries below dir, downloading them the first time.
func downloadPostgres(ctx context.Context, dir string, major int, account *Account, progress io.Writer) (pgBinaries, error) {
	release, ok := postgresReleases[major]
	if !ok {
		return pgBinaries{}, fmt.Errorf("no PostgreSQL %d to download", major)
	}
	dir, err := place(filepath.Join(dir, "postgresql-"+release), account)
	if err != nil {
		return pgBinaries{}, err
	}
	held, err := lock(ctx, filepath.Join(dir, "lock"), func() {
		say(progress, "postgres: another process is downloading it; waiting")
	})
	if err != nil {
		return pgBinaries{}, err
	}
	defer func() { _ = held.release() }() // the kernel releases it at the latest when we end
	bin := filepath.Join(dir, "dist", "bin")
	if b, err := inspectPostgres(ctx, bin); err == nil {
		return b, nil
	}
	archive, err := fetchPostgres(ctx, release, progress)
	if err != nil {
		return pgBinaries{}, fmt.Errorf("no PostgreSQL server of version %d or newer is installed, and downloading one failed: %w\n"+
			"Install one (Debian: apt-get install postgresql) or set DATABASE_URL to a server of your own", oldestPostgres, err)
	}
	scratch := filepath.Join(dir, "dist.new") // renamed when whole
	if err := errors.Join(os.RemoveAll(scratch), os.RemoveAll(filepath.Join(dir, "dist"))); err != nil {
		return pgBinaries{}, err
	}
	if err := unpackPostgres(archive, scratch); err != nil {
		return pgBinaries{}, fmt.Errorf("unpack PostgreSQL %s: %w", release, err)
	}
	if err := os.Rename(scratch, filepath.Join(dir, "dist")); err != nil {
		return pgBinaries{}, err
	}
	return inspectPostgres(ctx, bin)
}

// artefact names the archive for this system.
func artefact(goos, goarch string, alpine bool) string {
	arch := goarch
	if arch == "arm64" {
		arch = "arm64v8"
	}
	if goos == "linux" && alpine {
		arch += "-alpine"
	}
	return "embedded-postgres-binaries-" + goos + "-" + arch
}

func fetchPostgres(ctx context.Context, release string, progress io.Writer) ([]byte, error) {
	_, err := os.Stat("/etc/alpine-release")
	name := artefact(runtime.GOOS, runtime.GOARCH, err == nil)
	url := fmt.Sprintf("%s/%s/%s/%s-%s.jar", postgresMirror, name, release, name, release)
	say(progress, "postgres: no server installed here; downloading PostgreSQL %s (once, about 15 MB) from %s", release, url)
	archive, err := get(ctx, url, progress)
	if err != nil {
		return nil, err
	}
	want, err := get(ctx, url+".sha256", nil)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(archive)
	if got := hex.EncodeToString(sum[:]); got != strings.TrimSpace(string(want)) {
		return nil, fmt.Errorf("%s: check sum is %s, want %s", url, got, want)
	}
	return archive, nil
}

// get downloads a file; a line every two seconds tells how far it is.
func get(ctx context.Context, url string, progress io.Writer) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // read to the end or given up
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, res.Status)
	}
	var body bytes.Buffer
	told := time.Now()
	for {
		n, err := io.CopyN(&body, res.Body, 256<<10)
		if n > 0 && time.Since(told) > 2*time.Second {
			told = time.Now()
			say(progress, "postgres: %.1f of %.1f MB", float64(body.Len())/1e6, float64(res.ContentLength)/1e6)
		}
		if errors.Is(err, io.EOF) {
			return body.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", url, err)
		}
	}
}

// unpackPostgres writes the tar.xz inside the jar (a zip) below dir, which must not exist.
func unpackPostgres(jar []byte, dir string) error {
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
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		return untar(unpacked, dir)
	}
	return errors.New("the archive holds no .txz file")
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
