package pawapay

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"slices"
	"time"

	"github.com/dunglas/httpsfv"

	"perennial/billing/fault"
	"perennial/providers"
)

// The headers of a signed message (RFC 9421, RFC 9530).
const (
	headerDigest         = "Content-Digest"
	headerSignature      = "Signature"
	headerSignatureInput = "Signature-Input"
)

const (
	signatureLabel = "sig-pp"
	// skew is the difference that pawaPay's clock and ours may have, and lifeUnstated the life of a signature without
	// an expiry.
	skew         = time.Minute
	lifeUnstated = 5 * time.Minute
)

// mustCover are the components without which a signature says too little: any body would fit one without the digest,
// and a message to another merchant would fit one without the address, since pawaPay signs all of them with the same
// keys.
var mustCover = []string{"@method", "@authority", "@path", "content-digest"}

// verify checks a signed message: body, signature, age, in this order of cost; the age last, so that only a genuine
// message is called stale.
func (p *PawaPay) verify(ctx context.Context, in providers.CallbackRequest, now time.Time) error {
	if !digestMatches(in) {
		return forged("The Content-Digest header does not match the body.")
	}
	s, err := readSignature(in)
	if err != nil {
		return err
	}
	base, err := s.base(in)
	if err != nil {
		return err
	}
	key, err := p.publicKey(ctx, s.keyID, now)
	if err != nil {
		return err
	}
	if !genuine(s.algorithm, key, base, s.value) {
		return forged("The Signature header does not match the request. A proxy in front of this server must pass " +
			"method, host, path and body on unchanged.")
	}
	return s.timely(now)
}

// signed has the contents of the two signature headers.
type signed struct {
	algorithm, keyID string
	components       []string
	created, expires time.Time
	params           string // the value of "@signature-params"
	value            []byte
}

func readSignature(in providers.CallbackRequest) (signed, error) {
	unusable := forged("The Signature and Signature-Input headers are not of the form that pawaPay documents.")
	inputs, err := httpsfv.UnmarshalDictionary(in.Header.Values(headerSignatureInput))
	if err != nil {
		return signed{}, unusable
	}
	values, err := httpsfv.UnmarshalDictionary(in.Header.Values(headerSignature))
	if err != nil {
		return signed{}, unusable
	}
	input, _ := inputs.Get(signatureLabel)
	list, isList := input.(httpsfv.InnerList)
	member, _ := values.Get(signatureLabel)
	item, isItem := member.(httpsfv.Item)
	if !isList || !isItem {
		return signed{}, unusable
	}
	var ok [4]bool
	s := signed{params: verbatim(in, inputs, list)}
	s.value, ok[0] = item.Value.([]byte)
	s.algorithm, ok[1] = param[string](list, "alg")
	s.keyID, ok[2] = param[string](list, "keyid")
	created, dated := param[int64](list, "created")
	s.created, ok[3] = time.Unix(created, 0), dated
	s.expires = s.created.Add(lifeUnstated)
	if expires, stated := param[int64](list, "expires"); stated {
		s.expires = time.Unix(expires, 0)
	}
	for _, c := range list.Items {
		name, isText := c.Value.(string)
		if !isText || (c.Params != nil && len(c.Params.Names()) > 0) {
			return signed{}, unusable
		}
		s.components = append(s.components, name)
	}
	if slices.Contains(ok[:], false) || s.params == "" {
		return signed{}, unusable
	}
	for _, name := range mustCover {
		if !slices.Contains(s.components, name) {
			return signed{}, forged("The signature does not cover " + name + ", so it proves too little.")
		}
	}
	return s, nil
}

func param[T any](list httpsfv.InnerList, name string) (v T, ok bool) {
	if list.Params == nil {
		return v, false
	}
	raw, _ := list.Params.Get(name)
	v, ok = raw.(T)
	return v, ok
}

// timely reports whether the message is neither too old nor from the future.
func (s signed) timely(now time.Time) error {
	if now.Before(s.created.Add(-skew)) || now.After(s.expires.Add(skew)) {
		return fault.New(fault.Unauthorized, "callback_stale",
			"The callback was signed for %s to %s. Check the server's clock if the callback is not an old one.",
			s.created.UTC().Format(time.RFC3339), s.expires.UTC().Format(time.RFC3339))
	}
	return nil
}

// digestMatches reports whether the header has at least one known digest, and every such digest matches the body.
func digestMatches(in providers.CallbackRequest) bool {
	digests, err := httpsfv.UnmarshalDictionary(in.Header.Values(headerDigest))
	if err != nil {
		return false
	}
	of256, of512 := sha256.Sum256(in.Body), sha512.Sum512(in.Body)
	known := 0
	for name, want := range map[string][]byte{"sha-256": of256[:], "sha-512": of512[:]} {
		member, ok := digests.Get(name)
		if !ok {
			continue
		}
		known++
		item, _ := member.(httpsfv.Item)
		got, _ := item.Value.([]byte)
		if subtle.ConstantTimeCompare(got, want) != 1 {
			return false
		}
	}
	return known > 0
}
