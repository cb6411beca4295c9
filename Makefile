# make dev   brings everything up and plays one subscription's life
# make test  proves it
# The other targets are listed by `make help`.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# One setting for all that is compiled: with and without it are two compilations of everything.
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath)

# Tools, pinned: generated code and reports must not depend on the machine. They are kept in the user's cache.
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
SQLC := github.com/sqlc-dev/sqlc/cmd/sqlc@v1.30.0
WORKFLOWCHECK := go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
tool = $$(go run ./internal/devstack/install $(1) $(2))

# Starts PostgreSQL and Temporal once for all packages; what the environment already names is used instead.
STACK = go run ./internal/testkit/stack -while $$PPID --

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: dev
dev: bin/perennial ## Start everything and play one subscription's life; ARGS=--once ends after it
	@exec bin/perennial dev $(ARGS)

# Always asked: go knows better than make what has changed.
.PHONY: bin/perennial
bin/perennial:
	@echo "build: compiling bin/perennial (the first time downloads the modules and takes a minute or two)"
	@.ci/progress build go build -v -o bin/perennial ./cmd/perennial

.PHONY: test
test: ## Run every test against real servers; PACKAGES= chooses, ARGS=-race takes the race detector everywhere
	@.ci/need gcc
	@echo "test: compiling everything (the first time takes some minutes)"
	@.ci/progress test go build -ldflags=-w -v ./...
	@echo "test: starting PostgreSQL and Temporal, then testing package by package"
	@$(STACK) go run ./internal/testkit/run $(ARGS) $(PACKAGES)

.PHONY: race
race: ## Run every test with the race detector
	@$(MAKE) test ARGS="-race $(ARGS)"

.PHONY: quick
quick: ## Run the tests that a change since the last commit reaches; BASE=main compares with main
	@packages=$$(go run ./internal/testkit/reach $(if $(BASE),-base $(BASE)) | tr "\n" " "); \
	[ -n "$$packages" ] || { echo "quick: no package is reached"; exit 0; }; \
	$(MAKE) test PACKAGES="$$packages"

# A package's tests run several processes each; with less than two processors for a package they only wait for each
# other, and what has to happen within seconds of real time does not.
PACKAGES_AT_ONCE ?= $(shell echo $$((($$(getconf _NPROCESSORS_ONLN) + 1) / 2)))

RACE ?= -race

.PHONY: soak
soak: ## Run the scenarios with the full figures; PACKAGES= and RUN= choose, TEMPORAL=postgresql is for many workflows
	@.ci/need gcc
	@mkdir -p bench/results
	@log=bench/results/soak-$$(date -u +%Y%m%dT%H%M%SZ)-$$(git rev-parse --short HEAD).log; \
	export TEST_SEED=$${TEST_SEED:-$$(od -An -N8 -tu8 /dev/urandom | tr -d ' ')}; began=$$(date +%s); \
	{ echo "commit $$(git rev-parse HEAD)$$(git diff --quiet HEAD || echo ' with changes')"; \
	  echo "machine $$(uname -srm), $$(getconf _NPROCESSORS_ONLN) processors, $$(go version)"; \
	  echo "seed $$TEST_SEED, which TEST_SEED replays; race detector: $(or $(RACE),off), Temporal's state in $(or $(TEMPORAL),memory)"; \
	  echo "begun $$(date -u +%Y-%m-%dT%H:%M:%SZ)"; \
	  status=0; SOAK=1 $(STACK:--=$(if $(filter postgresql,$(TEMPORAL)),-temporal-on-postgresql) --) go test $(RACE) -v -count=1 -p $(PACKAGES_AT_ONCE) -timeout 12h $(if $(RUN),-run '$(RUN)') $(or $(PACKAGES),./...) || status=$$?; \
	  $(if $(PACKAGES)$(RUN),,go run ./internal/testkit/mutate -report=false || status=$$?; )\
	  echo "ended $$(date -u +%Y-%m-%dT%H:%M:%SZ) after $$(($$(date +%s) - began)) s with exit code $$status"; exit $$status; } 2>&1 | tee "$$log"

.PHONY: mutate
mutate: ## Change one operator of the money rules at a time and want a test to fail; PACKAGES="tax lifecycle/refund.go" chooses
	@go run ./internal/testkit/mutate $(ARGS) $(PACKAGES)

.PHONY: bench
bench: ## Measure each path beside its bare side; ARGS are passed on
	@go run ./bench $(ARGS)

.PHONY: generate
generate: ## Write everything that is generated: queries, docs
	@rm -f db/internal/dbsqlc/*.sql.go # sqlc leaves that of a file which is gone
	@$(call tool,sqlc,$(SQLC)) generate
	@go generate ./...

.PHONY: check
check: toolchain lint sqlc-check generated-check workflow-check deploy-check stock-check vuln-check ## Run what CI runs beside the tests
	@echo "check: all clean"

# sqlc's parser is PostgreSQL's own, in C.
.PHONY: toolchain
toolchain:
	@.ci/need gcc

.PHONY: lint
lint:
	@echo "check: gofmt"
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	[ -z "$$unformatted" ] || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	@echo "check: golangci-lint (import walls, forbidden calls, common mistakes)"
	@golangci=$(call tool,golangci-lint,$(GOLANGCI)); \
	"$$golangci" config verify; \
	"$$golangci" run ./...; \
	echo "check: each import wall, broken on purpose, is reported"; \
	GOLANGCI_LINT=$$golangci go test -tags check -count=1 ./internal/lint

.PHONY: sqlc-check
sqlc-check:
	@echo "check: sqlc (generated queries are fresh; every query gives its environment)"
	@sqlc=$(call tool,sqlc,$(SQLC)); "$$sqlc" diff; "$$sqlc" vet

# Compares the tree before and after, so that it also works beside changes not yet committed.
.PHONY: generated-check
generated-check:
	@echo "check: generated files are fresh"
	@tree() { git ls-files -co --exclude-standard -z | sort -z | xargs -0 sha256sum 2>/dev/null || true; }; \
	before=$$(tree); $(MAKE) generate; after=$$(tree); \
	[ "$$before" = "$$after" ] || { diff <(echo "$$before") <(echo "$$after") || true; \
	  echo "generated files were stale; 'make generate' has just written them: commit them"; exit 1; }

.PHONY: workflow-check
workflow-check:
	@echo "check: workflowcheck (workflows are deterministic)"
	@$(call tool,workflowcheck,$(WORKFLOWCHECK)) ./workflows/...

.PHONY: deploy-check
deploy-check:
	@echo "check: Dockerfile and docker-compose.yml"
	@go test -count=1 ./deploy
	@if docker compose version >/dev/null 2>&1; then docker compose config -q; \
	else echo "check: no docker compose here, so only our own rules were checked"; fi

# Says which library it could not install: registries are not always in reach.
.PHONY: stock-check
stock-check:
	@echo "check: the Standard Webhooks libraries of npm and PyPI verify our deliveries"
	@STOCK_LIBRARIES=1 go test -count=1 -run TestStockLibraries_NodeAndPython -v ./webhooks | grep -E 'NOT RUN|checks of|^ok|FAIL|Error'

# Honest where the database of vulnerabilities is out of reach: not checked is said, not passed over.
.PHONY: vuln-check
vuln-check:
	@echo "check: govulncheck"
	@status=0; report=$$(timeout 300 $(call tool,govulncheck,$(GOVULNCHECK)) ./... 2>&1) || status=$$?; \
	if [ $$status -eq 0 ]; then echo "$$report" | tail -n 3; \
	elif echo "$$report" | grep -q 'fetching vulnerabilities'; then \
	  echo "check: NOT CHECKED for known vulnerabilities: the database (vuln.go.dev) is out of reach from here"; \
	else echo "$$report"; exit $$status; fi

.PHONY: clean-dev
clean-dev: ## Delete the data of dev and of tests; downloaded programs stay, and it prints where
	@go run ./internal/devstack/forget
