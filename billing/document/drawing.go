package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
)

// Form is a form in which documents are drawn for people.
type Form string

// The forms.
const (
	Page  Form = "page"
	Paper Form = "paper" // PDF
)

// Place is where a document belongs.
type Place struct{ EnvironmentID, CustomerID, DocumentID string }

// Drawing is what was drawn of a document last.
type Drawing struct {
	// Template is that of the first drawing, which the document keeps. Of a document that was never drawn it is the
	// published one. The zero value is the built-in look.
	Template Template
	Digest   []byte // of what it shows; nil: nothing was drawn in this form
	Content  []byte
}

// Digest tells whether what a drawing shows has changed. setting has what else the drawing depends on. It stays the
// same when a later version of the program knows more about documents, as long as that is not given here.
func (d Document) Digest(form Form, setting ...string) ([]byte, error) {
	written, err := json.Marshal([]any{d, form, setting})
	if err != nil {
		return nil, err
	}
	var tree any
	in := json.NewDecoder(bytes.NewReader(written))
	in.UseNumber()
	if err := in.Decode(&tree); err != nil {
		return nil, err
	}
	given, _ := given(tree)
	if written, err = json.Marshal(given); err != nil { // names are sorted
		return nil, err
	}
	sum := sha256.Sum256(written)
	return sum[:], nil
}

// given leaves out of objects what is zero. ok is false for what is zero itself.
func given(tree any) (out any, ok bool) {
	switch v := tree.(type) {
	case map[string]any:
		for name, of := range v {
			if of, ok := given(of); ok {
				v[name] = of
			} else {
				delete(v, name)
			}
		}
		return v, len(v) > 0
	case []any:
		for n, of := range v {
			v[n], _ = given(of)
		}
		return v, len(v) > 0
	case string:
		return v, v != "" && v != "0001-01-01T00:00:00Z"
	case json.Number:
		return v, v != "0"
	case bool:
		return v, v
	default:
		return nil, false
	}
}
