package temporalpg

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// ports are the ports of one server's services on the loopback address.
type ports struct {
	frontend, frontendHTTP, history, matching, worker           int
	frontendGossip, historyGossip, matchingGossip, workerGossip int
	pprof                                                       int
}

// shards is small because one machine serves them all; production has 512 and more.
const shards = 4

// The connections of all four services to both databases stay well below the server's limit.
const (
	storeConnections      = 12
	visibilityConnections = 4
)

const configuration = `log: { stdout: true, level: error }
persistence:
  defaultStore: default
  visibilityStore: visibility
  numHistoryShards: %[1]d
  datastores:
    default:
      sql: { pluginName: postgres12_pgx, databaseName: %[2]s, connectAddr: "%[3]s", connectProtocol: tcp, user: "%[4]s", password: "%[5]s", maxConns: %[6]d, maxIdleConns: %[6]d, maxConnLifetime: 1h }
    visibility:
      sql: { pluginName: postgres12_pgx, databaseName: %[7]s, connectAddr: "%[3]s", connectProtocol: tcp, user: "%[4]s", password: "%[5]s", maxConns: %[8]d, maxIdleConns: %[8]d, maxConnLifetime: 1h }
global:
  pprof: { port: %[19]d, host: 127.0.0.1 }
  membership: { maxJoinDuration: 30s, broadcastAddress: 127.0.0.1 }
services:
  frontend: { rpc: { grpcPort: %[9]d, membershipPort: %[10]d, bindOnLocalHost: true, httpPort: %[11]d } }
  history: { rpc: { grpcPort: %[12]d, membershipPort: %[13]d, bindOnLocalHost: true } }
  matching: { rpc: { grpcPort: %[14]d, membershipPort: %[15]d, bindOnLocalHost: true } }
  worker: { rpc: { grpcPort: %[16]d, membershipPort: %[17]d, bindOnLocalHost: true } }
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation:
    active: { enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: "127.0.0.1:%[9]d" }
dcRedirectionPolicy: { policy: noop }
archival:
  history: { state: disabled, enableRead: false }
  visibility: { state: disabled, enableRead: false }
namespaceDefaults:
  archival:
    history: { state: disabled }
    visibility: { state: disabled }
publicClient: { hostPort: "127.0.0.1:%[9]d" }
dynamicConfigClient: { filepath: "%[18]s", pollInterval: 10s }
`

// dynamic has the development server's values, so that the two differ in their store only.
const dynamic = `history.timerProcessorMaxTimeShift: [{ value: 10ms }]
history.transferProcessorMaxPollRPS: [{ value: 100 }]
history.timerProcessorMaxPollRPS: [{ value: 100 }]
system.enableActivityEagerExecution: [{ value: true }]
matching.enableFairness: [{ value: true }]
`

// writeConfig writes both files below dir; the server finds them by --root.
func writeConfig(dir string, database *url.URL, p ports) error {
	if err := os.MkdirAll(filepath.Join(dir, "config"), 0o700); err != nil {
		return err
	}
	values := filepath.Join(dir, "config", "dynamic.yaml")
	if err := os.WriteFile(values, []byte(dynamic), 0o600); err != nil {
		return err
	}
	password, _ := database.User.Password()
	text := fmt.Sprintf(configuration, shards,
		storeName, database.Host, database.User.Username(), password, storeConnections,
		visibilityName, visibilityConnections,
		p.frontend, p.frontendGossip, p.frontendHTTP, p.history, p.historyGossip, p.matching, p.matchingGossip,
		p.worker, p.workerGossip, strings.ReplaceAll(values, `\`, `/`), p.pprof)
	return os.WriteFile(filepath.Join(dir, "config", "bench.yaml"), []byte(text), 0o600) // it holds the password
}
