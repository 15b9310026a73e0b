package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// failFlag makes an exit code say whether locks are in trouble.
type failFlag struct {
	FailOn []string `name:"fail-on" placeholder:"KIND" help:"End with 3 if a lock has a trouble of this kind: ${now_kinds}; or if no quorum is in sight: quorum; with --herds also ${herd_kinds}; with --follow, which then ends at the first, also ${past_kinds}; or any, for all of them. Separate several by commas. It ends with 2 if no server can be reached, or the servers don't say what a named kind needs."`
}

// anyKind stands for all kinds of trouble, and quorumKind for servers without a quorum.
const (
	anyKind    = "any"
	quorumKind = string(alarm.Quorum)
)

// errInTrouble ends a command whose output has already said what is in trouble.
var errInTrouble = errors.New("something is in trouble")

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
		case name == anyKind, name == quorumKind:
		case !slices.Contains(locks.Kinds(), k):
			return fmt.Errorf("--fail-on: %q is no kind of trouble; the kinds are %s, %s, or %s for all of them", name,
				kindNames(func(locks.Kind) bool { return true }), quorumKind, anyKind)
		case k.NeedsWatches() && !herds:
			return fmt.Errorf("--fail-on: zkviz looks for %s only with --herds", name)
		case k.NeedsPast() && !follow:
			return fmt.Errorf("--fail-on: %s can't be seen at one look, only by watching for a while: add --follow, or use "+
				"viz-server serve with --webhook or --metrics-addr", name)
		}
	}
	return nil
}

// fails returns errInTrouble if a lock in a report has a trouble of a named kind, or the servers have.
func (f failFlag) fails(r *follow.Report, s *ensemble.State) error {
	if f.failsOn(s) {
		return errInTrouble
	}
	for i := range r.Rows {
		if r.Rows[i].AsOfMS == 0 && slices.ContainsFunc(r.Rows[i].Troubles(), f.names) {
			return errInTrouble
		}
	}
	return nil
}

// failsOn reports whether no quorum is in sight, and that counts as a trouble.
func (f failFlag) failsOn(s *ensemble.State) bool {
	return s.Quorum == ensemble.Lost && f.names(alarm.Quorum)
}

// doubts fails if a report without such troubles doesn't prove that there are none.
func (f failFlag) doubts(r *follow.Report, s *ensemble.State) error {
	switch {
	case len(f.FailOn) == 0:
	case slices.Contains(f.FailOn, quorumKind) && !tellsQuorum(s):
		return errors.New("--fail-on: no server says whether there is a quorum")
	case r.ReadOnly:
		return errors.New("--fail-on: while the servers have no quorum, nobody knows which locks are in trouble")
	case len(r.Untold) > 0 && slices.ContainsFunc(f.FailOn, needsAnswers):
		return fmt.Errorf("--fail-on: servers don't say what zkviz needs to see %s", strings.Join(f.FailOn, ", "))
	}
	return nil
}

// unjudged returns the kinds of trouble that any leaves out, since what zkviz needs to see them isn't told.
func (f failFlag) unjudged(herds, follow bool, r *follow.Report, s *ensemble.State) (all []string) {
	if !slices.Contains(f.FailOn, anyKind) {
		return nil
	}
	for _, k := range locks.Kinds() {
		switch {
		case k.NeedsWatches() && !herds, k.NeedsPast() && !follow: // nobody has asked for those
		case needsAnswers(string(k)) && len(r.Untold) > 0, k.NeedsReasons() && !r.Joined:
			all = append(all, string(k))
		}
	}
	if !tellsQuorum(s) {
		all = append(all, quorumKind)
	}
	return all
}

// tellsQuorum reports whether the servers say whether there is a quorum.
func tellsQuorum(s *ensemble.State) bool {
	return s.Number > 0 && (s.Quorum == ensemble.Serves || s.Quorum == ensemble.Lost)
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
