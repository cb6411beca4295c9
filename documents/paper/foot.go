package paper

import (
	"sync"

	"github.com/carlos7ags/folio/document"
	"github.com/carlos7ags/folio/font"
	"github.com/carlos7ags/folio/layout"
	"github.com/go-fonts/dejavu/dejavusans"
)

// face is the built-in font, parsed once: the library reads it only.
var face = sync.OnceValues(func() (font.Face, error) { return font.ParseTTF(dejavusans.TTF) })

const footSize = 7 // points

// foot puts the two texts of each page under it. Margin boxes of CSS are no way to do so: the library writes a tag
// without its properties there, and readers lose the text.
func (s Sheet) foot(doc *document.Document, builtIn font.Face) {
	of := font.NewEmbeddedFont(builtIn)
	gray := layout.Hex("697386")
	cell := func(row *layout.Row, text string, align layout.Align) {
		p := layout.NewStyledParagraph(layout.NewRunEmbedded(text, of, footSize).WithColor(gray)).SetAlign(align)
		row.AddCellElement(p).SetAlign(align).SetBorders(layout.CellBorders{}).
			SetPaddingSides(layout.Padding{Top: 10})
	}
	doc.SetFooterElement(func(c document.PageContext) layout.Element {
		start, end := s.Footer(c.PageIndex+1, c.TotalPages)
		if s.RightLeft {
			start, end = end, start
		}
		t := layout.NewTable().SetColumnUnitWidths([]layout.UnitValue{layout.Pct(60), layout.Pct(40)})
		row := t.AddRow()
		cell(row, start, layout.AlignLeft)
		cell(row, end, layout.AlignRight)
		return t
	})
}
