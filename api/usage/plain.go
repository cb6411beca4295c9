package usage

import "strings"

// Most programs send records in a plain form: the fields of UsageForm, each once and of its type, in ASCII without
// escapes. readPlain reads that form in one pass and without reflection. It judges nothing and words no fault: where it
// does not recognise a record, httpkit reads it. What it does recognise, httpkit reads as the same form
// (FuzzReadPlain), so that no answer depends on which of the two has read a record.

// plainReader reads JSON from a place on. Each method returns false where the text is not plain, and leaves the place
// anywhere.
type plainReader struct {
	text string
	at   int
}

// sign passes over spaces and one sign.
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

// word reads a string of printable ASCII without escapes, of at least and at most so many characters.
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

// maxPlainNumber is far less than what strictjson takes.
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

// digits passes over digits and returns how many there were.
func (p *plainReader) digits() int {
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at - from
}

// skip passes over what comes next, if it does.
func (p *plainReader) skip(next string) bool {
	if strings.HasPrefix(p.text[p.at:], next) {
		p.at += len(next)
		return true
	}
	return false
}

// object reads an object: field is called with each name, in front of its value.
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

// list reads a list of at least one entry: entry is called in front of each.
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
