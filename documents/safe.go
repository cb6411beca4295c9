package documents

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A page by a company's own template is shown under our address and opened from mails. So it may have what a page of
// text needs, and nothing that runs, asks another server, or takes input: whatever is not listed is refused.
var (
	elements = set("html head meta title style body header footer main section article h1 h2 h3 h4 h5 h6 p div span br hr " +
		"b strong i em u s small sub sup mark abbr bdi bdo q cite blockquote address pre code time wbr ul ol li dl dt dd " +
		"table caption colgroup col thead tbody tfoot tr th td a img figure figcaption")
	attributes = set("class id style lang dir title role alt width height span colspan rowspan scope headers valign align " +
		"border cellpadding cellspacing start charset datetime")
)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

var (
	// picture is what a page may show: a picture that it has within.
	picture = regexp.MustCompile(`^data:image/(png|jpeg);base64,[A-Za-z0-9+/]*=*$`)
	// style matches what would make a style ask for a file, or hide that it does.
	asking = regexp.MustCompile(`(?i)url\s*\(|@import|image-set\s*\(|expression\s*\(|-moz-binding|\\`)
	// fontFile is the exception: the fonts that every page on paper has.
	fontFile = regexp.MustCompile(`url\("(regular|bold)\.ttf"\)`)
	link     = regexp.MustCompile(`(?i)^(https://|mailto:|tel:|#)`)
)

// safe refuses a page that is more than text, pictures within, and links.
func safe(page []byte) error {
	in := html.NewTokenizer(bytes.NewReader(page))
	inStyle := false
	for {
		switch in.Next() {
		case html.ErrorToken:
			return nil // the end: it reads from memory
		case html.StartTagToken, html.SelfClosingTagToken:
			t := in.Token()
			if err := safeElement(t); err != nil {
				return err
			}
			inStyle = t.Data == "style"
		case html.EndTagToken:
			inStyle = false
		case html.TextToken:
			if text := string(in.Raw()); inStyle && !safeStyle(text) {
				return errStyle
			}
		default:
		}
	}
}

var errStyle = fmt.Errorf("a style names a file or has a backslash: only pictures within <img> are shown")

func safeStyle(s string) bool { return !asking.MatchString(fontFile.ReplaceAllString(s, "")) }

func safeElement(t html.Token) error {
	if !elements[t.Data] {
		return fmt.Errorf("<%s> is not allowed", t.Data)
	}
	for _, a := range t.Attr {
		value := strings.TrimSpace(a.Val)
		ok := attributes[a.Key] || strings.HasPrefix(a.Key, "aria-")
		switch {
		case a.Key == "style":
			if !safeStyle(a.Val) {
				return errStyle
			}
		case t.Data == "img" && a.Key == "src":
			if !picture.MatchString(value) {
				return fmt.Errorf("the source of <img> is no PNG or JPEG as a data URL: use {{ logo.source }}")
			}
			ok = true
		case t.Data == "a" && a.Key == "href":
			if !link.MatchString(value) {
				return fmt.Errorf("the target of <a> is none of https:, mailto: and tel:")
			}
			ok = true
		case t.Data == "a" && a.Key == "rel", t.Data == "meta" && slices.Contains([]string{"name", "content"}, a.Key):
			ok = true
		}
		if !ok {
			return fmt.Errorf("the attribute %s of <%s> is not allowed", a.Key, t.Data)
		}
	}
	return nil
}
