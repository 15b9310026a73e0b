package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event"
)

// forged is the text that a hostile string tries to put on its own line.
const forged = "FORGED"

// hostile returns strings that would control a terminal, hide or reorder text around them, or imitate another line.
func hostile() []string {
	var all strings.Builder // every control character and direction mark
	for r := rune(0); r < 0xa0; r++ {
		if r < ' ' || r >= 0x7f {
			all.WriteRune(r)
		}
	}
	return []string{
		all.String(),
		"\x1b[2J\x1b]0;title\x07\x1bP\x1b[1A",
		"\r\x1b[K" + forged,
		"\n" + forged + "\n  ok  \t" + forged,
		"\v\f" + forged + "\f\xff" + forged,
		"\u009b31m\u0085" + forged,
		"\x9b31m\xc2",
		"\u202egnp\u202d\u2066\u2067\u2068\u2069\u202a\u202b\u202c\u200e\u200f\u061c",
		"\u2028" + forged + "\u2029" + forged,
		"\ufeff\u200b\u2060\u00ad\u200d\U000e0041",
	}
}

// wantClean fails if the output could control a terminal or contains a forged line.
func wantClean(t *testing.T, what, printed string) {
	t.Helper()
	if !utf8.ValidString(printed) {
		t.Errorf("%s: prints %q, which is not UTF-8", what, excerpt(printed, strings.IndexRune(printed, utf8.RuneError)))
		return
	}
	bad := func(r rune) bool {
		return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 ||
			strings.ContainsRune("\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e"+
				"\u2060\u2066\u2067\u2068\u2069\u00ad\ufeff\U000e0041", r)
	}
	if i := strings.IndexFunc(printed, bad); i >= 0 {
		t.Errorf("%s: prints %q", what, excerpt(printed, i))
	}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), forged) || strings.HasPrefix(line, "  ok  "+forged) {
			t.Errorf("%s: prints the line %q", what, line)
		}
	}
}

// excerpt returns the text around position i.
func excerpt(text string, i int) string { return text[max(i-40, 0):min(i+40, len(text))] }

// printed runs a command, checks its output with wantClean, and returns it.
func printed(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(args, &terminal{ctx: t.Context(), out: &o, err: &e})
	wantClean(t, fmt.Sprintf("%q on stdout", args), o.String())
	wantClean(t, fmt.Sprintf("%q on stderr", args), e.String())
	return code, o.String(), e.String()
}

// traceRecord is one line of a trace.
type traceRecord map[string]any

// readRecords parses a trace.
func readRecords(t *testing.T, path string) (all []traceRecord) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r traceRecord
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// saveRecords writes records as a trace. It keeps invalid UTF-8, since JSON from others may contain it.
func saveRecords(t *testing.T, path string, all []traceRecord) {
	t.Helper()
	var text bytes.Buffer
	for _, r := range all {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// spoil appends an invalid line to a trace.
func spoil(t *testing.T, path, line string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// poison sets the field to evil in every record from first on that has it, and in the header in any case.
func poison(all []traceRecord, field, evil string, first int) []traceRecord {
	all = slices.Clone(all)
	for i := first; i < len(all); i++ {
		old, ok := all[i][field]
		if !ok && i > 0 {
			continue
		}
		r := maps.Clone(all[i])
		switch v := old.(type) {
		case string:
			r[field] = v + evil
		case []any:
			r[field] = []string{evil}
		case nil:
			r[field] = evil
			if field == "faults" || field == "parents" || field == "keeps" {
				r[field] = []string{evil}
			}
		default:
			r[field] = evil
		}
		all[i] = r
	}
	return all
}

// poisonText puts evil into all free-text fields.
func poisonText(all []traceRecord, evil string) []traceRecord {
	for _, field := range []string{"root", "recipe", "host"} {
		all = append(poison(all[:1], field, evil, 0), all[1:]...)
	}
	return poison(poison(all, "path", evil, 1), "text", evil, 1)
}

// TestTraceFromOutside puts hostile strings into each field of a trace, and prints it in every possible way.
func TestTraceFromOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"predecessor-lock", "--fault", "pause client-1 at 2s for 15s", "--clients", "3"},
		{"orphan-node", "--clients", "1", "--fault", "drop client-1 at 0s"},
		{"barrier", "--fault", "crash client-1 at 2ms", "--clients", "3"},
	} {
		clean, spoilt := filepath.Join(dir, args[0]), filepath.Join(dir, args[0]+"-spoilt")
		if code, _, errs := printed(t, append([]string{"run", "--trace", clean}, args...)...); code != exitVerdict {
			t.Fatalf("%q: exit code %d: %s", args, code, errs)
		}
		records := readRecords(t, clean)
		for _, evil := range hostile() {
			saveRecords(t, spoilt, poisonText(records, evil))
			printAll(t, spoilt)
			if args[0] != "predecessor-lock" {
				continue // one is enough for the rest
			}
			for _, field := range slices.Sorted(maps.Keys(records[0])) {
				saveRecords(t, spoilt, append(poison(records[:1], field, evil, 0), records[1:]...))
				printAll(t, spoilt)
			}
			for _, field := range []string{"faults", "parents", "keeps"} {
				saveRecords(t, spoilt, append(poison(records[:1], field, evil, 0), records[1:]...))
				printAll(t, spoilt)
			}
			odd := maps.Clone(records[1])
			odd[evil] = 1
			saveRecords(t, spoilt, []traceRecord{records[0], odd})
			printAll(t, spoilt)
			saveRecords(t, spoilt, poison(records[:1], evil, evil, 0))
			printAll(t, spoilt)
			saveRecords(t, spoilt, records[:1])
			spoil(t, spoilt, evil)
			printAll(t, spoilt)
			for _, field := range []string{"kind", "op", "watch", "type", "mode", "session", "path", "text", "at_ns"} {
				saveRecords(t, spoilt, poison(records, field, evil, 1))
				printAll(t, spoilt)
			}
		}
	}
}

func printAll(t *testing.T, trace string) {
	t.Helper()
	printed(t, "check", trace)
	if _, out, _ := printed(t, "check", trace, "--json"); out != "" && !json.Valid([]byte(out)) {
		t.Errorf("check --json of %s prints no JSON: %s", trace, out)
	}
	picture := trace + ".svg"
	code, out, _ := printed(t, "render", trace)
	if code != exitOK {
		return
	}
	if code, _, errs := printed(t, "render", trace, "-o", picture); code != exitOK {
		t.Errorf("render %s -o: exit code %d: %s", trace, code, errs)
	}
	if saved, err := os.ReadFile(picture); err != nil || string(saved) != out {
		t.Errorf("%s: the saved picture is not the printed one: %v", trace, err)
	}
	if err := xml.Unmarshal([]byte(out), new(struct{})); err != nil {
		t.Errorf("the picture of %s is no XML: %v", trace, err)
	}
}

// TestJSONKeepsValues checks that text escaped for the terminal decodes to the trace's value.
func TestJSONKeepsValues(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "t")
	if code, _, errs := printed(t, "run", "barrier", "--clients", "3", "--trace", trace); code != exitOK {
		t.Fatal(errs)
	}
	records := readRecords(t, trace)
	for _, evil := range hostile() {
		evil = strings.ToValidUTF8(evil, "\ufffd")
		saveRecords(t, trace, append(poison(records[:1], "recipe", evil, 0), records[1:]...))
		_, out, _ := printed(t, "check", trace, "--json")
		var got struct{ Recipe string }
		if err := json.Unmarshal([]byte(out), &got); err != nil || got.Recipe != "barrier"+evil {
			t.Errorf("the recipe is %q, %v, want %q", got.Recipe, err, "barrier"+evil)
		}
	}
}

// TestScenarioFromOutside puts hostile strings into each field of a scenario file.
func TestScenarioFromOutside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.json")
	for _, evil := range hostile() {
		for _, field := range []string{"format", "version", "recipe", "clients", "rounds", "hold", "seed", "session_timeout",
			"latency", "jitter", "stagger", "faults", evil} {
			scenario := traceRecord{"format": "zkviz-scenario", "version": 1, "recipe": "barrier"}
			saveRecords(t, path, poison([]traceRecord{scenario}, field, evil, 0))
			if code, _, _ := printed(t, "run", "--scenario", path); code == exitOK {
				t.Errorf("a scenario with %s %q is run", field, evil)
			}
		}
		if err := os.WriteFile(path, []byte(evil), 0o666); err != nil {
			t.Fatal(err)
		}
		printed(t, "run", "--scenario", path)
		printed(t, "check", path)
	}
}

// TestArgumentsFromOutside passes hostile strings as every argument.
func TestArgumentsFromOutside(t *testing.T) {
	t.Parallel()
	for _, evil := range hostile() {
		for _, args := range [][]string{
			{evil}, {"--" + evil}, {"run", evil}, {"run", "barrier", evil},
			{"run", "barrier", "--clients", evil}, {"run", "barrier", "--hold", evil}, {"run", "barrier", "--hold=" + evil},
			{"run", "barrier", "--fault", evil}, {"run", "barrier", "--zk", evil}, {"run", "barrier", "--zk-path", evil},
			{"run", "barrier", "--zk", "127.0.0.1:1", "--zk-path", "/" + evil + "/"},
			{"run", "barrier", "--trace", "none/" + evil}, {"run", "--scenario", evil},
			{"explore", evil}, {"explore", "barrier", "--faults", evil},
			{"explore", "no-second-look", "--seeds", "50", "--scenario", "none/" + evil},
			{"compare", evil}, {"compare", "barrier", "--clients", evil},
			{"check", evil}, {"check", "none/" + evil}, {"render", evil}, {"render", "the-herd/" + evil},
			{"render", "the-herd", "--at", evil}, {"render", "the-herd", "-o", "none/" + evil},
			{"zookeeper", "--addr", evil}, {"zookeeper", "--addr", "127.0.0.1:0", "--data", "none/" + evil},
			{"serve", "--addr", evil}, {"serve", "--zk-listen", evil},
		} {
			if code, _, _ := printed(t, args...); code != exitTrouble {
				t.Errorf("%q: exit code %d", args, code)
			}
		}
		for _, args := range [][]string{{evil, "--help"}, {"run", evil, "--help"}, {"run", "--trace", evil, "--help"}} {
			printed(t, args...)
		}
	}
}

// TestProgressFromOutside checks that a server's text stays on its line, with and without a terminal.
func TestProgressFromOutside(t *testing.T) {
	t.Parallel()
	for _, evil := range hostile() {
		for _, tty := range []bool{false, true} {
			var errs bytes.Buffer
			p := &progress{bar: &bar{term: (&terminal{err: &errs, errTTY: tty}).escaping()}}
			p.Append(event.Event{Kind: event.Disconnected, Text: evil})
			got := errs.String()
			if tty {
				var ok bool
				if got, ok = strings.CutPrefix(got, "\r\x1b[K"); !ok {
					t.Errorf("%q does not begin by erasing the line", errs.String())
				}
			}
			wantClean(t, "progress", got)
			if strings.Count(got, "\n") != 1 {
				t.Errorf("%q is not one line", got)
			}
		}
	}
}
