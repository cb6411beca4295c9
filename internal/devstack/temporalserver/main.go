//go:build ignore

// Command temporalserver is Temporal's development server without metrics, for tests. The CLI always keeps them: some
// 8,000 series for each namespace, all of which it visits once a second, so that after the 250 namespaces of a test run
// they take a third of a processor and gigabytes. It is compiled outside our module, from the versions that the CLI is
// pinned to.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/google/uuid"
	"github.com/temporalio/cli/temporalcli/devserver"
)

// pairs collects repeated flags of the form key=value.
type pairs map[string]string

func (p pairs) String() string { return "" }

func (p pairs) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q: want key=value", text)
	}
	p[key] = value
	return nil
}

func main() {
	pragmas, dynamic := pairs{}, pairs{}
	port := flag.Int("port", 7233, "port of the frontend on 127.0.0.1")
	file := flag.String("db-filename", "", "where the state is kept; in memory without")
	flag.Var(pragmas, "sqlite-pragma", "key=value, repeatable")
	flag.Var(dynamic, "dynamic-config-value", "key=JSON, repeatable")
	flag.Parse()
	if err := run(*port, *file, pragmas, dynamic); err != nil {
		fmt.Fprintln(os.Stderr, "temporalserver:", err)
		os.Exit(1)
	}
}

func run(port int, file string, pragmas, dynamic pairs) error {
	// The CLI's own values, so that the two servers differ in their metrics only.
	values := map[string]any{
		"system.forceSearchAttributesCacheRefreshOnRead": true,
		"frontend.persistenceMaxQPS":                     10000,
		"history.persistenceMaxQPS":                      45000,
	}
	for key, text := range dynamic {
		value, err := dynamicValue(text)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		values[key] = value
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	server, err := devserver.Start(devserver.StartOptions{
		FrontendIP: "127.0.0.1", FrontendPort: port, Namespaces: []string{"default"}, DatabaseFile: file,
		ClusterID: uuid.NewString(), MasterClusterName: "active", CurrentClusterName: "active", InitialFailoverVersion: 1,
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		LogLevel: slog.LevelError, SqlitePragmas: pragmas, DynamicConfigValues: values,
	})
	if err != nil {
		return err
	}
	defer server.Stop()
	<-stop
	return nil
}

// dynamicValue reads whole numbers as int: the server knows no other kind.
func dynamicValue(text string) (any, error) {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	if number, ok := value.(float64); ok && number == float64(int(number)) {
		return int(number), nil
	}
	return value, nil
}
