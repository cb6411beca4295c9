// Package templates serves how an environment's documents look.
package templates

import (
	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/db"
	"perennial/documents/paper"
	"perennial/service/templates"
)

// Handler serves the operations of this column.
type Handler struct {
	kit     *httpkit.Kit
	store   *db.Store // for reading
	service *templates.Service
	fonts   paper.Fonts
}

// Register adds the operations of this column. PDFs are drawn with the fonts.
func Register(d usecase.Deps, fonts paper.Fonts) {
	h := &Handler{kit: d.Kit, store: d.Store, service: d.Service.Templates, fonts: fonts}
	h.operations()
	h.previewOperations()
}
