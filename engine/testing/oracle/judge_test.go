package oracle

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/programs"
)

// TestJudge checks that Judge finds what can't be true, and nothing else. Client a has session 1 and znode z1, b has
// session 2, and so on.
func TestJudge(t *testing.T) {
	handover := "10 a lock WAITS; 12 a lock GOT; 15 b lock WAITS; 20 a lock LEAVES; 22 a lock LEFT; 24 b lock GOT; " +
		"30 b lock LEAVES; 32 b lock LEFT"
	for _, test := range []struct {
		name, said, stays string
		ends              map[int64]End
		stops             []Stop
		want              string // a part of the only finding; empty if there should be none
	}{
		{name: "handover", said: handover, stays: "1 11 21; 2 21 31"},
		{name: "at once", said: handover, stays: "1 12 20; 2 20 30"},
		{name: "swapped", said: handover, stays: "2 11 21; 1 21 31",
			want: "a was inside from 12 to 20 with session 0x1, and no stay has all of that|" +
				"b was inside from 24 to 30 with session 0x2, and no stay has all of that|" +
				"b hadn't asked yet: |a had left at 22: "},
		{name: "nobody", said: handover, stays: "2 21 31", want: "a was inside from 12"},
		{name: "too late", said: handover, stays: "1 13 21; 2 21 31",
			want: "a was inside from 12|"},
		{name: "too short", said: handover, stays: "1 11 19; 2 21 31", want: "a was inside from 12"},
		{name: "too long", said: handover, stays: "1 11 23; 2 23 31", want: "a had left at 22: "},
		{name: "both", said: handover, stays: "1 11 22; 2 21 31", want: "it makes 2 inside: "},
		{name: "still there", said: handover, stays: "1 11 21; 2 21 never",
			want: "b had left at 32: |all have left in the end: "},
		{name: "once more", said: handover, stays: "1 11 21; 2 21 31; 1 31 32", want: "a had left at 22: "},
		{name: "somebody else", said: handover, stays: "1 11 21; 2 21 31; 9 31 33", want: "no program had that session"},

		{name: "gave up", said: "10 a lock WAITS; 20 a lock GAVEUP", stays: "1 19 20"},
		{name: "gave up before", said: "10 a lock WAITS; 20 a lock GAVEUP", stays: "1 19 21",
			want: "a never said that it was inside"},
		{name: "silent", said: "10 a lock WAITS", stays: "1 19 21", want: "a never said that it was inside"},
		{name: "unwoken", said: "10 a unwoken WAITS", stays: "1 19 21"},
		{name: "stopped in it", said: "10 a lock WAITS", stays: "1 19 21", stops: []Stop{{"p-a", 21, Never}}},
		{name: "stopped later", said: "10 a lock WAITS", stays: "1 19 21", stops: []Stop{{"p-a", 22, Never}},
			want: "a never said that it was inside"},
		{name: "another stopped", said: "10 a lock WAITS", stays: "1 19 21", stops: []Stop{{"p-b", 19, 30}},
			want: "a never said that it was inside"},

		{name: "expired inside", said: "10 a lock WAITS; 12 a lock GOT; 40 a lock LEAVES; 42 a lock FAILED",
			stays: "1 11 30 expired", ends: map[int64]End{1: {30, true}}},
		{name: "killed inside", said: "10 a lock WAITS; 12 a lock GOT", stays: "1 11 30 expired",
			ends: map[int64]End{1: {30, true}}},
		{name: "killed, and deleted", said: "10 a lock WAITS; 12 a lock GOT", stays: "1 11 30",
			ends: map[int64]End{1: {30, true}}, want: "that isn't how it ends"},
		{name: "ended too early", said: "10 a lock WAITS; 12 a lock GOT", stays: "1 11 29 expired",
			ends: map[int64]End{1: {30, true}}, want: "a was inside from 12 to 30|its session didn't expire then"},
		{name: "told of it too late", said: "10 a lock WAITS; 35 a lock GOT; 40 a lock LEAVES",
			stays: "1 11 30 expired", ends: map[int64]End{1: {30, true}}},
		{name: "in with a session that is over", said: "10 a lock WAITS 4; 35 a lock GOT; 40 a lock LEAVES",
			stays: "4 11 30 expired", ends: map[int64]End{4: {30, true}}},
		{name: "in with a session from before", said: "10 a lock WAITS 4; 35 a lock GOT; 40 a lock LEAVES",
			stays: "4 9 30 expired", ends: map[int64]End{4: {30, true}},
			want: "a was inside from 35|a hadn't asked yet"},
		{name: "out with a session that is over", said: "10 a lock WAITS 4; 35 a lock GOT; 40 a lock LEAVES",
			ends: map[int64]End{4: {30, true}}, want: "a was inside from 35"},
		{name: "closed, not expired", said: "10 a lock WAITS; 12 a lock GOT", stays: "1 11 30 expired",
			ends: map[int64]End{1: {30, false}}, want: "its session didn't expire then"},
		{name: "lost, and got once more", said: "10 a lock WAITS; 12 a lock GOT; 20 a lock LOST; 30 a lock GOT; " +
			"40 a lock LEAVES; 42 a lock LEFT", stays: "1 11 25; 1 28 41"},
		{name: "lost", said: "10 a lock WAITS; 12 a lock GOT; 20 a lock LOST; 30 a lock GOT; 40 a lock LEAVES; " +
			"42 a lock LEFT", stays: "1 11 25", want: "a was inside from 30"},
		{name: "it can't be told any more", said: "10 a doubtful WAITS; 22 a doubtful GOT; 24 a doubtful LEAVES; " +
			"25 a doubtful LEFT", stays: "1 12 20"},
		{name: "it can't be told, and never got in", said: "10 a doubtful WAITS; 25 a doubtful FAILED", stays: "1 12 20",
			want: "a never said that it was inside"},
		{name: "it can't be told", said: "10 a doubtful WAITS; 12 a doubtful GOT; 20 a doubtful LEAVES; " +
			"22 a doubtful LEFT"},
		{name: "another place", said: "10 a fickle WAITS; 30 a fickle GOT; 40 a fickle LEAVES; 42 a fickle LEFT",
			stays: "1 11 12; 1y 20 41"},
		{name: "no other place", said: "10 a fickle WAITS; 30 b lock WAITS; 32 b lock GOT; 40 b lock LEAVES; " +
			"42 b lock LEFT", stays: "1 11 12; 2 31 41", want: "a never said that it was inside"},
		{name: "left before it has", said: "10 a hasty WAITS; 12 a hasty GOT; 20 a hasty LEAVES; 22 a hasty LEFT",
			stays: "1 11 25"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCase(test.said, test.stays)
			c.Room, c.Ends, c.Stops = 1, test.ends, test.stops
			expect(t, c.Judge(), test.want)
		})
	}
}

// TestRoom checks that no more are inside than there is room for, and nobody with a client that shares with nobody.
func TestRoom(t *testing.T) {
	inside := func(client, recipe string) string {
		return fmt.Sprintf("10 %s %s WAITS; 20 %[1]s %[2]s GOT; 30 %[1]s %[2]s LEAVES; 40 %[1]s %[2]s LEFT;", client, recipe)
	}
	for _, test := range []struct {
		name, said string
		room       int
		want       string
	}{
		{"two permits", inside("a", "permit") + inside("b", "permit"), 2, ""},
		{"any number", inside("a", "read") + inside("b", "read"), 0, ""},
		{"one lock", inside("a", "lock") + inside("b", "lock"), 1, "it makes 2 inside: z2 "},
		{"a writer and a reader", inside("a", "alone") + inside("b", "read"), 0, "it makes 2 inside: z2 "},
		{"a reader and a writer", inside("a", "read") + inside("b", "alone"), 0, "it makes 2 inside: z2 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCase(test.said, "1 11 35; 2 12 36")
			c.Room = test.room
			expect(t, c.Judge(), test.want)
		})
	}
}

// TestLate checks stays that come late, possible ones and impossible ones.
func TestLate(t *testing.T) {
	exact := newCase("", "1 10 20; 2 20 30; 3 30 40").Stays
	for _, test := range []struct{ name, stays, want string }{
		{"all", "1 11 22; 2 22 31; 3 31 45", ""},
		{"one is missing", "1 11 22; 3 31 45", ""},
		{"never was", "1 11 22; 4 22 31; 3 31 45", "it wasn't inside"},
		{"before it was", "1 9 22; 2 22 31", "it wasn't inside"},
		{"out before it was", "1 10 19; 2 22 31", "it wasn't inside"},
		{"swapped", "2 21 30; 1 30 31", "it got in before the one that is told before it"},
		{"twice", "1 11 20; 1 21 22", "it wasn't inside"},
		{"together", "1 11 22; 2 21 31", "it makes 2 inside"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCase("", test.stays)
			c.Room = 1
			expect(t, c.Late(exact), test.want)
		})
	}
}

// TestUntimed checks that stays by another clock are compared by their order alone.
func TestUntimed(t *testing.T) {
	exact := newCase("", "1 10 20; 2 20 30").Stays
	for _, test := range []struct{ stays, want string }{
		{"1 9 19; 2 19 29", ""},
		{"2 9 19; 1 19 29", "it got in before the one that is told before it"},
		{"3 9 19", "it wasn't inside"},
	} {
		c := newCase("", test.stays)
		c.Room, c.Untimed = 1, true
		expect(t, c.Late(exact), test.want)
	}
}

// TestEarly checks that times may be one ms too early, in a log that counts from a whole ms, and no more. Which
// client shares with nobody depends on its requests so far.
func TestEarly(t *testing.T) {
	exact := newCase("", "1 10 20; 2 20 never").Stays
	for _, test := range []struct{ stays, want string }{
		{"1 9 19; 2 19 never", ""},
		{"1 8 19; 2 19 never", "it wasn't inside"},
		{"1 9 18; 2 19 never", "it wasn't inside"},
		{"1 9 19; 2 19 30", "it wasn't inside"},
	} {
		c := newCase("", test.stays)
		c.EarlyMS = 1
		wrong := slices.DeleteFunc(c.Late(exact), func(s string) bool { return strings.HasPrefix(s, "all have left") })
		expect(t, wrong, test.want)
	}
	alone := newCase("10 a alone WAITS; 5 b read WAITS", "1 9 21; 2 9 30")
	alone.EarlyMS = 1
	expect(t, alone.Late(newCase("", "1 10 20; 2 10 30").Stays), "it makes 2 inside|it makes 2 inside")
}

// TestCrossed checks that a client may count as inside before word comes of one ahead of it, but only then.
func TestCrossed(t *testing.T) {
	exact := newCase("", "1 10 20; 2 20 30").Stays
	for _, test := range []struct{ stays, want string }{
		{"2 11 12; 1 12 22; 2 22 31", ""},
		{"2 11 12; 1 13 22; 2 22 31", "it wasn't inside"},
		{"1 11 22; 2 22 31; 1 31 32", "it wasn't inside"},
		{"3 11 12; 1 12 22; 2 22 31", "it wasn't inside"},
	} {
		c := newCase("", test.stays)
		c.Room, c.Crossing = 1, true
		for i := range c.Stays {
			c.Stays[i].From, c.Stays[i].To = 2*i, 2*i+1
		}
		if strings.Contains(test.stays, "13") {
			c.Stays[1].From++
		}
		expect(t, c.Late(exact), test.want)
	}
}

// TestSame checks that stays of two ways are compared by the changes that made them, whatever their times.
func TestSame(t *testing.T) {
	exact := newCase("", "1 10 20; 2 20 30 expired").Stays
	for _, test := range []struct{ name, stays, want string }{
		{"later", "1 15 25; 2 25 35 expired", ""},
		{"another end", "1 10 20; 2 20 30", "instead"},
		{"another client", "1 10 20; 3 20 30 expired", "instead"},
		{"fewer", "1 10 20", "another way has more"},
		{"more", "1 10 20; 2 20 30 expired; 3 30 40", "another way doesn't have that"},
	} {
		t.Run(test.name, func(t *testing.T) { expect(t, newCase("", test.stays).Same(exact), test.want) })
	}
}

// TestLacking checks that every client needs as many stays as it reports.
func TestLacking(t *testing.T) {
	said := "10 a lock WAITS; 12 a lock GOT; 20 a lock LEAVES; 22 a lock LEFT; 30 a lock WAITS; 32 a lock GOT; " +
		"40 a lock LEAVES; 42 a lock LEFT; 50 b lock WAITS; 60 b lock GAVEUP"
	for _, test := range []struct{ stays, want string }{
		{"1 11 21; 1 31 41", ""},
		{"1 11 21", "a was inside at 32"},
		{"2 11 21", "a was inside at 12|a was inside at 32"},
	} {
		expect(t, newCase(said, test.stays).Lacking(), test.want)
	}
	late := newCase(said, "3 5 33")
	expect(t, late.Lacking(), "a was inside at 12|a was inside at 32")
	late.Ends = map[int64]End{3: {12, true}}
	expect(t, late.Lacking(), "")
	late.Ends = map[int64]End{3: {13, true}}
	expect(t, late.Lacking(), "a was inside at 12")
}

// expect compares the findings with the expected parts, which are separated by bars.
func expect(t *testing.T, got []string, want string) {
	t.Helper()
	parts := strings.FieldsFunc(want, func(r rune) bool { return r == '|' })
	ok := len(got) == len(parts)
	for i := 0; ok && i < len(parts); i++ {
		ok = strings.Contains(got[i], parts[i])
	}
	if !ok {
		t.Errorf("it finds\n%s\nwhich isn't %q", strings.Join(got, "\n"), parts)
	}
}

// newCase reads reports, "ms client recipe event" each, with a session if it isn't the client's usual one; and
// stays, "session from to" each, followed by "expired" if so.
func newCase(said, stays string) *Case {
	c := &Case{Alone: map[string]bool{"alone": true}, Doubtful: map[string]bool{"doubtful": true},
		Unwoken: map[string]bool{"unwoken": true}, Hasty: map[string]bool{"hasty": true},
		Fickle:   map[string]bool{"fickle": true},
		Sessions: map[int64]string{1: "a", 2: "b", 3: "c", 4: "a"}, Programs: map[string]string{"a": "p-a", "b": "p-b"}}
	for text := range strings.SplitSeq(said, ";") {
		if f := strings.Fields(text); len(f) > 0 {
			session := fmt.Sprint(f[1][0] - 'a' + 1)
			if len(f) > 4 {
				session = f[4]
			}
			l, _ := programs.Parse(fmt.Sprintf("%s %s /it %s 0x%s %s", f[0], f[2], f[1], session, f[3]))
			c.Said = append(c.Said, l)
		}
	}
	var times []int64
	for text := range strings.SplitSeq(stays, ";") {
		f := strings.Fields(text)
		if len(f) == 0 {
			continue
		}
		s := Stay{ToMS: Never, To: math.MaxInt, Expired: len(f) > 3}
		fmt.Sscan(f[0], &s.Session) // a letter after it tells znodes apart
		fmt.Sscan(f[1], &s.FromMS)
		fmt.Sscan(f[2], &s.ToMS) // "never" doesn't change it
		s.Znode = "z" + f[0]
		c.Stays, times = append(c.Stays, s), append(times, s.FromMS, s.ToMS)
	}
	slices.Sort(times)
	for i := range c.Stays {
		s := &c.Stays[i]
		s.From, _ = slices.BinarySearch(times, s.FromMS)
		if s.ToMS != Never {
			s.To, _ = slices.BinarySearch(times, s.ToMS)
		}
	}
	return c
}
