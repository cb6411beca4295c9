package httpkit

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Tagged is the request of an operation whose answer has an ETag: a caller that polls often sends the tag of its last
// answer, and gets 304 while that still holds.
type Tagged struct {
	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" example:"\"4KlHzBxPzSfqhzJzLw9wyQ\"" doc:"The ETag of the answer that you have. 304: it still holds."`
}

// OKTagged returns a success with status 200 and a tag, or 304 where the caller already has this answer.
func OKTagged[T any](in Tagged, v T) *Reply[T] {
	out := OK(v)
	sum := sha256.Sum256(out.Body.raw)
	out.ETag = `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	for tag := range strings.SplitSeq(in.IfNoneMatch, ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == out.ETag || tag == "*" {
			out.Status, out.Body.raw = http.StatusNotModified, nil
		}
	}
	return out
}

// notModified returns the description of 304 for the document.
func notModified() *huma.Response {
	return &huma.Response{Description: "The answer of If-None-Match still holds."}
}
