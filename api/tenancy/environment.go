package tenancy

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/service/payments"
	serviceusecase "perennial/service/usecase"
)

// Environment is the environment of the API key.
type Environment struct {
	ID               string `json:"id" example:"env_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Mode             string `json:"mode" enum:"test,live" example:"test"`
	TimeZone         string `json:"timeZone" example:"UTC" doc:"IANA name. Periods of new subscriptions begin in it."`
	ChargingPausedAt int64  `json:"chargingPausedAt,omitempty" example:"1763640000" doc:"Unix seconds. Since then no new charge is sent; see pause-charging."`
	PaymentsHeld     int    `json:"paymentsHeld" example:"0" doc:"Pending payments that wait for charging to be resumed, here or for a payment provider. Up to 10,000."`
}

func renderEnvironment(c *httpkit.Call, charging payments.Charging) Environment {
	return Environment{
		ID: c.EnvironmentID, Mode: string(c.Mode), TimeZone: c.TimeZone, ChargingPausedAt: view.Unix(charging.PausedAt),
		PaymentsHeld: charging.Held,
	}
}

func (h *Handler) getEnvironment(
	ctx context.Context, c *httpkit.Call, _ *struct{},
) (*httpkit.Reply[Environment], error) {
	charging, err := h.payments.Charging(ctx, c.EnvironmentID)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(renderEnvironment(c, charging)), nil
}

// wholeInput is a request about the environment of the key.
type wholeInput struct {
	Body *view.Empty
}

func (h *Handler) onEnvironment(
	ctx context.Context, c *httpkit.Call,
	perform func(ctx context.Context, by serviceusecase.Caller, around usecase.Around[payments.Charging]) error,
) (*httpkit.Reply[Environment], error) {
	made := func(charging payments.Charging) httpkit.Made[Environment] {
		return httpkit.Made[Environment]{Resource: renderEnvironment(c, charging)}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[payments.Charging]) error {
		return perform(ctx, usecase.Caller(c), around)
	})
}

func (h *Handler) pauseCharging(
	ctx context.Context, c *httpkit.Call, _ *wholeInput,
) (*httpkit.Reply[Environment], error) {
	return h.onEnvironment(ctx, c, h.payments.PauseCharging)
}

func (h *Handler) resumeCharging(
	ctx context.Context, c *httpkit.Call, _ *wholeInput,
) (*httpkit.Reply[Environment], error) {
	return h.onEnvironment(ctx, c, h.payments.ResumeCharging)
}

func (h *Handler) environmentOperations() {
	example := Environment{ID: "env_01jcz6dyqx4w9s1c2k7v5h8m3n", Mode: "test", TimeZone: "UTC"}
	paused := example
	paused.ChargingPausedAt, paused.PaymentsHeld = 1763640000, 12
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getEnvironment", Method: http.MethodGet, Path: "/environment", Tag: "Environment",
		Summary: "Get the environment of the API key", Status: http.StatusOK, Access: httpkit.ReadAccess, Response: example,
	}, h.getEnvironment)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "pauseCharging", Method: http.MethodPost, Path: "/environment/pause-charging", Tag: "Environment",
		Summary: "Pause charging",
		Description: "No new charge of the environment is sent. Payments are made as before and stay pending with `hold` " +
			"charging_paused; they use up no retry. What was sent goes on: look-ups, repeats, cancellations and refunds. A charge " +
			"that is being sent at this moment may still go out. No effect where charging is paused.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: paused,
	}, h.pauseCharging)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resumeCharging", Method: http.MethodPost, Path: "/environment/resume-charging", Tag: "Environment",
		Summary: "Resume charging",
		Description: "Payments that waited are sent: the first within seconds, many of them at the pace of the reconciler. No " +
			"effect where charging is not paused.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: example,
	}, h.resumeCharging)
}
