package shared_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/run/shared"
)

// checkLog holds all that is stored of a log to what the package promises: numbers without gaps, no entry of an epoch
// behind a later one, each epoch behind its mark, and no entry twice.
func checkLog(t testing.TB, all []shared.Stored) {
	t.Helper()
	var epoch, n uint64
	seen := map[string]bool{}
	for _, e := range all {
		switch {
		case e.Epoch < epoch:
			t.Errorf("%+v comes after epoch %d", e, epoch)
		case e.Mark && (e.Epoch == epoch || e.N != n):
			t.Errorf("the mark %+v comes after epoch %d, number %d", e, epoch, n)
		case !e.Mark && e.Epoch != epoch:
			t.Errorf("%+v has no mark, after epoch %d", e, epoch)
		case !e.Mark && e.N != n+1:
			t.Errorf("%+v comes after number %d", e, n)
		case !e.Mark && seen[e.Data]:
			t.Errorf("%+v was stored before", e)
		}
		epoch, n = e.Epoch, e.N
		if !e.Mark {
			seen[e.Data] = true
		}
	}
}

// check ends the herd, and holds the log to what the members say: whatever one has appended is there, by its number,
// and each has read all entries, once and in order, apart from those that came at the end or after it was killed.
func (h *herd) check(gone ...*process) {
	h.t.Helper()
	for _, m := range h.members {
		m.stop(h.ctx)
	}
	b := open(h.t, shared.Config{URL: h.nats.url()})
	all := must(shared.Everything(h.ctx, b, theLog))
	checkLog(h.t, all)
	entries := slices.DeleteFunc(all, func(e shared.Stored) bool { return e.Mark })
	for i, m := range append(gone, h.members...) {
		read := uint64(0)
		for _, l := range m.all() {
			if l.verb == "read" {
				if read++; l.n != read {
					h.t.Fatalf("member %d reads %d after %d", i, l.n, read-1)
				}
			}
			isEntry := l.verb == "read" || l.verb == "appended"
			if isEntry && (l.n > uint64(len(entries)) || entries[l.n-1].Data != l.text) {
				h.t.Fatalf("member %d has %+v, and the log has another there, or %d entries", i, l, len(entries))
			}
		}
	}
	h.t.Logf("%d entries of %d owners", len(entries), len(all)-len(entries))
}

// refusals returns why appends failed, apart from those that the test ended.
func refusals(p *process) (all []string) {
	for _, l := range p.all() {
		if l.verb == "refused" && !strings.Contains(l.text, "context canceled") {
			all = append(all, l.text)
		}
	}
	return all
}
