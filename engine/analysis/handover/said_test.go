package handover_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

func seconds(ms int64) sentence.Arg { return sentence.Number(ms / 1000) }

// TestLasted says how long a client has held it, as far as that is known: an earlier holder may have had it since its
// znode was created.
func TestLasted(t *testing.T) {
	const now = 1_000_000
	for _, c := range []struct {
		had       bool
		made, got int64
		want      string
	}{
		{false, now - 90_000, now - 7000, "exactly(7, 90)"},
		{true, 0, now - 7000, "least(7, 0)"},
		{true, 0, now - 20, "untimed(0, 0)"},
		{true, now - 90_000, now - 7000, "between(7, 90)"},
		{true, now - 90_000, now - 20, "most(0, 90)"},
		{true, now - 7900, now - 7100, "exactly(7, 7)"},
		{true, now + 5000, now - 7000, "least(7, -5)"}, // its clock is wrong
		{true, now + 5000, now, "untimed(0, -5)"},
	} {
		h := handover.Hand{Node: handover.Node{MadeMS: c.made}, GotMS: c.got, Had: c.had}
		if got := handover.Lasted(h.Held(now), seconds); got.String() != "hands.held."+c.want {
			t.Errorf("%+v: %v, not %v", c, got, c.want)
		}
	}
}

// TestWhy checks why somebody lost it: never by a session that isn't known.
func TestWhy(t *testing.T) {
	for want, c := range map[handover.Why]handover.Change{
		handover.LetGo:   {Reason: event.ByOp, By: 1},
		handover.ByOther: {Reason: event.ByOp, By: 2},
		handover.Deleted: {Reason: event.ByOp},
		handover.Closed:  {Reason: event.BySessionClosed, By: 1},
		handover.Expired: {Reason: event.BySessionExpired, By: 1},
		handover.Timer:   {Reason: event.ByTimer},
		handover.Unknown: {Reason: event.ByUnknown},
		handover.Ahead:   {},
		handover.Never:   {Never: true},
		handover.Went:    {Never: true, Reason: event.ByOp, By: 1},
	} {
		c.Hand.Session = 1
		if got := c.Why(); got != want {
			t.Errorf("%+v: %v, not %v", c, got, want)
		}
	}
}

// TestGone says why a znode went, unless that is plain, and how long it existed.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		reason    event.Reason
		owner, by int64
		mode      zoo.CreateMode
		lived     int64
		want      string
	}{
		{event.ByOp, 1, 1, zoo.Ephemeral, -1, "gone(n)"},
		{event.ByOp, 1, 2, zoo.Ephemeral, 0, "after(other(n, 0x1), 0 s)"},
		{event.ByOp, 1, 0, zoo.Ephemeral, -1, "other(n, 0x1)"},
		{event.ByOp, 0, 2, zoo.Persistent, 1500, "after(gone(n), 1.5 s)"},
		{event.BySessionClosed, 1, 1, zoo.Ephemeral, -1, "because(n, closed(0x1))"},
		{event.BySessionExpired, 1, 1, zoo.Ephemeral, -1, "because(n, expired(0x1))"},
		{event.ByTimer, 0, 0, zoo.Container, -1, "because(n, emptied(ownerless()))"},
		{event.ByTimer, 0, 0, zoo.PersistentTTL, -1, "because(n, timer(ownerless()))"},
		{event.ByTimer, 0, 0, zoo.Persistent, -1, "gone(n)"}, // its mode isn't known
	} {
		why := handover.WhyGone(c.reason, c.owner, c.by, c.mode)
		got := handover.Gone(sentence.Text("n"), why, c.owner, c.lived).String()
		short := strings.NewReplacer("hands.gone.", "", "hands.why.", "", "hands.", "")
		if got = short.Replace(got); got != c.want {
			t.Errorf("%+v: %v, %v, not %v", c, why, got, c.want)
		}
	}
}

// TestLapse writes what lasts in whole seconds, and what is over more precisely if it's short.
func TestLapse(t *testing.T) {
	for ms, want := range map[int64][2]string{
		-5:         {"0 s", "span.ms(0)"},
		999:        {"0 s", "span.ms(999)"},
		1250:       {"1 s", "1.2 s"},
		59_999:     {"59 s", "60.0 s"},
		60_000:     {"span.minutes(1, 0)", "span.minutes(1, 0)"},
		3_599_999:  {"span.minutes(59, 59)", "span.minutes(59, 59)"},
		3_660_000:  {"span.hours(1, 1)", "span.hours(1, 1)"},
		93_600_000: {"span.days(1, 2)", "span.days(1, 2)"},
	} {
		if got := [...]string{handover.Lapse(ms).String(), handover.Took(ms).String()}; got != want {
			t.Errorf("%d ms: %q, not %q", ms, got, want)
		}
	}
}

// TestSays says what a change of a transaction log did, and nothing that isn't known: no length of time if clocks went
// back, and no certainty if transactions are missing.
func TestSays(t *testing.T) {
	hand := handover.Hand{Node: handover.Node{Session: 1, MadeMS: 1000}, GotMS: 3000}
	had, back := hand, hand
	had.Had, had.MadeMS = true, 0
	back.GotMS, back.MadeMS = 9000, 9000
	for want, c := range map[string]handover.Change{
		"waited(got(n), 4 s)":         {Got: true, Hand: hand},
		"got(n)":                      {Got: true, Hand: had},
		"clock(got(n))":               {Got: true, Hand: back},
		"waiting(has(n), 2)":          {Got: true, Hand: had, Unsure: true, Waiting: 2},
		"first(n)":                    {Got: true, Hand: hand, Unsure: true},
		"had(n)":                      {Hand: hand, Unsure: true},
		"lost(n, never(ownerless()))": {Hand: hand, Never: true},
		"clock(lost(n, own(0x1)))":    {Hand: back, Reason: event.ByOp, By: 1},
		"perhaps(lost(n, own(0x1)))":  {Hand: hand, Reason: event.ByOp, By: 1, Unsure: true},
		"held(lost(n, own(0x1)), exactly(2 s, 4 s))":    {Hand: hand, Reason: event.ByOp, By: 1},
		"held(lost(n, closed(0x1)), least(2 s, -1 ms))": {Hand: had, Reason: event.BySessionClosed, By: 1},
	} {
		c.TimeMS = 5000
		got := handover.Says(&c, sentence.Text("n")).String()
		short := strings.NewReplacer("hands.said.", "", "hands.why.", "", "hands.held.", "", "hands.", "")
		if got = short.Replace(got); got != want {
			t.Errorf("%+v: %v, not %v", c, got, want)
		}
	}
}
