package webhooks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"perennial/billing/fault"
)

// codeForbidden matches CheckURL's refusal of an address.
var codeForbidden = fault.InvalidParam("url", "webhook_url_forbidden", "")

// notHTTP is an answer that cannot be understood.
var notHTTP = Result{
	Failure: FailedProtocol, Detail: "What the receiver answered is not HTTP, or its headers are longer than 64 KiB.",
}

func detailOf(err error) string { return fault.From(err).Detail }

// failure classifies an error of the transport. ctx is the caller's, limited the attempt's. The text of err is never
// passed on: it may have the URL.
func (s *Sender) failure(ctx, limited context.Context, err error) Result {
	var (
		address *addressError
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &address):
		return Result{Failure: FailedAddress, Detail: fmt.Sprintf(
			"The URL's host resolves to an address that receivers may not have (%s). Nothing was sent.", address.network)}
	case ctx.Err() != nil:
		return Result{Failure: FailedCanceled, Detail: "The attempt was stopped on our side before it ended."}
	case errors.As(err, &dns):
		return Result{Failure: FailedDNS, Detail: dnsDetail(dns)}
	case limited.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return Result{
			Failure: FailedTimeout, Detail: fmt.Sprintf("The receiver did not answer completely within %s.", s.limit),
		}
	}
	if detail := tlsDetail(err); detail != "" {
		return Result{Failure: FailedTLS, Detail: detail}
	}
	var op *net.OpError
	switch dialing := errors.As(err, &op) && op.Op == "dial"; {
	case errors.Is(err, syscall.ECONNREFUSED):
		return Result{Failure: FailedConnect, Detail: "The receiver's host refused the connection. Nothing was sent."}
	case dialing:
		return Result{Failure: FailedConnect, Detail: "The receiver's host cannot be reached. Nothing was sent."}
	case malformed(err):
		return notHTTP
	case closed(err):
		return Result{Failure: FailedReset, Detail: "The receiver closed the connection before its answer was complete."}
	}
	return Result{Failure: FailedOther, Detail: "The attempt failed on the connection to the receiver."}
}

func dnsDetail(err *net.DNSError) string {
	if err.IsNotFound {
		return "The URL's host name does not exist, or has no address. Nothing was sent."
	}
	return "The URL's host name could not be resolved. Nothing was sent."
}

// tlsDetail describes a TLS error; empty: err is not one. A faulty certificate ends the connection before anything is
// sent. An alert may come later: a receiver that requires a client certificate refuses after the request.
func tlsDetail(err error) string {
	var (
		invalid  x509.CertificateInvalidError
		host     x509.HostnameError
		unknown  x509.UnknownAuthorityError
		verify   *tls.CertificateVerificationError
		alert    tls.AlertError
		header   tls.RecordHeaderError
		insecure = "The receiver's TLS certificate is not valid. Nothing was sent."
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "The receiver's TLS certificate has expired or is not valid yet. Nothing was sent."
	case errors.As(err, &host):
		return "The receiver's TLS certificate is for another host name. Nothing was sent."
	case errors.As(err, &unknown):
		return "The receiver's TLS certificate is self-signed or of an unknown authority. Nothing was sent."
	case errors.As(err, &invalid), errors.As(err, &verify):
		return insecure
	case errors.As(err, &header):
		return "The receiver does not speak TLS at this port. Nothing was sent."
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "remote error"):
		return "No TLS connection could be made. TLS 1.2 or later is needed, and no client certificate is sent."
	}
	return ""
}

// malformed and closed know net/http's errors by their text where it has no types for them.
func malformed(err error) bool {
	return strings.Contains(err.Error(), "malformed HTTP") ||
		strings.Contains(err.Error(), "server response headers exceeded")
}

func closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "connection broken")
}
