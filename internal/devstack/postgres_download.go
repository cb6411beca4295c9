package devstack

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
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
)

// mirror is a place from which PostgreSQL servers are downloaded.
type mirror struct {
	url  string
	sums string // as sha256sum prints them: of every archive that we accept
}

// mavenCentral has the server binaries of the embedded-postgres project (github.com/zonkyio), built for many systems
// together with their libraries. The checksums are ours: one that is fetched from the same place as the archive proves
// nothing about its origin.
var mavenCentral = mirror{url: "https://repo1.maven.org/maven2/io/zonky/test/postgres", sums: postgresSums}

//go:embed postgresql.sha256
var postgresSums string

// postgresReleases are the releases that we download for each major version; 0 is the choice for a new data directory.
var postgresReleases = map[int]string{0: "17.5.0", 15: "15.13.0", 16: "16.9.0", 17: "17.5.0", 18: "18.3.0"}

// postgres returns server binaries, downloaded into the cache the first time.
func (c cache) postgres(ctx context.Context, from mirror, major int, progress io.Writer) (pgBinaries, error) {
	release, ok := postgresReleases[major]
	if !ok {
		return pgBinaries{}, fmt.Errorf("no PostgreSQL %d to download", major)
	}
	target := c.path("postgresql-" + release)
	bin := filepath.Join(target, "bin")
	err := c.once(ctx, target,
		func() bool { return present(filepath.Join(bin, "postgres")) && present(filepath.Join(bin, "initdb")) },
		func() { say(progress, "postgres: another process is downloading it; waiting") },
		func(scratch string) error {
			archive, err := from.fetch(ctx, release, c.into(), progress)
			if err != nil {
				return err
			}
			say(progress, "postgres: unpacking")
			return unpackPostgres(ctx, archive, scratch)
		})
	if ctx.Err() != nil {
		return pgBinaries{}, ctx.Err()
	}
	if err != nil {
		return pgBinaries{}, fmt.Errorf(
			"no PostgreSQL server of version %d or newer is installed, and downloading one failed: %w\n"+
				"Install one (Debian: apt-get install postgresql) or set DATABASE_URL to a server of your own",
			oldestPostgres, err)
	}
	b, err := inspectPostgres(ctx, bin)
	if err != nil {
		return b, fmt.Errorf("the downloaded PostgreSQL does not run: %w\n"+
			"Delete %s to download it again, or install PostgreSQL (Debian: apt-get install postgresql)", err, target)
	}
	return b, nil
}

// present reports whether a program is there and was not emptied by a power cut.
func present(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// platform names this system as the archives do.
func platform(goos, goarch string, alpine bool) string {
	arch := goarch
	if arch == "arm64" {
		arch = "arm64v8"
	}
	if goos == "linux" && alpine {
		arch += "-alpine"
	}
	return goos + "-" + arch
}

func isAlpine() bool {
	_, err := os.Stat("/etc/alpine-release")
	return err == nil
}

// fetch downloads the archive of a release and refuses one that is not the known one.
func (m mirror) fetch(ctx context.Context, release, into string, progress io.Writer) ([]byte, error) {
	system := platform(runtime.GOOS, runtime.GOARCH, isAlpine())
	want, ok := m.sum(system + "-" + release + ".jar")
	if !ok {
		return nil, fmt.Errorf("there is no PostgreSQL %s for %s to download", release, system)
	}
	name := "embedded-postgres-binaries-" + system
	url := fmt.Sprintf("%s/%s/%s/%s-%s.jar", m.url, name, release, name, release)
	say(progress, "postgres: no server is installed here; downloading PostgreSQL %s (once, about 15 MB) from %s %s",
		release, url, into)
	archive, err := get(ctx, url, progress)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(archive)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, fmt.Errorf("%s: its SHA-256 is %s, and %s is the one we know: something on the way changed it",
			url, got, want)
	}
	return archive, nil
}

// sum finds the checksum of a file.
func (m mirror) sum(name string) (string, bool) {
	for line := range strings.Lines(m.sums) {
		if sum, file, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && file == name {
			return sum, true
		}
	}
	return "", false
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
