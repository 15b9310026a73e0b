package lessons

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// Claim is a step's statement about its moment, which words, log and picture must support:
//
//	inside A B        exactly these are inside, by the log; nobody is "inside -"
//	believes A B      exactly these believe that they are inside
//	broken order      exactly these rules have been broken by then
//	now wakeups 24    a count of the run up to this moment: requests, wakeups, waiting, told, seconds
//	verdict PATTERN   the verdict on the run so far has such a line, with a * for any text
//	not PATTERN       the picture shows no such mark
//	PATTERN           the picture shows such a mark, as in a question's marks
//
// "beside" before any of them means the run that stands beside the lesson's.
type Claim struct {
	Beside bool
	Kind   string // "inside", "believes", "broken", "now", "verdict", "not" or "mark"
	Text   string // what follows it; for a mark, the whole pattern
}

// nowCounts names what can be counted at a moment.
var nowCounts = []string{"requests", "seconds", "told", "waiting", "wakeups"}

// parseClaims reads claims, of which those with "beside" need a run there.
func parseClaims(texts []string, beside bool) (all []Claim, err error) {
	for _, text := range texts {
		c, err := ParseClaim(text)
		if err == nil && c.Beside && !beside {
			err = fmt.Errorf("claim %q: no run stands beside", text)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// ParseClaim reads a claim as written.
func ParseClaim(s string) (Claim, error) {
	text, beside := strings.CutPrefix(s, "beside ")
	kind, rest, _ := strings.Cut(text, " ")
	c := Claim{Beside: beside, Kind: kind, Text: rest}
	switch kind {
	case "inside", "believes", "broken":
		if rest == "" {
			return c, fmt.Errorf("claim %q: the name is missing; for nobody write %s -", s, kind)
		}
		return c, nil
	case "now":
		name, n, _ := strings.Cut(rest, " ")
		if _, err := strconv.Atoi(n); err != nil || !slices.Contains(nowCounts, name) {
			return c, fmt.Errorf("claim %q: write now, one of %s, and a number",
				s, strings.Join(nowCounts, ", "))
		}
		return c, nil
	case "verdict":
		if rest == "" {
			return c, fmt.Errorf("claim %q: the quotation is missing; write verdict and its text", s)
		}
		return c, nil
	case "not":
		text = rest
	default:
		c.Kind, c.Text = "mark", text
	}
	if !mark.Pattern(text) {
		return c, fmt.Errorf("claim %q: %q doesn't begin with a kind of mark", s, text)
	}
	return c, nil
}
