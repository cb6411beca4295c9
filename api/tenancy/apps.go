package tenancy

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
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
	httpkit.Page
}

func (h *Handler) listApps(
	ctx context.Context, c *httpkit.Call, in *listAppsInput,
) (*httpkit.Reply[httpkit.List[App]], error) {
	page, err := in.DB(id.App)
	if err != nil {
		return nil, err
	}
	// By tenant, the one list that reaches beyond the environment of the key:
	// an app has no environment but two of them.
	rows, more, err := h.store.Tenancy.Apps(ctx, c.TenantID, page)
	return httpkit.ListOf(rows, more, err, renderApp)
}

func (h *Handler) appOperations() {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listApps", Method: http.MethodGet, Path: "/apps", Tag: "Apps", Summary: "List the tenant's apps",
		Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[App]{Data: []App{{ID: "app_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "Acme Analytics"}}},
	}, h.listApps)
}
