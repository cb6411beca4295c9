package pawapay

import (
	"strings"

	"github.com/dunglas/httpsfv"

	"perennial/providers"
)

// verbatim returns the value of "@signature-params": the member of Signature-Input as the sender wrote it. With other
// signatures in the header, it is formatted in the one form that the RFC allows.
func verbatim(in providers.CallbackRequest, inputs *httpsfv.Dictionary, list httpsfv.InnerList) string {
	if header := in.Header.Values(headerSignatureInput); len(inputs.Names()) == 1 && len(header) == 1 {
		if own, ok := strings.CutPrefix(strings.TrimSpace(header[0]), signatureLabel+"="); ok {
			return own
		}
	}
	text, err := httpsfv.Marshal(list)
	if err != nil {
		return ""
	}
	return text
}

// base is the text that was signed: a line for each component, then the parameters, without a newline at the end.
func (s signed) base(in providers.CallbackRequest) ([]byte, error) {
	var b strings.Builder
	for _, name := range s.components {
		value, ok := component(in, name)
		if !ok {
			return nil, forged("The signature covers " + strings.ToValidUTF8(name, "") + ", which the request does not have.")
		}
		b.WriteString(`"` + name + `": ` + value + "\n")
	}
	b.WriteString(`"@signature-params": ` + s.params)
	return []byte(b.String()), nil
}

// component returns the value of a name in the request: a derived component, or a header. Go keeps the host apart from
// the other headers.
func component(in providers.CallbackRequest, name string) (string, bool) {
	switch name {
	case "@method":
		return in.Method, true
	case "@authority", "host":
		return authority(in.Host), true
	case "@path":
		if in.Path == "" {
			return "/", true
		}
		return in.Path, true
	}
	if strings.HasPrefix(name, "@") {
		return "", false
	}
	values := in.Header.Values(name)
	trimmed := make([]string, len(values))
	for i, v := range values {
		trimmed[i] = strings.TrimSpace(v)
	}
	return strings.Join(trimmed, ", "), len(values) > 0
}

// authority returns the host in lower case, without the port that its scheme implies. A server behind a proxy does not
// know the scheme, but neither scheme is served at the other's port.
func authority(host string) string {
	host = strings.ToLower(host)
	for _, port := range []string{":443", ":80"} {
		if bare, ok := strings.CutSuffix(host, port); ok {
			return bare
		}
	}
	return host
}
