package lessons_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/lessons"
)

// TestMeasuresTheSlowWay computes measures a second time, on the run of every lesson, with the faults that solve
// its challenges, and with others.
func TestMeasuresTheSlowWay(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for _, faults := range faultsFor(t, l) {
			r, err := l.Read(simulate(t, with(l.Scenario, faults...)))
			if err != nil {
				t.Fatal(err)
			}
			for name, slow := range slowMeasures {
				for _, arg := range arguments(name, r) {
					measure := strings.TrimSuffix(name+"/"+arg, "/")
					if got, want := valueIn(t, r, measure), slow(slowLog{r.Log}, arg); got != want {
						t.Errorf("%s with %v: %s is %s, and the slow way %s", l.Slug, faults, measure, got, want)
					}
				}
			}
		}
	}
}

// faultsFor returns the faults that solve a lesson's challenges, and faults of all kinds on all its clients.
func faultsFor(t *testing.T, l *lessons.Lesson) [][]fault.Fault {
	t.Helper()
	written := [][]string{
		{},
		{"crash client-1 at 9s", "cut client-2 at 15s for 14s"},
		{"pause client-1 at 8s for 13s", "drop client-2 at 4s"},
		{"expire client-2 at 6s", "drop client-1 at 7s"},
	}
	for _, s := range l.Steps {
		if s.Challenge != nil {
			written = append(written, s.Challenge.Solution)
		}
	}
	all := make([][]fault.Fault, len(written))
	for i, texts := range written {
		for _, text := range texts {
			if f := parsed(t, text); possible(l.Scenario, f) {
				all[i] = append(all[i], f)
			}
		}
	}
	return all
}

// arguments returns a measure's arguments for a run: nothing, its clients' numbers, or its znodes' names.
func arguments(name string, r *lessons.Run) []string {
	kinds := lessons.Measures()[name]
	if len(kinds) == 0 {
		return []string{""}
	}
	var out []string
	if kinds[0] == "text" {
		for _, arg := range znodes(r) {
			out = append(out, arg[1:])
		}
		return out
	}
	for n := range r.Log.Header.Clients {
		out = append(out, strconv.Itoa(n+1))
	}
	return out
}

// slowLog answers the measures' questions by looking through the whole log each time.
type slowLog struct{ *event.Log }

// who returns the client that the event is about.
func who(e event.Event) event.Actor {
	if e.Actor == event.ZooKeeper || strings.HasPrefix(e.Actor.String(), "node-") {
		return e.Peer
	}
	return e.Actor
}

// lines returns the places of events with this text: a kind, a space, and the event's text.
func (l slowLog) lines(from int, written ...string) (at []int) {
	for i := max(from, 0); i < len(l.Events); i++ {
		e := l.Events[i]
		if slices.Contains(written, e.Kind.String()) || slices.Contains(written, e.Kind.String()+" "+e.Text) {
			at = append(at, i)
		}
	}
	return at
}

// of keeps the places about a client, by its number as written.
func (l slowLog) of(client string, at []int) (out []int) {
	for _, i := range at {
		if fmt.Sprint(int(who(l.Events[i]))) == client {
			out = append(out, i)
		}
	}
	return out
}

// ending keeps the places whose path ends in path.
func (l slowLog) ending(path string, at []int) (out []int) {
	for _, i := range at {
		if strings.HasSuffix(l.Events[i].Path, path) {
			out = append(out, i)
		}
	}
	return out
}

// made returns the znodes that clients made.
func (l slowLog) made(name string) (out []int) {
	for _, i := range l.ending(name, l.lines(0, "znode.created")) {
		if l.Events[i].Peer != 0 {
			out = append(out, i)
		}
	}
	return out
}

// believing lists the reports of clients that believe they are inside.
func believing() []string {
	return []string{"recipe.phase holding", "recipe.phase leading", "recipe.phase reading", "recipe.phase writing"}
}

func (l slowLog) gotIn(from int) []int {
	return l.lines(from, append(believing(), "recipe.phase began", "recipe.phase consumed", "recipe.phase passed",
		"recipe.phase named", "recipe.phase counted", "recipe.phase saw")...)
}

// name returns the name of the client that an event is about.
func (l slowLog) name(i int) string {
	if n := who(l.Events[i]); n > 0 {
		return " ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n : n+1]
	}
	return none
}

// maker returns the client that first made a znode.
func (l slowLog) maker(path string) string {
	for _, i := range l.lines(0, "znode.created") {
		if l.Events[i].Path == path {
			return l.name(i)
		}
	}
	return none
}

// told counts the watch events that an event caused.
func (l slowLog) told(i int) (n int) {
	for _, d := range l.lines(0, "watch.delivered") {
		for _, f := range l.lines(0, "watch.fired") {
			if l.Events[d].Cause == l.Events[f].Seq && l.Events[f].Cause == l.Events[i].Seq {
				n++
			}
		}
	}
	return n
}

// twice counts the things that such reports mention more than once.
func (l slowLog) twice(written string, thing func(e event.Event) string) string {
	times := map[string]int{}
	for _, i := range l.lines(0, written) {
		times[thing(l.Events[i])]++
	}
	n := 0
	for _, k := range times {
		if k > 1 {
			n++
		}
	}
	return strconv.Itoa(n)
}

// inside returns how many clients believe at a place in the log that they are inside, or are inside.
func (l slowLog) inside(at int, ended ...string) (n int) {
	for client := range l.Header.Clients {
		said := append([]string{"recipe.phase", "client.crashed", "client.exited"}, ended...)
		last := l.of(strconv.Itoa(client+1), l.lines(0, said...)[:l.before(at, said)])
		if len(last) > 0 && slices.Contains(believing(), "recipe.phase "+l.Events[last[len(last)-1]].Text) {
			n++
		}
	}
	return n
}

// before counts the events with this text up to a place.
func (l slowLog) before(at int, written []string) int {
	return len(slices.DeleteFunc(l.lines(0, written...), func(i int) bool { return i > at }))
}

func (l slowLog) most(ended ...string) string {
	most := 0
	for _, i := range l.lines(0, believing()...) {
		most = max(most, l.inside(i, ended...))
	}
	return strconv.Itoa(most)
}

// firstOr returns f of the first place, or none.
func firstOr(at []int, f func(i int) string) string {
	if len(at) == 0 {
		return none
	}
	return f(at[0])
}

// firstReason returns the reason of the event at the first place, or that it never came.
func (l slowLog) firstReason(at []int) string {
	if len(at) == 0 {
		return "never"
	}
	return l.Events[at[0]].Reason.String()
}

func (l slowLog) number(at []int) string { return strconv.Itoa(len(at)) }

func (l slowLog) refused(op string) string {
	n := 0
	for _, i := range l.lines(0, "txn.applied") {
		if l.Events[i].Op.String() == op && l.Events[i].Code != 0 {
			n++
		}
	}
	return strconv.Itoa(n)
}

var slowMeasures = map[string]func(l slowLog, arg string) string{
	"failed-creates": func(l slowLog, _ string) string { return l.refused("create") },
	"failed-deletes": func(l slowLog, _ string) string { return l.refused("delete") },
	"failed-sets":    func(l slowLog, _ string) string { return l.refused("set") },
	"worked-off":     func(l slowLog, _ string) string { return l.number(l.lines(0, "recipe.phase done")) },
	"published":      func(l slowLog, _ string) string { return l.number(l.lines(0, "recipe.phase published")) },
	"stores-refused": func(l slowLog, _ string) string { return l.number(l.lines(0, "store.refused")) },
	"saw":            func(l slowLog, a string) string { return l.number(l.of(a, l.lines(0, "recipe.phase saw"))) },
	"polls":          func(l slowLog, _ string) string { return l.number(l.lines(0, "try.failed")) },
	"watches-set":    func(l slowLog, _ string) string { return l.number(l.lines(0, "watch.set")) },
	"taken-twice": func(l slowLog, _ string) string {
		return l.twice("recipe.phase consumed", func(e event.Event) string { return e.Path })
	},
	"counted-twice": func(l slowLog, _ string) string {
		return l.twice("recipe.phase counted", func(e event.Event) string { return strconv.FormatInt(e.N, 10) })
	},
	"most-believing": func(l slowLog, _ string) string { return l.most() },
	"most-inside":    func(l slowLog, _ string) string { return l.most("session.expired", "session.closed") },
	"holder": func(l slowLog, a string) string {
		n, _ := strconv.Atoi(a)
		in := l.gotIn(0)
		return firstOr(in[min(n-1, len(in)):], l.name)
	},
	"hears": func(l slowLog, a string) string {
		if len(l.of(a, l.lines(0, "watch.delivered"))) > 0 {
			return "yes"
		}
		return "no"
	},
	"watched-by": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "watch.set")), func(i int) string {
			if l.Events[i].Path == l.Header.Root {
				return "root"
			}
			return l.maker(l.Events[i].Path)
		})
	},
	"waits-for": func(l slowLog, a string) string {
		set := l.of(a, l.lines(0, "watch.set"))
		slices.Reverse(set)
		return firstOr(set, func(i int) string { return l.maker(l.Events[i].Path) })
	},
	"creator": func(l slowLog, a string) string { return firstOr(l.made(a), l.name) },
	"told-of": func(l slowLog, a string) string {
		return firstOr(l.made(a), func(i int) string { return strconv.Itoa(l.told(i)) })
	},
	"told-before": func(l slowLog, a string) string {
		return firstOr(l.made(a), func(i int) string { return strconv.Itoa(l.before(i, []string{"watch.delivered"})) })
	},
	"told-of-end": func(l slowLog, a string) string {
		return firstOr(l.ending(a, l.lines(0, "znode.deleted")), func(i int) string { return strconv.Itoa(l.told(i)) })
	},
	"told-of-change": func(l slowLog, a string) string {
		n, _ := strconv.Atoi(a)
		changes := l.lines(0, "znode.changed")
		return firstOr(changes[min(n-1, len(changes)):], func(i int) string { return strconv.Itoa(l.told(i)) })
	},
	"stays": func(l slowLog, a string) string {
		return firstOr(l.made(a), func(i int) string {
			for _, d := range l.lines(i, "znode.deleted") {
				if l.Events[d].Path == l.Events[i].Path {
					return "no"
				}
			}
			return "yes"
		})
	},
	"why-gone": func(l slowLog, a string) string {
		n, _ := strconv.Atoi(a)
		own := func(i int) bool { return l.maker(l.Events[i].Path) != string(rune('@'+n)) }
		gone := slices.DeleteFunc(l.lines(0, "znode.deleted"), own)
		return firstOr(gone, func(i int) string { return l.Events[i].Reason.String() })
	},
	"in-after": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "recipe.phase released")), func(i int) string {
			next := append(l.gotIn(i), l.lines(i, "session.expired")...)
			if len(next) == 0 || l.Events[slices.Min(next)].Kind == event.SessionExpired {
				return "nobody"
			}
			return l.name(slices.Min(next))
		})
	},
	"comes-back": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "conn.closed")), func(i int) string {
			return firstOr(l.of(a, l.lines(i, "conn.opened", "session.expired")), func(j int) string {
				if l.Events[j].Kind == event.ConnOpened {
					return "yes"
				}
				return "no"
			})
		})
	},
	"knows-when-expired": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "session.expired")), func(i int) string {
			return firstOr(l.of(a, l.lines(i, "recipe.phase lost")), func(lost int) string {
				return firstOr(l.gotIn(i), func(in int) string {
					if l.Events[lost].At < l.Events[in].At {
						return "yes"
					}
					return "no"
				})
			})
		})
	},
	"why-removed": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "entry.set")), func(set int) string {
			at := l.ending(l.Events[set].Path, l.lines(set, "entry.gone"))
			elsewhere := func(i int) bool { return l.Events[i].Actor != l.Events[set].Actor }
			return l.firstReason(slices.DeleteFunc(at, elsewhere))
		})
	},
	"why-freed": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "lock.taken")), func(taken int) string {
			return l.firstReason(l.of(a, l.ending(l.Events[taken].Path, l.lines(taken, "lock.freed"))))
		})
	},
	"reports-when-resumed": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "client.resumed")), func(resumed int) string {
			return firstOr(l.of(a, l.lines(resumed, "recipe.phase")), func(i int) string { return l.Events[i].Text })
		})
	},
	"in-while-paused": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "client.paused")), func(paused int) string {
			return firstOr(l.of(a, l.lines(paused, "client.resumed")), func(resumed int) string {
				in, stops := l.gotIn(paused), l.lines(paused, "server.stopped")
				if len(in) == 0 || in[0] > resumed || len(stops) > 0 && in[0] > stops[0] {
					return "nobody"
				}
				return l.name(in[0])
			})
		})
	},
	"number-of": func(l slowLog, a string) string {
		set := l.ending(a, l.lines(0, "entry.set"))
		slices.Reverse(set)
		return firstOr(set, func(i int) string {
			return strings.TrimPrefix(strings.Split(l.Events[i].Text, ",")[0], "n=")
		})
	},
	"deletes": func(l slowLog, a string) string {
		return firstOr(l.of(a, l.lines(0, "entry.gone")), func(gone int) string {
			set := l.ending(l.Events[gone].Path, l.lines(0, "entry.set"))
			return l.name(slices.Max(slices.DeleteFunc(set, func(i int) bool { return i > gone })))
		})
	},
	"left-early": func(l slowLog, _ string) string {
		n := 0
		for _, i := range l.lines(0, "recipe.phase left") {
			for client := range l.Header.Clients {
				said := l.lines(0, "recipe.phase passed", "recipe.phase leaving", "client.crashed", "client.exited")
				said = slices.DeleteFunc(l.of(strconv.Itoa(client+1), said), func(j int) bool { return j > i })
				if len(said) > 0 && l.Events[said[len(said)-1]].Text == "passed" {
					n++
					break
				}
			}
		}
		return strconv.Itoa(n)
	},
	"passed-before-last": func(l slowLog, _ string) string {
		n := 0
		for _, i := range l.lines(0, "recipe.phase passed") {
			for client := range l.Header.Clients {
				if made := l.of(strconv.Itoa(client+1), l.made("")); len(made) == 0 || made[0] > i {
					n++
					break
				}
			}
		}
		return strconv.Itoa(n)
	},
}
