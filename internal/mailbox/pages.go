package mailbox

import (
	"bytes"
	_ "embed"
	"html/template"
	"mime"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

//go:embed list.html
var listSource string

//go:embed mail.html
var mailSource string

//go:embed style.css
var style []byte

var (
	shared = template.FuncMap{"linked": linked, "clock": func(t time.Time) string { return t.Format(time.TimeOnly) }}
	list   = template.Must(template.New("list").Funcs(shared).Parse(listSource))
	one    = template.Must(template.New("mail").Funcs(shared).Parse(mailSource))
)

// handler serves the pages. They have no script. What a mail brings cannot run anything, nor load anything.
func (b *Box) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, list, b.Mails()) })
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) { send(w, "text/css", style) })
	mux.HandleFunc("GET /mails/{number}", b.of(func(w http.ResponseWriter, _ *http.Request, m Mail) { page(w, one, m) }))
	mux.HandleFunc("GET /mails/{number}/html", b.of(showHTML))
	mux.HandleFunc("GET /mails/{number}/raw", b.of(func(w http.ResponseWriter, _ *http.Request, m Mail) {
		send(w, "text/plain; charset=utf-8", m.Raw)
	}))
	mux.HandleFunc("GET /mails/{number}/files/{file}", b.of(sendFile))
	return guarded(mux)
}

// guarded refuses names other than this machine's own, by which pages of the internet could reach it (DNS rebinding).
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "The mailbox is for this machine only.", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-src 'self'; base-uri 'none'; "+
			"form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// of finds the mail that a path names.
func (b *Box) of(show func(http.ResponseWriter, *http.Request, Mail)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(r.PathValue("number"))
		m, found := b.find(number)
		if err != nil || !found {
			http.Error(w, "There is no such mail. The mailbox forgets old ones, and all of them when it ends.", http.StatusNotFound)
			return
		}
		show(w, r, m)
	}
}

func page(w http.ResponseWriter, t *template.Template, data any) {
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		http.Error(w, "The page could not be drawn.", http.StatusInternalServerError)
		return
	}
	send(w, "text/html; charset=utf-8", out.Bytes())
}

func send(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(content) // the reader went away
}

// showHTML shows a mail as a mail program does: styles are its own, and links open beside it.
func showHTML(w http.ResponseWriter, _ *http.Request, m Mail) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox")
	send(w, "text/html; charset=utf-8", []byte(strings.Replace(m.HTML, "<head>", `<head><base target="_blank">`, 1)))
}

func sendFile(w http.ResponseWriter, r *http.Request, m Mail) {
	n, err := strconv.Atoi(r.PathValue("file"))
	if err != nil || n < 0 || n >= len(m.Files) {
		http.Error(w, "The mail has no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Security-Policy", "sandbox")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": m.Files[n].Name}))
	send(w, "application/octet-stream", m.Files[n].Content)
}

var address = regexp.MustCompile(`https?://[^\s<>"]+`)

// linked returns a text in which addresses of pages are links.
func linked(text string) template.HTML {
	var out strings.Builder
	at := 0
	for _, found := range address.FindAllStringIndex(text, -1) {
		link := template.HTMLEscapeString(text[found[0]:found[1]])
		out.WriteString(template.HTMLEscapeString(text[at:found[0]]))
		out.WriteString(`<a href="` + link + `" target="_blank" rel="noreferrer">` + link + `</a>`)
		at = found[1]
	}
	out.WriteString(template.HTMLEscapeString(text[at:]))
	return template.HTML(out.String()) //nolint:gosec // all of it is escaped above
}
