package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// failFlag makes an exit code say whether locks are in trouble.
type failFlag struct {
	FailOn []string `name:"fail-on" placeholder:"KIND" help:"End with 3 if a lock has a trouble of this kind: ${now_kinds}; with --herds also ${herd_kinds}; with --follow, which then ends at the first, also ${past_kinds}; or any, for all of them. Separate several by commas. It ends with 2 if the servers have no quorum, or don't say what a named kind needs."`
}

// anyKind stands for all kinds of trouble.
const anyKind = "any"

// errInTrouble ends a command whose output has already said which lock is in trouble.
var errInTrouble = errors.New("a lock is in trouble")

// kindNames lists the names of the kinds of trouble that are picked.
func kindNames(pick func(locks.Kind) bool) string {
	var names []string
	for _, k := range locks.Kinds() {
		if pick(k) {
			names = append(names, string(k))
		}
	}
	return strings.Join(names, ", ")
}

// seenAtOnce reports whether one look at the znodes shows such a trouble.
func seenAtOnce(k locks.Kind) bool { return !k.NeedsPast() && !k.NeedsWatches() }

// validate refuses kinds that don't exist, and those that could never be seen: a check that always passes.
func (f failFlag) validate(herds, follow bool) error {
	for _, name := range f.FailOn {
		k := locks.Kind(name)
		switch {
		case name == anyKind:
		case !slices.Contains(locks.Kinds(), k):
			return fmt.Errorf("--fail-on: %q is no kind of trouble; the kinds are %s, or %s for all of them", name,
				kindNames(func(locks.Kind) bool { return true }), anyKind)
		case k.NeedsWatches() && !herds:
			return fmt.Errorf("--fail-on: zkviz looks for %s only with --herds", name)
		case k.NeedsPast() && !follow:
			return fmt.Errorf("--fail-on: %s can't be seen at one look, only by watching for a while: add --follow, or use "+
				"viz-server serve with --webhook or --metrics-addr", name)
		}
	}
	return nil
}

// fails returns errInTrouble if a lock in a report has a trouble of a named kind.
func (f failFlag) fails(r *follow.Report) error {
	for i := range r.Rows {
		if r.Rows[i].AsOfMS == 0 && slices.ContainsFunc(r.Rows[i].Troubles(), f.names) {
			return errInTrouble
		}
	}
	return nil
}

// doubts fails if a report without such troubles doesn't prove that there are none.
func (f failFlag) doubts(r *follow.Report) error {
	switch {
	case len(f.FailOn) == 0:
	case r.ReadOnly:
		return errors.New("--fail-on: while the servers have no quorum, nobody knows which locks are in trouble")
	case len(r.Untold) > 0 && slices.ContainsFunc(f.FailOn, needsAnswers):
		return fmt.Errorf("--fail-on: servers don't say what zkviz needs to see %s", strings.Join(f.FailOn, ", "))
	}
	return nil
}

// needsAnswers reports whether zkviz sees a kind of trouble only by what servers say about sessions and watches.
func needsAnswers(name string) bool {
	k := locks.Kind(name)
	return k == locks.Quiet || k.NeedsWatches()
}

// names reports whether a kind is named.
func (f failFlag) names(k locks.Kind) bool {
	return slices.Contains(f.FailOn, string(k)) || slices.Contains(f.FailOn, anyKind)
}
