# make run    build everything and serve the lessons on http://127.0.0.1:8080
# make quick  build the server again and restart it, with the page's program as it is: seconds
# make check  formatting, vet, generated files, and the pure packages' tests: a minute
# make test   what everybody who changes something wants to see green: ten minutes on two cores. It installs ZooKeeper,
#             Chromium and the other systems first if the machine lacks them
# make verify  the long rest, after make test: every lesson on every screen, ensembles, clients in other languages,
#             conformance, planted bugs, thousands of seeds, the race detector, the tests under js/wasm
# make golden  rewrite the golden files of all tests, for you to read what has changed
# make explore  look for broken promises, 10,000 seeds for each recipe and pitfall
# make faults  which fault breaks which promise of which lock, for the page that compares locks: minutes
# make bench  the figures of speed and size
# make load   a thousand sessions with ten thousand watches on the embedded server, ten minutes (LOAD="-for 1m" …)
# make oracle  programs with the recipes of many libraries at random on three servers, and all that zkviz says of them beside
#             what they say, an hour (ORACLE="-for 10m -seed N" …)
# make incidents  what engineers on call are called for, with real clients on three servers, and what zkviz answers in each
#             of its ways: a table of questions and ways, 75 seconds
# make attack  attacks on a server that is held to 1 GB, while polite users work with it, ten minutes (ATTACK="-only NAME -for 1m" …)
# make conformance  the embedded server against Apache ZooKeeper, 1,000,000 requests (OPS=), the simulated Redis against
#             a real one, a tenth as many commands, the simulated databases, a twentieth as many statements, and the
#             simulated etcd, a tenth as many calls; an hour
# make bench-class  how fast 1,000 learners at a server and 2,000 at two follow their teacher, and how fast another server
#             takes over, on a machine that has nothing else to do
# make bench-zk  the embedded server beside Apache ZooKeeper, on a machine that has nothing else to do
# make mutants  how many small changes of the pure packages' code their tests notice, hours (PKG=./engine/zookeeper/wire for one package)
# make site   the lessons as a site of files in out/site, for any host (SITE=https://example.org/zkviz/ if it has one)
# make release  viz-server for linux, macOS and Windows with everything inside, as archives in out/release
# make gen    what is generated: pages from templates, the licences of what is linked
# make wasm   the programs that run in the browser: the stage, and in workers the engine and what draws stories
# make small  the same, compressed as well as possible, and held to their budgets: a minute more
# make clean  remove what was built

GO ?= go
# The longest that the tests of one package may take, on a machine however busy: whatever hangs ends at it.
LONGEST ?= 40m
ADDR ?= 127.0.0.1:8080
ZK ?=
# The address that the site of files will have; none is needed.
SITE ?=
# Anything: pages may run recipes on ZK though other machines can reach ADDR.
ZK_WRITE ?=
ZK_PATH ?= /zkviz
# Anything: the znode ZK_PATH may be one that zkviz did not make.
ZK_PATH_EXISTS ?=
OPS ?= 1000000
# Where the ZooKeeper inside listens for programs of your own; auto is 127.0.0.1:2181 or the next free port.
# Empty: there is none.
ZK_LISTEN ?= auto
# Likewise the simulated Redis inside; auto is 127.0.0.1:6379 or the next free port.
REDIS_LISTEN ?= auto

built := static/built
broken := cmd/viz-server/internal/broken/table.json
wasm_sources := go.mod go.sum $(shell find wasm engine recipes static/strings/words -type f -not -name '*_test.go' -not -path '*/testdata/*')
# All that is built for the page is built with -trimpath, so that what's compiled for one thing will do for the others.
js := GOOS=js GOARCH=wasm

# What computes logs and pictures, and must do so alike everywhere: it is tested under js/wasm too, if Node is installed.
# That they are alike is what those tests are about; what holds of them for many seeds, and takes half of the time, is
# tested natively only.
pure := ./engine/event ./engine/event/packed ./engine/event/trace ./engine/event/fault ./engine/run/protocol \
	./engine/run/link ./engine/event/zoo ./engine/zookeeper/wire ./engine/zookeeper/znode ./engine/zookeeper/server \
	./engine/zookeeper/zab ./engine/zookeeper/ensemble ./engine/host/sim ./engine/analysis/view \
	./engine/analysis/promise ./engine/analysis/check ./engine/run ./recipes ./engine/stage/scene/... ./engine/stage/story ./engine/stage/player
seeded := AgreeWithModels|(Is|Are)TheModel|OfTheWorst|OfChaos|WorstLogs|OverTheCatalogue|TimeWellUsed|RoundTrips|Version1|PromisesHold|TheView(ShowsWhoIsInside|CountsTheSame)
# What make mutants changes.
PKG ?= $(pure) ./engine/analysis/naming ./engine/run/explore ./engine/run/compare ./engine/event/hub ./engine/base/escape ./engine/base/atomicfile ./lessons
# Those with benchmarks.
benched = $(sort $(addprefix ./,$(shell grep -rl --include='*_test.go' '^func Benchmark' cmd engine lessons recipes static wasm | xargs -n 1 dirname)))
# The pages and their server.
web := $(addprefix ./cmd/viz-server/internal/,web web/site web/body web/lessons web/lab web/cluster web/zoo web/classes)
# Where goroutines share things: some are tested under the race detector whole, and those that would take too long with
# -short.
raced := ./engine/stores/redis/port ./engine/event/sentence ./engine/event/hub ./engine/run/room ./engine/run/shared \
	./engine/run/class ./engine/run/class/across ./engine/host/realtime ./engine/host/live ./engine/host/contend
raced_short := ./engine/run ./engine/zookeeper/embed ./engine/testing/lineartest ./engine/testing/load $(web)
# Of the others only the tests run again that -short leaves out or makes smaller, the slowest first.
slowest := ./cmd/viz-server $(web) ./lessons
# Those with golden files.
goldens = $(sort $(addprefix ./,$(shell grep -rl --include='*_test.go' 'engine/testing/golden"' cmd engine lessons recipes static wasm | xargs -n 1 dirname)))

.PHONY: run quick test verify golden release explore faults conformance bench bench-class bench-zk mutants check style gen wasm small site \
	clean long race once node load oracle incidents attack testbed deps
.DELETE_ON_ERROR:

serve = @echo $$$$ > bin/pid; exec bin/viz-server serve --addr $(ADDR) --zk-path $(ZK_PATH) \
	$(if $(ZK_PATH_EXISTS),--zk-path-exists) $(if $(ZK),--zk $(ZK)) $(if $(ZK_WRITE),--zk-write) \
	$(if $(ZK_LISTEN),--zk-listen $(ZK_LISTEN)) $(if $(REDIS_LISTEN),--redis-listen $(REDIS_LISTEN))

run: wasm
	$(GO) build -o bin/viz-server ./cmd/viz-server
	$(serve)

# The server that make run or make quick has started here ends, if it still runs.
quick:
	$(GO) build -o bin/viz-server ./cmd/viz-server
	@pid=$$(cat bin/pid 2>/dev/null) && [ "$$(ps -o comm= -p $$pid)" = viz-server ] && kill $$pid && \
		while kill -0 $$pid 2>/dev/null; do sleep 0.1; done; true
	$(serve)

# What the tests keep is small and what they throw away is much, so the collector may come less often: a fifth of what
# the simulator's cost goes by. No test counts what is not collected yet.
test verify long race once node: export GOGC = 400

# What go vet has to say of tests, style says for all.
test: deps testbed
	@$(MAKE) --no-print-directory style
	@$(MAKE) --no-print-directory wasm
	bin/testbed $(GO) test -vet=off -short -timeout $(LONGEST) -p 2 ./cmd/viz-server ./...

# One group after the other: they start servers, JVMs and browsers, which hold each other up where there are more of
# them than processors.
verify: deps
	@$(MAKE) --no-print-directory node
	@$(MAKE) --no-print-directory race
	@$(MAKE) --no-print-directory once
	@$(MAKE) --no-print-directory small
	@$(MAKE) --no-print-directory long

deps:
	@.ci/deps

testbed:
	@$(GO) build -o bin/testbed ./cmd/testbed

long: wasm testbed
	@$(GO) build -o bin/long ./cmd/long
	bin/testbed bin/long -first '$(slowest)' -without '$(raced)' $(GO) test -vet=off -timeout $(LONGEST) -p 2

race: testbed
	bin/testbed $(GO) test -vet=off -timeout $(LONGEST) -race $(raced)
	bin/testbed $(GO) test -vet=off -timeout $(LONGEST) -race -short $(raced_short)

# Every benchmark ends, at a small size and measured once.
once:
	$(GO) test -vet=off -timeout $(LONGEST) -p 2 -short -run '^$$' -bench . -benchtime 1x $(benched)

node:
	@if command -v node >/dev/null; then \
		$(js) $(GO) test -trimpath -vet=off -timeout $(LONGEST) -short -skip '$(seeded)' \
			-exec "env -i PATH=$$PATH GOGC=$$GOGC $$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec" $(pure) ./wasm/bridge; \
	else echo "node: not installed, so the tests under js/wasm are left out"; fi

golden:
	ZKVIZ_UPDATE=1 $(GO) test -vet=off -count 1 -run Golden $(goldens)
	@git status --short

explore:
	$(GO) run ./cmd/viz-server explore --all --seeds 10000

faults:
	$(GO) build -o bin/viz-server ./cmd/viz-server
	nice bin/viz-server compare --faults --seeds 300 --json > bin/faults.json
	mv bin/faults.json $(broken)

conformance:
	$(GO) run ./cmd/conform -ops $(OPS)
	$(GO) test -count 1 -timeout $(LONGEST) -run 'TestConforms$$' ./engine/testing/redisconform -args -steps $$(($(OPS) / 10))
	$(GO) test -count 1 -timeout $(LONGEST) -run 'TestPostgres$$|TestMariaDB$$' ./engine/testing/sqlconform \
		-args -steps $$(($(OPS) / 20))
	$(GO) test -count 1 -timeout $(LONGEST) -run 'TestConforms$$' ./engine/testing/etcdconform -args -steps $$(($(OPS) / 10))
	$(GO) test -count 1 -timeout $(LONGEST) -run 'TestPlanted' ./engine/testing/conform/servers ./engine/testing/redisconform \
		./engine/testing/sqlconform ./engine/testing/etcdconform -args -planted

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-class:
	$(GO) test -run '^$$' -bench 'Class$$|TakeOver$$' -benchtime 1x ./cmd/viz-server/internal/web/classes \
		./engine/run/class/across

bench-zk:
	$(GO) test -v -count 1 -timeout 0 -run Beside ./engine/testing/benchzk -args -play $(BENCH)

load:
	$(GO) test -v -count 1 -timeout 0 -run 'TestLoad$$' ./engine/testing/load -args -for 10m $(LOAD)

oracle:
	$(GO) test -v -count 1 -timeout 0 -run 'TestOracle$$/rounds$$' ./engine/testing/oracle -args -for 1h $(ORACLE)

incidents: wasm deps
	$(GO) test -v -count 1 -timeout $(LONGEST) -run 'TestIncidents$$' ./cmd/viz-server

attack: wasm deps
	$(GO) test -v -count 1 -timeout 0 -run 'TestAttack$$' ./cmd/attack -args -for 10m $(ATTACK)

# A program of its own, since it is also what the tests are started by.
mutants:
	$(GO) build -o bin/mutants ./cmd/mutants
	@nice -n 19 bin/mutants $(PKG)

check: style
	$(GO) test -short ./cmd/tidy $(pure)

# The part of make check that make test runs too: the tests are among its own.
style:
	@out=$$(gofmt -l cmd engine lessons recipes static wasm); test -z "$$out" || { echo "gofmt these:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(js) $(GO) vet -trimpath ./wasm/... ./engine/run/room $(pure)
	@GO="$(GO)" .ci/generated

gen:
	$(GO) tool templ generate -include-version=false
	$(GO) run ./static/licences

wasm: $(built)/stage.wasm.br $(built)/engine.wasm.br $(built)/story.wasm.br

$(built)/%.wasm.br: $(wasm_sources) $(wildcard static/pack/*.go)
	$(GO) run ./static/pack $*

small:
	$(GO) run ./static/pack -small

site: small
	$(GO) build -o bin/viz-server ./cmd/viz-server
	bin/viz-server export out/site $(if $(SITE),--site $(SITE))

release: small
	$(GO) run ./cmd/release

clean:
	rm -rf bin out
	find $(built) -mindepth 1 -not -name README -delete
