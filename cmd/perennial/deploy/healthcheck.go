package deploy

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
)

// HealthcheckCommand is `perennial healthcheck`.
func HealthcheckCommand() *cli.Command {
	return &cli.Command{
		Name: "healthcheck", Summary: "ask a process whether it is ready; for containers",
		About:    "Exit code 0 where the address answers 200, else 1. An image needs no other program for its health check.",
		Examples: []string{"perennial healthcheck", "perennial healthcheck --url http://127.0.0.1:9090/healthz"},
		Setup: func(f *flag.FlagSet) cli.Action {
			url := f.String("url", "", "the `address` to ask; without it /readyz at METRICS_ADDRESS")
			patience := f.Duration("timeout", 3*time.Second, "how long to wait, a `duration`")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				if *url == "" {
					// Without a command nothing is required: only the address is read,
					// so that a container's check needs no secret.
					c, err := p.Config()
					if err != nil {
						return err
					}
					// The metrics address: every process has one, while a worker has no API to ask.
					*url = "http://" + wire.Reachable(c.HTTP.MetricsAddress) + "/readyz"
				}
				ctx, cancel := context.WithTimeout(ctx, *patience)
				defer cancel()
				return ask(ctx, *url)
			}
		},
	}
}

func ask(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return cli.Usagef("--url: %v", err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // read to its end or given up
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10)) // only to say more
	return fmt.Errorf("%s answers %d: %s", url, answer.StatusCode, text)
}
