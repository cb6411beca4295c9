package paper

import (
	"bytes"
	"unicode/utf8"

	"github.com/carlos7ags/folio/font"
)

const (
	wideFace = `@font-face { font-family: Wide; src: url("` + fallback + `"); }` + "\n"
	opened   = `<span style="font-family: Wide">`
	closed   = `</span>`
)

// widened gives the characters of a page's body that the built-in font lacks the configured one. The library's own
// fallback is for its standard fonts only. Texts stand between tags alone, never within one.
func widened(page []byte, builtIn font.Face) []byte {
	style, body := bytes.Index(page, []byte("<style>")), bytes.Index(page, []byte("<body>"))
	if style < 0 || body < style {
		return page
	}
	style += len("<style>")
	out := append(bytes.Clone(page[:style]), "\n"+wideFace...)
	out = append(out, page[style:body]...)
	within, lacking := false, false
	for rest := page[body:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if lacks := r >= utf8.RuneSelf && builtIn.GlyphIndex(r) == 0; lacks != within {
			out = append(out, map[bool]string{true: opened, false: closed}[lacks]...)
			within, lacking = lacks, true
		}
		out, rest = append(out, rest[:size]...), rest[size:]
	}
	if !lacking {
		return page
	}
	return out
}
