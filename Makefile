# Every target sets up what it needs first (stack/setup/setup.sh), which is quick when all is there.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo start test test-unit test-upgrade test-brokers test-faults test-clients test-long check bench bench-render simulate soak soak-render clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  YES=1 asks nothing before the set-up; PORT, KAFKA_PORT, REGISTRY_PORT, MONGODB_PORT, BLOB_PORT,'
	@echo '  PROVIDER_PORT and FIRST_HEALTH_PORT move the ports of make start; LOGS=1 shows the logs of all processes, WORKERS=2 starts'
	@echo '  two workers.'

demo: ## render a video, end to end, and show where it is
	@stack/setup/setup.sh servers
	@node demo/main.ts

start: ## serve until Ctrl-C: http://127.0.0.1:8080, addresses and a key in .local/stack.json
	@stack/setup/setup.sh servers
	@node demo/start.ts

test: ## everything: checks, unit tests, tests against real servers
	@stack/setup/setup.sh everything
	@node stack/testing/run.ts all

test-unit: ## the tests that need no servers (seconds)
	@stack/setup/setup.sh code
	@node stack/testing/run.ts unit

test-upgrade: ## old and new processes on one log and store, restarted in every order, under load: FROM=<commit> SEED=<n>, ALL=1 for all mixes (ten minutes; an hour)
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 90m test/upgrade/upgrade.test.ts

test-brokers: ## the service over three Kafka brokers that are killed, frozen and moved from, under load (seven minutes)
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 15m --serial test/brokers/*.test.ts

test-faults: ## each process and server killed or frozen at the moments that hurt, under load, the launcher, new generations of read models, backups, segment files (a quarter of an hour)
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 15m --serial test/faults/*.test.ts

test-clients: ## clients that others generate from the OpenAPI document, of TypeScript and Python, post a render (a minute)
	@stack/setup/setup.sh clients
	@node_modules/.bin/ava --timeout 10m test/clients/*.test.ts

test-long: ## what the suite leaves out or takes a part of: slow cases of the engine, real forms of media (FORMS=<pattern>: those whose names match), odd requests, all forms of queries (an hour)
	@stack/setup/setup.sh everything
	@PROPERTY_RUNS=all node_modules/.bin/ava --concurrency 2 --timeout 10m 'test/long/**/*.test.ts' 'test/integration/engine/**/*.test.ts'

check: ## types, style, dependency rules, dead code
	@stack/setup/setup.sh code
	@npm run --silent check

bench: ## figures: requests/s, lag, overhead of a render, idle CPU and memory
	@stack/setup/setup.sh servers
	@node bench/main.ts

bench-render: ## the engine beside hand-written ffmpeg commands: time, CPU, memory; then on films drawn from SEED=<n>, FILMS=<n> of them (20: more than an hour)
	@stack/setup/setup.sh servers
	@node bench/render/main.ts
	@node bench/render/films/main.ts

simulate: ## the whole service in virtual time, under every kind of fault: SEEDS=<count> FROM=<first>, SEED=<one> shows its trace, FAULTS=<names> puts back what it did before (10,000 of them: a quarter of an hour on two cores)
	@stack/setup/setup.sh code
	@node test/simulation/main.ts

soak: ## kill and freeze processes and servers, cut, stall and slow down the links between them, under load, then prove that nothing is lost: FAULTS=<n> SEED=<n> (100 faults: a quarter of an hour)
	@stack/setup/setup.sh soak
	@node_modules/.bin/ava --timeout 120m test/soak/soak.test.ts

soak-render: ## render an hour of film: memory flat, sound in step; then throw 5,000 hostile files at the engine, and 10,000 odd requests and cursors at the service, and prove all properties with all their runs
	@stack/setup/setup.sh servers
	@node bench/render/soak.ts
	@node test/hostile/main.ts 5000
	@ODD_REQUESTS=10000 node_modules/.bin/ava --timeout 10m test/long/fuzz.test.ts test/integration/api/lists/lists.test.ts
	@PROPERTY_RUNS=all node stack/testing/run.ts unit
	@PROPERTY_RUNS=all node_modules/.bin/ava --timeout 10m test/integration/store/pages.test.ts

clean: ## remove the data, logs and videos of the embedded stack (what was set up stays)
	@stack/setup/clean.sh
