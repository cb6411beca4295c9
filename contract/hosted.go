package contract

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"strconv"
	"strings"
)

// HostedPath is the path, below the API's address, of the pages of invoices.
const HostedPath = "/invoice/"

// LinkKey makes the links to the pages of one environment's invoices: 32 bytes, most of them random. Whoever has it can
// open each of them.
type LinkKey []byte

// String keeps the key out of logs.
func (LinkKey) String() string { return "[link key]" }

// GoString keeps the key out of logs.
func (LinkKey) GoString() string { return "[link key]" }

// HostedInvoice names the invoice of a page, as its link does.
type HostedInvoice struct {
	EnvironmentID string
	InvoiceID     string
	// Revision counts the links that the invoice had before.
	Revision int
}

// Prefixes of the two ids, and the length of what follows them. A link has neither prefix.
const (
	environmentPrefix = "env_"
	invoicePrefix     = "in_"
	idLength          = 26
)

// Link returns the link to the page of an invoice, for its payer; empty: there is no key. publicURL is the address of
// the API from outside; empty: the link is relative.
func (k LinkKey) Link(publicURL string, of HostedInvoice) string {
	if len(k) == 0 {
		return ""
	}
	return publicURL + HostedPath + strings.TrimPrefix(of.EnvironmentID, environmentPrefix) +
		strings.TrimPrefix(of.InvoiceID, invoicePrefix) + k.code(of)
}

// Opens reports whether a code is that of the invoice's present link. Its time tells nothing about the right one.
func (k LinkKey) Opens(code string, of HostedInvoice) bool {
	return len(k) > 0 && subtle.ConstantTimeCompare([]byte(code), []byte(k.code(of))) == 1
}

// codeLength is the length of the authentication code in a link, which has 160 bits of it.
const codeLength = 32

func (k LinkKey) code(of HostedInvoice) string {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte("invoice\x00" + of.InvoiceID + "\x00" + strconv.Itoa(of.Revision)))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)))[:codeLength]
}

// ParseHosted returns the invoice that the last part of a link names, and the code that has to open it. ok is false for
// what is no such part.
func ParseHosted(token string) (of HostedInvoice, code string, ok bool) {
	if len(token) != 2*idLength+codeLength {
		return HostedInvoice{}, "", false
	}
	return HostedInvoice{
		EnvironmentID: environmentPrefix + token[:idLength], InvoiceID: invoicePrefix + token[idLength:2*idLength],
	}, token[2*idLength:], true
}
