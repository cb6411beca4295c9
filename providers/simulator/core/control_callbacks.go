package core

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// callbackSettings is Callbacks with a readable delay.
type callbackSettings struct {
	Callbacks
	Delay string `json:"delay"`
}

func (in callbackSettings) read(w http.ResponseWriter) (Callbacks, bool) {
	c := in.Callbacks
	if in.Delay != "" {
		d, err := time.ParseDuration(in.Delay)
		if err != nil || d < 0 {
			refuse(w, `"delay" must be a duration such as "5s"`)
			return c, false
		}
		c.Delay = d
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http")) {
		refuse(w, `"url" must be an absolute http or https URL`)
		return c, false
	}
	return c, true
}

func (s *Server) controlCallbacks(w http.ResponseWriter, r *http.Request) {
	var in callbackSettings
	if !read(w, r, &in) {
		return
	}
	c, valid := in.read(w)
	if !valid {
		return
	}
	s.sender.configure(c)
	writeControl(w, http.StatusOK, in)
}

// controlSendCallback sends a message about an object as it is now, with settings of its own: twice, late, or wrong.
func (s *Server) controlSendCallback(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Object string       `json:"object"` // the reference of a payment, refund or dispute
		Type   string       `json:"type"`   // empty: that of the object's state
		Copies int          `json:"copies"`
		Delay  string       `json:"delay"`
		Fault  CallbackKind `json:"fault"`
		Secret string       `json:"secret"`
	}
	if !read(w, r, &in) {
		return
	}
	settings := callbackSettings{Callbacks: s.sender.settings(), Delay: in.Delay}
	if in.Copies > 0 {
		settings.Copies = in.Copies
	}
	if in.Secret != "" {
		settings.Secret = in.Secret
	}
	c, valid := settings.read(w)
	if !valid {
		return
	}
	if in.Fault != "" && !slices.Contains(callbackKinds, in.Fault) {
		refuse(w, fmt.Sprintf(`"fault" must be one of %v`, callbackKinds))
		return
	}
	if c.URL == "" {
		refuse(w, `set a callback URL first (PUT /_simulator/callbacks)`)
		return
	}
	compose := s.dialect.Controls().Message
	s.do(w, "a callback on request", compose != nil, func() Answer {
		m, ok := compose(in.Object, in.Type)
		if !ok {
			return BadControl(`"object" must be the reference of a payment, refund or dispute`)
		}
		var f *CallbackFault
		if in.Fault != "" {
			f = &CallbackFault{Kind: in.Fault, wait: 2 * time.Second}
		}
		s.sender.background(func() { s.sender.sendWith(c, m, f) })
		return Done(map[string]string{"event": m.ID}, nil)
	})
}
