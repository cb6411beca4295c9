package doctor

import (
	"context"
	"fmt"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// charging names paused charging. It only warns: a person wants the pause, but must not forget it.
func (d *doctor) charging(ctx context.Context, store *db.Store) {
	const check = "charging"
	paused, err := store.Payments.PausedCharging(ctx)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	if len(paused) == 0 {
		d.ok(check, "paused nowhere")
		return
	}
	d.warn(check, "resume with `perennial provider resume ID`, or POST …/resume-charging, where it should go on",
		"paused: %s", backlog.Names(paused, func(p db.PausedCharging) string {
			where := p.EnvironmentID
			if p.ProviderConfigID != "" {
				where = p.Provider + " " + p.ProviderConfigID
			}
			return fmt.Sprintf("%s of %s, %s (%s) since %s, %s held", where, p.Tenant, p.App, p.Mode,
				p.Since.UTC().Format("2006-01-02 15:04:05"), cli.Counted(p.Held, "payment"))
		}))
}
