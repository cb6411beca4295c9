package receiver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// Authority issues certificates for receivers. Senders trust it by its Roots.
type Authority struct {
	Roots *x509.CertPool

	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority returns an authority that is not trusted anywhere else.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{Roots: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
	}
	issued := a.issue(t, template)
	a.certificate, a.key = issued.Leaf, issued.PrivateKey.(*ecdsa.PrivateKey)
	a.Roots.AddCert(a.certificate)
	return a
}

// TLS has the TLS settings of a receiver. The zero value is valid.
type TLS struct {
	SelfSigned bool   // no authority issued the certificate
	Expired    bool   // an hour ago
	Host       string // the certificate's; empty: 127.0.0.1
	MaxVersion uint16 // such as tls.VersionTLS11; 0: the newest
}

// NewTLS returns a receiver whose certificate the authority issued.
func NewTLS(t testing.TB, a *Authority, o TLS) *Receiver {
	t.Helper()
	r := unstarted(t)
	r.server.TLS = &tls.Config{
		Certificates: []tls.Certificate{a.leaf(t, o)}, MinVersion: tls.VersionTLS10, MaxVersion: o.MaxVersion,
	}
	r.server.StartTLS()
	r.URL = r.server.URL
	return r
}

func (a *Authority) leaf(t testing.TB, o TLS) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "Test receiver"},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if o.Expired {
		template.NotAfter = time.Now().Add(-time.Hour)
	}
	if o.Host != "" {
		template.DNSNames, template.IPAddresses = strings.Fields(o.Host), nil
	}
	if o.SelfSigned {
		return (&Authority{}).issue(t, template)
	}
	return a.issue(t, template)
}

// issue signs with the authority's key, or with the certificate's own where there is none yet.
func (a *Authority) issue(t testing.TB, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.certificate, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
