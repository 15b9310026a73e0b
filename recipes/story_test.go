package recipes_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	runs "github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/recipes"
)

// told are the kinds of events that a story consists of: what became of the znodes, and what the clients
// heard of it, made of it and did.
var told = map[event.Kind]bool{
	event.ZnodeCreated: true, event.ZnodeChanged: true, event.ZnodeDeleted: true,
	event.WatchDelivered: true, event.RecipePhase: true, event.RecipeNote: true,
	event.EntrySet: true, event.EntryExpires: true, event.EntryGone: true, event.PushDelivered: true,
	event.RequestWaits: true, event.RequestServed: true, event.RolePlayed: true,
	event.LeaseGranted: true, event.LeaseEnded: true, event.LockTaken: true, event.LockFreed: true,
	event.TxBegan: true, event.TxEnded: true,
	event.StoreWritten: true, event.StoreRefused: true,
	event.ClockJumped: true, event.ServerStarted: true, event.ServerStopped: true,
	event.FaultInjected: true, event.SessionExpired: true, event.ClientResumed: true, event.ClientExited: true,
}

// Each story is what a small run of a recipe comes to, where that is more than its promises say.
func TestGoldenStories(t *testing.T) {
	for name, s := range map[string]struct {
		recipe  string
		clients int
		hold    time.Duration
		faults  []string

		database event.SystemKind
	}{
		"reentrant-lock":  {recipe: "reentrant-lock", clients: 2, hold: time.Second},
		"timed-lock":      {recipe: "timed-lock", clients: 4, hold: 2 * time.Second},
		"read-write-lock": {recipe: "read-write-lock", clients: 6, hold: time.Second},
		"revocable-lock":  {recipe: "revocable-lock", clients: 3, hold: 10 * time.Second},
		"multi-lock":      {recipe: "multi-lock", clients: 6, hold: 2 * time.Second},
		"semaphore":       {recipe: "semaphore", clients: 4, hold: time.Second},
		"fenced-lock-late-writer": {recipe: "fenced-lock", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 12s"}},
		"leader-latch-crash": {recipe: "leader-latch", clients: 3, hold: 2 * time.Second,
			faults: []string{"crash client-1 at 1s"}},
		"stale-own-node-comes-back": {recipe: "stale-own-node", clients: 3, hold: 6 * time.Second,
			faults: []string{"crash client-1 at 1s"}},
		"redis-set-nx-px-late": {recipe: "redis-set-nx-px", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 5s"}},
		"redis-set-nx-px-lost-reply": {recipe: "redis-set-nx-px", clients: 2, hold: time.Second,
			faults: []string{"drop client-1 at 12ms"}},
		"redis-watchdog":    {recipe: "redis-watchdog", clients: 2, hold: 6 * time.Second},
		"redis-signal-list": {recipe: "redis-signal-list", clients: 4, hold: time.Second},
		"redis-signal-list-woken-crashes": {recipe: "redis-signal-list", clients: 3, hold: time.Second,
			faults: []string{"crash client-2 at 1030ms"}},
		"redis-fenced-late": {recipe: "redis-fenced", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 5s"}},
		"redlock": {recipe: "redlock", clients: 2, hold: time.Second},
		"redlock-clock-jumps": {recipe: "redlock", clients: 2, hold: 2 * time.Second, faults: []string{
			"restart node-4 at 0s for 100ms", "restart node-5 at 0s for 100ms", "jump node-3 at 500ms by 4s"}},
		"redlock-node-forgets": {recipe: "redlock", clients: 2, hold: 2 * time.Second, faults: []string{
			"restart node-4 at 0s for 100ms", "restart node-5 at 0s for 100ms", "restart node-3 at 500ms for 10ms"}},
		"etcd-mutex": {recipe: "etcd-mutex", clients: 3, hold: time.Second},
		"etcd-mutex-late": {recipe: "etcd-mutex", clients: 3, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 7s"}},
		"etcd-mutex-lost-its-place": {recipe: "etcd-mutex", clients: 3, hold: 6 * time.Second,
			faults: []string{"pause client-2 at 1s for 7s"}},
		"etcd-mutex-restart": {recipe: "etcd-mutex", clients: 2, hold: 2 * time.Second,
			faults: []string{"restart node-1 at 1s for 500ms"}},
		"server-lease": {recipe: "server-lease", clients: 3, hold: 4 * time.Second},
		"server-lease-late": {recipe: "server-lease", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 7s"}},
		"server-lease-lost-reply": {recipe: "server-lease", clients: 2, hold: time.Second,
			faults: []string{"drop client-1 at 17ms"}},
		"db-lease-row-late": {recipe: "db-lease-row", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 5s"}},
		"db-lease-row-lost-reply": {recipe: "db-lease-row", clients: 2, hold: time.Second,
			faults: []string{"drop client-1 at 12ms"}},
		"once-by-lock-again": {recipe: "once-by-lock", clients: 2, hold: time.Second,
			faults: []string{"pause client-2 at 10ms for 2s"}},
		"db-run-once": {recipe: "db-run-once", clients: 2, hold: time.Second,
			faults: []string{"drop client-1 at 12ms", "pause client-2 at 10ms for 2s"}},
		"db-decrement":  {recipe: "db-decrement", clients: 3, hold: time.Second, faults: []string{"drop client-1 at 1033ms"}},
		"db-version":    {recipe: "db-version", clients: 3, hold: time.Second},
		"db-for-update": {recipe: "db-for-update", clients: 3, hold: time.Second},
		"db-for-update-paused": {recipe: "db-for-update", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 1s for 5s"}},
		"db-for-update-crash": {recipe: "db-for-update", clients: 2, hold: 2 * time.Second,
			faults: []string{"crash client-1 at 1s"}},
		"pg-advisory-crash": {recipe: "pg-advisory", clients: 3, hold: time.Second,
			faults: []string{"crash client-2 at 1500ms"}},
		"pg-advisory-restart": {recipe: "pg-advisory", clients: 2, hold: 3 * time.Second,
			faults: []string{"restart node-1 at 1s for 100ms"}},
		"skip-locked-queue-crash": {recipe: "skip-locked-queue", clients: 4, hold: time.Second,
			faults: []string{"crash client-3 at 1500ms"}},
		"skip-locked-queue-lost-reply": {recipe: "skip-locked-queue", clients: 2, hold: time.Second,
			faults: []string{"drop client-1 at 1053ms"}},
		"db-for-update-innodb": {recipe: "db-for-update", clients: 3, hold: time.Second, database: event.MySQLSystem},
		"db-for-update-no-row-innodb": {recipe: "db-for-update-no-row", clients: 3, hold: time.Second,
			database: event.MySQLSystem},
		"pg-advisory-innodb": {recipe: "pg-advisory", clients: 3, hold: time.Second, database: event.MySQLSystem,
			faults: []string{"crash client-2 at 1500ms"}},
		"db-for-update-late": {recipe: "db-for-update", clients: 2, hold: 2 * time.Second,
			faults: []string{"pause client-1 at 500ms for 5s", "restart node-1 at 1s for 100ms"}},
		"timed-lock-one-ahead-goes": {recipe: "timed-lock", clients: 3, hold: 3 * time.Second,
			faults: []string{"expire client-2 at 1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := recipe.Find(s.recipe)
			r = runs.Scenario{Database: s.database}.On(r)
			dialect, _ := sql.DialectOf(s.database)
			cfg := of(t, r, sim.Config{Latency: 5 * time.Millisecond, SessionTimeout: 4 * time.Second})
			for _, text := range s.faults {
				f, err := fault.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				cfg.Faults = append(cfg.Faults, f)
			}
			var procs []systems.Program
			for i := 1; i <= s.clients; i++ {
				p := recipe.Params{Root: root, Index: i, Clients: s.clients, Rounds: 1, Hold: s.hold,
					Lease: cfg.SessionTimeout, Database: dialect}
				after := 0
				if r.After != nil {
					after = r.After(i, s.clients)
				}
				procs = append(procs, systems.Program{Start: time.Duration(i) * time.Millisecond, After: after,
					Main: func(w systems.World) error { return r.Main(w, p) }})
			}
			var log event.Log
			if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join("testdata", name+".txt"), story(log.Events, s.database != ""))
		})
	}
}

// story tells a run, perhaps with what was asked for.
func story(log []event.Event, asked bool) string {
	var b strings.Builder
	for _, e := range log {
		if told[e.Kind] || asked && e.Kind == event.OpSent {
			e.Cause = 0 // a story has gaps
			text := strings.TrimSpace(eventtext.Of(e))
			_, text, _ = strings.Cut(text, " ") // its number
			b.WriteString(strings.TrimSpace(text) + "\n")
		}
	}
	return b.String()
}

// TestGoldenOnOtherSystems: the run in which one can watch a pitfall on a system other than ZooKeeper breaks the
// promise at the moment that is the last in its story.
func TestGoldenOnOtherSystems(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall || event.HasZooKeeper(r.Systems) {
			continue
		}
		s, err := runs.ParseQuery("recipe=" + r.Name + "&" + r.Seen)
		if err != nil {
			t.Fatal(err)
		}
		s = s.WithDefaults()
		log := event.Log{Header: s.Header(event.Simulated)}
		c := check.New(r.Promises, log.Header)
		if err := runs.Sim(t.Context(), s, event.Tee{&log, c}); err != nil {
			t.Fatal(err)
		}
		end := "nothing is broken\n"
		if v := c.Report().Violations; len(v) > 0 {
			end = fmt.Sprintf("%s is broken at %s, event %d: %v\n", v[0].Rule, v[0].At, v[0].Seq, v[0].Sentence)
			log.Events = log.Events[:v[0].Seq]
		}
		golden.Compare(t, filepath.Join("testdata", r.Name+".txt"), story(log.Events, false)+end)
	}
}
