package devstack

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// testMirror serves testdata/postgresql.txz, in which programs are shell scripts, the way Maven Central does.
func testMirror(t *testing.T, serve func(w http.ResponseWriter, archive []byte)) mirror {
	t.Helper()
	packed, err := os.ReadFile("testdata/postgresql.txz")
	require.NoError(t, err)
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres.txz")
	require.NoError(t, err)
	_, err = w.Write(packed)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serve(w, jar.Bytes()) }))
	t.Cleanup(server.Close)
	system := platform(runtime.GOOS, runtime.GOARCH, isAlpine())
	return mirror{url: server.URL, sums: fmt.Sprintf("%x  %s-%s.jar\n",
		sha256.Sum256(jar.Bytes()), system, postgresReleases[0])}
}

// Every state directory, clone and test asks here: the archive is downloaded and unpacked for the first one only.
func TestCachePostgres_OneDownload(t *testing.T) {
	t.Parallel()
	var downloads atomic.Int32
	from := testMirror(t, func(w http.ResponseWriter, archive []byte) {
		downloads.Add(1)
		_, _ = w.Write(archive) // the client's error says more
	})
	c := cache{dir: t.TempDir()}
	var askers errgroup.Group
	for range 4 {
		askers.Go(func() error {
			b, err := c.postgres(t.Context(), from, 0, nil)
			if err == nil && (b.major != 17 || !filepath.IsAbs(b.dir)) {
				err = fmt.Errorf("got version %d in %s", b.major, b.dir)
			}
			return err
		})
	}
	require.NoError(t, askers.Wait())
	require.Equal(t, int32(1), downloads.Load())
	link, err := os.Readlink(c.path("postgresql-" + postgresReleases[0] + "/lib/libpq.so.5"))
	require.NoError(t, err)
	require.Equal(t, "libpq.so.5.17", link)
}

func TestCachePostgres_WrongChecksum(t *testing.T) {
	t.Parallel()
	from := testMirror(t, func(w http.ResponseWriter, archive []byte) {
		_, _ = w.Write(append(bytes.Clone(archive), 0)) // the client's error says more
	})
	c := cache{dir: t.TempDir()}
	_, err := c.postgres(t.Context(), from, 0, nil)
	require.ErrorContains(t, err, "something on the way changed it")
	require.ErrorContains(t, err, "apt-get install postgresql")
	requireOnlyLock(t, c)
}

func TestCachePostgres_Interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	from := testMirror(t, func(w http.ResponseWriter, archive []byte) {
		_, _ = w.Write(archive[:len(archive)/2])
		cancel()
	})
	c := cache{dir: t.TempDir()}
	_, err := c.postgres(ctx, from, 0, nil)
	require.Equal(t, context.Canceled, err, "an interruption needs no advice")
	requireOnlyLock(t, c)
}

func TestUnpackPostgres_Interrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := interruptible{ctx, strings.NewReader("x")}.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
}

func requireOnlyLock(t *testing.T, c cache) {
	t.Helper()
	left, err := filepath.Glob(c.path("*"))
	require.NoError(t, err)
	require.Equal(t, []string{c.path("postgresql-" + postgresReleases[0] + ".lock")}, left)
}

func TestCachePostgres_BrokenInstallation(t *testing.T) {
	t.Parallel()
	c := cache{dir: t.TempDir()}
	bin := c.path("postgresql-"+postgresReleases[0], "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	}
	_, err := c.postgres(t.Context(), mirror{}, 0, nil)
	require.ErrorContains(t, err, "Delete "+filepath.Dir(bin)+" to download it again")
}

func TestMavenCentral_KnowsEveryRelease(t *testing.T) {
	t.Parallel()
	for _, release := range postgresReleases {
		sum, ok := mavenCentral.sum("linux-amd64-" + release + ".jar")
		require.True(t, ok, release)
		require.Regexp(t, "^[0-9a-f]{64}$", sum)
	}
	_, err := mirror{}.fetch(t.Context(), "17.5.0", "", nil)
	require.ErrorContains(t, err, "there is no PostgreSQL 17.5.0 for "+runtime.GOOS)
}

func TestPlatform(t *testing.T) {
	t.Parallel()
	require.Equal(t, "linux-amd64", platform("linux", "amd64", false))
	require.Equal(t, "linux-amd64-alpine", platform("linux", "amd64", true))
	require.Equal(t, "darwin-arm64v8", platform("darwin", "arm64", false))
}
