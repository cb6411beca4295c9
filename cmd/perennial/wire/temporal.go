package wire

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"go.temporal.io/sdk/client"

	"perennial/internal/config"
	"perennial/internal/telemetry"
)

// Temporal connects when it is first used: an API must start, and answer reads, while Temporal is away. A
// certificate that cannot be read is found here, at the start; a server that refuses it, at the first use.
func Temporal(c config.Temporal, t *telemetry.Telemetry) (client.Client, error) {
	interceptors, err := t.TemporalInterceptors()
	if err != nil {
		return nil, err
	}
	options := client.Options{
		HostPort: c.Address, Namespace: c.Namespace, Logger: t.TemporalLogger(), MetricsHandler: t.TemporalMetricsHandler(),
		Interceptors: interceptors,
	}
	if c.APIKey.IsSet() {
		options.Credentials = client.NewAPIKeyStaticCredentials(c.APIKey.Reveal())
	}
	if options.ConnectionOptions.TLS, err = temporalTLS(c); err != nil {
		return nil, err
	}
	return client.NewLazyClient(options)
}

func temporalTLS(c config.Temporal) (*tls.Config, error) {
	if !c.TLS {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	if c.TLSCA != "" {
		pem, err := os.ReadFile(c.TLSCA)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CA: %w", err)
		}
		// The named authority replaces the system's authorities rather than being added to them.
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("TEMPORAL_TLS_CA: %s holds no certificate in PEM", c.TLSCA)
		}
	}
	return out, nil
}
