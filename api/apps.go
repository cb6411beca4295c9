package api

import (
	"context"
	"net/http"

	"perennial/db"
	"perennial/internal/id"
)

// App is one application of the tenant.
type App struct {
	ID   string `json:"id" example:"app_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name string `json:"name" example:"Acme Analytics"`
}

func renderApp(a db.App) App { return App{ID: a.ID, Name: a.Name} }

type listAppsInput struct {
	Page
}

func (s *Server) listApps(ctx context.Context, c *call, in *listAppsInput) (*reply[List[App]], error) {
	page, err := in.db(id.App)
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.Apps(ctx, c.key.TenantID, page)
	return list(rows, more, err, renderApp)
}

func (s *Server) appOperations() {
	register(s, operation{
		name: "listApps", method: http.MethodGet, path: "/apps", tag: "Apps", summary: "List the tenant's apps",
		status: http.StatusOK, access: readAccess,
		response: List[App]{Data: []App{{ID: "app_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "Acme Analytics"}}},
	}, s.listApps)
}
