package httpkit

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// Listed is one code of the API's errors, as the documentation lists it.
type Listed struct {
	Code       string   `json:"code"`
	Status     int      `json:"status"`
	Title      string   `json:"title"`
	Texts      []string `json:"texts"`                // its meaning; … stands for the variable parts
	Repeat     string   `json:"repeat"`               // whether to repeat the request, and when
	Everywhere bool     `json:"everywhere,omitempty"` // this package makes it, so it is no matter of one resource
}

// Meaning is the texts in one.
func (l Listed) Meaning() string { return strings.Join(l.Texts, " Or: ") }

// commonStatuses have the same codes for all operations.
var commonStatuses = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusGone,
	http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
}

// codesOf names the codes that an operation has with a status.
func (k *Kit) codesOf(op Operation, status int) string {
	var codes []string
	switch {
	case status == http.StatusNotFound && op.Load.fetch != nil:
		codes = append(codes, op.Load.absent)
	case status == http.StatusConflict, status == http.StatusUnprocessableEntity, status == http.StatusPaymentRequired:
		for _, p := range k.config.Problems {
			has := p.Everywhere && op.meets(p.Code) || slices.Contains(k.config.Refusals[op.Name], p.Code)
			if p.Status == status && has {
				codes = append(codes, p.Code)
			}
		}
	case status == http.StatusTooManyRequests, slices.Contains(commonStatuses, status):
		for _, p := range k.config.Problems {
			if p.Status == status && (p.Everywhere || status == http.StatusTooManyRequests && op.Crowds) {
				codes = append(codes, p.Code)
			}
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return " Codes: " + strings.Join(codes, ", ") + "."
}

// meets reports whether a code of this package can be about the operation: those of bodies and keys are about changes,
// those of cursors about lists.
func (o Operation) meets(code string) bool {
	switch prefix, _, _ := strings.Cut(code, "_"); prefix {
	case "body", "field", "idempotency":
		return o.changes()
	case "cursor":
		return !o.changes() && (o.Load.fetch == nil || o.lists())
	}
	return true
}

// lists reports whether the operation answers with pages, also of the parts of one resource.
func (o Operation) lists() bool {
	answer := reflect.TypeOf(o.Response)
	if answer == nil || answer.Kind() != reflect.Struct {
		return false
	}
	_, pages := answer.FieldByName("HasMore")
	return pages
}
