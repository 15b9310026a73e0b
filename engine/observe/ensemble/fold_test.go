package ensemble

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
	languages "github.com/zkviz/zkviz/static/strings"
)

// startMS is the time of the first round of a test, in ms since 1970.
var startMS = time.Date(2026, 11, 30, 2, 13, 0, 0, time.Local).UnixMilli()

func english(t testing.TB) sentence.Voice {
	t.Helper()
	en, err := languages.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	return sentence.Voice{Say: en.Say}
}

// story folds rounds and writes what each says.
type story struct {
	t     *testing.T
	voice sentence.Voice
	state State
	heard Heard
	text  strings.Builder
}

func tell(t *testing.T) *story { return &story{t: t, voice: english(t)} }

// round folds answers that come at a time since the start.
func (s *story) round(what string, at time.Duration, answers ...Answer) {
	last := s.state.Last()
	s.state = Fold(s.state, answers, s.heard, startMS+at.Milliseconds())
	fmt.Fprintf(&s.text, "%v %s\n    %s\n", at, what, s.words(s.state.Says()))
	for _, c := range s.state.After(last) {
		fmt.Fprintf(&s.text, "  %v %s: %s\n", time.Duration(c.MS-startMS)*time.Millisecond, c.Kind,
			s.words(c.Tells(s.state.Name)))
	}
}

// words puts a sentence into words, with times as in UTC wherever the test runs.
func (s *story) words(said sentence.Sentence) string {
	_, zone, _ := strings.Cut(Clock(startMS, startMS), "00:00")
	if zone == "" {
		return s.voice.Says(said)
	}
	return strings.ReplaceAll(s.voice.Says(said), zone+" ", "Z ")
}

func answer(addr, mode string, zxid int64) Answer {
	st := admin.Status{Zxid: zxid, Version: "3.8.0", LatencyMS: 0.3, MaxLatencyMS: 12, Connections: 20}
	st.SetMode(mode)
	if mode == Looking {
		st = admin.Status{Role: admin.Looks}
	}
	return Answer{Addr: addr, Status: st}
}

func leads(addr string, zxid, sessions, uptimeMS int64) Answer {
	a := answer(addr, admin.Leader, zxid)
	a.Figures = admin.Figures{Told: true, Sessions: sessions, LeaderUptimeMS: uptimeMS}
	return a
}

func behind(a Answer, again int64) Answer {
	a.Again = again
	return a
}

func away(addr string) Answer {
	return Answer{Addr: addr, Away: true, Why: sentence.Of("error.text", sentence.Text("connection refused"))}
}

func refuses(addr string) Answer {
	return Answer{Addr: addr, Status: admin.Status{Refused: true}, Why: sentence.Of("sessions.refused")}
}

const (
	zk1, zk2, zk3, zk4 = "zk1:2181", "zk2:2181", "zk3:2181", "zk4:2181"

	follower, observer = admin.Follower, admin.Observer
)

// TestStoryGolden follows ensembles through what may happen to them.
func TestStoryGolden(t *testing.T) {
	s := tell(t)
	begin := func(title string) {
		s.state = State{}
		fmt.Fprintf(&s.text, "\n%s\n", title)
	}
	const epoch5, epoch6 = 5 << 32, 6 << 32
	begin("a leader is killed, and then its successor")
	s.round("all serve", 0, leads(zk1, epoch5+20, 41, 7000), answer(zk2, follower, epoch5+20),
		answer(zk3, follower, epoch5+20))
	s.round("the same, with jitter", 2*time.Second, leads(zk1, epoch5+30, 41, 9050), answer(zk2, follower, epoch5+30),
		behind(answer(zk3, follower, epoch5+12), epoch5+18))
	s.round("it is dead, and nobody has noticed", 4*time.Second, away(zk1), answer(zk2, follower, epoch5+30),
		answer(zk3, follower, epoch5+30))
	s.round("an election", 6*time.Second, away(zk1), answer(zk2, Looking, 0), answer(zk3, Looking, 0))
	s.round("another one leads", 8*time.Second, away(zk1), leads(zk2, epoch6, 41, 1200), answer(zk3, follower, epoch5+30))
	s.round("it is dead, too", 10*time.Second, away(zk1), away(zk2), answer(zk3, Looking, 0))
	s.round("still", 12*time.Second, away(zk1), away(zk2), answer(zk3, Looking, 0))
	s.round("nobody answers", 14*time.Second, away(zk1), away(zk2), away(zk3))
	s.round("two are back", 16*time.Second, leads(zk1, 7<<32, 40, 500), away(zk2), answer(zk3, follower, epoch6))

	begin("servers without mntr")
	s.round("first", 0, answer(zk1, admin.Leader, epoch5), answer(zk2, follower, epoch5))
	s.round("watched", 8*time.Second, answer(zk1, admin.Leader, epoch5), answer(zk2, follower, epoch5))
	s.round("another leads", 10*time.Second, answer(zk1, follower, epoch5), answer(zk2, admin.Leader, epoch6))
	s.round("nobody has looked for an hour", time.Hour, answer(zk1, admin.Leader, 8<<32), answer(zk2, follower, epoch6))
	s.round("the same leads in another epoch", time.Hour+time.Second, answer(zk1, admin.Leader, 9<<32),
		answer(zk2, follower, 8<<32))

	begin("no quorum from the start")
	s.round("first", 0, answer(zk1, Looking, 0), away(zk2), answer(zk3, admin.ReadOnly, epoch5))
	s.round("later", 7*time.Second, answer(zk1, Looking, 0), away(zk2), answer(zk3, admin.ReadOnly, epoch5))
	s.round("it is there", 9*time.Second, leads(zk1, epoch6, 1, 300), away(zk2), answer(zk3, follower, epoch5))
	s.round("it is lost while nobody looks", time.Hour, answer(zk1, Looking, 0), away(zk2), away(zk3))

	begin("others")
	s.round("a single server", 0, answer(zk1, admin.Standalone, 99))
	s.round("observers, and several behind", 0, leads(zk1, epoch5+9, 1, 86_400_000),
		behind(answer(zk2, follower, epoch5), epoch5+8),
		behind(answer(zk3, observer, epoch5), 4<<32+70), behind(answer(zk4, observer, 1), epoch5+9))
	s.round("a leader that doesn't know its successor", time.Second, answer(zk1, admin.Leader, epoch5+9),
		answer(zk2, admin.Leader, epoch6), answer(zk3, follower, epoch6))
	s.round("servers on one host", time.Second, leads("h:1", epoch6, 1, 0), answer("h:2", follower, epoch6),
		answer("[::1]:3", follower, epoch6), away("/tmp"))
	s.state = State{}
	s.round("a leader that isn't named", time.Second, answer(zk2, follower, epoch6))
	s.round("nobody tells", 2*time.Second, refuses(zk1), refuses(zk2), away(zk3))
	s.heard = Heard{Leads: true, Epoch: 7}
	s.round("but a leader sends transactions", 2*time.Second, refuses(zk1), refuses(zk2), away(zk3))
	s.heard.Epoch = 8
	s.round("and then another one", 3*time.Second, refuses(zk1), refuses(zk2), away(zk3))
	s.round("which is known now", 4*time.Second, refuses(zk1), leads(zk2, 8<<32, 3, 800), away(zk3))
	s.round("and is out of reach again", 5*time.Second, refuses(zk1), away(zk2), away(zk3))
	s.heard = Heard{}
	s.round("one looks, and one doesn't tell", 3*time.Second, answer(zk1, Looking, 0), refuses(zk2))
	s.round("requests wait", 4*time.Second, func() Answer {
		a := leads(zk1, epoch6+1, 1, 0)
		a.Status.Outstanding = 7
		return a
	}())
	golden.Compare(t, "testdata/story.txt", s.text.String())
}

// TestOwnSessions checks that the line says that zkviz's own sessions are among those that it counts.
func TestOwnSessions(t *testing.T) {
	s := tell(t)
	s.round("all serve", 0, leads(zk1, 5<<32, 2, 7000))
	s.state.Own = 1
	if got := s.words(s.state.Says()); !strings.Contains(got, " · 2 sessions (with zkviz's own) · ") {
		t.Errorf("it says %s", got)
	}
}

// TestHostile folds answers that lie. Sums and times stay within bounds, and nothing panics.
func TestHostile(t *testing.T) {
	const most = 1<<63 - 1
	s := tell(t)
	for _, z := range []int64{most, -most - 1, -1, 0, 1} {
		for _, uptime := range []int64{most, 0, 1} {
			a, b := leads(zk1, z, most, uptime), answer(zk2, follower, most)
			a.Status.Connections, b.Status.Connections = most, most
			a.Status.Outstanding, b.Status.Outstanding = most, most
			s.round("lies", time.Second, a, behind(b, z), behind(a, 1))
			if st := &s.state; st.Connections > 1<<42 || st.Outstanding > 1<<42 || st.LeaderSince.MS <= 0 || st.Epoch < 0 {
				t.Errorf("zxid %x, uptime %d: %+v", z, uptime, st)
			}
			for i := range s.state.Servers {
				if s.state.Servers[i].Behind < 0 {
					t.Errorf("zxid %x: it is behind by %d", z, s.state.Servers[i].Behind)
				}
			}
		}
	}
}

// TestChangesAreLimited checks that a State remembers only the last changes, and counts all.
func TestChangesAreLimited(t *testing.T) {
	var s State
	for i := range int64(100) {
		s = Fold(s, []Answer{answer(zk1, admin.Leader, (i+1)<<32)}, Heard{}, startMS+i)
	}
	if got := s.After(97); len(s.Changes) != maxChanges || s.Last() != 99 || len(got) != 2 || got[0].Number != 98 {
		t.Errorf("it has %d changes, the last %d, and after 97: %+v", len(s.Changes), s.Last(), got)
	}
}
