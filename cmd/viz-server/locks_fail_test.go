package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// makeBlind makes a lock that is fine, and one whose waiting clients watch nothing.
func makeBlind(t *testing.T, conn *zk.Conn) {
	t.Helper()
	acl := zk.WorldACL(zk.PermAll)
	ops := []any{&zk.CreateRequest{Path: "/fine", Acl: acl}, &zk.CreateRequest{Path: "/blind", Acl: acl},
		&zk.CreateRequest{Path: "/fine/lock-0000000000", Flags: zk.FlagEphemeral, Acl: acl}}
	for i := range 3 {
		ops = append(ops, &zk.CreateRequest{Path: fmt.Sprintf("/blind/lock-%010d", i), Flags: zk.FlagEphemeral, Acl: acl})
	}
	if _, err := conn.Multi(ops...); err != nil {
		t.Fatal(err)
	}
	letThemLook()
}

// TestFailOn checks the exit codes of locks for a cron job or a monitoring system.
func TestFailOn(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeBlind(t, conn)
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"/blind --herds":                                  {exitOK, "! Of those who wait"},
		"/fine --fail-on any":                             {exitOK, "/fine "},
		"/fine --herds --fail-on any":                     {exitOK, "/fine "},
		"/blind --herds --fail-on any":                    {exitLocks, "! Of those who wait"},
		"/blind --herds --fail-on quiet,blind":            {exitLocks, "! Of those who wait"},
		"/blind --herds --json --fail-on blind":           {exitLocks, `"kinds":["blind"]`},
		"/blind --herds --fail-on waits,quiet":            {exitOK, "! Of those who wait"},
		"/blind --fail-on any":                            {exitOK, "/blind "}, // nobody has asked who watches
		"/blind --follow --herds --fail-on any":           {exitLocks, "! Of those who wait"},
		"/none --fail-on any":                             {exitTrouble, "there's no such znode"},
		"/fine --fail-on any,bad":                         {exitTrouble, `"bad" is no kind of trouble; the kinds are blind, blocked, `},
		"/fine --fail-on quorum":                          {exitOK, "/fine "},
		"/fine --fail-on herd":                            {exitTrouble, "zkviz looks for herd only with --herds"},
		"/fine --fail-on held":                            {exitTrouble, "held can't be seen at one look"},
		"/fine --fail-on=":                                {exitTrouble, "--fail-on is empty"},
		"/fine --webhook http://a":                        {exitTrouble, "--webhook: add --follow"},
		"/fine --follow --webhook ftp://a/" + planted:     {exitTrouble, "--webhook: it is not an address"},
		"/fine --follow --fail-on any --webhook http://a": {exitTrouble, "leave one out"},
	} {
		var out, errs bytes.Buffer
		code := execute(append([]string{"locks", "--zk", addr}, strings.Fields(args)...),
			&terminal{ctx: t.Context(), out: &out, err: &errs})
		all := out.String() + errs.String()
		if code != want.code || !strings.Contains(all, want.says) || strings.Contains(all, planted) {
			t.Errorf("locks %s: exit code %d, not %d: %s", args, code, want.code, all)
		}
	}
}

// TestFailsLater has a lock change hands again and again while locks watches it, until that counts as a trouble.
func TestFailsLater(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Create("/app", nil, 0, acl); err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	var out bytes.Buffer
	go func() {
		code <- execute([]string{"locks", "/app", "--zk", addr, "--follow", "--fail-on", "flaps"},
			&terminal{ctx: t.Context(), out: &out, err: io.Discard})
	}()
	for {
		if _, err := conn.Create("/app/leader", nil, zk.FlagEphemeral, acl); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-code:
			if got != exitLocks || !strings.Contains(out.String(), "/app/leader  ! Changed hands ") {
				t.Errorf("exit code %d: %s", got, out.String())
			}
			return
		default:
		}
		if err := conn.Delete("/app/leader", -1); err != nil {
			t.Fatal(err)
		}
	}
}

// failing returns the flag with kinds.
func failing(kinds string) failFlag {
	return failFlag{FailOn: strings.FieldsFunc(kinds, func(r rune) bool { return r == ',' })}
}

var (
	serves  = ensemble.State{Number: 1, Quorum: ensemble.Serves}
	untells = ensemble.State{Number: 1}
	untold  = follow.Report{Untold: []sentence.Sentence{sentence.Of("sessions.refused")}}
)

// TestDoubts checks that no trouble was found counts as an error where nobody could have found one.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		kinds  string
		r      follow.Report
		s      ensemble.State
		doubts bool
	}{
		{"", follow.Report{ReadOnly: true}, serves, false}, {"any", follow.Report{ReadOnly: true}, serves, true},
		{"waits", follow.Report{ReadOnly: true}, serves, true}, {"any", untold, serves, false},
		{"waits", untold, serves, false}, {"waits,quiet", untold, serves, true}, {"herd", untold, serves, true},
		{"quiet", follow.Report{}, serves, false}, {"quorum", follow.Report{}, serves, false},
		{"quorum", follow.Report{}, untells, true}, {"quorum", follow.Report{}, ensemble.State{}, true},
		{"any", follow.Report{}, untells, false}, {"any,quorum", follow.Report{}, untells, true},
	} {
		if err := failing(c.kinds).doubts(&c.r, &c.s); (err != nil) != c.doubts {
			t.Errorf("%q, %+v: %v", c.kinds, c.r, err)
		}
	}
}

// TestUnjudged checks which kinds any leaves out where servers don't tell.
func TestUnjudged(t *testing.T) {
	joined := follow.Report{Joined: true}
	for _, c := range []struct {
		kinds         string
		herds, follow bool
		r             follow.Report
		s             ensemble.State
		want          string
	}{
		{"any", false, false, joined, serves, ""}, {"any", true, true, joined, serves, ""},
		{"quiet", false, false, untold, untells, ""}, {"any", false, false, untold, serves, "quiet"},
		{"any", true, false, untold, untells, "blind herd lists quiet quorum"},
		{"any", false, true, follow.Report{}, serves, "expired members"},
	} {
		if got := strings.Join(failing(c.kinds).unjudged(c.herds, c.follow, &c.r, &c.s), " "); got != c.want {
			t.Errorf("%q, %+v: %s, not %s", c.kinds, c.r, got, c.want)
		}
	}
	var out bytes.Buffer
	if err := encodeLocks(&out, listed{Report: untold, unjudged: []string{"quiet"}}, 0); err != nil ||
		!strings.Contains(out.String(), `"unjudged":["quiet"]`) {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestFailsOnQuorum checks that a lost quorum counts as a trouble if it is named, and that one out of sight doesn't.
func TestFailsOnQuorum(t *testing.T) {
	for _, c := range []struct {
		kinds  string
		quorum ensemble.Quorum
		fails  bool
	}{
		{"quorum", ensemble.Lost, true}, {"any", ensemble.Lost, true}, {"waits", ensemble.Lost, false},
		{"", ensemble.Lost, false}, {"quorum", ensemble.Serves, false}, {"any", ensemble.Unreached, false},
		{"quorum", ensemble.Unknown, false},
	} {
		err := failing(c.kinds).fails(&follow.Report{}, &ensemble.State{Number: 1, Quorum: c.quorum})
		if (err != nil) != c.fails {
			t.Errorf("%q with quorum %q: %v", c.kinds, c.quorum, err)
		}
	}
}

// TestFollowTellsTheWebhook checks that locks --follow posts the troubles, those at its beginning too, and that Ctrl-C
// ends it.
func TestFollowTellsTheWebhook(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeBlind(t, conn)
	webhook, got := receive(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	code := make(chan int, 1)
	go func() {
		code <- execute([]string{"locks", "/blind", "--zk", addr, "--follow", "--herds", "--webhook", webhook},
			&terminal{ctx: ctx, out: io.Discard, err: io.Discard})
	}()
	if p := <-got; p.State != "new" || p.Kind != "blind" || p.Path != "/blind" || p.Cluster != addr ||
		!strings.HasPrefix(p.Text, "Of those who wait, 2 watch nothing here") || p.ID == "" || p.Time == "" {
		t.Errorf("it posts %+v", p)
	}
	interrupt()
	if got := <-code; got != 130 {
		t.Errorf("exit code %d", got)
	}
}
