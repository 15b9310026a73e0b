package regexp_test

import (
	"math/rand/v2"
	"os"
	real "regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/wasm/instead/regexp"
)

// ebitens are the expressions in Ebiten's sources.
var ebitens = []string{`\A__t(\d+)\z`, `\n\n+`, `^[ \t\r\n]*//kage:unit\s+([^ \t\r\n]+)[ \t\r\n]*$`}

// others have what the names of znodes could have, too.
var others = []string{`a`, `(?i)k[st]|ß$`, `^(?:a|b|)c`, `(a+)(b+)`, `(a*)(ab)*b`, `(?P<x>a)?(?P<y>b)?$`, `a{2,3}(a*)`,
	`a{1,2}b{0,2}a`, `(a|ab)(c|bcd)`, `[^a-c\d]+-`, `(?:a|b)*c`, `((?:a|b)+)-?`, `^.+:\d*-`, `[-_]a`, `\.\|\$`}

// names returns the expressions in the table of the names of znodes.
func names(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../engine/analysis/naming/table.go")
	if err != nil {
		t.Fatal(err)
	}
	pieces := map[string]string{}
	for _, m := range real.MustCompile("(?m)^\t(\\w+) += `(.*)`$").FindAllStringSubmatch(string(text), -1) {
		pieces[m[1]] = m[2]
	}
	var all []string
	for _, m := range real.MustCompile("name: ((?:`[^`]*`|\\w+| \\+ )+)").FindAllStringSubmatch(string(text), -1) {
		whole := ""
		for part := range strings.SplitSeq(m[1], " + ") {
			if piece, ok := pieces[part]; ok {
				whole += piece
			} else {
				whole += strings.Trim(part, "`")
			}
		}
		all = append(all, whole)
	}
	if len(pieces) < 4 || len(all) < 30 {
		t.Fatalf("the table has only %q and %q: this test can't read it any more", pieces, all)
	}
	return all
}

// texts are matched by some expression; a test changes them.
var texts = []string{
	"__t12", "x\n\n\ny\n\n", "  //kage:unit\t pixels ", "aabba", "KſT-ß", "ks", "bc", "abcd", "d-x1-", "a:1-",
	"_a.|$", "_c_01234567-89ab-cdef-0123-456789abcdef-lock-0000000012",
	"_c_01234567-89ab-cdef-0123-456789abcdef-__READ__-0000000001",
	"0123456789abcdef0123456789abcdef__lock__0000000001",
	"0123456789abcdef0123456789abcdef__rlock__0000000001", "0123456789abcdef0123456789abcdef",
	"queue-|x|0000000001", "queue-1ABCDEF010000000001", "entry-100-0000000001",
	"_c_0123456789abcdef0123456789abcdef-lock-0000000001", "LOCK-SHARED-0000000001", "read-a:b:20000000001",
	"sh0000000001", "1-a-n_0000000001", "a:8983_solr", "a,160,1234567890123", "leader_election-0000000001",
	"query-0000000001", "17", "write-1f-0000000001", "item-1--0000000001", "Lock0000000001", "x-1-0000000001",
	"guid_0000000001", "task-0000000001", "controller", "ActiveStandbyElectorLock", "is_active", "MyLeader",
	"inactive", "postmaster", "MUTEX", "block", "master", "lock-1f-0000000001", "lease--1f-0000000001",
	"read-0000000001", "0123456789abcdef0123456789abcdef-host", "01234567-89ab-cdef-0123-456789abcdef",
	"_c_01234567-89ab-cdef-0123-456789abcdef-latch-0000000001",
	"_c_01234567-89ab-cdef-0123-456789abcdef-lease-0000000001",
}

// TestAgrees checks that matches and groups are the same as those of the real regexp.
func TestAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, text := range slices.Concat(ebitens, others, names(t)) {
		want, got := real.MustCompile(text), regexp.MustCompile(text)
		if a, b := want.SubexpIndex("read"), got.SubexpIndex("read"); a != b {
			t.Errorf("%q: the group is %d, not %d", text, b, a)
		}
		matches := 0
		for range 2000 {
			in := changed(r)
			a, b := want.FindStringSubmatchIndex(in), got.FindStringSubmatchIndex(in)
			if !slices.Equal(a, b) {
				t.Fatalf("%q in %q: %v, not %v", text, in, b, a)
			}
			if got.MatchString(in) != (a != nil) || !slices.Equal(got.FindStringSubmatch(in), want.FindStringSubmatch(in)) {
				t.Fatalf("%q in %q: another answer than before", text, in)
			}
			if a != nil {
				matches++
			}
		}
		if matches == 0 {
			t.Errorf("no text matches %q", text)
		}
	}
	lines := real.MustCompile(ebitens[1])
	for range 1000 {
		in := strings.ReplaceAll(changed(r)+changed(r), "a", "\n")
		if a, b := lines.ReplaceAllString(in, "\n\n"), regexp.MustCompile(ebitens[1]).ReplaceAllString(in, "\n\n"); a != b {
			t.Fatalf("%q becomes %q, not %q", in, b, a)
		}
	}
}

// changed returns one of the texts with up to two changes.
func changed(r *rand.Rand) string {
	text := []rune(texts[r.IntN(len(texts))])
	for range r.IntN(3) {
		at := r.IntN(len(text) + 1)
		switch piece := []rune(texts[r.IntN(len(texts))]); r.IntN(3) {
		case 0:
			text = slices.Insert(text, at, piece[r.IntN(len(piece))])
		case 1:
			text = slices.Delete(text, at, min(at+1, len(text)))
		default:
			text = append(text, piece...)
		}
	}
	return string(text)
}

// TestRefuses checks that MustCompile panics about what this package would do otherwise than the real one.
func TestRefuses(t *testing.T) {
	for _, text := range []string{`a**`, `a+?`, `a{2}{3}`, `(a`, `a)`, `[a`, `[]a]`, `[[:alpha:]]`, `[b-a]`, `\w`, `\b`, `\pL`,
		`(?s)a`, `a(?i)b`, `(?<x>a)`, `*`, `a{`, `a{,2}`, `a{3,2}`, `a{0}`, `a{2,}`, `\Q`, `[a-\d]`, `\x41`, `(?P<x`} {
		if !panics(func() { regexp.MustCompile(text) }) {
			t.Errorf("%q is compiled", text)
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}
