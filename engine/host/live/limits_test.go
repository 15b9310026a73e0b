package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/stores/systems"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestConfigRefuses checks invalid configurations, and next to each the nearest valid one.
func TestConfigRefuses(t *testing.T) {
	const root = "/base/run-abcdefghij"
	good := Config{Servers: []string{"127.0.0.1:1"}, Root: root}
	for name, c := range map[string]struct {
		change  func(*Config)
		clients int
		refused string // empty if it is accepted
	}{
		"no server":          {func(c *Config) { c.Servers = nil }, 1, "no server is given"},
		"no client":          {func(c *Config) {}, 0, "not 0"},
		"many clients":       {func(c *Config) {}, realtime.MaxClients, ""},
		"too many clients":   {func(c *Config) {}, realtime.MaxClients + 1, "not 1001"},
		"no root":            {func(c *Config) { c.Root = "" }, 1, "was not made by NewRoot"},
		"another root":       {func(c *Config) { c.Root = "/base/run-abcdefghi" }, 1, "was not made by NewRoot"},
		"a longer root":      {func(c *Config) { c.Root = "/base/run-abcdefghijk" }, 1, "was not made by NewRoot"},
		"a relative root":    {func(c *Config) { c.Root = "run-abcdefghij" }, 1, "was not made by NewRoot"},
		"an unclean root":    {func(c *Config) { c.Root = "/base//run-abcdefghij" }, 1, "was not made by NewRoot"},
		"root of all":        {func(c *Config) { c.Root = "/run-abcdefghij" }, 1, ""},
		"negative timeout":   {func(c *Config) { c.SessionTimeout = -1 }, 1, "session timeout"},
		"negative latency":   {func(c *Config) { c.Latency = -1 }, 1, "latency"},
		"longest latency":    {func(c *Config) { c.Latency = maxLatency }, 1, ""},
		"too long a latency": {func(c *Config) { c.Latency = maxLatency + 1 }, 1, "latency"},
		"negative events":    {func(c *Config) { c.MaxEvents = -1 }, 1, "the limit of events must not be negative"},
		"root as parent":     {func(c *Config) { c.Parents = []string{root, root + "/a"} }, 1, ""},
		"parent beside":      {func(c *Config) { c.Parents = []string{root + "x"} }, 1, "is not under"},
		"parent above":       {func(c *Config) { c.Parents = []string{root, "/base"} }, 1, "is not under"},
		"restart":            {faulty(fault.Restart, 1), 1, "a real server is not restarted"},
		"clock":              {faulty(fault.SetClock, 1), 1, "nobody sets a real server's clock"},
		"fault of nobody":    {faulty(fault.Crash, 0), 1, "there is no client-0"},
		"fault of the last":  {faulty(fault.Crash, 2), 2, ""},
		"fault of the next":  {faulty(fault.Crash, 3), 2, "there is no client-3"},
	} {
		cfg := good
		c.change(&cfg)
		err := cfg.withDefaults().validate(c.clients)
		if c.refused == "" && err != nil || c.refused != "" && (err == nil ||
			!strings.Contains(sentence.Voice{Say: languages.English().Say}.Error(err), c.refused)) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			continue
		}
		log := &logged{}
		if ran := Run(context.Background(), cfg, make([]systems.Program, c.clients), log, nil); ran == nil || len(*log) > 0 {
			t.Errorf("%s: it ran: %v, %d events", name, ran, len(*log))
		}
	}
	if c := good.withDefaults(); c.SessionTimeout != 10*time.Second || c.MaxEvents != realtime.MaxEvents {
		t.Errorf("by default it is %+v", c)
	}
}

func faulty(kind fault.Kind, client int) func(*Config) {
	return func(c *Config) { c.Faults = append(c.Faults, fault.Fault{Kind: kind, Client: client}) }
}

// TestMaxEvents checks that a log ends at its limit even if more events follow.
func TestMaxEvents(t *testing.T) {
	log := &logged{}
	w := newWorld(context.Background(), Config{MaxEvents: 5}.withDefaults(), []systems.Program{{}}, log)
	for range 10 {
		w.Emit(event.Event{Kind: event.RecipeNote})
	}
	last := (*log)[len(*log)-1]
	if len(*log) != 5 || last.Kind != event.RunEnded || last.Reason != event.EndEvents {
		t.Errorf("%d events, the last %v", len(*log), last)
	}
}

// TestLeftovers checks that some leftovers are named, some more counted, and the rest mentioned.
func TestLeftovers(t *testing.T) {
	for _, c := range []struct {
		left  int
		lines int
		last  string
	}{
		{0, 0, ""},
		{MaxLeft, MaxLeft, `left "/z9": `},
		{MaxLeft + 1, MaxLeft + 1, "and 1 more"},
		{MaxLeft + MaxCounted - 1, MaxLeft + 1, "and 999 more"},
		{MaxLeft + MaxCounted, MaxLeft + 1, "and more than 1000 more"},
		{2 * MaxCounted, MaxLeft + 1, "and more than 1000 more"},
	} {
		var l Leftovers
		for range 2 { // each counts once
			for i := range c.left {
				l.add(Leftover{Path: fmt.Sprint("/z", i)})
			}
		}
		told := 0
		l.reportTo(nil)
		l.reportTo(func(Leftovers) { told++ })
		if lines := l.Lines(); len(lines) != c.lines || len(lines) > 0 && !strings.HasPrefix(lines[len(lines)-1], c.last) ||
			told != min(1, c.left) || len(l.seen) > MaxLeft+MaxCounted {
			t.Errorf("of %d: %d lines, told %d times, %d remembered: %q", c.left, len(lines), told, len(l.seen), lines)
		}
	}
	for length, shown := range map[int]string{maxShownPath: "z", maxShownPath + 1: "…"} {
		line := Leftover{Path: "/" + strings.Repeat("z", length-1), Why: WhyUnmarked}.String()
		if !strings.Contains(line, shown+`": `+whyText[WhyUnmarked]) || len(line) > maxShownPath+200 {
			t.Errorf("a path of %d bytes: %s", length, line)
		}
	}
	if line := (Leftover{Path: "/\x1b[2J"}).String(); !strings.Contains(line, `"/\x1b[2J"`) {
		t.Errorf("a hostile name is shown as %q", line)
	}
}
