package httpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"perennial/api/httpkit/strictjson"
	"perennial/billing/fault"
)

// maxBody bounds what we read of any request.
const maxBody = 1 << 20

var (
	errBodyTooLarge = bodyTooLarge(maxBody)
	errBodyTimeout  = fault.New(fault.Invalid, "body_timeout",
		"The request body did not arrive in time. Send the request again.")
	errEncoded = fault.InvalidParam("Content-Encoding", "content_type_unsupported",
		"The request body has a content encoding. Send it uncompressed, without `Content-Encoding`.")
)

// ReadRaw reads a whole body within the usual limit. Faults: body_too_large, body_timeout, request_invalid, for a
// connection that ended in the middle.
func ReadRaw(w http.ResponseWriter, r *http.Request) ([]byte, error) { return readUpTo(w, r, maxBody) }

func readUpTo(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var tooLarge *http.MaxBytesError
	var timeout net.Error
	switch {
	case err == nil:
		return payload, nil
	case errors.As(err, &tooLarge):
		return nil, bodyTooLarge(most)
	// The server's read time-out, which is for the whole request: the client is slow, not we.
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, errBodyTimeout.Because(err)
	default:
		return nil, fault.New(fault.Invalid, "request_invalid",
			"The request body ended early. Send the request again.").Because(err)
	}
}

func bodyTooLarge(most int64) *fault.Error {
	return fault.New(fault.Invalid, "body_too_large", "The request body is too large. Send at most %d bytes.", most)
}

// readBody reads the JSON body of an API request, nil where there is none. A body that the operation recognises as
// plain needs no check. Faults: those of ReadRaw and strictjson.Check, content_type_unsupported. An absent Content-Type
// counts as JSON: many clients forget it, and no other type could be meant.
func readBody(w http.ResponseWriter, r *http.Request, op Operation) (payload []byte, serve serving, err error) {
	if payload, err = ReadRaw(w, r); err != nil || len(payload) == 0 {
		return nil, nil, err
	}
	// A compressed body could be larger than memory once it is unpacked, and maxBody counts the bytes that arrive.
	if r.Header.Get("Content-Encoding") != "" {
		return nil, nil, errEncoded
	}
	if contentType := r.Header.Get("Content-Type"); contentType != "" && !isJSON(contentType) {
		return nil, nil, fault.InvalidParam("Content-Type", "content_type_unsupported",
			"The request body is not JSON. Send it with `Content-Type: application/json`.")
	}
	if op.plain != nil && r.URL.RawQuery == "" { // huma judges parameters
		if serve = op.plain(payload); serve != nil {
			return payload, serve, nil
		}
	}
	return payload, nil, strictjson.Check(payload)
}

// refuseFields is the check of a request that has no fields: it may have no body, or an empty object. A field here is a
// misunderstanding, and to ignore it would perform something else than was asked.
func refuseFields(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(payload, &fields) != nil {
		return fault.New(fault.Invalid, "type_wrong", strictjson.NotAnObject)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		param := strictjson.Clip(name)
		return fault.InvalidParam(param, "field_unknown", "%s", unknown(param, "field", nil))
	}
	return nil
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && media == JSONType && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

func reader(payload []byte) io.Reader { return bytes.NewReader(payload) }

// checkQuery refuses what net/url drops silently, and what could be read in two ways. Faults: query_malformed,
// parameter_repeated, parameter_empty. A filter that is dropped shows more than was asked for, and an app may act on
// all of it.
func checkQuery(raw string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return fault.New(fault.Invalid, "query_malformed",
			"The query string is malformed. Send percent-encoded `name=value` pairs joined by `&`.")
	}
	for name, values := range query {
		switch {
		case slices.ContainsFunc(append(values, name), isBroken):
			return fault.New(fault.Invalid, "query_malformed",
				"The query string contains NUL or invalid UTF-8. Percent-encode valid UTF-8 text.")
		case len(values) > 1:
			return fault.InvalidParam(strictjson.Clip(name), "parameter_repeated",
				"The query parameter occurs more than once. Send it once.")
		case values[0] == "":
			return fault.InvalidParam(strictjson.Clip(name), "parameter_empty",
				"The query parameter has no value. Send a value, or omit the parameter.")
		}
	}
	return nil
}

func isBroken(s string) bool { return !utf8.ValidString(s) || strings.ContainsRune(s, 0) }
