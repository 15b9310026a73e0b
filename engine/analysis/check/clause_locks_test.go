package check_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
)

// What ends the stay of client-1, which is inside by /l/a: its belief, or only the truth.
var (
	endsBelief = []string{
		"1 released /l/a", "1 released", "1 lost", "1 asks /l/a", "1 exited", "1 exited session expired", "1 crashed",
	}
	endsTruth = []string{
		"1 expired", "1 closed", "1 expired; 1 session", "1 deleted /l/a", "1 swept /l/a", "0 deleted /l/a",
		"0 swept-away /l/a",
	}
	// The client that removes its znode is to blame for the result, and nothing else lets anybody in.
	endsNothing = []string{
		"", "1 paused", "1 waiting /l/b", "1 gave-up", "1 asks /l/x", "1 sends-get /l/a", "1 hears-get /l/a -4",
		"1 session",
		"1 created /l/c", "1 deleted /l/x", "1 fires-deleted /l/a", "1 loses /l/a", "3 released /l/a", "3 lost",
		"3 asks /l/a",
		"3 exited", "3 crashed", "3 expired", "3 closed", "3 deleted /l/a", "3 swept /l/a",
	}
	// The same for the newcomer, client-2, before it comes.
	newcomerIsOut = []string{"2 expired", "2 closed"}
	newcomerIsIn  = []string{"2 expired; 2 session", "2 closed; 2 session", "2 paused", "2 session"}
)

func all(lists ...[]string) (list []string) {
	for _, l := range lists {
		list = append(list, l...)
	}
	return list
}

func TestExclusionClauses(t *testing.T) {
	in := []string{
		"1 holding /l/a", "1 leading /l/a", "1 holding /l/a; 1 holding /l/a", "1 holding /l/a; 1 leading /l/a",
		"1 holding",
		"1 released; 1 holding /l/a", "1 expired; 1 session; 1 holding /l/a",
	}
	out := []string{"", "1 waiting /l/a", "1 passed", "1 began /l/a", "2 holding /l/b", "0 holding /l/a"}
	shares := []string{"1 reading /l/a", "1 writing /l/a", "1 holding /l/a; 1 reading /l/a",
		"1 holding /l/a; 1 writing /l/a"}
	dead := []string{"1 expired; 1 holding /l/a", "1 closed; 1 holding /l/a"}
	enters := []string{"2 holding /l/b", "2 leading /l/b", "2 holding", "2 holding /l/a"}
	entersElse := []string{"2 reading /l/b", "2 writing /l/b", "2 waiting /l/b", "1 holding /l/a", "1 leading /l/c",
		"0 holding /l/b"}

	judgeClauses(t, promise.TruthExclusion, onSim, []clause{
		{"...\n2 holding /l/b", in, all(out, shares, dead)},
		{"1 holding /l/a\n...", enters, entersElse},
		{"1 holding /l/a\n...\n2 holding /l/b", all(endsNothing, newcomerIsIn), all(endsBelief, endsTruth,
			newcomerIsOut)},
		{"1 leading /l/a\n...\n2 leading /l/b", all(endsNothing, newcomerIsIn), all(endsBelief, endsTruth,
			newcomerIsOut)},
	})
	judgeClauses(t, promise.BeliefExclusion, onSim, []clause{
		{"...\n2 holding /l/b", all(in, dead), all(out, shares)},
		{"1 holding /l/a\n...", enters, entersElse},
		{"1 holding /l/a\n...\n2 holding /l/b", all(endsNothing, endsTruth, newcomerIsIn, newcomerIsOut), endsBelief},
		{"1 leading /l/a\n...\n2 leading /l/b", all(endsNothing, endsTruth, newcomerIsIn, newcomerIsOut), endsBelief},
	})
	judgeClauses(t, "capacity-1", onSim, []clause{
		{"...\n2 holding /l/b", in, all(out, shares, dead)},
		{"1 holding /l/a\n...", enters, entersElse},
	})
	judgeClauses(t, promise.Capacity2, onSim, []clause{
		{"3 holding /l/c\n...\n2 holding /l/b", in, all(out, shares, dead)},
		{"1 holding /l/a\n3 holding /l/c\n...\n2 holding /l/b", []string{"", "3 holding /l/c", "9 deleted /l/a"},
			all(endsBelief, endsTruth)},
		{"1 holding /l/a\n3 holding /l/c\n...\n2 holding /l/b", newcomerIsIn, newcomerIsOut},
	})
	judgeClauses(t, promise.ReadersWriters, onSim, []clause{
		{"...\n2 writing /l/b", []string{"1 reading /l/a", "1 writing /l/a", "1 writing /l/a; 1 reading /l/a"},
			all(in, out, dead)},
		{"...\n2 reading /l/b", []string{"1 writing /l/a", "1 reading /l/a; 1 writing /l/a"}, all(in, out, dead,
			[]string{
				"1 reading /l/a", "1 writing /l/a; 1 reading /l/a", "1 expired; 1 writing /l/a",
			})},
		{"1 writing /l/a\n...", []string{"2 writing /l/b", "2 reading /l/b"}, []string{"2 holding /l/b",
			"2 leading /l/b", "2 waiting /l/b"}},
		{"1 writing /l/a\n...\n2 reading /l/b", all(endsNothing, newcomerIsIn), all(endsBelief, endsTruth,
			newcomerIsOut)},
		{"1 reading /l/a\n...\n2 writing /l/b", all(endsNothing, newcomerIsIn), all(endsBelief, endsTruth,
			newcomerIsOut)},
	})
}

// TestExclusionClausesLive: a live host learns late who deleted a znode, and isn't certain whose session was alive
// until it hears from it.
func TestExclusionClausesLive(t *testing.T) {
	const proofs = "\n@5s\n1 closed\n2 closed"
	judgeClauses(t, promise.TruthExclusion, onLive, []clause{
		{"1 holding /l/a\n...\n!2 holding /l/b" + proofs,
			[]string{"", "9 fires-changed /l/a", "9 fires-deleted /l/x", "9 deleted /l/a"},
			[]string{"9 fires-deleted /l/a", "1 deleted /l/a"}},
		{"1 holding /l/a\n@1s\n!2 holding /l/b\n...", []string{
			"@2s; 1 closed; 2 closed", "@2s; 1 closed; 1 expired; 2 closed",
			"@2s; 1 sends-get /x; 1 hears-get /x; 2 closed", "@2s; 1 sends-get /x; 1 hears-get /x -101; 2 closed",
			"@2s; 1 sends-get /x; @9s; 1 hears-get /x; 1 expired; 2 closed",
		}, []string{
			"", "1 closed; 2 closed", "@2s; 1 closed", "@2s; 2 closed", "@2s; 1 expired; 2 closed",
			"@2s; 1 closed; 2 expired",
			"@2s; 1 closed; 1 closed", "@2s; 1 expired; 1 session; 1 closed; 2 closed",
			"1 sends-get /x; @2s; 1 hears-get /x; 2 closed",
			"@2s; 1 sends-get /x; 1 hears-get /x -4; 2 closed", "@2s; 1 sends-get /x; 1 hears-get /x -112; 2 closed",
			"@2s; 1 sends-get /x; 1 hears-get /x -1001; 2 closed",
			"@2s; 1 sends-get /x; 1 hears-get /x -1002; 2 closed",
		}},
	})
	judgeClauses(t, promise.ReadersWriters, onSim, []clause{
		{"1 reading /l/a\n3 reading /l/a\n...\n2 writing /l/b", []string{"", "1 deleted /l/a", "3 deleted /l/a",
			"9 deleted /l/a"}, []string{"0 deleted /l/a"}},
	})
	judgeClauses(t, promise.ReadersWriters, onLive, []clause{
		{"1 reading /l/a\n3 reading /l/a\n...\n!2 writing /l/b\n@5s\n1 closed\n2 closed\n3 closed", []string{""},
			[]string{"9 fires-deleted /l/a"}},
		{"1 writing /l/a\n@1s\n!2 writing /l/b\n@2s\n...", []string{"1 closed; 2 closed"}, []string{"1 closed",
			"2 closed", "1 expired; 2 closed"}},
	})
	judgeClauses(t, promise.Capacity2, onLive, []clause{
		{"1 holding /l/a\n2 holding /l/b\n@1s\n!3 holding /l/c\n@2s\n...",
			[]string{"1 closed; 2 closed; 3 closed"}, []string{"1 closed; 2 closed", "1 closed; 3 closed",
				"1 closed; 2 closed; 3 expired"}},
	})
}

func TestFencedClauses(t *testing.T) {
	made := func(n int) string { return "1 created /l/a" + strings.Repeat("\n1 created /l/x", n-1) }
	judgeClauses(t, promise.Fenced, onSim, []clause{
		{"1 created /l/a\n2 created /l/b\n...\n2 holding /l/b\n2 stores db\n1 stores db",
			[]string{"1 holding /l/a", "1 leading /l/a", "1 writing /l/a", "1 holding /l/a; 1 released",
				"1 holding /l/a; 1 expired"},
			[]string{"", "1 reading /l/a", "1 waiting /l/a", "1 passed", "1 holding /l/none",
				"1 created /l/a; 1 holding /l/a"}},
		{"1 created /l/a\n1 holding /l/a\n2 created /l/b\n...\n2 stores db\n1 stores db",
			[]string{"2 holding /l/b", "2 leading /l/b", "2 writing /l/b"}, []string{"", "2 reading /l/b",
				"2 waiting /l/b"}},
		{"1 created /l/a\n1 holding /l/a\n2 created /l/b\n2 holding /l/b\n2 stores db\n...",
			[]string{"1 stores db", "1 waiting /l/a; 1 stores db", "1 released; 1 stores db",
				"2 stores db; 1 stores db", "!1 stores db; 1 stores db"},
			[]string{"", "2 stores db", "1 stores printer", "3 stores db", "1 refused db",
				"1 created /l/c; 1 holding /l/c; 1 stores db"}},
		{"1 created /l/a\n1 holding /l/a\n...\n2 holding /l/b\n2 stores db\n1 stores db",
			[]string{"2 created /l/b", "3 created /l/x"}, // a holder without a znode has the latest rank
			[]string{""}},
		{"...\n2 created /l/b\n1 holding /l/a\n2 holding /l/b\n2 stores db\n1 stores db",
			// among this many it remembers that it created /l/a
			[]string{made(16), made(10), "1 created /l/x\n" + made(16)}, []string{made(17)}},
		{"...\n2 created /l/b\n1 holding /l/a\n2 holding /l/b\n2 stores db\n1 stores db",
			[]string{"1 created /l/a"}, []string{"1 deleted /l/a"}},
	})
}

func TestOrderClauses(t *testing.T) {
	const three, seven = "/l/n-0000000003", "/l/n-0000000007"
	judgeClauses(t, promise.Order, onSim, []clause{
		{"...\n2 holding " + three,
			[]string{"1 holding " + seven, "1 leading " + seven, "1 holding " + seven + "; 1 released",
				"1 holding " + three + "; 1 holding " + seven},
			[]string{
				"", "1 reading " + seven, "1 writing " + seven, "1 waiting " + seven, "1 holding " + three,
				"1 holding /l/n-0000000002",
				"1 holding /m/n-0000000007", "1 holding /l/m/n-0000000007", "1 holding /l/n", "1 holding",
				"1 expired; 1 holding " + seven,
				"1 closed; 1 holding " + seven, "0 holding " + seven, "1 holding " + seven[:10],
			}},
		{"1 holding " + seven + "\n...",
			[]string{"2 holding " + three, "2 leading " + three, "2 holding /l/n-0000000000",
				"2 expired; 2 session; 2 holding " + three, "1 holding " + three},
			[]string{
				"2 reading " + three, "2 writing " + three, "2 waiting " + three, "2 holding " + seven,
				"2 holding /l/n-0000000008",
				"2 expired; 2 holding " + three, "2 closed; 2 holding " + three, "2 holding /l/n",
				"0 holding " + three,
			}},
		{"1 holding /l/a-0000000007\n...", []string{"2 holding /l/b-0000000003"}, []string{"2 holding /l/b/n-0000000003"}},
		// A client that got in out of turn is no measure for those after it.
		{"1 holding " + seven + "\n2 holding " + three + "\n...", []string{"3 holding /l/n-0000000005"}, nil},
	})
	judgeClauses(t, promise.Order, onLive, []clause{
		{"1 holding " + seven + "\n@1s\n!2 holding " + three + "\n@2s\n...", []string{"2 closed"}, []string{"",
			"1 closed", "2 expired"}},
	})
}

func TestNoOvertakingClauses(t *testing.T) {
	const three, seven = "/l/n-0000000003", "/l/n-0000000007"
	judgeClauses(t, promise.NoOvertaking, onSim, []clause{
		{"...\n2 writing " + three,
			[]string{"1 reading " + seven, "1 writing " + seven, "1 writing " + seven + "; 1 released",
				"1 reading " + seven + "; 3 reading /l/n-0000000002"},
			[]string{
				"", "1 holding " + seven, "1 leading " + seven, "1 waiting " + seven, "1 reading " + three,
				"1 reading /m/n-0000000007",
				"1 reading /l/n", "1 expired; 1 reading " + seven, "1 closed; 1 writing " + seven,
				"0 writing " + seven,
			}},
		{"...\n2 reading " + three,
			[]string{"1 writing " + seven, "1 writing " + seven + "; 3 writing /l/n-0000000005"},
			[]string{"", "1 reading " + seven, "1 holding " + seven, "1 writing " + three,
				"1 writing /m/n-0000000007"}},
		{"1 writing " + seven + "\n...",
			[]string{"2 writing " + three, "2 reading " + three, "2 writing /l/n-0000000000",
				"2 expired; 2 session; 2 reading " + three},
			[]string{
				"2 holding " + three, "2 leading " + three, "2 waiting " + three, "2 writing " + seven,
				"2 writing /l/n-0000000008",
				"2 reading /l/n", "2 expired; 2 reading " + three, "2 closed; 2 writing " + three,
				"0 reading " + three,
			}},
	})
}

func TestGivesUpInTimeClauses(t *testing.T) {
	judgeClauses(t, promise.GivesUpInTime, onSim, []clause{
		{"1 waiting /l/a\n...\n1 waits /l/b", // without a limit
			[]string{"", "1 waiting /l/c", "1 sends-get /l/b", "2 exited", "2 holding /l/b", "1 waits /l/b 3",
				"1 paused", "1 expired"},
			[]string{"1 holding /l/a", "1 gave-up /l/a", "1 lost", "1 released", "1 exited", "1 crashed"}},
		{"...\n1 waits /l/b", []string{"1 waiting /l/a"}, []string{"", "2 waiting /l/a", "1 holding /l/a",
			"0 waiting /l/a"}},
		{"1 waiting /l/a\n1 waits /l/b 3\n@2s\n...",
			[]string{"1 waits /l/b 2", "1 waits /l/b 2", "1 sends-get /l/c; 1 waits /l/c 2",
				"1 sends-get /l/c; @4s; 1 sends-get /l/c; 1 waits /l/c 2"},
			[]string{
				"", "1 waits /l/b 1", "2 waits /l/b 9", "1 waiting /l/a; 1 waits /l/b 9",
				"1 holding /l/a; 1 waits /l/b 9",
				"1 sends-get /l/c; @9s; 1 waits /l/c 1", "1 sends-get /l/c; @4s; 1 sends-get /l/c; 1 waits /l/c 1",
			}},
		// Requests before the last wait don't excuse it.
		{"1 waiting /l/a\n1 sends-get /l/b\n@2s\n1 waits /l/b 3\n@5s\n...", []string{"1 waits /l/b 1"},
			[]string{"1 gave-up /l/a"}},
		// It is blamed once for an attempt.
		{"1 waiting /l/a\n!1 waits /l/b\n...", []string{""}, nil},
	})
	_, first := scriptOfClause(t, "1 waiting /l/a\n1 waits /l/b")
	events, _ := scriptOfClause(t, "1 waiting /l/a\n1 waits /l/b\n1 waits /l/b")
	if v := judgeClause(promise.GivesUpInTime, onSim, events); len(v) != 1 || v[0].Seq != first.Seq {
		t.Errorf("who waits twice without a limit is blamed for %+v", v)
	}
}

func TestRevokedInTimeClauses(t *testing.T) {
	const (
		listens = "1 gets /l/a\n1 watches /l/a\n1 has-read /l/a\n"
		told    = "@3s\n1 told /l/a\n"
		knows   = "1 holding /l/a\n" + listens + "@2s\n2 changed /l/a\n" + told
	)
	judgeClauses(t, promise.RevokedInTime, onSim, []clause{
		// A holder that is asked to leave listens,
		{"1 holding /l/a\n...\n2 changed /l/a\n@9s\n1 released",
			[]string{"", "1 watches /l/b", "2 watches /l/a", "1 gets /l/a", "1 reading /l/a",
				"1 waiting /l/a; 1 holding /l/a", "1 watches /l/a; 1 leading /l/a"},
			[]string{"1 watches /l/a", "1 released", "1 waiting /l/a", "1 exited", "1 crashed", "1 expired",
				"1 closed", "1 holding /l/b"}},
		{"1 holding /l/a\n...\n@9s\n1 released",
			[]string{"2 changed /l/a", "2 changed /l/a; 1 changed /l/a", "2 changed /l/a; 2 paused",
				"2 changed /l/a; 1 watches /l/b"},
			[]string{
				"", "1 changed /l/a", "2 changed /l/b", "2 changed /l/a; 9 deleted /l/a",
				"2 changed /l/a; 1 expired", "2 changed /l/a; 1 watches /l/a",
				"2 changed /l/a; @9s; 1 has-read /l/a", "2 changed /l/a; 1 lost",
			}},
		// also if it was asked before it got in.
		{"...\n@9s\n1 released",
			[]string{"2 changed /l/a; 1 holding /l/a", "2 changed /l/a; 1 writing /l/a",
				"2 changed /l/a; 1 reading /l/a", "2 changed /l/a; 1 leading /l/a"},
			[]string{"2 changed /l/a", "2 changed /l/a; 1 waiting /l/a",
				"2 changed /l/a; 9 deleted /l/a; 1 holding /l/a", "2 changed /l/a; 2 holding /l/a"}},
		// Once it knows, it does nothing but leave.
		{"1 holding /l/a\n" + listens + "@2s\n2 changed /l/a\n@3s\n...\n1 waits /l/a 9",
			[]string{"1 told /l/a", "1 gets /l/a; 1 has-read /l/a", "1 told /l/a; 1 gets /l/a",
				"1 told /l/a; 2 released"},
			[]string{
				"", "1 told /l/b", "2 told /l/a", "1 hears-get /l/b", "1 hears-get /l/a -101",
				"1 hears-exists /l/a", "1 hears-set /l/a",
				"1 told /l/a; 1 released", "1 told /l/a; 1 exited", "1 told /l/a; 1 crashed", "1 told /l/a; 1 lost",
			}},
		{knows + "...",
			[]string{"@4s; 1 released", "@4s; 1 sends-get /l/a", "@4s; 1 asks /l/a", "1 waits /l/a",
				"1 gets /l/a; @4s; 1 has-read /l/a; @5s; 1 released"},
			[]string{
				"", "1 released", "1 asks /l/a", "1 asks /l/a; @9s; 1 answered /l/a; 1 released", "@4s; 1 exited",
				"@4s; 1 crashed", "@4s; 1 lost",
				"1 asks /l/a; @9s; 1 released", "1 expired; @4s; 1 released", "@4s; 1 paused; 1 released",
			}},
		// An event about its own change asks a client for nothing.
		{"1 holding /l/a\n" + listens + "@2s\n...\n" + told + "@9s\n1 released", []string{"2 changed /l/a"},
			[]string{"1 changed /l/a", ""}},
		// An answer older than the request doesn't tell it.
		{"1 holding /l/a\n1 watches /l/a\n1 gets /l/a\n@2s\n2 changed /l/a\n...\n1 waits /l/a 9", []string{"1 has-read /l/a"},
			[]string{"1 read-before /l/a"}},
		{"1 holding /l/a\n1 watches /l/a\n1 gets /l/a\n@2s\n...\n1 has-read /l/a\n1 waits /l/a 9",
			[]string{"2 changed /l/a"}, []string{"", "2 changed /l/b"}},
	})
	judgeClauses(t, promise.RevokedInTime, onLive, []clause{
		{knows + "...", []string{"1 waits /l/a 9"}, []string{"@4s; 1 released", "@4s; 1 sends-get /l/a",
			"@4s; 1 asks /l/a"}},
	})
}
