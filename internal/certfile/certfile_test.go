package certfile_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/certfile"
)

// write puts a new certificate for localhost into the two files and returns it.
func write(t *testing.T, cert, key string, serial int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600))
	later := time.Unix(serial, 0) // clocks of files can be coarse
	require.NoError(t, os.Chtimes(cert, later, later))
}

func TestPair_IsReadAgain(t *testing.T) {
	t.Parallel()
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	_, err := certfile.Open(cert, key, time.Now, nil)
	require.ErrorContains(t, err, cert)

	write(t, cert, key, 1)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var failures []error
	pair, err := certfile.Open(cert, key, func() time.Time { return now }, func(err error) { failures = append(failures, err) })
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.Proto))
	}))
	server.TLS, server.EnableHTTP2 = pair.Config(), true
	server.TLS.Certificates = []tls.Certificate{} // not its own
	server.Listener = tls.NewListener(server.Listener, server.TLS)
	server.Start()
	t.Cleanup(server.Close)

	serial := func() int64 {
		connection, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext( //nolint:gosec // self-signed
			t.Context(), "tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		defer func() { require.NoError(t, connection.Close()) }()
		return connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial())
	write(t, cert, key, 2)
	require.EqualValues(t, 1, serial(), "it does not look at each handshake")
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 2, serial())
	require.NoError(t, os.WriteFile(key, []byte("half"), 0o600))
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 2, serial(), "the one of before is shown still")
	require.Len(t, failures, 1)
	write(t, cert, key, 3)
	now = now.Add(5 * time.Second)
	require.EqualValues(t, 3, serial())

	_, err = (&tls.Dialer{Config: &tls.Config{
		InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, //nolint:gosec // what is refused
	}}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.ErrorContains(t, err, "protocol version")
}
