package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/text"
)

func TestText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]struct{ blank, breaks, directs bool }{
		"":                          {blank: true},
		"Ada":                       {},
		"محمد":                      {},
		"\u200fمحمد\u200f":          {},
		"می\u200cخواهم":             {},
		"👩\u200d💻":                  {},
		"e\u0301":                   {},
		" \t ":                      {blank: true, breaks: true},
		"\u00a0\u2003\u3000":        {blank: true},
		"\u200b":                    {blank: true},
		"\u200b\u200c\u200d\u2060":  {blank: true},
		"\ufeff":                    {blank: true},
		"\u00ad":                    {blank: true},
		"\u034f\ufe0f":              {blank: true},
		"\u0301":                    {blank: true},
		"\u3164":                    {blank: true},
		"\u2800":                    {blank: true},
		"\U000e0041":                {blank: true},
		"\u200e":                    {blank: true},
		"a\u200b":                   {},
		"a\nb":                      {breaks: true},
		"a\u2028b":                  {breaks: true},
		"a\u0085b":                  {breaks: true},
		"a\u202eb":                  {directs: true},
		"\u202e":                    {blank: true, directs: true},
		"\u2066a\u2069":             {directs: true},
		"invoice \u202b123\u202c 5": {directs: true},
	} {
		require.Equal(t, want.blank, text.Blank(s), "%q", s)
		require.Equal(t, want.breaks, text.Breaks(s), "%q", s)
		require.Equal(t, want.directs, text.Directs(s), "%q", s)
	}
}
