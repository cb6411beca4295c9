package usage

import "strings"

// Most programs send records in a plain form: the fields of UsageForm, each once and of its type, in ASCII without
// escapes. readPlain reads that form in one pass and without reflection. It validates nothing and returns no fault:
// records in any other form are read by httpkit. httpkit reads plain records as the same form (FuzzReadPlain), so
// results do not depend on the reader.

// plainReader reads JSON from a position on. Each method returns false where the text is not plain; the position is
// then undefined.
type plainReader struct {
	text string
	at   int
}

// sign skips spaces and one sign.
func (p *plainReader) sign(want byte) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == want {
		p.at++
		return true
	}
	return false
}

func (p *plainReader) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// ended reports whether only spaces are left.
func (p *plainReader) ended() bool {
	p.space()
	return p.at == len(p.text)
}

// word reads a string of printable ASCII without escapes, with a minimum and a maximum of characters.
func (p *plainReader) word(least, most int) (string, bool) {
	if !p.sign('"') {
		return "", false
	}
	from := p.at
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			word := p.text[from:p.at]
			p.at++
			return word, len(word) >= least && len(word) <= most
		case c < ' ' || c > '~' || c == '\\':
			return "", false
		}
	}
	return "", false
}

// maxPlainNumber is far less than strictjson allows.
const maxPlainNumber = 32

// number reads a JSON number without an exponent.
func (p *plainReader) number() (string, bool) {
	p.space()
	from := p.at
	p.skip("-")
	whole := p.digits()
	if whole == 0 || whole > 1 && p.text[p.at-whole] == '0' {
		return "", false
	}
	if p.skip(".") && p.digits() == 0 {
		return "", false
	}
	number := p.text[from:p.at]
	return number, len(number) <= maxPlainNumber && !p.skip("e") && !p.skip("E")
}

// digits skips digits and returns their number.
func (p *plainReader) digits() int {
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - from
}

// skip skips next if the text continues with it.
func (p *plainReader) skip(next string) bool {
	if strings.HasPrefix(p.text[p.at:], next) {
		p.at += len(next)
		return true
	}
	return false
}

// object reads an object: it calls field with each name, before its value.
func (p *plainReader) object(field func(name string) bool) bool {
	if !p.sign('{') {
		return false
	}
	if p.sign('}') {
		return true
	}
	for {
		name, ok := p.word(1, maxPlainName)
		if !ok || !p.sign(':') || !field(name) {
			return false
		}
		if p.sign('}') {
			return true
		}
		if !p.sign(',') {
			return false
		}
	}
}

// list reads a list of at least one entry: it calls entry before each.
func (p *plainReader) list(entry func() bool) bool {
	if !p.sign('[') {
		return false
	}
	for {
		if !entry() {
			return false
		}
		if p.sign(']') {
			return true
		}
		if !p.sign(',') {
			return false
		}
	}
}
