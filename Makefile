# Each target first installs what it needs (stack/setup/setup.sh); that is quick if everything is installed.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo start dev test test-unit test-upgrade test-brokers test-faults test-clients test-long check bench bench-gate bench-render simulate soak soak-render clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  YES=1 skips the questions of the set-up; PORT, KAFKA_PORT, REGISTRY_PORT, MONGODB_PORT, BLOB_PORT,'
	@echo '  PROVIDER_PORT and FIRST_HEALTH_PORT set the ports of make start; LOGS=1 shows the logs of all processes, WORKERS=2 starts'
	@echo '  two workers.'

demo: ## render a video, end to end
	@stack/setup/setup.sh servers
	@node demo/main.ts

start: ## serve on http://127.0.0.1:8080 until Ctrl-C; .local/stack.json has addresses and a key
	@stack/setup/setup.sh servers
	@node demo/start.ts

dev: ## make start for developers: components restart when their files change, Vite serves the dashboard; INSPECT=worker for a debugger
	@stack/setup/setup.sh everything
	@node demo/start.ts --development

test: ## run all checks and tests, with real servers
	@stack/setup/setup.sh everything
	@node stack/testing/run.ts all

test-unit: ## run the tests that need no servers (seconds)
	@stack/setup/setup.sh code
	@node stack/testing/run.ts unit

test-upgrade: ## run old and new processes on one log and store, restarted in every order, under load (ten minutes): FROM=<commit> SEED=<n>; ALL=1 tests all mixes (an hour); PATIENCE=<n> multiplies its time limits, for a busy machine
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 90m test/upgrade/upgrade.test.ts

test-brokers: ## kill, freeze and drain three Kafka brokers under load (seven minutes)
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 15m --serial test/brokers/*.test.ts

test-faults: ## kill or freeze each process and server at critical moments, under load; test the launcher, new generations of read models, backups, segment files (a quarter of an hour)
	@stack/setup/setup.sh everything
	@node_modules/.bin/ava --timeout 15m --serial test/faults/*.test.ts

test-clients: ## generate TypeScript and Python clients from the OpenAPI document, and post a render with each (a minute)
	@stack/setup/setup.sh clients
	@node_modules/.bin/ava --timeout 10m test/clients/*.test.ts

test-long: ## run the slow tests that the suite omits or samples: the engine, real media files (FORMS=<pattern> selects by name), odd requests, all forms of queries (an hour)
	@stack/setup/setup.sh everything
	@PROPERTY_RUNS=all node_modules/.bin/ava --concurrency 2 --timeout 10m 'test/long/**/*.test.ts' 'test/integration/engine/**/*.test.ts' test/integration/management/long-inputs.test.ts test/integration/api/lists/lists.test.ts

check: ## check types, style, dependency rules and dead code
	@stack/setup/setup.sh code
	@npm run --silent check

bench: ## measure requests/s, lag, overhead of a render, idle CPU and memory
	@stack/setup/setup.sh servers
	@node bench/main.ts

bench-gate: ## compare POST, lag, lists, webhooks and one film with another commit, in pairs of runs; fails below 0.9: BASE=<commit> PAIRS=<n> (ten minutes a pair, on a quiet machine)
	@stack/setup/setup.sh servers
	@node bench/gate/main.ts

bench-render: ## compare the engine with hand-written ffmpeg commands (time, CPU, memory), then on FILMS=<n> random films from SEED=<n> (20 films: more than an hour)
	@stack/setup/setup.sh servers
	@node bench/render/main.ts
	@node bench/render/films/main.ts

simulate: ## run the whole service in virtual time, under every kind of fault: SEEDS=<count> FROM=<first>; SEED=<one> shows its trace; FAULTS=<names> restores old bugs (10,000 seeds: a quarter of an hour on two cores)
	@stack/setup/setup.sh code
	@node test/simulation/main.ts

soak: ## kill and freeze processes and servers, cut, stall and slow their links, under load, then prove that nothing is lost: FAULTS=<n> SEED=<n> (100 faults: a quarter of an hour)
	@stack/setup/setup.sh soak
	@node_modules/.bin/ava --timeout 120m test/soak/soak.test.ts

soak-render: ## render an hour of film (flat memory, sound in sync); send 5,000 hostile files to the engine and 10,000 odd requests and cursors to the service; run every property test in full
	@stack/setup/setup.sh servers
	@node bench/render/soak.ts
	@node test/hostile/main.ts 5000
	@ODD_REQUESTS=10000 node_modules/.bin/ava --timeout 10m test/long/fuzz.test.ts test/integration/api/lists/lists.test.ts
	@PROPERTY_RUNS=all node stack/testing/run.ts unit
	@PROPERTY_RUNS=all node_modules/.bin/ava --timeout 10m test/integration/store/pages.test.ts

clean: ## remove the data, logs and videos of the embedded stack; installed tools stay
	@stack/setup/clean.sh
