package httpkit

import (
	"net/http"
	"slices"
	"strings"
)

// Listed is one code of the API's errors, as the documentation lists it.
type Listed struct {
	Code       string   `json:"code"`
	Status     int      `json:"status"`
	Title      string   `json:"title"`
	Texts      []string `json:"texts"`                // what it means; … stands for what differs
	Repeat     string   `json:"repeat"`               // whether to repeat the request, and when
	Everywhere bool     `json:"everywhere,omitempty"` // this package makes it, so it is no matter of one resource
}

// Meaning is the texts in one.
func (l Listed) Meaning() string { return strings.Join(l.Texts, " Or: ") }

// told are the statuses whose codes follow from the operation alone. The codes of the others depend on the rules, or
// are too many to repeat.
var told = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusGone, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType,
}

// codesOf names the codes that an operation has with a status, as far as they follow from it.
func (k *Kit) codesOf(op Operation, status int) string {
	var codes []string
	switch {
	case status == http.StatusNotFound && op.Load.fetch != nil:
		codes = append(codes, op.Load.absent)
	case status == http.StatusTooManyRequests, slices.Contains(told, status):
		for _, p := range k.config.Problems {
			if p.Status == status && (p.Everywhere || status == http.StatusTooManyRequests) {
				codes = append(codes, p.Code)
			}
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return " Codes: " + strings.Join(codes, ", ") + "."
}
