package certfile_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/certfile"
	"perennial/internal/certfile/certtest"
)

func TestPair_IsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := certfile.Open(filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), time.Now, nil)
	require.ErrorContains(t, err, "cert.pem")

	cert, key := certtest.Write(t, dir, 1)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var failures []error
	pair, err := certfile.Open(
		cert, key, func() time.Time { return now }, func(err error) { failures = append(failures, err) },
	)
	require.NoError(t, err)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", pair.Config())
	require.NoError(t, err)
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute,
		ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(listener) }() // until it is closed
	t.Cleanup(func() { require.NoError(t, server.Close()) })

	serial := func() int64 {
		connection, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext( //nolint:gosec // self-signed
			t.Context(), "tcp", listener.Addr().String())
		require.NoError(t, err)
		defer func() { require.NoError(t, connection.Close()) }()
		return connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial())
	certtest.Write(t, dir, 2)
	require.EqualValues(t, 1, serial(), "it does not look at each handshake")
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 2, serial())
	require.NoError(t, os.WriteFile(key, []byte("half"), 0o600))
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 2, serial(), "the one of before is shown still")
	require.Len(t, failures, 1)
	certtest.Write(t, dir, 3)
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 3, serial())

	_, err = (&tls.Dialer{Config: &tls.Config{
		InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, //nolint:gosec // what is refused
	}}).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.ErrorContains(t, err, "protocol version")
}
