package lessons_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/recipes"
	words "github.com/zkviz/zkviz/static/strings"
)

const saidWhy = "challenge.why."

// TestGoldenReasons interferes with runs of all recipes by faults of every kind. What is said about every
// kept rule that a task may ask for must be true; testdata/why.txt lists the reasons given for each rule and kind.
func TestGoldenReasons(t *testing.T) {
	given := map[string]map[string]bool{}
	for _, r := range recipes.All() {
		if !event.HasZooKeeper(r.Systems) {
			continue // no lesson is about it
		}
		calm := simulate(t, run.Scenario{Recipe: r.Name})
		for _, f := range append(disturbances(calm), fault.Fault{}) {
			for _, faults := range besides(f) {
				log := simulate(t, run.Scenario{Recipe: r.Name, Faults: faults})
				broken := brokenIn(log, askable(r))
				for _, rule := range askable(r) {
					if broken[rule] {
						continue
					}
					key := strings.TrimPrefix(challenge.Task{Rule: rule}.Why(logged{log}, f).Key, saidWhy)
					switch says, ok := truths[key]; {
					case !ok:
						t.Fatalf("truths has no row that says when %q is true", key)
					case !says(struck{log.Events, f}):
						t.Errorf("%s, %s, %s: it isn't so that %q", r.Name, rule, faults, key)
					}
					row := rule + " " + f.Kind.String()
					if given[row] == nil {
						given[row] = map[string]bool{}
					}
					given[row][key] = true
				}
			}
		}
	}
	var b strings.Builder
	for _, row := range slices.Sorted(maps.Keys(given)) {
		fmt.Fprintf(&b, "%s: %s\n", row, strings.Join(slices.Sorted(maps.Keys(given[row])), " "))
	}
	golden.Compare(t, "testdata/why.txt", b.String())
}

// TestReasonsOfServers does the same with faults on an ensemble's servers.
func TestReasonsOfServers(t *testing.T) {
	said := map[string]bool{}
	for _, text := range []string{"crash server-1", "crash server-3", "restart server-2 for 1s", "restart server-3 for 4s",
		"pause server-1 for 2s", "pause server-3 for 40s", "power server-3 for 2s", "slow server-2 for 2s",
		"partition server-3 | server-1 server-2 for 30s", "jump server by -1s", "jump server-2 by 1s",
		"cut client-2 from server-3 for 5s", "cut client-2 from server-1 for 5s"} {
		f, err := fault.Parse(fault.WithTime(text, 2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		for _, more := range []string{"", "crash server-2 at 2100ms"} {
			s := run.Scenario{Recipe: "predecessor-lock", Servers: 3, Faults: []fault.Fault{f}}
			if more != "" {
				second, _ := fault.Parse(more)
				s.Faults = append(s.Faults, second)
			}
			log := simulate(t, s)
			key := strings.TrimPrefix(challenge.Task{Rule: promise.Order}.Why(logged{log}, f).Key, saidWhy)
			if says, ok := truths[key]; !ok || !says(struck{log.Events, f}) {
				t.Errorf("%s, then %q: it isn't so that %q", f, more, key)
			}
			said[key] = true
		}
	}
	for _, key := range []string{"still-led", "led-again", "leaderless", "clock"} {
		if !said[key] {
			t.Errorf("nothing here has %q said of it", key)
		}
	}
}

// TestReasonsOfMessages does the same with faults on each message of a client.
func TestReasonsOfMessages(t *testing.T) {
	said := map[string]bool{}
	for _, name := range []string{"predecessor-lock", "unique-lock"} {
		r, _ := recipe.Find(name)
		for _, f := range onMessages(simulate(t, run.Scenario{Recipe: name})) {
			log := simulate(t, run.Scenario{Recipe: name, Faults: []fault.Fault{f}})
			broken := brokenIn(log, askable(r))
			for _, rule := range askable(r) {
				key := strings.TrimPrefix(challenge.Task{Rule: rule}.Why(logged{log}, f).Key, saidWhy)
				its := f
				its.Client = int(f.Message.Client())
				if says, ok := truths[key]; !broken[rule] && (!ok || !says(struck{log.Events, its})) {
					t.Errorf("%s, %s, %s: it isn't so that %q", name, rule, f, key)
				}
				said[key] = true
			}
		}
	}
	for _, key := range []string{"again", "late", "kept"} {
		if !said[key] {
			t.Errorf("nothing here has %q said of it", key)
		}
	}
}

// onMessages returns faults on all messages of the second client, each while it's on its way.
func onMessages(calm *event.Log) (list []fault.Fault) {
	count := map[fault.Message]int{}
	for _, e := range calm.Events {
		m, ok := fault.Of(e)
		if !ok || m.Client() != 2 {
			continue
		}
		count[m]++
		m.Nth = count[m]
		for _, k := range fault.ToMessages() {
			f := fault.Fault{Kind: k, At: e.At + time.Duration(e.N)/2, Message: m}
			if k.Lasts() {
				f.For = 500 * time.Millisecond
			}
			list = append(list, f)
		}
	}
	return list
}

// besides returns the faults of runs with this one: alone, and where another client loses its session soon after.
func besides(f fault.Fault) [][]fault.Fault {
	if f.Kind == 0 {
		return [][]fault.Fault{nil}
	}
	return [][]fault.Fault{{f}, {f, {Kind: fault.Expire, Client: 1, At: f.At + 50*time.Millisecond}}}
}

// brokenIn returns the rules that a run broke, and its feats.
func brokenIn(log *event.Log, rules []string) map[string]bool {
	c := check.New(slices.DeleteFunc(rules, challenge.IsFeat), log.Header)
	for _, e := range log.Events {
		c.Append(e)
	}
	broken := map[string]bool{}
	for _, v := range c.Report().Violations {
		broken[v.Rule] = true
	}
	for _, f := range challenge.Feats(logged{log}) {
		broken[f.Name] = true
	}
	return broken
}

// askable returns the rules that a task with the recipe may ask to break, and the feats.
func askable(r recipe.Recipe) []string {
	feats := []string{challenge.GoneAlive, challenge.BegunTwice, challenge.Skipped, challenge.GaveUp}
	if r.Kind == recipe.Pitfall {
		return slices.Concat(r.Promises, r.Limits, feats)
	}
	return slices.Concat(r.Limits, feats)
}

// disturbances returns faults of all kinds in the middle of a run, with a short and a long one of those that last:
// while the second client is inside, or has got what it came for, and while it is still on its way there.
func disturbances(calm *event.Log) (list []fault.Fault) {
	middle := calm.Events[len(calm.Events)-1].At / 3
	for _, e := range calm.Events {
		if e.Kind == event.RecipePhase && e.Actor == 2 && program.Phase(e.Text).Gets() {
			middle = e.At
			break
		}
	}
	for _, at := range []time.Duration{middle * 3 / 4, middle + 100*time.Millisecond} {
		list = append(list, faultsOn(2, at, 2*time.Second, 30*time.Second)...)
	}
	return list
}

// faultsOn returns faults of every kind on a client, or on the server; those that last come once with each length.
func faultsOn(client int, at time.Duration, lengths ...time.Duration) (list []fault.Fault) {
	for _, k := range fault.Kinds() {
		f := fault.Fault{Kind: k, Client: client, At: at.Truncate(time.Millisecond)}
		if k.Target() == fault.ToServer {
			f.Client = fault.Server
		}
		if !k.Lasts() {
			list = append(list, f)
			continue
		}
		for _, f.For = range lengths {
			list = append(list, f)
		}
	}
	return list
}

// struck is a log with a fault. It checks what is said about the fault in another way than the reasons are found.
type struck struct {
	events []event.Event
	f      fault.Fault
}

// before and after report whether there is such an event before the fault, and after it.
func (s struck) before(is func(event.Event) bool) bool {
	return slices.ContainsFunc(s.events[:s.at()], is)
}
func (s struck) after(is func(event.Event) bool) bool {
	return slices.ContainsFunc(s.events[s.at():], is)
}

func (s struck) at() int {
	i := slices.IndexFunc(s.events, func(e event.Event) bool {
		return e.Kind == event.FaultInjected && e.Text == s.f.String()
	})
	if i < 0 {
		return len(s.events)
	}
	return i
}

func (s struck) its(k event.Kind) func(event.Event) bool {
	who := event.Actor(s.f.Client)
	return func(e event.Event) bool {
		return e.Kind == k && (e.Actor == who || e.Actor == event.ZooKeeper && e.Peer == who)
	}
}

func (s struck) ofOthers(k event.Kind) func(event.Event) bool {
	its := s.its(k)
	return func(e event.Event) bool { return e.Kind == k && !its(e) }
}

func (s struck) expired() bool  { return s.after(s.its(event.SessionExpired)) }
func (s struck) dead() bool     { return s.after(s.its(event.ClientCrashed)) }
func (s struck) survived() bool { return !s.expired() }

func (s struck) unconnected() bool {
	return !s.before(s.its(event.ConnOpened)) || s.before(s.its(event.SessionClosed))
}

// taken reports whether the end of the client's session deleted one of its znodes.
func (s struck) taken() bool {
	its := s.its(event.ZnodeDeleted)
	return s.after(func(e event.Event) bool { return its(e) && e.Reason == event.BySessionExpired })
}

// inside reports whether the client's last report before the fault said that it was inside.
func (s struck) inside() bool { return s.phase().Inside() }

// waiting reports whether it said that it waited.
func (s struck) waiting() bool { return s.phase() == program.Waiting }

// phase returns the client's last report before the fault.
func (s struck) phase() (last program.Phase) {
	its := s.its(event.RecipePhase)
	for _, e := range s.events[:s.at()] {
		if its(e) {
			last = program.Phase(e.Text)
		}
	}
	return last
}

// went reports whether somebody else reported anything after the session's end.
func (s struck) went() bool {
	i := slices.IndexFunc(s.events, s.its(event.SessionExpired))
	others := s.ofOthers(event.RecipePhase)
	return i >= 0 && slices.ContainsFunc(s.events[i:], func(e event.Event) bool {
		return others(e) && e.Text != string(program.Lost) && e.Text != string(program.GaveUp)
	})
}

// leaderGone and leads are about an ensemble's servers. In all of these runs the highest one leads at first.
func leaderGone(e event.Event) bool {
	return e.Actor == event.Server(3) && (e.Kind == event.LeaderLost || e.Kind == event.ServerStopped)
}

func leads(e event.Event) bool { return e.Kind == event.LeaderActivated }

func gaveUp(e event.Event) bool {
	return e.Kind == event.RecipePhase && e.Text == string(program.GaveUp)
}

func (s struck) nobodyGaveUp() bool { return !slices.ContainsFunc(s.events, gaveUp) }

func (s struck) writing() bool {
	its := s.its(event.OpSent)
	done := s.its(event.OpDone)
	open := 0
	for _, e := range s.events[:s.at()] {
		switch write := e.Op == event.Create || e.Op == event.Set || e.Op == event.Delete || e.Op == event.Multi; {
		case write && its(e):
			open++
		case write && done(e):
			open--
		}
	}
	return open > 0
}

// truths lists what must be true where a reason is given.
var truths = map[string]func(struck) bool{
	"nothing": func(s struck) bool {
		return !s.before(func(e event.Event) bool { return e.Kind == event.FaultInjected })
	},
	"too-late": func(s struck) bool { return s.at() == len(s.events) },
	"home":     func(s struck) bool { return s.before(s.its(event.ClientExited)) },
	"restarted": func(s struck) bool {
		return s.after(s.its(event.ServerStarted)) && !s.after(s.ofOthers(event.SessionExpired))
	},
	"restored": func(s struck) bool { return s.after(s.its(event.ServerStopped)) },

	"clock":     func(s struck) bool { return s.after(func(e event.Event) bool { return e.Kind == event.ClockJumped }) },
	"still-led": func(s struck) bool { return !s.after(leaderGone) && !s.after(leads) },
	"led-again": func(s struck) bool { return s.after(leads) },
	"kept-by-one": func(s struck) bool {
		return s.after(func(e event.Event) bool {
			return e.Kind == event.TxnApplied && e.Op == event.Create && e.Code == 0 && e.Actor == event.ZooKeeper
		})
	},
	"leaderless": func(s struck) bool { return s.after(leaderGone) && !s.after(leads) },

	"dead": struck.dead, "crashed": struck.dead, "sees-nothing": struck.dead, "writes-nothing": struck.dead,
	"never-in": func(s struck) bool { return s.dead() && !s.inside() },

	"no-session":     struck.unconnected,
	"idle":           func(s struck) bool { return !s.writing() },
	"outside":        func(s struck) bool { return !s.inside() },
	"waiting":        struck.waiting,
	"waiting-writes": struck.waiting,
	"no-late-write":  func(s struck) bool { return !s.inside() },
	"not-at-work":    func(s struck) bool { return !s.dead() },
	"had-its-turn":   struck.inside,
	"nobody-gave-up": struck.nobodyGaveUp,
	"patient":        struck.nobodyGaveUp,
	"one-at-a-time":  struck.alwaysNext,

	"outlived.pause": func(s struck) bool { return s.f.Kind == fault.Pause && s.survived() },
	"outlived.cut":   func(s struck) bool { return s.f.Kind == fault.Cut && s.survived() },
	"no-reply":       func(s struck) bool { return s.survived() && !s.after(s.its(event.MsgDropped)) },
	"again":          func(s struck) bool { return s.survived() && s.after(s.its(event.ConnOpened)) },
	"late":           struck.survived,
	"kept":           struck.survived,

	"told":       func(s struck) bool { return s.expired() && !s.dead() },
	"place-gone": func(s struck) bool { return s.taken() && !s.after(s.ofOthers(event.SessionExpired)) },
	"unwatched":  func(s struck) bool { return s.taken() },
	"bare":       func(s struck) bool { return s.expired() && !s.taken() },
	"cleared":    func(s struck) bool { return s.taken() && s.went() },
	"went-on":    func(s struck) bool { return s.expired() && !s.taken() && s.went() },
	"last":       func(s struck) bool { return s.expired() && !s.went() },
}

// alwaysNext reports whether what the client saw rose by at most one at a time.
func (s struck) alwaysNext() bool {
	its, last := s.its(event.RecipePhase), map[string]int64{}
	for _, e := range s.events {
		if !its(e) || e.Text != string(program.Saw) {
			continue
		}
		if was, ok := last[e.Path]; ok && e.N > was+1 {
			return false
		}
		last[e.Path] = e.N
	}
	return true
}

// A reason is one plain sentence.
func TestReasonsAreShort(t *testing.T) {
	args := make([]sentence.Arg, 3)
	for i := range args {
		args[i] = sentence.Text("A")
	}
	voice := sentence.Voice{Say: words.English().Say, Client: event.Actor.Letter}
	others := []string{"already-dead", "so-far", "still-waiting", "not-mended"} // of tries that other tests cover
	for _, key := range slices.AppendSeq(others, maps.Keys(truths)) {
		said := voice.Says(sentence.Sentence{Key: saidWhy + key, Args: args})
		if n := len(strings.Fields(said)); n < 5 || n > 25 || strings.Count(said, ".") != 1 || !strings.HasSuffix(said, ".") {
			t.Errorf("%s: %q is not one sentence of at most 25 words", key, said)
		}
	}
}
