package simulator

import (
	"net/http"
	"net/url"
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
			refuseAdmin(w, `"delay" must be a duration such as "5s"`)
			return c, false
		}
		c.Delay = d
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http")) {
		refuseAdmin(w, `"url" must be an absolute http or https URL`)
		return c, false
	}
	return c, true
}

func (s *Server) adminCallbacks(w http.ResponseWriter, r *http.Request) {
	var in callbackSettings
	if !read(w, r, &in) {
		return
	}
	c, valid := in.read(w)
	if !valid {
		return
	}
	s.sender.configure(c)
	write(w, ok(in))
}

// adminSendCallback sends an event about an object as it is now, with settings of its own: twice, late, or signed with
// a wrong secret.
func (s *Server) adminSendCallback(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Object string `json:"object"` // pi_…, re_… or du_…
		Type   string `json:"type"`
		Copies int    `json:"copies"`
		Delay  string `json:"delay"`
		Secret string `json:"secret"`
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
	if c.URL == "" || in.Type == "" {
		refuseAdmin(w,
			`set a callback URL first (PUT /_simulator/callbacks), and name a "type" such as payment_intent.succeeded`)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var e event
	if pi := s.state.intents[in.Object]; pi != nil {
		e = s.event(in.Type, pi.Live, pi.render(), true)
	} else if re := s.state.refunds[in.Object]; re != nil {
		e = s.event(in.Type, re.Live, re.render(), true)
	} else if d := s.state.disputes[in.Object]; d != nil {
		e = s.event(in.Type, d.Live, d.render(), true)
	} else {
		refuseAdmin(w, `"object" must be the ID of a payment intent, refund or dispute`)
		return
	}
	for range max(c.Copies, 1) {
		s.sender.background(func() { s.sender.deliver(c, e) })
	}
	write(w, ok(map[string]string{"event": e.id}))
}
