package webhooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"perennial/billing/event"
)

// ErrUnknownShape is a shape other than A and B.
var ErrUnknownShape = errors.New("webhooks: unknown payload shape")

// Message is the stored event that a payload tells of.
type Message struct {
	ID        string // evt_…
	Type      event.Type
	Timestamp int64           // Unix seconds, in the customer's time: `timestamp` of shape A, `created` of shape B
	Sequence  int64           // of the event in its subscription, from 1; 0: it has none
	Data      json.RawMessage // the stored data, a JSON object
}

// Body returns the bytes of a payload. The same message gives the same bytes, however its data is spaced and ordered;
// still, store them with the delivery: all attempts of one send the same bytes, also after an upgrade.
//
// `data` of shape A is the event's data. `data.object` of shape B is the resource: the data, with `object` naming its
// kind; where the data holds a resource under `object`, as those of invoices do, its fields take their place. Both also
// have the message's sequence, so that a receiver knows which of two events came first.
//
// Errors: ErrUnknownShape, or data that is no JSON object.
func Body(shape event.Shape, m Message) ([]byte, error) {
	data, err := object(m.Data)
	if err != nil {
		return nil, fmt.Errorf("webhooks: data of event %s: %w", m.ID, err)
	}
	if m.Sequence > 0 {
		data["sequence"] = m.Sequence
	}
	switch shape {
	case event.ShapeA:
		return encode(struct {
			Event     event.Type     `json:"event"`
			Data      map[string]any `json:"data"`
			Timestamp int64          `json:"timestamp"`
		}{m.Type, data, m.Timestamp})
	case event.ShapeB:
		return encode(struct {
			ID      string     `json:"id"`
			Object  string     `json:"object"`
			Type    event.Type `json:"type"`
			Created int64      `json:"created"`
			Data    holder     `json:"data"`
		}{m.ID, "event", m.Type, m.Timestamp, holder{resource(m.Type, data)}})
	default:
		return nil, fmt.Errorf("%w %q", ErrUnknownShape, shape)
	}
}

type holder struct {
	Object map[string]any `json:"object"`
}

// resource makes one object of an event's data and of the resource inside it.
func resource(of event.Type, data map[string]any) map[string]any {
	kind, _, _ := strings.Cut(string(of), ".")
	all := map[string]any{"object": kind}
	inner, nested := data["object"].(map[string]any)
	for name, value := range data {
		if !nested || name != "object" {
			all[name] = value
		}
	}
	maps.Copy(all, inner)
	return all
}

// object decodes the data without rounding its numbers.
func object(data json.RawMessage) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("null is no object")
	}
	return fields, nil
}

// encode sorts the fields of maps and leaves <, > and & as they are.
func encode(payload any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(payload); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
