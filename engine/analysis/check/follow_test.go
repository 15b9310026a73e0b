package check_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

const done = "\n0 ends all-done"

// TestFollowing judges hand-written logs of those that follow what others change.
func TestFollowing(t *testing.T) {
	const change = "1 writes /c\n1 published /c 1\n"
	for _, c := range []struct{ name, script, want string }{
		{"has seen the last", change + "2 peeks /c\n2 saw /c 1\n2 exited" + done, ""},
		{"went home before it", "@1s\n2 peeks /c\n2 saw /c 0\n@2s\n2 exited\n@3s\n" + change + "@9s" + done, `
			current 3s [2]: in the end client-2 hadn't seen the latest of c: client-2 looked last at 1.0 s, and client-1 changed it at 3.0 s`},
		{"went home after it", "@1s\n2 peeks /c\n2 saw /c 0\n@3s\n" + change + "@4s\n2 exited\n@9s" + done, `
			current 4s [2]: in the end client-2 hadn't seen the latest of c: client-2 looked last at 1.0 s, and client-1 changed it at 3.0 s`},
		{"looked before it and speaks after it", "2 peeks /c\n" + change + "2 saw /c 0\n2 exited" + done, "current"},
		{"gave up", "2 peeks /c\n2 saw /c 0\n2 gave-up /c\n2 exited\n" + change + done, ""},
		{"crashed, or lost its session",
			"2 peeks /c\n2 saw /c 0\n3 peeks /c\n3 saw /c 0\n2 crashed\n3 exited session expired\n" + change + done, ""},
		{"waits for ever", "2 peeks /c\n2 saw /c 0\n@2s\n" + change + "@9s\n0 ends stuck", `
			current 9s [2]: in the end client-2 hadn't seen the latest of c: client-2 looked last at 0.0 s, and client-1 changed it at 2.0 s`},
		{"the run is cut short", "2 peeks /c\n2 saw /c 0\n2 exited\n" + change + "0 ends cancelled", ""},
		{"a member that came", "2 looks /g\n2 saw /g 0\n2 exited\n@2s\n1 created /g/a\n1 exited" + done, `
			current 2s [2]: in the end client-2 hadn't seen the latest of g: client-2 looked last at 0.0 s, and client-1 put a there at 2.0 s`},
		{"a member that went", "1 created /g/a\n2 looks /g\n2 saw /g 1\n2 exited\n@2s\n1 removes /g/a\n1 exited" + done, `
			current 2s [2]: in the end client-2 hadn't seen the latest of g: client-2 looked last at 0.0 s, and a was deleted at 2.0 s`},
		{"a member that never came", "@1s\n2 looks /g\n2 saw /g 0\n2 exited\n1 exited" + done, `
			current 1s [1]: client-1 went home at 1.0 s, and hadn't put anything there or looked`},
		{"nobody looked", change + "1 exited\n2 exited" + done, "current"},
		{"said and not done", "2 looks /c\n2 saw /c 0\n2 gave-up\n@2s\n1 published /c 1" + done, `
			current/unwritten 2s [1]: client-1 reports 1 of c as published at 2.0 s, but hasn't written it`},
		{"said twice", change + "1 published /c 2", "current/unwritten"},
	} {
		compare(t, c.name, judgeBy(t, promise.Current, "sim", c.script), c.want)
	}
	// A live host doesn't see the write of a client whose answers were lost.
	compare(t, "written unseen", judgeBy(t, promise.Current, "live", "1 unanswered /c\n1 published /c 1"), "")
	compare(t, "not written", judgeBy(t, promise.Current, "live", "1 published /c 1"), "current/unwritten")
}

func TestEveryMessage(t *testing.T) {
	const two = "1 appends /t/m-0000000000\n1 published /t 1\n1 appends /t/m-0000000001\n1 published /t 2\n"
	for _, c := range []struct{ name, script, want string }{
		{"all of them", two + "2 saw /t 1\n2 saw /t 2\n2 exited" + done, ""},
		{"only the newest", two + "@2s\n2 saw /t 2", `
			every-message 2s [2]: client-2 saw message 2 of t at 2.0 s, but hadn't seen 1 before`},
		{"twice", two + "2 saw /t 1\n@2s\n2 saw /t 1", `
			every-message/again 2s [2]: client-2 saw message 1 of t at 2.0 s, but had seen it before`},
		{"the wrong way round", "2 saw /t 2\n@2s\n2 saw /t 1", `
			every-message/again 2s [2]: client-2 saw message 1 of t at 2.0 s, after message 2`},
		{"not the last", two + "2 saw /t 1\n@2s\n2 exited" + done, `
			every-message 2s [2]: client-2 went home at 2.0 s and never saw message 2 of t`},
		{"gave up, crashed", two + "2 saw /t 1\n2 gave-up\n2 exited\n3 saw /t 1\n3 crashed" + done, ""},
		{"heard of late", "1 appends /t/m-0000000001\n2 saw /t 2\n1 appends /t/m-0000000000", `
			every-message 0s [2]: client-2 saw message 2 of t, but hadn't seen 1 before`},
		{"put there twice", "1 appends /t/m-0000000000\n1 appends /t/m-0000000001\n@2s\n1 published /t 2", `
			every-message/repeated 2s [1]: client-1 reports message 2 of t as published at 2.0 s, but had put it there 2 times`},
		{"by two",
			"1 appends /t/m-0000000000\n3 appends /t/m-0000000001\n3 published /t 2\n1 published /t 1\n2 saw /t 1\n2 saw /t 2",
			""},
	} {
		compare(t, c.name, judgeBy(t, promise.EveryMessage, "sim", c.script), c.want)
	}
}

func TestMembershipTrue(t *testing.T) {
	const one = "1 created /g/a\n"
	for _, c := range []struct{ name, script, want string }{
		{"one is there", one + "2 glances /g\n2 saw /g 1", ""},
		{"one has gone meanwhile", one + "2 glances /g\n1 deleted /g/a\n2 saw /g 1", ""},
		{"one has come meanwhile", "2 glances /g\n1 created /g/a\n2 saw /g 1", ""},
		{"one has gone before", "1 created /g/a\n1 deleted /g/a\n2 glances /g\n@2s\n2 saw /g 1", `
			membership-true 2s [2]: client-2 counted 1 in g at 2.0 s, but there were 0 while it looked`},
		{"more than ever", one + "2 glances /g\n1 created /g/b\n@2s\n2 saw /g 3", `
			membership-true 2s [2]: client-2 counted 3 in g at 2.0 s, but there were between 1 and 2 while it looked`},
		{"what it did not look at", one + "2 glances /h\n2 saw /g 7", ""},
	} {
		compare(t, c.name, judgeBy(t, promise.MembershipTrue, "sim", c.script), c.want)
	}
	compare(t, "live", judgeBy(t, promise.MembershipTrue, "live", "2 glances /g\n2 saw /g 1\n"+one), "")
}

// client-1 decides, the two others vote.
func TestVotesKept(t *testing.T) {
	const both = "2 says /t/vote-2=commit\n3 says /t/vote-3=commit\n"
	for _, c := range []struct{ name, script, want string }{
		{"all for it", both + "1 looks /t\n1 says /t/decision=commit\n2 committed /t" + done, ""},
		{"one against it",
			"2 says /t/vote-2=commit\n3 says /t/vote-3=abort\n1 looks /t\n1 says /t/decision=abort\n2 aborted /t" + done, ""},
		{"committed all the same",
			"@1s\n2 says /t/vote-2=commit\n3 says /t/vote-3=abort\n@2s\n1 looks /t\n1 says /t/decision=commit" + done, `
			votes-kept 2s [1 3]: client-1 decided to carry t out at 2.0 s, but client-3 voted against it at 1.0 s`},
		{"one has not voted", "2 says /t/vote-2=commit\n@2s\n1 says /t/decision=commit" + done, `
			votes-kept 2s [1 3]: client-1 decided to carry t out at 2.0 s, but client-3 never voted`},
		{"one votes later", "2 says /t/vote-2=commit\n@2s\n1 says /t/decision=commit\n@3s\n3 says /t/vote-3=commit" + done, `
			votes-kept 3s [1 3]: client-1 decided to carry t out at 2.0 s, but client-3 didn't vote until 3.0 s`},
		{"aborted all the same", both + "1 looks /t\n@2s\n1 says /t/decision=abort" + done, `
			votes-kept 2s [1]: client-1 decided against t at 2.0 s, but had seen that everybody had voted for it`},
		{"aborted without a look at the last vote",
			"2 says /t/vote-2=commit\n1 looks /t\n3 says /t/vote-3=commit\n1 says /t/decision=abort" + done, ""},
		{"aborted by a site that waited in vain", both + "2 looks /t\n2 says /t/decision=abort" + done, ""},
		{"carried out although aborted",
			"2 says /t/vote-2=commit\n3 says /t/vote-3=abort\n1 says /t/decision=abort\n@2s\n2 committed /t" + done, `
			votes-kept 2s [2 1]: client-2 carried t out at 2.0 s, but client-1 had decided against it at 0.0 s`},
		{"carried out and not decided", both + "@2s\n2 committed /t" + done, `
			votes-kept 2s [2]: client-2 carried t out at 2.0 s, but nobody had decided it`},
		{"the run is cut short", "1 says /t/decision=commit\n0 ends cancelled", ""},
	} {
		compare(t, c.name, judgeBy(t, promise.VotesKept, "sim", c.script), c.want)
	}
	compare(t, "a decision unseen", judgeBy(t, promise.VotesKept, "live", both+"2 committed /t"+done), "")
	compare(t, "a vote unseen", judgeBy(t, promise.VotesKept, "live", both+"3 unanswered /t\n1 says /t/decision=commit"+
		done), "")
}

func TestAnnounced(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"a sign", "1 writes /sign=client-1\n1 leading /q/a\n2 writes /sign=client-2\n2 leading /q/b", ""},
		{"by its program's name", "1 is db\n1 writes /sign=db\n1 leading /q/a", ""},
		{"no sign", "1 created /q/a\n@2s\n1 leading /q/a", `
			announced 2s [1]: client-1 leads at 2.0 s, but no znode says so`},
		{"somebody else's", "1 writes /sign=client-1\n2 writes /sign=client-2\n1 leading /q/a", "announced"},
		{"somebody else's name", "1 writes /sign=client-12\n1 leading /q/a", "announced"},
		{"a sign that is gone", "1 says /sign=client-1\n1 deleted /sign\n1 leading /q/a", "announced"},
		{"its session is over", "1 expired\n1 leading /q/a", ""},
		{"registered", "1 named /ids 3\n1 says /services/3=client-1\n1 deleted /services/3\n1 exited", ""},
		{"not registered", "@1s\n1 named /ids 3\n@2s\n1 exited", `
			announced 2s [1]: client-1 got the name 3 of ids at 1.0 s, and went home at 2.0 s, but never had a znode in which others could find it`},
		{"not registered, and another", "1 named /ids 3\n1 named /ids 4", `
			announced 0s [1]: client-1 got the name 3 of ids at 0.0 s, and took another at 0.0 s, but never had a znode in which others could find it`},
		{"crashed before it could", "1 named /ids 3\n1 crashed\n2 named /ids 4\n2 exited session expired", ""},
	} {
		compare(t, c.name, judgeBy(t, promise.Announced, "sim", c.script), c.want)
	}
	const late = "1 leading /q/a\n@5s\n"
	compare(t, "had expired", judgeBy(t, promise.Announced, "live", late+"1 expired"), "")
	compare(t, "had not", judgeBy(t, promise.Announced, "live", late+"1 closed"), "announced")
	compare(t, "unseen", judgeBy(t, promise.Announced, "live", "1 unanswered /sign\n1 leading /q/a\n@5s\n1 closed"), "")
}

// TestKnownAtTheEnd: until the run is over, these rules may still be fulfilled.
func TestKnownAtTheEnd(t *testing.T) {
	for rule, text := range map[string]string{
		promise.Current:      "2 looks /g\n2 saw /g 0\n2 exited\n1 created /g/a",
		promise.EveryMessage: "1 appends /t/m-0000000000\n1 appends /t/m-0000000001\n2 saw /t 1\n2 exited",
		promise.VotesKept:    "1 says /t/decision=commit",
	} {
		compare(t, rule, judgeBy(t, rule, "sim", text), "")
		compare(t, rule+" at the end", judgeBy(t, rule, "sim", text+done), rule)
		if !promise.AtEnd(rule) {
			t.Errorf("%s is said to be kept before the end", rule)
		}
	}
}

// judgeBy judges a log of three clients by one rule. It adds to the lines of script what clients look at and write:
// "2 says /t/vote-2=abort" is a znode with that text.
func judgeBy(t *testing.T, rule string, host event.Host, text string) check.Report {
	t.Helper()
	checker := check.New([]string{rule}, event.Header{Host: host, Clients: 3})
	for _, e := range script(t, text) {
		if e.Kind == event.RecipePhase {
			e = lookOrWrite(e)
		}
		checker.Append(e)
	}
	return checker.Report()
}

func lookOrWrite(e event.Event) event.Event {
	verb := e.Text
	did := event.Event{Seq: e.Seq, At: e.At, Zxid: int64(e.Seq)}
	did.Path, did.Text, _ = strings.Cut(e.Path, "=")
	switch verb {
	case "peeks", "looks", "unanswered":
		did.Kind, did.Actor, did.Op, did.Text = event.OpDone, e.Actor, event.Get, ""
		if verb == "looks" {
			did.Op = event.Children
		}
		if verb == "unanswered" {
			did.Code = int32(zoo.ErrConnectionLoss)
		}
	case "writes", "says", "appends":
		did.Kind, did.Peer = event.ZnodeCreated, e.Actor
		if verb == "writes" {
			did.Kind = event.ZnodeChanged
		}
		if verb == "appends" {
			did.Mode = uint8(zoo.PersistentSequential)
		}
	case "glances":
		did.Kind, did.Actor, did.Op = event.OpSent, e.Actor, event.Children
	case "removes":
		did.Kind, did.Peer, did.Reason = event.ZnodeDeleted, e.Actor, event.ByOp
	case "is":
		did.Kind, did.Actor, did.Text = event.ClientStarted, e.Actor, e.Path
	default:
		return e
	}
	return did
}
