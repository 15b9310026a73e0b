package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// documents returns the documents for users, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"../../README.md", "../../SECURITY.md", "../../CHANGELOG.md", "../../docs/alerts/README.md"}
	more, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(more) == 0 {
		t.Fatalf("docs has no pages: %v", err)
	}
	texts := map[string]string{}
	for _, name := range append(names, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimPrefix(name, "../../")] = string(text)
	}
	return texts
}

// sample is a command in a document, with its output there.
type sample struct{ in, command, shown string }

// samplesOf finds the commands after a $ in indented blocks.
func samplesOf(name, text string) (all []sample) {
	for _, block := range strings.Split(text, "\n    $ viz-server ")[1:] {
		command, rest, _ := strings.Cut(block, "\n")
		var shown strings.Builder
		for line := range strings.Lines(rest) {
			if line != "\n" && !strings.HasPrefix(line, "    ") {
				break
			}
			shown.WriteString(strings.TrimPrefix(line, "    "))
		}
		all = append(all, sample{name, command, strings.TrimSpace(shown.String())})
	}
	return all
}

var systems = regexp.MustCompile(`^(class|health|serve|tap|zookeeper|redis)\b|--(zk|redis|postgres|mysql|etcd) `)

// needsSystem reports whether a command needs a cluster or runs until it is stopped.
func (s sample) needsSystem() bool {
	return systems.MatchString(s.command)
}

// run runs the command next to the files of a night, and trims spaces at the ends of lines.
func (s sample) run(t *testing.T) (code int, printed string) {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(s.command, "/var/lib/zookeeper/", ""))
	var out, errs bytes.Buffer
	code = execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
	return code, strings.TrimSpace(regexp.MustCompile(`(?m) +$`).ReplaceAllString(out.String(), ""))
}

// shows reports whether the document shows the output, whole or up to an ellipsis.
func (s sample) shows(printed string) bool {
	first, cut := strings.CutSuffix(s.shown, "…")
	return printed == s.shown || cut && strings.HasPrefix(printed, first)
}

// TestDocsShowRealRuns runs every command in the documents that needs no cluster, and compares the output.
func TestDocsShowRealRuns(t *testing.T) {
	texts := documents(t)
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.UTC
	t.Chdir(t.TempDir())
	writeNight(t)
	ran := map[string]int{}
	for name, text := range texts {
		for _, s := range samplesOf(name, text) {
			if s.needsSystem() {
				continue
			}
			ran[name]++
			if code, printed := s.run(t); code == exitTrouble || !s.shows(printed) {
				t.Errorf("%s: viz-server %s ends with %d, and prints\n%s", s.in, s.command, code, printed)
			}
		}
	}
	for _, name := range []string{"README.md", "docs/on-call.md", "docs/terminal.md", "docs/zookeeper.md"} {
		if ran[name] == 0 {
			t.Errorf("%s shows no command that could be run here", name)
		}
	}
}

// TestDocsNameFlags checks that every flag in the documents exists in viz-server.
func TestDocsNameFlags(t *testing.T) {
	known := []string{"help", "version", "group-add"} // the last is docker's
	for _, command := range newParser(t).Model.Children {
		for _, flag := range command.Flags {
			known = append(known, flag.Name)
			if flag.Tag.Negatable != "" {
				known = append(known, "no-"+flag.Name)
			}
		}
	}
	flag := regexp.MustCompile(`(?:^|[\s` + "`" + `(\[])--([a-z][a-z-]*)`)
	for name, text := range documents(t) {
		for _, found := range flag.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(known, found[1]) {
				t.Errorf("%s says --%s, which no command of viz-server has", name, found[1])
			}
		}
	}
}

// writeNight writes transaction logs. version-2 has a night in which a lock changes hands. s1 to s3 have the end of
// an epoch, with the last transactions only on s1.
func writeNight(t *testing.T) {
	t.Helper()
	const lock = "/app/nightly-report"
	const first, second, third = 0x1000a4f2c1b0003, 0x2000a4f2bd80001, 0x1000a4f2c1b0008
	client := func(n string) string { return lock + "/lock-000000000" + n }
	night := []wire.Txn{
		at("01:58:00.004", wire.Txn{Session: third, Op: wire.OpCreateSession, TimeoutMS: 12_000}),
		at("01:58:00.061", wire.Txn{Session: third, Cxid: 1, Op: wire.OpCreate, Path: "/app"}),
		at("01:58:00.067", wire.Txn{Session: third, Cxid: 2, Op: wire.OpCreate, Path: lock}),
		at("02:05:12.114", wire.Txn{Session: first, Op: wire.OpCreateSession, TimeoutMS: 12_000}),
		at("02:05:12.131", wire.Txn{Session: first, Cxid: 1, Op: wire.OpCreate, Path: client("0"), Ephemeral: true,
			Data: []byte("report-1")}),
		at("02:06:40.530", wire.Txn{Session: second, Op: wire.OpCreateSession, TimeoutMS: 12_000}),
		at("02:06:40.552", wire.Txn{Session: second, Cxid: 1, Op: wire.OpCreate, Path: client("1"), Ephemeral: true,
			Data: []byte("report-2")}),
		at("02:06:41.207", wire.Txn{Session: third, Cxid: 3, Op: wire.OpCreate, Path: client("2"), Ephemeral: true,
			Data: []byte("report-3")}),
		at("02:13:07.802", wire.Txn{Session: first, Op: wire.OpCloseSession, Paths: []string{client("0")}}),
		at("02:13:52.416", wire.Txn{Session: second, Cxid: 2, Op: wire.OpDelete, Path: client("1")}),
		at("02:21:30.090", wire.Txn{Session: third, Cxid: 4, Op: wire.OpDelete, Path: client("2")}),
	}
	for i := range night {
		night[i].Zxid = 0x200000001 + int64(i)
	}
	writeLog(t, "version-2", night)
	set := func(epoch, to int64) (all []wire.Txn) {
		for i := int64(1); i <= to; i++ {
			x := at("03:00:00.000", wire.Txn{Session: 7, Cxid: 1, Zxid: epoch<<32 + i, Op: wire.OpSetData, Path: "/app",
				Data: []byte("x")})
			x.TimeMS += epoch*60_000 + i*1000
			all = append(all, x)
		}
		return all
	}
	writeLog(t, "s1/version-2", set(0, 7))
	writeLog(t, "s2/version-2", append(set(0, 5), set(1, 4)...))
	writeLog(t, "s3/version-2", append(set(0, 5), set(1, 5)...))
}

// at returns x with a time of that night.
func at(clock string, x wire.Txn) wire.Txn {
	when, err := time.Parse(time.RFC3339, "2026-11-25T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	x.TimeMS = when.UnixMilli()
	return x
}

func writeLog(t *testing.T, folder string, all []wire.Txn) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "log.1"), txnlogtest.Log(all...), 0o600); err != nil {
		t.Fatal(err)
	}
}
