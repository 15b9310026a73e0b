package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// times makes a znode each second and writes it half a second later, and notes when ZooKeeper says that this was, in
// whole seconds.
func times(said *[]string) func(c zoo.Client) error {
	return func(c zoo.Client) error {
		at := func(at time.Duration, do func() error) error {
			err := c.Sleep(at - c.Now())
			for err == nil {
				if err = do(); err == nil || !strings.Contains(err.Error(), "connection loss") {
					break
				}
				err = c.Sleep(20 * time.Millisecond)
			}
			return err
		}
		for n := range 6 {
			var path string
			var stat zoo.Stat
			if err := at(time.Duration(n+1)*time.Second, func() (err error) {
				path, err = c.Create("/n", nil, zoo.PersistentSequential)
				return err
			}); err != nil {
				return err
			}
			if err := at(time.Duration(n+1)*time.Second+500*time.Millisecond, func() (err error) {
				stat, err = c.Set(path, nil, zoo.AnyVersion)
				return err
			}); err != nil {
				return err
			}
			*said = append(*said, fmt.Sprintf("%d-%d", stat.Ctime/1000, stat.Mtime/1000))
		}
		return nil
	}
}

// TestClock sets servers' clocks: the server that orders the changes tells their times.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		servers      int
		faults, want string
	}{
		{1, "", "1-1 2-2 3-3 4-4 5-5 6-6"},
		{1, "jump server at 2700ms by -2s", "1-1 2-2 1-1 2-2 3-3 4-4"},
		{1, "jump server at 3200ms by 1h", "1-1 2-2 3-3603 3604-3604 3605-3605 3606-3606"},
		{1, "jump server at 2700ms by -1h, jump server at 4700ms by 1s", "1-1 2-2 0-0 1-1 3-3 4-4"},
		{1, "jump server at 2700ms by 10s, restart server at 3010ms for 200ms", "1-1 2-2 13-14 14-14 15-15 16-16"},
		{3, "jump server at 2700ms by 10s", "1-1 2-2 13-13 14-14 15-15 16-16"},
		{3, "jump server-3 at 2700ms by 10s", "1-1 2-2 13-13 14-14 15-15 16-16"}, // it leads
		{3, "jump server-1 at 2700ms by 10s", "1-1 2-2 3-3 4-4 5-5 6-6"},
	} {
		var said []string
		tr := trial{}.on(c.servers)
		if c.faults != "" {
			tr = tr.with(t, strings.Split(c.faults, ", ")...)
		}
		play(t, tr.cfg, times(&said))
		if got := strings.Join(said, " "); got != c.want {
			t.Errorf("%d servers, %q:\ngot  %s\nwant %s", c.servers, c.faults, got, c.want)
		}
	}
}

// TestClockOfACrashedServer checks that a machine's clock stays set while its server is down, and is set then: it tells
// the times again once that server leads.
func TestClockOfACrashedServer(t *testing.T) {
	for _, faults := range [][]string{
		{"jump server-3 at 2s by 1h", "restart server-3 at 3s for 1s"},
		{"restart server-3 at 3s for 1s", "jump server-3 at 3500ms by 1h"},
	} {
		var last string
		log := play(t, trial{}.on(3).with(t, append(faults, "crash server-2 at 9s")...).cfg, func(c zoo.Client) error {
			for c.Now() < 20*time.Second {
				path, err := c.Create("/n", nil, zoo.PersistentSequential)
				if _, stat, lost := c.Exists(path); err == nil && lost == nil {
					last = (time.Duration(stat.Ctime) * time.Millisecond).Truncate(time.Minute).String()
				}
				if err := c.Sleep(500 * time.Millisecond); err != nil {
					return err
				}
			}
			return nil
		})
		if n := len(kinds(log, event.ClockJumped)); n != 1 || last != "1h0m0s" {
			t.Errorf("%v: a clock is set %d times, and in the end it's %s", faults, n, last)
		}
	}
}

// TestSessionsIgnoreTheClock checks that a session ends when it would end with a clock that nobody sets.
func TestSessionsIgnoreTheClock(t *testing.T) {
	ends := func(servers int, faults ...string) string {
		tr := trial{}.on(servers).with(t, append(faults, "crash client-2 at 2s")...)
		tr.cfg.SessionTimeout = 4 * time.Second
		idle := func(c zoo.Client) error { return c.Sleep(20 * time.Second) }
		var list []string
		for _, e := range play(t, tr.cfg, idle, idle) {
			switch e.Kind {
			case event.SessionExpired, event.SessionClosed, event.ConnOpened, event.ConnClosed:
				list = append(list, fmt.Sprintf("%s %s %s %s", e.At, e.Actor, e.Peer, e.Kind))
			}
		}
		return strings.Join(list, "\n")
	}
	for _, servers := range []int{1, 3} {
		want := ends(servers)
		if !strings.Contains(want, event.SessionExpired.String()) {
			t.Fatalf("no session expires:\n%s", want)
		}
		for _, by := range []string{"24h", "-24h", "-1s"} {
			if got := ends(servers, "jump server at 3s by "+by); got != want {
				t.Errorf("%d servers, set by %s:\ngot\n%s\nwant\n%s", servers, by, got, want)
			}
		}
	}
}
