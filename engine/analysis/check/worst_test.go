package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// worst makes for each rule a log of about n events, with many of whatever the rule searches, and further ones for
// what all rules share.
var worst = map[string]func(n int) []event.Event{
	promise.TruthExclusion: func(n int) []event.Event {
		return in(many(n/2, program.Holding), turns(n/2, program.Holding))
	},
	promise.BeliefExclusion: func(n int) []event.Event { return in(many(n/2, program.Holding), times(n/2, expired)) },
	promise.Capacity2:       func(n int) []event.Event { return in(many(n/2, program.Leading), times(n/2, robbed)) },
	promise.ReadersWriters: func(n int) []event.Event {
		return in(many(n/2, program.Reading), turns(n/2, program.Reading))
	},
	promise.Fenced: func(n int) []event.Event {
		return in(times(n/3, item), times(n/3, says(program.Holding)), times(n/3, stores))
	},
	promise.Order:     func(n int) []event.Event { return in(times(n, says(program.Holding))) },
	promise.Progress:  func(n int) []event.Event { return in(many(n/2, program.Waiting), times(n/2, asks), end) },
	promise.OneWakeup: func(n int) []event.Event { return in(times(n/3, removed), times(n/3, woken), times(n/3, told)) },
	promise.Clean:     func(n int) []event.Event { return in(times(n/2, item), times(n/2, removed), end) },
	promise.Once: func(n int) []event.Event {
		return in(times(n/3, says(program.Produced)), times(n/3, removed), times(n/3, says(program.Consumed)))
	},
	promise.AtMostOnce: func(n int) []event.Event {
		return in(times(n/2, removed), times(n/2, says(program.Consumed)))
	},
	promise.ServedInOrder: queue,
	promise.UrgentFirst:   queue,
	promise.EarliestFirst: queue,
	promise.NotBeforeDue:  func(n int) []event.Event { return in(times(n, says(program.Consumed))) },
	promise.AllDone:       errands,
	promise.OneWorker:     func(n int) []event.Event { return in(times(n/2, tasks), times(n/2, tasks)) },
	promise.Barrier: func(n int) []event.Event {
		return in(many(n, program.Waiting), turns(n/2, program.Passed), end)
	},
	promise.Together: func(n int) []event.Event {
		return in(many(n, program.Passed), many(n, program.Leaving), turns(n/2, program.Left), end)
	},
	promise.Unique: func(n int) []event.Event { return in(times(n, says(program.Counted))) },
	promise.Current: func(n int) []event.Event {
		return in(many(n/3, program.Saw), times(n/3, item), times(n/3, says(program.Saw)), end)
	},
	promise.Newest:   announcements,
	promise.CaughtUp: announcements,
	promise.NoLostUpdate: func(n int) []event.Event {
		began := times(1, func(int) event.Event {
			return event.Event{Kind: event.TxBegan, Actor: event.Node(1), Peer: 2, Session: 7}
		})
		committed := times(1, func(int) event.Event {
			return event.Event{Kind: event.TxEnded, Actor: event.Node(1), Peer: 2, Session: 7, Reason: event.ByCommit}
		})
		return in(times(n/4, sees), began, times(n/4, writesRows), committed, times(n/4, sees), times(n/4, sameRow))
	},
	promise.Agreed: func(n int) []event.Event {
		return in(times(n/2, says(program.Committed)),
			times(n/2, says(program.Committed)))
	},
	promise.EveryMessage: topic,
	promise.VotesKept:    ballots,
	promise.Announced: func(n int) []event.Event {
		return in(times(n/2, named), many(n/2, program.Leading),
			times(n/2, leads))
	},
	promise.MembershipTrue: func(n int) []event.Event {
		return in(times(n/3, glances), times(n/3, item), times(n/3, sees))
	},
	promise.NoOvertaking: func(n int) []event.Event {
		return in(times(n/2, says(program.Writing)),
			times(n/2, says(program.Reading)))
	},
	promise.GivesUpInTime: func(n int) []event.Event { return in(many(n/2, program.Waiting), times(n/2, asks)) },
	promise.RevokedInTime: func(n int) []event.Event { return in(times(n/2, says(program.Holding)), times(n/2, changed)) },

	"capacity-1":          func(n int) []event.Event { return in(many(n/2, program.Holding), times(n/2, answered)) },
	"every-message, late": late, // a live host hears of them after they were read
	"once, much taken":    func(n int) []event.Event { return in(times(n, says(program.Consumed)), times(1, removed)) },
	"together, back and forth": func(n int) []event.Event {
		return in(many(n/3, program.Passed), times(n/3, passes),
			times(n/3, dies))
	},
	"truth-exclusion, at nodes": func(n int) []event.Event {
		return in(times(n/4, keys), many(n/4, program.Holding), times(n/4, keys), times(n/8, roles), times(n/8, locks))
	},
	"capacity-9999, with ends": func(n int) []event.Event {
		return in(times(n/4, keys), many(n/4, program.Holding), times(n/2, prolonged))
	},
	"truth-exclusion, by most of many": func(n int) []event.Event {
		return in(times(901, majority), times(n/6, func(i int) event.Event {
			if i%2 == 0 {
				return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Holding), Path: "/r/own"}
			}
			return majority(i)
		}))
	},
	"fenced, at nodes": func(n int) []event.Event {
		return in(times(n/3, keys), many(n/3, program.Holding), times(n/3, stores))
	},
	"clean, at nodes":        func(n int) []event.Event { return in(times(n/2, keys), times(n/2, locks), end) },
	"clean, of transactions": func(n int) []event.Event { return in(times(n, begun), end) },
	"order, in lines": func(n int) []event.Event {
		return in(times(n/3, keptWaiting), times(n/3, stopped), times(n/6, keptWaiting), times(n/6, servedLast))
	},
	"once, at nodes":       func(n int) []event.Event { return in(times(n/2, keys), times(n/2, keysGone), end) },
	"all-done, at nodes":   func(n int) []event.Event { return in(times(n/2, sameRow), times(n/2, saidTo), end) },
	"one-wakeup, at nodes": func(n int) []event.Event { return in(times(n, served)) },
	"progress, of pollers": func(n int) []event.Event {
		return in(many(n/3, program.Waiting), times(n/3, asks), times(n/3, tries), end)
	},
	"truth-exclusion, at the end": func(n int) []event.Event {
		return in(many(n/2, program.Holding), end, times(n/4, told), times(n/4, func(int) event.Event { return end[0] }))
	},
}

// in joins parts into a log with sequence numbers.
func in(parts ...[]event.Event) (log []event.Event) {
	for _, part := range parts {
		for _, e := range part {
			e.Seq, e.Zxid, e.At = event.Seq(len(log)+1), int64(len(log)+1), time.Duration(len(log))*time.Millisecond
			log = append(log, e)
		}
	}
	return log
}

func times(n int, do func(i int) event.Event) (log []event.Event) {
	for i := range n {
		log = append(log, do(i))
	}
	return log
}

var end = []event.Event{{Kind: event.RunEnded, Reason: event.EndAllDone}}

// many returns a report of each possible client, or of n, each by its own znode.
func many(n int, p program.Phase) []event.Event {
	return times(min(n, event.MaxActor), func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: event.Actor(i + 1), Text: string(p),
			Path: fmt.Sprintf("/r/own-%010d", i)}
	})
}

// turns returns the reports of clients that enter and leave in turn.
func turns(n int, p program.Phase) []event.Event {
	return times(n, func(i int) event.Event {
		e := event.Event{Kind: event.RecipePhase, Actor: client(i / 2), Text: string(p), Path: "/r/own"}
		if i%2 == 1 {
			e.Text = string(program.Released)
		}
		return e
	})
}

func client(i int) event.Actor { return event.Actor(i%event.MaxActor + 1) }

// scattered returns a path with a number that has no neighbour, before those of smaller i.
func scattered(i int) string { return fmt.Sprintf("/r/item-%d-%010d", 1<<20-i, 1<<30-2*i) }

func says(p program.Phase) func(int) event.Event {
	return func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(p), Path: scattered(i), N: int64(1<<30 - 2*i)}
	}
}

func item(i int) event.Event {
	return event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: scattered(i), Mode: uint8(zoo.PersistentSequential)}
}

func removed(i int) event.Event {
	return event.Event{Kind: event.ZnodeDeleted, Peer: 2, Path: scattered(i), Reason: event.ByOp}
}

func changed(i int) event.Event {
	return event.Event{Kind: event.ZnodeChanged, Peer: 2, Path: scattered(i)}
}

func robbed(i int) event.Event {
	return event.Event{Kind: event.ZnodeDeleted, Peer: client(i + 1), Path: fmt.Sprintf("/r/own-%010d", i%event.MaxActor),
		Reason: event.ByOp}
}

func expired(i int) event.Event { return event.Event{Kind: event.SessionExpired, Peer: client(i)} }

func answered(i int) event.Event {
	return event.Event{Kind: event.OpDone, Actor: client(i), Op: event.Get, Path: "/r"}
}

func stores(i int) event.Event {
	return event.Event{Kind: event.StoreWritten, Actor: 1, Path: fmt.Sprintf("store %d", i)}
}

func asks(i int) event.Event {
	return event.Event{Kind: event.OpSent, Actor: client(i), Op: event.Delete, Path: scattered(i)}
}

func woken(i int) event.Event {
	return event.Event{Kind: event.WatchFired, Peer: 1, Path: scattered(i), Type: uint8(zoo.NodeDeleted),
		Cause: event.Seq(i + 1)}
}

// told delivers an event for which the client doesn't wait.
func told(i int) event.Event {
	return event.Event{Kind: event.WatchDelivered, Actor: client(i), Path: scattered(-1 - i)}
}

func tasks(i int) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Began), Path: scattered(i)}
}

func passes(i int) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Passed)}
}

// dies kills a session that has much to do, and brings it back.
func dies(i int) event.Event {
	if i%2 == 1 {
		return event.Event{Kind: event.SessionCreated, Peer: 1}
	}
	return event.Event{Kind: event.SessionExpired, Peer: 1}
}

func named(i int) event.Event {
	return event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: scattered(i), Text: "client-1"}
}

func leads(i int) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: 2, Text: string(program.Leading), Path: "/r"}
}

func glances(i int) event.Event {
	return event.Event{Kind: event.OpSent, Actor: client(i), Op: event.Children, Path: "/r"}
}

func sees(i int) event.Event {
	return event.Event{Kind: event.RecipePhase, Actor: client(i), Text: string(program.Saw), Path: "/r", N: int64(i)}
}

// keys lets each client in turn write keys at the primary, each with a distant expiry.
func keys(i int) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: client(i), N: int64(1 << 60),
		Path: fmt.Sprintf("/r/own-%010d", i%event.MaxActor)}
}

// prolonged sets their expiries, each to a near moment.
func prolonged(i int) event.Event {
	return event.Event{Kind: event.EntryExpires, Actor: event.Node(1), N: int64(time.Duration(i+3) * time.Hour),
		Path: fmt.Sprintf("/r/own-%010d", i%event.MaxActor)}
}

func locks(i int) event.Event {
	e := event.Event{Kind: event.LockTaken, Actor: event.Node(1), Peer: client(i / 2), Path: "/r/own"}
	if i%2 == 1 {
		e.Kind = event.LockFreed
	}
	return e
}

func roles(i int) event.Event {
	if i%2 == 0 {
		return event.Event{Kind: event.ClockJumped, Actor: event.Node(1), N: 1}
	}
	return event.Event{Kind: event.RolePlayed, Actor: event.Node(1), Text: event.RolePrimary}
}

// majority writes a key of one client at each of many independent nodes.
func majority(i int) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(3 + i%900), Peer: 1, Path: "/r/own", N: int64(1<<60 - i)}
}

// writesRows writes rows all in one transaction, sameRow writes one row by many clients.
func writesRows(i int) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: 2, Path: scattered(i / 2), Session: 7}
}

func sameRow(i int) event.Event {
	return event.Event{Kind: event.EntrySet, Actor: event.Node(1), Peer: client(i), Path: "/r"}
}

func served(i int) event.Event {
	return event.Event{Kind: event.RequestServed, Actor: event.Node(1), Peer: client(i), Path: "/r/own", Cause: 1}
}

func begun(i int) event.Event {
	return event.Event{Kind: event.TxBegan, Actor: event.Node(1), Peer: client(i), Session: int64(i)}
}

func keptWaiting(i int) event.Event {
	return event.Event{Kind: event.RequestWaits, Actor: event.Node(1), Peer: client(i), Path: "/r/own"}
}

func stopped(int) event.Event { return event.Event{Kind: event.ServerStopped, Actor: event.Node(2)} }

// servedLast serves from the end of the line.
func servedLast(i int) event.Event {
	e := keptWaiting(event.MaxActor - 1 - i%event.MaxActor)
	e.Kind = event.RequestServed
	return e
}

func keysGone(i int) event.Event {
	e := keys(i)
	e.Kind, e.Reason = event.EntryGone, event.ByOp
	return e
}

func saidTo(i int) event.Event {
	return event.Event{Kind: event.MsgSent, Actor: event.Node(1), Peer: client(i), Op: event.Command}
}

func tries(i int) event.Event { return event.Event{Kind: event.TryFailed, Actor: client(i)} }

// queue adds items in falling order. All the first ones are marked as being worked on; those after them then go
// from the front.
func queue(n int) []event.Event {
	marks := times(n/4, func(i int) event.Event {
		return event.Event{Kind: event.ZnodeCreated, Peer: 3, Session: 3, Path: "/marks" + scattered(n/2 - 1 - i)[2:]}
	})
	lists := times(1, func(int) event.Event {
		return event.Event{Kind: event.OpDone, Actor: 2, Op: event.Children, Path: "/r"}
	})
	takes := times(n/4, func(i int) event.Event { return removed(n/4 - 1 - i) }) // each after everything that is marked
	return in(times(n/2, item), lists, marks, takes)
}

// announcements publishes many things, and then one that many have asked for and see late.
func announcements(n int) []event.Event {
	published := func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Published), Path: "/r", N: int64(n + i)}
	}
	return in(times(n/5, says(program.Published)), times(n/5, published), times(n/5, glances), times(n/5, sees),
		times(n/5, changed))
}

// errands leaves work although many clients knew of it.
func errands(n int) []event.Event {
	knows := times(min(n/6, event.MaxActor), answered)
	goes := times(min(n/6, event.MaxActor), func(i int) event.Event {
		return event.Event{Kind: event.ClientExited,
			Actor: client(i)}
	})
	return in(times(n/2, item), knows, many(n/6, program.Consumed), goes, end)
}

// topic has many readers, and messages that nobody reads any more.
func topic(n int) []event.Event {
	reads := times(n/3, func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: client(i), Text: string(program.Saw), Path: "/r", N: 1}
	})
	return in(reads[:min(len(reads), event.MaxActor)], times(n/3, item), end)
}

// late adds messages that one reader has read before anybody hears of them, while many others have read little.
func late(n int) []event.Event {
	few := times(min(n/3, event.MaxActor-1), func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: client(i + 1), Text: string(program.Saw), Path: "/r", N: 1}
	})
	reads := times(n/3, func(i int) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Saw), Path: "/r",
			N: int64(1<<30 - 2*(n/3-1-i) + 1)}
	})
	return in(few, reads, times(n/3, item), end)
}

// ballots have decisions, by a client that has lost no answer, and few votes.
func ballots(n int) []event.Event {
	decide := times(n/2, func(i int) event.Event {
		return event.Event{Kind: event.ZnodeCreated, Peer: 1, Path: fmt.Sprintf("/tx-%d/decision", i), Text: "commit"}
	})
	loses := times(min(n/2, event.MaxActor), func(i int) event.Event {
		return event.Event{Kind: event.OpDone, Actor: client(i), Op: event.Get, Code: int32(zoo.ErrConnectionLoss)}
	})
	return in(loses, decide, end)
}

// snapshots takes snapshots again and again at a server whose leader has as many uncommitted transactions as possible.
func snapshots(n int) []event.Event {
	logs := times(min(n/3, 1900), func(i int) event.Event {
		return event.Event{Kind: event.TxnLogged, Actor: event.Server(1), Zxid: int64(i + 1), N: int64(i)}
	})
	loads := times(n/3, func(i int) event.Event {
		e := event.Event{Kind: event.SnapshotLoaded, Actor: event.Server(2), Peer: event.Server(1), Zxid: int64(n)}
		if i%2 == 1 {
			e.Kind = event.SnapshotSaved
		}
		return e
	})
	return in(logs, loads, end)
}

func judgeWorst(name string, host event.Host, log []event.Event) check.Report {
	h := event.Header{Host: host, Root: "/r"}
	for i := range 1000 {
		h.Parents, h.Keeps = append(h.Parents, fmt.Sprintf("/parent-%d", i)), append(h.Keeps, fmt.Sprintf("kept-%d", i))
	}
	if slices.Contains(promise.Invariants(), name) {
		h.Systems = []event.System{{Kind: event.ZooKeeperSystem, Servers: 3}}
	} else if slices.ContainsFunc(log, func(e event.Event) bool { return e.Actor.Kind() == event.ANode }) {
		h.Systems = []event.System{{Kind: event.RedisSystem, Servers: 2},
			{Kind: event.RedisSystem, Servers: 900, Apart: true}}
	}
	c := check.New([]string{name}, h)
	for _, e := range log {
		c.Append(e)
	}
	return c.Report()
}

// ruleOf returns the rule that a log of worst is for.
func ruleOf(name string) string {
	rule, _, _ := strings.Cut(name, ",")
	return rule
}

// TestWorstLogs judges long logs. Anything that isn't linear in their length takes minutes.
func TestWorstLogs(t *testing.T) {
	n := 90_000
	if testing.Short() {
		n /= 9
	}
	for _, rule := range promise.Rules() {
		if worst[rule] == nil && slices.Contains(promise.Invariants(), rule) {
			worst[rule] = snapshots
		}
		if worst[rule] == nil {
			t.Errorf("there is no worst log for %s", rule)
		}
	}
	for name, log := range worst {
		t.Run(name, func(t *testing.T) {
			events := log(n)
			for _, host := range []event.Host{"sim", "live"} {
				if r := judgeWorst(ruleOf(name), host, events); r.Figures.Events != len(events) {
					t.Errorf("%s: %d of %d events are counted", host, r.Figures.Events, len(events))
				}
			}
		})
	}
}

// BenchmarkWorst judges each of the worst logs at two lengths: the cost per event should stay the same.
func BenchmarkWorst(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if testing.Short() {
		sizes = []int{1_000}
	}
	for name, log := range worst {
		for _, n := range sizes {
			for _, host := range []event.Host{"sim", "live"} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, host, n), func(b *testing.B) {
					events := log(n)
					for b.Loop() {
						judgeWorst(ruleOf(name), host, events)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
				})
			}
		}
	}
}
