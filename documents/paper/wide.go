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

// widened gives the characters of a page's body that the built-in font lacks the configured one: those between tags,
// not those within one, such as the text for a picture. The library's own fallback is for its standard fonts only.
func widened(page []byte, builtIn font.Face) []byte {
	style, body := bytes.Index(page, []byte("<style>")), bytes.Index(page, []byte("<body>"))
	if style < 0 || body < style {
		return page
	}
	style += len("<style>")
	out := append(bytes.Clone(page[:style]), "\n"+wideFace...)
	out = append(out, page[style:body]...)
	within, lacking, inTag, quote := false, false, false, rune(0)
	for rest := page[body:]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case inTag && (r == '"' || r == '\''):
			quote = r
		case r == '<':
			inTag = true
		case r == '>':
			inTag = false
		}
		if lacks := !inTag && r >= utf8.RuneSelf && builtIn.GlyphIndex(r) == 0; lacks != within {
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
