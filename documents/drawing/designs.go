package drawing

import (
	"sync"

	"perennial/billing/document"
	"perennial/documents"
)

// maxDesigns bounds the designs in memory: a template has some 400 kB at most.
const maxDesigns = 100

// designs are those that were read. A template never changes, so that each is read once.
type designs struct {
	mu   sync.Mutex
	read map[string]*documents.Design // by the id of the template
}

// of returns the design of a template. Fault: template_invalid.
func (x *designs) of(t document.Template) (*documents.Design, error) {
	if t.ID == "" {
		return documents.BuiltIn, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if known, ok := x.read[t.ID]; ok {
		return known, nil
	}
	design, err := documents.ReadTemplate(t)
	if err != nil {
		return nil, err
	}
	if x.read == nil || len(x.read) == maxDesigns {
		x.read = map[string]*documents.Design{}
	}
	x.read[t.ID] = design
	return design, nil
}
